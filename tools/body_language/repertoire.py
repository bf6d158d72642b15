"""Passages performed for the default model: text, style, voice and mood of each."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).parent
FOLDERS = (HERE / "texts", HERE.parent.parent / "tests" / "generation" / "texts")
STYLES = ("host", "critic", "neutral")

HELD_OUT = (
    "en_news_7",
    "en_story_7",
    "en_talk_5",
    "en_talk_6",
    "de_news_4",
    "de_story_3",
    "de_talk_3",
)
"""Texts that are not performed here, so that the model can be tested on them; recordings of people
are not used either."""


@dataclass(frozen=True)
class Passage:
    """One performance.

    Parameters
    ----------
    text : name of its file.
    style : speaker whose style is used.
    voice : variant of espeak's voice; empty for its own.
    rate, pitch : relative to the voice's own.
    mood : a manner (see ``docs/manner-words.md``), or empty.
    tension : one of `takes.TENSIONS`.
    """

    text: str
    style: str
    voice: str = ""
    rate: float = 1.0
    pitch: float = 1.0
    mood: str = ""
    tension: str = "usual"

    @property
    def name(self) -> str:
        """Name of the take."""
        return f"{self.text}-{self.style}"

    @property
    def language(self) -> str:
        """Language of the text."""
        return self.text[:2]

    def read(self) -> str:
        """Its text."""
        found = [f / f"{self.text}.txt" for f in FOLDERS if (f / f"{self.text}.txt").is_file()]
        return found[0].read_text(encoding="utf-8").strip()


# text, style, voice, rate, pitch, mood, tension
_ROWS = """
en_excited_match      host     linda 1.15 1.10 energetic              usual
en_excited_parcel     critic   m3    1.20 1.10 joyful                 usual
en_sad_house          host     m1    0.87 0.92 rather_sad             soft
en_sad_letter         critic   f1    0.85 0.95 slightly_sad           soft
en_hesitant_borrowed  host     m3    0.95 1.00 rather_hesitant        usual
en_hesitant_speech    critic   m7    0.92 0.95 slightly_hesitant      firm
en_argument_bridge    critic   f4    1.12 1.05 rather_angry           firm
en_argument_kitchen   host     Annie 1.10 1.05 slightly_angry         firm
en_explain_bread      host     -     1.00 1.00 -                      usual
en_explain_tides      critic   m1    0.98 1.00 -                      usual
en_explain_queue      neutral  f1    1.00 1.00 slightly_controlled    usual
en_qa_interview       host     m3    1.05 1.00 -                      soft
en_qa_class           critic   linda 1.02 1.05 lively                 usual
en_talk_neighbour     host     f4    1.10 1.05 slightly_happy         soft
en_talk_phone         critic   Annie 1.15 1.08 -                      usual
en_story_lighthouse   host     -     0.92 0.95 -                      soft
en_news_town          neutral  m1    1.05 1.00 -                      usual
de_aufgeregt_ufer     host     linda 1.15 1.10 rather_joyful          usual
de_erklaerung_rad     critic   m3    1.00 1.00 -                      usual
de_traurig_garten     neutral  f1    0.87 0.95 rather_sad             soft
de_streit_treppe      critic   m7    1.12 1.00 slightly_angry         firm
de_frage_markt        host     f4    1.08 1.05 slightly_happy         soft
en_news_1             host     m3    1.05 1.00 -                      usual
en_news_2             critic   linda 1.00 1.00 -                      usual
en_news_3             host     f1    1.10 1.00 slightly_energetic     usual
en_news_4             critic   -     0.95 1.00 -                      firm
en_news_5             neutral  Annie 1.00 0.95 -                      usual
en_news_6             critic   m7    1.08 1.00 slightly_proud         soft
en_story_1            host     linda 0.97 1.00 -                      soft
en_story_2            critic   m1    0.90 0.95 slightly_sad           usual
en_story_3            host     f4    1.05 1.05 happy                  usual
en_story_4            critic   Annie 0.95 1.00 -                      soft
en_story_5            host     -     1.00 1.00 slightly_careful       usual
en_story_6            critic   m3    1.05 1.00 rather_lively          usual
en_talk_1             host     m7    1.10 1.00 -                      usual
en_talk_2             critic   f1    1.00 1.00 -                      usual
en_talk_3             host     m1    1.15 1.05 rather_lively          soft
en_talk_4             critic   linda 1.05 1.05 slightly_happy         usual
de_news_1             critic   f1    1.00 1.00 -                      usual
de_news_2             host     m3    1.05 1.00 -                      soft
de_news_3             neutral  -     1.00 1.00 -                      usual
de_story_1            critic   f4    0.92 0.97 -                      soft
de_story_2            host     m1    1.00 1.00 slightly_energetic     usual
de_talk_1             critic   m3    1.10 1.05 rather_lively          usual
de_talk_2             host     Annie 1.05 1.05 -                      usual
"""


def passages() -> Iterator[Passage]:
    """All performances, in order."""
    for line in _ROWS.split("\n"):
        if line:
            text, style, voice, rate, pitch, mood, tension = line.split()
            yield Passage(
                text,
                style,
                voice.replace("-", ""),
                float(rate),
                float(pitch),
                mood.replace("-", "").replace("_", " "),
                tension,
            )
