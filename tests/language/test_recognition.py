"""Which language a text is in."""

from __future__ import annotations

from pathlib import Path

import pytest

from kinesphere.cli.main import status
from kinesphere.language.recognition import foreign_language, foreign_script, guess_language
from kinesphere.language.tokens import Language
from tests.conftest import ROOT


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("Das ist nicht der Fall.", "de"),
        ("That is not the case.", "en"),
        ("Guten Morgen!", "de"),
        ("Good morning!", "en"),
        ("Schöne Grüße", "de"),
        ("Scho\u0308ne Gru\u0308\u00dfe", "de"),
        ("", "en"),
        ("42", "en"),
    ],
)
def test_guessed_language(text: str, language: Language) -> None:
    assert guess_language(text) == language


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("Bonjour, je suis très content de vous voir.", "French"),
        ("C'est une grande maison et nous sommes dans le jardin.", "French"),
        ("Hola, esto es muy grande y no me gusta.", "Spanish"),
        ("Non lo so, ma questo è molto grande.", "Italian"),
        ("Eu não sei o que você quer, mas é muito grande.", "Portuguese"),
        ("Ik weet het niet, maar het is een groot huis.", "Dutch"),
        ("Jag vet inte vad det är, men det är stort.", "Swedish"),
        ("Nie wiem, co to jest, ale jest bardzo duże.", "Polish"),
        ("It is huge, and nobody asked for it.", None),
        ("Das ist riesig, und niemand wollte es haben!", None),
        ("La la land is a film that I like.", None),
        ("Hello!", None),
        ("No.", None),
        ("", None),
    ],
)
def test_foreign_languages_are_recognised(text: str, language: str | None) -> None:
    assert foreign_language(text) == language


def test_our_own_texts_are_never_foreign() -> None:
    texts = [*ROOT.glob("*.md"), *ROOT.glob("docs/*.md"), *ROOT.glob("src/**/*.txt")]
    assert len(texts) > 10
    for path in texts:
        for line in path.read_text(encoding="utf-8").splitlines():
            words = line.split()
            if len(words) > 6 and "`" not in line and "|" not in line:
                assert foreign_language(line) is None, line


@pytest.mark.parametrize(
    ("text", "script"),
    [
        ("こんにちは、世界", "Japanese"),
        ("你好,世界", "Chinese or Japanese"),
        ("안녕하세요", "Korean"),
        ("Привет, как дела?", "Cyrillic"),
        ("Γειά", "Greek"),
        ("مرحبا", "Arabic"),
        ("We said Привет to him.", None),
        ("Schöne Grüße", None),
        ("1 2 3", None),
    ],
)
def test_scripts_are_recognised(text: str, script: str | None) -> None:
    assert foreign_script(text) == script


def test_french_is_performed_with_a_note(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "a.kin"
    quick = ["--fps", "20", "-o", str(out)]
    assert status(["perform", "Je suis très content de vous voir.", *quick]) == 0
    said = capsys.readouterr().err
    assert said.count("\n") == 1
    assert "French; supported are English (en) and German (de)" in said
    assert status(["perform", "Je suis content de vous voir.", "--language", "en", *quick]) == 0
    assert capsys.readouterr().err == ""
    assert status(["perform", "Je suis très content de vous voir.", "--why"]) == 0
    assert "seems to be French" in capsys.readouterr().err


@pytest.mark.parametrize("text", ["こんにちは 世界", "你好,世界", "Привет, как дела?"])
@pytest.mark.parametrize("more", [[], ["--language", "en"], ["--speech", "a.wav"]])
def test_what_cannot_be_pronounced_is_refused(
    text: str, more: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "a.kin"
    assert status(["perform", text, "-o", str(out), *more]) == 2
    said = capsys.readouterr().err
    assert said.count("\n") == 1
    assert "letters, which are not supported; supported are English (en) and German (de)" in said
    assert not out.exists()
