"""The default character's body, modelled by code: ``python -m tools.mannequin``.

Rigid shells over a dark undersuit with ball joints, and a soft head with a face that moves. Every
part is a grid around a line or a point, projected onto a smooth field (`fields`), so that
seams are clean, triangles are few and the same code always gives the same mesh. The finished figure
is stored in the package; a test builds it again and compares.
"""
