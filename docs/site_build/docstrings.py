"""Extension of griffe that reads this project's docstrings."""

from __future__ import annotations

from typing import Any

import griffe
from docs.site_build.reference import described


class DescribedParameters(griffe.Extension):
    """Moves descriptions of parameters to lines of their own."""

    def on_object(self, *, obj: Any, **_: Any) -> None:
        """Rewrite a docstring before it is parsed."""
        if obj.docstring is not None:
            obj.docstring.value = described(obj.docstring.value)
