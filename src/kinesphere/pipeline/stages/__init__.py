"""The stages of every performance: utter, plan, act, direct, dress; Direction and Cast."""
