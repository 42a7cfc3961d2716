"""The sets of the `defaults` case: training and test files, real ones and planted ones."""

from __future__ import annotations

import json
import random
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from harness.context import Context, Skipped
from harness.data import OPENERS
from harness.worker import WorkerFailed

SEED = 0  # of the planted sets and of the splits
TEST_SHARE = 4  # one row in so many is for testing, where a set has no test file
PLANTED = {"few-of-many": "csv", "scales": "csv", "unbalanced": "txt"}


@dataclass(frozen=True)
class DefaultSet:
    name: str
    train: Path
    test: Path
    features: int = 0  # of LIBSVM files
    planted: float | None = None  # test accuracy of the planted weights

    def ours(self, path: Path) -> list[str]:
        """The words that stand for one of its files on our command line."""
        if "-images-idx3-" not in path.name:
            return [str(path)]
        return [str(path), "--labels", str(path.with_name(path.name.replace("-images-idx3-", "-labels-idx1-")))]

    def ours_in_training(self) -> list[str]:
        pixels = ["--scale"] if "-images-idx3-" in self.train.name else []
        return [*self.ours(self.train), *pixels, *(["--features", str(self.features)] if self.features else [])]


def split_lines(source: Path, train: Path, test: Path) -> None:
    """The lines of a packed text, in a random order that is always the same, to two files."""
    with OPENERS[source.suffix](source, "rt") as packed:
        lines = packed.readlines()
    random.Random(SEED).shuffle(lines)
    count = len(lines) // TEST_SHARE
    test.write_text("".join(lines[:count]))
    train.write_text("".join(lines[count:]))


def real_sets(context: Context) -> Iterator[DefaultSet]:
    """Those that are there; a quick run takes the small ones."""
    real = context.data.real
    if real is None:
        return
    libsvm = real / "libsvm"
    sets = [
        DefaultSet("a9a", libsvm / "a9a.gz", libsvm / "a9a.t.gz", 123),
        DefaultSet("letter", libsvm / "letter.scale.gz", libsvm / "letter.scale.t.gz", 16),
    ]
    for name, packed, features in (("mushrooms", "mushrooms.gz", 112), ("news20", "news20.bz2", 62061)):
        train, test = context.work / f"{name}.txt", context.work / f"{name}.t.txt"
        if (libsvm / packed).exists() and not (context.quick and name == "news20"):
            split_lines(libsvm / packed, train, test)
            sets.append(DefaultSet(name, train, test, features))
    images = "images-idx3-ubyte.gz"
    if not context.quick:
        sets.append(DefaultSet("mnist", real / "mnist" / f"train-{images}", real / "mnist" / f"t10k-{images}"))
    yield from (found for found in sets if found.train.exists() and found.test.exists())


def planted_sets(context: Context) -> Iterator[DefaultSet]:
    if context.python is None:
        raise Skipped("the peers' Python packages are not there")
    for name, ending in PLANTED.items():
        train, test = context.work / f"{name}.{ending}", context.work / f"{name}.t.{ending}"
        words = [f"name={name}", f"seed={SEED}", f"train={train}", f"test={test}"]
        command = [str(context.python), "-m", "peers.planted_sets", *words]
        done = subprocess.run(command, env=context.environment, cwd=context.root, capture_output=True, text=True)
        if done.returncode != 0:
            raise WorkerFailed(done.stderr.strip().splitlines()[-1])
        features = 2000 if ending == "txt" else 0
        yield DefaultSet(name, train, test, features, json.loads(done.stdout)["planted"])
