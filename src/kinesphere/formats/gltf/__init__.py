"""glTF, VRM and VRM animation files: the document, characters, and motion read and written."""

from kinesphere.formats.file_format import FACE, Format

_READER, _OPTIONS = "kinesphere.formats.gltf.gltf_reading:read_gltf", ("unit", "animation", "fps")
_GLB_WRITER = "kinesphere.formats.gltf.gltf_writing:write_glb"
_VRMA_WRITER = "kinesphere.formats.gltf.vrma:write_vrma"

FORMATS = (
    Format("glTF binary", (".glb",), _READER, _GLB_WRITER, _OPTIONS, carries=(FACE,)),
    Format("glTF, VRM", (".gltf", ".vrm"), _READER, options=_OPTIONS),
    Format("VRM animation", (".vrma",), _READER, _VRMA_WRITER, _OPTIONS, carries=(FACE,)),
)
