"""Metrics of `evaluate`: each module declares its own in `METRICS`; tables follow their names."""
