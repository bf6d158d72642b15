"""Live sessions: sources, engines, pacing, sinks."""
