"""Check that a request is meant for this machine: protection against DNS rebinding."""

from __future__ import annotations

import ipaddress
from collections.abc import Collection
from urllib.parse import urlsplit


def is_own(authority: str, host: str, port: int, names: Collection[str]) -> bool:
    """Whether a Host header names the machine that listens on `host` and `port`.

    A page of another site can resolve its own name to this machine, but not an IP address; so IP
    addresses are allowed (for a server on loopback: loopback ones), and of names only our own.

    >>> is_own("127.0.0.1:80", "127.0.0.1", 80, ()), is_own("evil.example:80", "::1", 80, ())
    (True, False)
    """
    try:
        asked = urlsplit(f"//{authority}")
        if (asked.port or 80) != port or "@" in authority:
            return False
        if asked.hostname in names:
            return True
        address = ipaddress.ip_address(asked.hostname or "")
        return address.is_loopback or not ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
