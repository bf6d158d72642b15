"""Characters of a session: those that have been read, and the one displayed."""

from __future__ import annotations

from typing import NamedTuple

from kinesphere.studio.server.messages import FigureReady
from kinesphere.studio.work.figures import ShownFigure, default_shown_figure
from kinesphere.studio.work.tasks import Looked


class Worn(NamedTuple):
    """A character: its message for the page, and its figure for live frames."""

    told: FigureReady
    figure: ShownFigure


class Wardrobe:
    """Characters by the ids of their files; the default mannequin has none."""

    def __init__(self) -> None:
        mannequin = default_shown_figure()
        told = FigureReady(
            0,
            mannequin.name,
            "figure",
            mannequin.vrm,
            mannequin.joints,
            mannequin.shapes,
            mannequin.bones,
            mannequin.home(),
        )
        self._known = {"": Worn(told, mannequin)}
        self.worn = self._known[""]

    def __contains__(self, upload: str) -> bool:
        return upload in self._known

    def add(self, upload: str, seen: Looked, url: str, figure: ShownFigure) -> None:
        """Add a character that has been read; `url` is the address of its file."""
        told = FigureReady(
            len(self._known),
            seen.name,
            url,
            seen.vrm,
            seen.joints,
            seen.shapes,
            seen.bones,
            seen.home,
        )
        self._known[upload] = Worn(told, figure)

    def put_on(self, upload: str) -> Worn:
        """Display a character that has been added."""
        self.worn = self._known[upload]
        return self.worn
