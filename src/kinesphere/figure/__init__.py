"""One engine for a standing body: ``step(state, targets, cues, dt) -> (state, pose)``.

Everything that stands goes through it, frame by frame: a performed script, a voice's motion, a
listener. It knows neither scripts nor models, only targets for this frame and cues of what comes.
"""
