"""Parts of a body: limbs, their limits, volume, gaze direction."""
