"""Pictures and video: camera, rasteriser, sheets, plots."""
