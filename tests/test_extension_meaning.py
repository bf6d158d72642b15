"""One file in a folder of the package's data adds a lexeme, or a manner word."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import kinesphere as ks
from kinesphere.corpus.profiles.profile import Profile
from kinesphere.errors import UnreadableError
from kinesphere.expression import manner_lexicon
from kinesphere.gesture import lexeme_files
from kinesphere.gesture.lexicon import extend_lexicon, lexicon, read_lexemes, tag_lexemes
from kinesphere.pipeline.speakers import speaker

HUGE = "This is huge!"
LEXEME = """
[Colossal]
base = "BigSpan"
meaning = "wider than the arms reach"
tags = { LARGE = 1.0 }
"""
FAMILY = """
[families.cowboy]
effort = { weight = 0.9, flow = -0.6 }
en = ["gunslinging"]
"""


def folder_with(source: Path, target: Path, text: str) -> Path:
    """Copy of a data folder with one more file."""
    target.mkdir()
    for path in source.iterdir():
        (target / path.name).write_bytes(path.read_bytes())
    (target / "added.toml").write_text(text, encoding="utf-8")
    return target


def run(folder: Path, module: str, body: str) -> str:
    """Run Python with the folder of a module replaced; its own process, because of the caches."""
    setup = f"from pathlib import Path\nimport {module} as m\nm.FOLDER = Path({str(folder)!r})\n"
    done = subprocess.run(
        [sys.executable, "-c", setup + body],
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def lexemes_of(take: ks.Take) -> list[str]:
    """Lexemes that a take performs."""
    tier = next(tier for tier in take.tiers if tier.name == "gestures")
    return [interval.label.split()[0] for interval in tier.intervals]


def test_a_file_in_the_folder_adds_a_lexeme_that_speakers_perform(tmp_path: Path) -> None:
    folder = folder_with(Path(str(lexeme_files.FOLDER)), tmp_path / "lexemes", LEXEME)
    body = f"""
import kinesphere as ks
take = ks.perform({HUGE!r}, "host", seed=3)
print([i.label for tier in take.tiers if tier.name == "gestures" for i in tier.intervals])
"""
    assert run(folder, lexeme_files.__name__, body) == "['Colossal 2H']"
    assert "Colossal" not in lexemes_of(ks.perform(HUGE, "host", seed=3))


def test_a_file_of_the_user_has_the_same_effect(tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    path.write_text(LEXEME, encoding="utf-8")
    with extend_lexicon(read_lexemes(path)):
        assert lexemes_of(ks.perform(HUGE, "host", seed=3)) == ["Colossal"]
    assert "Colossal" not in lexemes_of(ks.perform(HUGE, "host", seed=3))


def test_a_lexeme_takes_its_share_of_a_tag_and_the_others_keep_their_proportions(
    tmp_path: Path,
) -> None:
    path = tmp_path / "mine.toml"
    path.write_text(LEXEME.replace("1.0", "0.3"), encoding="utf-8")
    profile: Profile = speaker("host")
    before, average = dict(profile.given_tag("LARGE")), dict(tag_lexemes("LARGE"))
    with extend_lexicon(read_lexemes(path)):
        after, mixed = dict(profile.given_tag("LARGE")), dict(tag_lexemes("LARGE"))
        other = profile.given_tag("SMALL")
    for old, new in ((before, after), (average, mixed)):
        assert new["Colossal"] == pytest.approx(0.3 * sum(old.values()))
        np.testing.assert_allclose([new[n] for n in old], [0.7 * p for p in old.values()])
    assert other == profile.given_tag("SMALL")
    assert profile.given_tag("LARGE") == before


@pytest.mark.parametrize("tags", ["{ LAGRE = 0.3 }", "{ LARGE = 1.2 }", "0.3", '{ LARGE = "x" }'])
def test_wrong_tags_of_a_lexeme_are_refused_in_one_line(tmp_path: Path, tags: str) -> None:
    path = tmp_path / "mine.toml"
    path.write_text(LEXEME.replace("{ LARGE = 1.0 }", tags), encoding="utf-8")
    with pytest.raises(UnreadableError, match=r"^[^\n]*Colossal: [^\n]*$"):
        read_lexemes(path)


def test_no_built_in_lexeme_has_its_tags_in_two_places() -> None:
    assert not any(entry.tags for entry in lexicon().values())


def test_a_file_in_the_folder_adds_a_manner_word(tmp_path: Path) -> None:
    folder = folder_with(Path(str(manner_lexicon.FOLDER)), tmp_path / "manner", FAMILY)
    body = f"""
import kinesphere as ks
from kinesphere.expression.manner import manner
take = ks.perform({HUGE!r}, "host", seed=3)
made = ks.express(take, manner="very gunslinging")
print(abs(made.clip.rotations - take.clip.rotations).max() > 0.01, manner("gunslinging").effort)
"""
    found = run(folder, manner_lexicon.__name__, body)
    assert found == "True Effort(space=0.0, weight=0.9, time=0.0, flow=-0.6)"
