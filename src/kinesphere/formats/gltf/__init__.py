"""glTF, GLB, VRM and VRMA."""
