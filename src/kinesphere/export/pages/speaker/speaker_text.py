"""Texts of a speaker's page and picture: formatted numbers, and escaped names.

Names and notes come from untrusted files, so none goes into a picture or a page unescaped.
"""

from __future__ import annotations

import re
from html import escape

MINUS, NO_BREAK, TIMES = "\N{MINUS SIGN}", "\N{NO-BREAK SPACE}", "\N{MULTIPLICATION SIGN}"
NOTHING = "\N{EN DASH}"
LONGEST_NOTE = 2000


def _clean(text: str) -> str:
    """Text that XML allows: other characters are replaced."""
    return "".join(c if _is_allowed(ord(c)) else "\N{REPLACEMENT CHARACTER}" for c in text)


def _is_allowed(code: int) -> bool:
    if code < 0x20:
        return code in (0x9, 0xA, 0xD)
    return not (0x7F <= code < 0xA0 or 0xD800 <= code < 0xE000 or code in (0xFFFE, 0xFFFF))


def safe(text: str) -> str:
    """Untrusted text escaped for HTML and SVG."""
    return escape(_clean(text))


def breakable_name(name: str) -> str:
    """A lexeme's name that may break where a new word starts.

    >>> breakable_name("PointingSelf")
    'Pointing<wbr>Self'
    """
    return re.sub("(?<=[a-z])(?=[A-Z])", "<wbr>", safe(name))


def shorten(text: str, letters: int) -> str:
    """Text shortened to a number of letters."""
    return (
        text if len(text) <= letters else text[: letters - 1].rstrip() + "\N{HORIZONTAL ELLIPSIS}"
    )


def percent(share: float, digits: int = 0) -> str:
    """A proportion as displayed.

    >>> percent(0.2512, 1).replace(NO_BREAK, " ")
    '25.1 %'
    """
    return f"{100.0 * share:.{digits}f}{NO_BREAK}%"


def signed_ms(seconds: float) -> str:
    """Milliseconds with their sign."""
    value = round(1000.0 * seconds)
    sign = "" if value == 0 else MINUS if value < 0 else "+"
    return f"{sign}{abs(value)}{NO_BREAK}ms"


def clock(seconds: float) -> str:
    """Minutes and seconds.

    >>> clock(544.0)
    '9:04'
    """
    whole = round(seconds)
    return f"{whole // 60}:{whole % 60:02d}"


def number(value: float) -> str:
    """Number of a picture, to a tenth of a pixel."""
    text = f"{value:.1f}".removesuffix(".0")
    return "0" if text == "-0" else text


def display_name(name: str) -> str:
    """Display name of a table's entry."""
    return name.replace("-", " ")
