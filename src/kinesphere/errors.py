"""Errors that a user's input can cause.

The command line turns each into exit status 2 and one line on stderr; from Python they are
ordinary exceptions. Any other exception that escapes is a defect of this package.
"""

from __future__ import annotations

from os import PathLike, fspath


class KinesphereError(Exception):
    """Base of every error caused by input: a file, an argument, a value.

    Examples
    --------
    >>> import kinesphere as ks
    >>> try:
    ...     ks.load("nothing.bvh")
    ... except ks.KinesphereError as error:
    ...     print(error)
    nothing.bvh: no such file
    """


class InvalidValueError(KinesphereError, ValueError):
    """An argument or a value is not allowed; the message says what is.

    Examples
    --------
    >>> import kinesphere as ks
    >>> ks.Effort(weight=3.0)
    Traceback (most recent call last):
    kinesphere.errors.InvalidValueError: weight is 3.0, allowed is -1 to 1
    """


class UnreadableError(KinesphereError):
    """A file cannot be read or parsed.

    Parameters
    ----------
    path : file that was read, or None for text from memory.
    reason : what was found and what is allowed, one line.
    place : position in the file, such as ``line 12`` or ``animations[0].channels[3]``.

    Examples
    --------
    >>> raise UnreadableError("talk.bvh", "found 'HIERARCH', expected HIERARCHY", "line 1")
    Traceback (most recent call last):
    kinesphere.errors.UnreadableError: talk.bvh: line 1: found 'HIERARCH', expected HIERARCHY
    """

    def __init__(
        self, path: str | PathLike[str] | None, reason: str, place: str | None = None
    ) -> None:
        self.path = None if path is None else fspath(path)
        self.reason = reason
        self.place = place
        where = ": ".join(part for part in (self.path, place) if part)
        super().__init__(f"{where}: {reason}" if where else reason)

    def at(self, path: str | PathLike[str]) -> UnreadableError:
        """The same error with the file's name, unless it names a file already."""
        if self.path is not None:
            return self
        return type(self)(path, self.reason, self.place)


class UnwritableError(KinesphereError):
    """A result cannot be written in the requested format or to the requested path.

    Examples
    --------
    >>> import kinesphere as ks
    >>> ks.idle(1.0).save("idle.xyz")
    Traceback (most recent call last):
    kinesphere.errors.UnwritableError: idle.xyz: ...
    """


class RigError(KinesphereError):
    """A skeleton is not a humanoid, or lacks a required bone.

    Examples
    --------
    >>> import kinesphere as ks
    >>> chain = ks.Skeleton(("a", "b"), [-1, 0], [[0.0, 0.0, 0.0], [0.0, 1.0, 0.0]])
    >>> ks.identify(chain).rig.joint("head")
    Traceback (most recent call last):
    kinesphere.errors.RigError: ...
    """
