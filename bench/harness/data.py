"""Data files for the cases: the real ones where they are, a stand-in of the same size, named as such, where not."""

from __future__ import annotations

import bz2
import gzip
import os
import random
import shutil
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

MNIST = "mnist/train-images-idx3-ubyte.gz"
NEWS20 = "libsvm/news20.bz2"
A9A = "libsvm/a9a.gz"
OPENERS: dict[str, Callable[..., Any]] = {".bz2": bz2.open, ".gz": gzip.open}


def find_data(given: Path | None, root: Path) -> Path | None:
    """The folder of the real data: the given one, $ALFCG_DATA, or beside the repository."""
    if given is not None and not given.is_dir():
        sys.exit(f"bench: {given} is not a folder")
    variable = os.environ.get("ALFCG_DATA")
    candidates = [given, Path(variable) if variable else None, root.parent / "shared" / "data"]
    return next((folder.resolve() for folder in candidates if folder is not None and folder.is_dir()), None)


@dataclass(frozen=True)
class TextFile:
    """A LIBSVM file, as plain text."""

    name: str
    path: Path
    features: int


@dataclass(frozen=True)
class DataFolder:
    """Where the real data are (or are not), and where copies may be made."""

    real: Path | None
    work: Path

    def missing(self) -> list[str]:
        """What stands in for data that are not there."""
        stand_ins = {MNIST: "randn-50000-768", NEWS20: "random text of its size", A9A: "random text of its size"}
        return [f"{place}: not found, {other} stands in" for place, other in stand_ins.items() if not self._find(place)]

    def mnist(self) -> str:
        return "mnist-50000-768" if self._find(MNIST) else "randn-50000-768"

    def news20(self) -> TextFile:
        return self._text(NEWS20, "news20", rows=15935, features=62061, nonzeros=80, classes=20)

    def a9a(self) -> TextFile:
        return self._text(A9A, "a9a", rows=32561, features=123, nonzeros=14, classes=2)

    def _find(self, place: str) -> Path | None:
        return self.real / place if self.real is not None and (self.real / place).exists() else None

    def _text(self, place: str, name: str, *, rows: int, features: int, nonzeros: int, classes: int) -> TextFile:
        source = self._find(place)
        if source is None:
            name = f"stand-in for {name}"
        path = self.work / f"{name.replace(' ', '-')}.txt"
        if not path.exists():
            if source is not None:
                with OPENERS[source.suffix](source, "rb") as packed, path.open("wb") as plain:
                    shutil.copyfileobj(packed, plain)
            else:
                write_stand_in(path, rows, features, nonzeros, classes)
        return TextFile(name, path, features)


def write_stand_in(path: Path, rows: int, features: int, nonzeros: int, classes: int) -> None:
    """Small counts at random places, as many as the real file has."""
    numbers = random.Random(0)
    with path.open("w") as file:
        for i in range(rows):
            places = sorted(numbers.sample(range(1, features + 1), nonzeros))
            entries = " ".join(f"{place}:{numbers.randint(1, 9)}" for place in places)
            file.write(f"{i % classes + 1} {entries}\n")
