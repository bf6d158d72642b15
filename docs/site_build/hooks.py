"""Hooks of mkdocs: pages from docstrings, pages of the root folder, links between them."""

from __future__ import annotations

import html
import re
import sys
from pathlib import Path
from typing import Any

from mkdocs.structure.files import File, Files

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT))

from docs.site_build import reference  # noqa: E402

ROOT_PAGES = ("ARCHITECTURE.md", "CHANGELOG.md", "CONTRIBUTING.md")
SECTION = "Python reference"
_CODE = re.compile(r"(?<!<pre>)<code>(?:ks\.)?([A-Za-z_]+)(?:\.([a-z_]+))?</code>(?!</a>)")


def on_config(config: Any) -> Any:
    """Add the pages of the reference to the navigation, before what is there already."""
    for entry in config.nav:
        if SECTION in entry:
            entry[SECTION][:0] = reference.pages()
    return config


def on_files(files: Files, config: Any) -> Files:
    """Add the reference and the pages that live outside of this folder."""
    for path, text in reference.pages().items():
        files.append(File.generated(config, path, content=text))
    worker = Path(__file__).with_name("iframe-worker.js")
    files.append(File.generated(config, f"assets/{worker.name}", abs_src_path=str(worker)))
    for name in ROOT_PAGES:
        text = (ROOT / name).read_text(encoding="utf-8")
        files.append(File.generated(config, name, content=text))
    return files


def on_page_markdown(markdown: str, page: Any, **_: Any) -> str:
    """Links between this folder and the root folder, which are one folder in the site."""
    if page.file.src_uri in ROOT_PAGES:
        return markdown.replace("](docs/", "](")
    for name in ROOT_PAGES:
        markdown = markdown.replace(f"](../{name}", f"]({name}")
    return markdown


def on_page_content(html_text: str, page: Any, **_: Any) -> str:
    """Link public names in docstrings, such as `Take` or `Take.save`, to their entries."""
    if not page.file.src_uri.startswith(f"{reference.FOLDER}/"):
        return html_text
    return _CODE.sub(_link, html_text)


def _link(found: re.Match[str]) -> str:
    name, member = found[1], found[2] or ""
    if name not in reference.public_names():
        return found[0]
    return f'<a href="{html.escape(reference.target(name, member))}">{found[0]}</a>'
