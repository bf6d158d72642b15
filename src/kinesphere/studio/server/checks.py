"""Checks of requests and documents; invalid ones are rejected before anything is changed."""

from __future__ import annotations

from collections.abc import Mapping

from kinesphere.errors import InvalidValueError
from kinesphere.pipeline.stages.timed_text import time_text
from kinesphere.studio.document import script_edits
from kinesphere.studio.document.directing import direction_of
from kinesphere.studio.document.document import Directing, Document, Speaking
from kinesphere.studio.server.offers import Offers
from kinesphere.studio.work.tasks import Material

CHECKED_TEXT = 8_000
"""Longest text, in characters, parsed in the server; a longer one would block other sessions."""


def check_text(speaking: Speaking) -> None:
    """Reject a text that cannot be performed; a long text is checked by the worker."""
    if not speaking.text.strip():
        raise InvalidValueError("the text holds no word")
    if len(speaking.text) <= CHECKED_TEXT:
        time_text(speaking.text, None if speaking.language == "auto" else speaking.language)


def check_directing(directing: Directing) -> None:
    """Reject factors, parts, words and numbers that are not allowed."""
    direction_of(directing)


def check_upload(
    materials: Mapping[str, Material], upload: str, kinds: tuple[str, ...] = ()
) -> Material:
    """Return an uploaded file that has one of the given suffixes."""
    material = materials.get(upload)
    if material is None:
        raise InvalidValueError("there is no such file; add it again")
    if kinds and not material.path.endswith(kinds):
        raise InvalidValueError(f"{material.name}: expected {' '.join(kinds)}")
    return material


def check_document(document: Document, materials: Mapping[str, Material], offers: Offers) -> None:
    """Reject a document that could not have been made in this session."""
    offers.check(document.speaking)
    check_directing(document.directing)
    needed = {"voice": document.sound or "sound", "motion": document.motion or "motion"}
    also = needed.get(document.source, "")
    for upload in (document.sound, document.motion, document.character, also):
        if upload and upload not in materials:
            raise InvalidValueError("a file of this project is missing; add it again")
    if document.source == "text" and not document.speaking.text.strip():
        raise InvalidValueError("the text holds no word")
    script_edits.check_document(document)
