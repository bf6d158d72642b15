"""``kinesphere studio``."""

from __future__ import annotations

from importlib.util import find_spec
from typing import Any

import click


@click.command(
    "studio",
    epilog="Examples:\n\n\b\n  kinesphere studio\n  kinesphere studio --port 8765 --no-browser\n"
    "  kinesphere studio --host 0.0.0.0 --port 8765",
)
@click.option(
    "--host",
    default="127.0.0.1",
    show_default=True,
    help="Address to listen on. Others can only connect with the full URL, token included.",
)
@click.option("--port", type=int, default=0, help="Port to listen on (default: any free port).")
@click.option(
    "--token",
    metavar="SECRET",
    help="Secret part of the URL, 16 characters or more (default: random).",
)
@click.option(
    "--browser/--no-browser", default=True, help="Open the page in the browser.", show_default=True
)
def command(**values: Any) -> None:
    """Direct a character in the browser: type, talk, drag, listen, compare, export.

    The server runs on this machine until Ctrl-C; no data leaves it.
    """
    lacking = [name for name in ("starlette", "uvicorn", "wsproto") if find_spec(name) is None]
    if lacking:
        raise click.UsageError("the studio needs a server: pip install 'kinesphere[studio]'")
    from kinesphere.studio.server.settings import StudioSettings
    from kinesphere.studio.server.start import StudioServer, open_browser

    chosen = {"token": values["token"]} if values["token"] is not None else {}
    server = StudioServer(StudioSettings(values["host"], values["port"], **chosen))

    def announce() -> None:
        click.echo(f"studio: {server.address}")
        click.echo("Ctrl-C stops it", err=True)
        if values["browser"]:
            open_browser(server.address)

    server.run(announce)
