"""The standing body: stance and feet, weight, pelvis, spine and legs."""
