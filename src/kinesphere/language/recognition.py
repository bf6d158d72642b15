"""Language detection by function words, letters and script."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter

from kinesphere.language.tokens import LANGUAGES, Language
from kinesphere.language.word_lists import language_words

NAMES: dict[Language, str] = {"en": "English", "de": "German"}

# Function words of unsupported languages, none of which is one of English or German.
_FOREIGN_WORDS = {
    "French": (
        "je tu il elle nous vous ils le la les une des du de et est sont suis pas ne que qui dans "
        "pour avec sur mais ou où c'est très au aux ce cette mon ma mes son sa ses être avoir oui"
    ),
    "Spanish": (
        "yo tú él ella nosotros el la los las un una unos y es son soy no que de en con por para "
        "pero muy más está esto este esta mi mis su sus del al lo sí como qué hay tengo"
    ),
    "Italian": (
        "io tu lui lei noi voi il lo la gli le un una e è sono non che di del della con per ma "
        "molto più questo questa mio mia suo anche come cosa nel nella ho hai ha sì"
    ),
    "Portuguese": (
        "eu tu ele ela nós o a os as um uma e é são sou não que de do da dos das em no na com por "
        "para mas muito mais está isto este esta meu minha seu sua também como sim você"
    ),
    "Dutch": (
        "ik jij hij zij wij het een de en zijn niet van op met voor maar ook naar dat dit deze "
        "mijn jouw wat waar hoe nog geen wel heeft hebben wordt ja nee"
    ),
    "Swedish": (
        "jag du han hon vi ni det den en ett och är inte på med för men också som av till har hade "
        "vad hur mycket min mitt din ja nej"
    ),
    "Polish": (
        "ja ty on ona my wy to i jest są nie się na w z do że co jak ale bardzo mój moja twój tak "
        "od po za przez dla czy już"
    ),
}
_GERMAN = frozenset(language_words("function_words", "de"))
_ENGLISH = frozenset(language_words("function_words", "en"))
_KNOWN = _GERMAN | _ENGLISH
_FOREIGN = {name: frozenset(words.split()) - _KNOWN for name, words in _FOREIGN_WORDS.items()}
_LEAST_WORDS, _LEAST_SHARE = 2, 0.15
_SCRIPTS = {
    "HIRAGANA": "Japanese",
    "KATAKANA": "Japanese",
    "CJK": "Chinese or Japanese",
    "HANGUL": "Korean",
    "CYRILLIC": "Cyrillic",
    "GREEK": "Greek",
    "ARABIC": "Arabic",
    "HEBREW": "Hebrew",
    "DEVANAGARI": "Devanagari",
    "THAI": "Thai",
}


def guess_language(text: str) -> Language:
    """Language by function words and letters; English where there is no evidence for German.

    >>> guess_language("Das ist nicht der Fall."), guess_language("That is not so.")
    ('de', 'en')
    """
    german, english = _known_words(_words(text))
    return "de" if german > english else "en"


def foreign_language(text: str) -> str | None:
    """Name of the unsupported language in which a text seems to be, or None.

    >>> foreign_language("Je suis très content de vous voir."), foreign_language("I am content.")
    ('French', None)
    """
    words = _words(text)
    counts = {name: sum(w in small for w in words) for name, small in _FOREIGN.items()}
    best = max(counts, key=lambda name: counts[name])
    least = max(_LEAST_WORDS, _LEAST_SHARE * len(words), *(n + 1 for n in _known_words(words)))
    return best if counts[best] >= least else None


def foreign_script(text: str) -> str | None:
    """Name of the script of most of a text's letters, if it is not Latin.

    >>> foreign_script("Привет!"), foreign_script("Hello!"), foreign_script("12")
    ('Cyrillic', None, None)
    """
    letters = [c for c in text[:20000] if c.isalpha()]
    found = Counter(unicodedata.name(c, "?").split(" ")[0].split("-")[0] for c in letters)
    if not letters or 2 * found["LATIN"] >= len(letters):
        return None
    if found["HIRAGANA"] or found["KATAKANA"]:
        return "Japanese"
    most = max(found, key=lambda script: found[script])
    return _SCRIPTS.get(most, most.capitalize())


def languages() -> str:
    """Supported languages, for messages: ``English (en) and German (de)``."""
    return " and ".join(f"{NAMES[code]} ({code})" for code in LANGUAGES)


def _words(text: str) -> list[str]:
    start = unicodedata.normalize("NFC", text[:20000]).casefold()
    return re.findall(r"[^\W\d_]+", start)


def _known_words(words: list[str]) -> tuple[int, int]:
    """Evidence for German, and for English."""
    german = sum(w in _GERMAN for w in words)
    german += sum(not w.isascii() and any(c in "äöü" for c in w) for w in words)
    return german, sum(w in _ENGLISH for w in words)
