"""BVH files: the document, its layout of joints and channels, and motion read and written."""

from kinesphere.formats.file_format import Format

FORMATS = (
    Format(
        "BVH",
        (".bvh",),
        "kinesphere.formats.bvh.bvh_reading:read_bvh",
        "kinesphere.formats.bvh.bvh_writing:write_bvh",
        options=("unit", "up", "partial"),
    ),
)
