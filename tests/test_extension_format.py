"""A file format is one new file: its module declares it, and every reader and writer knows it."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

import kinesphere as ks
from kinesphere import formats
from kinesphere.errors import UnreadableError, UnwritableError
from kinesphere.studio.server import catalogue
from kinesphere.studio.work import worker

MODULE = '''
"""Root positions as text, one line a frame."""

import numpy as np

import kinesphere as ks
from kinesphere.formats.file_format import Format


def read_path(path, fps=30.0):
    at = np.loadtxt(path, ndmin=2)
    skeleton = ks.default_skeleton()
    turns = np.tile([1.0, 0.0, 0.0, 0.0], (len(at), len(skeleton.names), 1))
    return ks.Take(ks.Clip(skeleton, fps, at, turns))


def write_path(take, path):
    np.savetxt(path, take.clip.root_positions)


FORMATS = (Format("Root path", (".rootpath",), read_path, write_path, options=("fps",)),)
'''


@pytest.fixture
def added(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    folder = tmp_path / "formats"
    folder.mkdir()
    (folder / "root_path.py").write_text(MODULE)
    monkeypatch.setattr(formats, "__path__", [*formats.__path__, str(folder)])
    yield
    sys.modules.pop("kinesphere.formats.root_path", None)
    vars(formats).pop("root_path", None)


@pytest.mark.usefixtures("added")
def test_one_file_adds_a_format(tmp_path: Path) -> None:
    skeleton = ks.default_skeleton()
    turns = np.tile([1.0, 0.0, 0.0, 0.0], (5, len(skeleton.names), 1))
    roots = np.linspace(0.0, 1.0, 15).reshape(5, 3)
    take = ks.Take(ks.Clip(skeleton, 60.0, roots, turns))
    ks.save(take, tmp_path / "a.rootpath")
    again = ks.load(tmp_path / "a.rootpath", fps=60.0)
    assert again.clip.fps == 60.0
    assert again.clip.root_positions == pytest.approx(roots)
    with pytest.raises(UnreadableError, match=r"readable are .*\.rootpath"):
        ks.load(tmp_path / "a.xyz")
    with pytest.raises(UnwritableError, match=r"writable are .*\.rootpath"):
        ks.save(take, tmp_path / "a.xyz")


@pytest.mark.usefixtures("added")
def test_the_studio_offers_it() -> None:
    offered = {choice.name: (choice.label, choice.group) for choice in catalogue.formats()}
    assert offered[".rootpath"] == ("Root path", "motion")
    assert list(offered) == [name for name in offered if name in worker.endings()]
    assert set(worker.endings()) - set(offered) <= {".mp4"}


def test_without_the_file_the_suffix_is_unknown(tmp_path: Path) -> None:
    with pytest.raises(UnreadableError, match=r"readable are \.bvh") as caught:
        ks.load(tmp_path / "a.rootpath")
    assert ".rootpath" not in str(caught.value).split("readable")[1]
