"""Figures of the source tree: ``python -m benchmarks.house [--against REVISION]``.

Files, lines and statements of each package (without imports and docstrings, so independent of the
formatter), and of the whole tree: public names, longest function without its docstring, most
parameters, classes and modules that share a name. Kernels, which numba wants flat, are not counted
among the functions.
"""

from __future__ import annotations

import argparse
import ast
import io
import subprocess
import sys
import tarfile
import tempfile
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

ROOT = Path(__file__).resolve().parents[1]
Function = ast.FunctionDef | ast.AsyncFunctionDef
Name = TypeVar("Name")


@dataclass(frozen=True)
class Size:
    """Size of a package."""

    files: int = 0
    lines: int = 0
    statements: int = 0

    def __add__(self, other: Size) -> Size:
        """Sum of two packages."""
        return Size(
            self.files + other.files, self.lines + other.lines, self.statements + other.statements
        )


class Tree:
    """The package ``kinesphere`` below a folder, parsed."""

    def __init__(self, root: Path) -> None:
        self.package = root / "src" / "kinesphere"
        self.texts = {
            path.relative_to(self.package): path.read_text(encoding="utf-8")
            for path in sorted(self.package.rglob("*.py"))
        }
        self.parsed = {path: ast.parse(text) for path, text in self.texts.items()}

    def sizes(self) -> dict[str, Size]:
        """Size of each package; modules at the top are ``(top)``."""
        out: dict[str, Size] = defaultdict(Size)
        for path, text in self.texts.items():
            name = path.parts[0] if len(path.parts) > 1 else "(top)"
            count = sum(map(_counts, ast.walk(self.parsed[path])))
            out[name] += Size(1, len(text.splitlines()), count)
        return out

    def functions(self) -> Iterator[tuple[str, Function]]:
        """Functions outside kernels, with their position."""
        for path, tree in self.parsed.items():
            if not path.stem.endswith("_kernels"):
                for node in ast.walk(tree):
                    if isinstance(node, Function):
                        yield f"{path}:{node.lineno} {node.name}", node

    def lengths(self) -> dict[str, int]:
        """Lines of each function without its docstring."""
        return {where: _length(node) for where, node in self.functions()}

    def parameters(self) -> dict[str, int]:
        """Number of parameters of each function, without self and cls."""
        out = {}
        for where, node in self.functions():
            given = [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs]
            out[where] = len([a for a in given if a.arg not in ("self", "cls")])
        return out

    def classes(self) -> dict[str, list[str]]:
        """Positions of the classes of each name."""
        out: dict[str, list[str]] = defaultdict(list)
        for path, tree in self.parsed.items():
            for node in ast.walk(tree):
                if isinstance(node, ast.ClassDef):
                    out[node.name].append(f"{path}:{node.lineno}")
        return out

    def modules(self) -> dict[tuple[str, str], list[str]]:
        """Modules by top package and name."""
        out: dict[tuple[str, str], list[str]] = defaultdict(list)
        for path in self.parsed:
            if len(path.parts) > 1 and path.name != "__init__.py":
                out[path.parts[0], path.stem].append(str(path))
        return out

    def folders(self) -> dict[str, int]:
        """Number of modules in each folder."""
        out: dict[str, int] = defaultdict(int)
        for path in self.parsed:
            out[str(path.parent)] += path.name != "__init__.py"
        return out

    def public_names(self) -> int:
        """Number of names in the package's table of public names."""
        for node in ast.walk(self.parsed[Path("__init__.py")]):
            if isinstance(node, ast.Assign) and isinstance(node.value, ast.Dict):
                name = getattr(node.targets[0], "id", "")
                if name == "_MODULES":
                    return len([word for v in node.value.values for word in _text(v).split()])
                if name == "_PUBLIC":
                    return len(node.value.keys)
        return 0


def _text(node: ast.expr) -> str:
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else ""


def _counts(node: ast.AST) -> bool:
    """Whether a node is a statement other than an import or a docstring."""
    if not isinstance(node, ast.stmt) or isinstance(node, ast.Import | ast.ImportFrom):
        return False
    return not (isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant))


def _length(node: Function) -> int:
    lines = (node.end_lineno or node.lineno) - node.lineno + 1
    if ast.get_docstring(node, clean=False) is not None:
        first = node.body[0]
        lines -= (first.end_lineno or first.lineno) - first.lineno + 1
    return lines


def shared(names: Mapping[Name, list[str]]) -> dict[Name, list[str]]:
    """Entries with more than one position."""
    return {name: places for name, places in names.items() if len(places) > 1}


def _at(revision: str, folder: Path) -> Tree:
    command = ["git", "archive", revision, "src"]
    data = subprocess.run(command, cwd=ROOT, capture_output=True, check=True).stdout
    with tarfile.open(fileobj=io.BytesIO(data)) as archive:
        archive.extractall(folder, filter="data")
    return Tree(folder)


def _rows(trees: list[Tree]) -> Iterator[str]:
    sizes = [tree.sizes() for tree in trees]
    for name in sorted(set().union(*sizes)):
        yield _row(name, [size.get(name, Size()) for size in sizes])
    yield _row("all", [sum(size.values(), Size()) for size in sizes])
    yield ""
    figures: dict[str, Callable[[Tree], int]] = {
        "public names": Tree.public_names,
        "longest function": lambda t: max(t.lengths().values()),
        "most parameters": lambda t: max(t.parameters().values()),
        "shared class names": lambda t: len(shared(t.classes())),
        "shared module names": lambda t: len(shared(t.modules())),
        "most modules in a folder": lambda t: max(t.folders().values()),
    }
    for what, of in figures.items():
        yield f"{what:<26}" + " -> ".join(f"{of(tree):>6}" for tree in trees)


def _row(name: str, sizes: list[Size]) -> str:
    texts = [f"{s.files:>5} files {s.lines:>6} lines {s.statements:>6} statements" for s in sizes]
    return f"{name:<14}" + " ->".join(texts)


def main() -> int:
    """Print the table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--against", metavar="REVISION", help="an earlier state to compare with")
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        before = [] if chosen.against is None else [_at(chosen.against, Path(folder))]
        for row in _rows([*before, Tree(ROOT)]):
            print(row)
    return 0


if __name__ == "__main__":
    sys.exit(main())
