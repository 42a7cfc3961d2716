"""The problems of the `optimum` case: data sets, losses, balls, and who else can solve them."""

from __future__ import annotations

import subprocess
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from harness.context import Context, Skipped
from harness.data import OPENERS
from harness.worker import WorkerFailed

L1_PEERS = ("LIBLINEAR", "celer", "skglm", "saga")
MNIST = "mnist-50000-768"
MNIST_PASSES = {
    1: 60,
    10: 40,
    50: 150,
    100: 200,
}  # by radius: full gradients' worth of time to 1e-4 over the nuclear ball


@dataclass(frozen=True)
class DataSet:
    ours: list[str]  # words of our command line
    theirs: dict[str, Any]  # for peers.optimum_fits
    rows: int


@dataclass(frozen=True)
class Problem:
    family: str
    data: str
    loss: str
    region: str  # l1, l2, l3 or nuclear
    radius: float | None = None  # none: that of the peers' best fit
    cost: float | None = None  # C of the penalised form, the sum of losses times C plus ‖w‖₁
    share: float | None = None  # or the weight of ‖w‖₁ beside the mean loss, in the largest that does anything
    peers: tuple[str, ...] = ()  # with a penalty in place of the ball
    copt: tuple[str, ...] = ()
    passes: int | None = None  # full gradients that 1e-4 may take
    quick: bool = False

    @property
    def name(self) -> str:
        if self.cost is not None:
            return f"{self.data}, {self.family}, C = {self.cost:g}"
        ball = "" if self.region == self.family else f"{self.region} "
        return f"{self.data}, {self.family}" + ("" if self.radius is None else f", {ball}radius {self.radius:g}")

    def region_words(self) -> list[str]:
        return ["--region", "lp", "--p", "3"] if self.region == "l3" else ["--region", self.region]


def all_problems() -> list[Problem]:
    logistic = [
        Problem(
            "l1 logistic", data, "logistic", "l1", cost=cost, peers=L1_PEERS, copt=("accelerated",),
            quick=cost == 1 and data in ("a9a", "mushrooms"),
        )
        for data in ("a9a", "mushrooms", "news20-halves", "planted-sparse")
        for cost in (0.1, 1.0, 10.0)
    ]  # fmt: skip
    multinomial = [
        Problem("l1 multinomial", data, "multinomial", "l1", cost=1.0, peers=("saga", "glmnet"))
        for data in ("letter", "news20")
    ]
    copt = ("accelerated", "Frank-Wolfe")
    nuclear = [
        Problem("nuclear", MNIST, "multinomial", "nuclear", radius, copt=copt, passes=passes)
        for radius, passes in MNIST_PASSES.items()
    ]
    nuclear += [
        Problem("nuclear", data, "multinomial", "nuclear", 100, copt=copt, quick=data == "letter")
        for data in ("letter", "news20")
    ]
    smooth = [
        Problem(
            "lp", data, loss, region, radius, peers=("lbfgs",) if region == "l2" else (),
            copt=("accelerated",) if region == "l2" else (), quick=data == "a9a" and radius == 10,
        )
        for data, loss in ((MNIST, "multinomial"), ("a9a", "logistic"))
        for region in ("l3", "l2")
        for radius in (1, 10, 100)
    ]  # fmt: skip
    squared = [
        Problem("squared", data, "squared", "l1", share=0.1, peers=("celer", "skglm"))
        for data in ("planted-wide", "planted-tall")
    ]
    return logistic + multinomial + nuclear + smooth + squared


def chosen_problems(quick: bool, words: list[str]) -> list[Problem]:
    """Those whose names contain one of the words; without any, all of them, or the few of a quick run."""
    problems = all_problems()
    if words:
        return [problem for problem in problems if any(word in f"{problem.name}," for word in words)]
    return [problem for problem in problems if problem.quick or not quick]


class Sets:
    """Data sets by name, made when first asked for."""

    REAL = {
        "a9a": ("a9a.gz", 123, 32561),
        "mushrooms": ("mushrooms.gz", 112, 8124),
        "letter": ("letter.scale.gz", 16, 15000),
        "news20": ("news20.bz2", 62061, 15935),
    }
    PLANTED = {"planted-sparse": 20_000, "planted-wide": 2_000, "planted-tall": 100_000}

    def __init__(self, context: Context) -> None:
        self.context = context

    def find(self, name: str) -> DataSet:
        if name in self.REAL:
            place, features, rows = self.REAL[name]
            return self._text(self._real(f"libsvm/{place}"), features, rows)
        if name == "news20-halves":
            return self._text(self._news20_halves, *self.REAL["news20"][1:])
        return self._mnist if name == MNIST else self._planted(name)

    def _real(self, place: str) -> Path:
        real = self.context.data.real
        if real is None or not (real / place).exists():
            raise Skipped(f"{place} is not there")
        return real / place

    def _text(self, path: Path, features: int, rows: int) -> DataSet:
        plain = path
        if path.suffix in OPENERS:  # packed in a way that not all readers know
            plain = self.context.work / f"{path.stem}.txt"
            if not plain.exists():
                with OPENERS[path.suffix](path, "rt") as packed:
                    plain.write_text(packed.read())
        return DataSet([str(plain), "--features", str(features)], {"path": str(plain), "features": features}, rows)

    @cached_property
    def _news20_halves(self) -> Path:
        """Classes 1 to 10 against 11 to 20."""
        path = self.context.work / "news20-halves.libsvm"
        with OPENERS[".bz2"](self._real("libsvm/news20.bz2"), "rt") as source, path.open("w") as file:
            for line in source:
                label, _, rest = line.partition(" ")
                file.write(f"{1 if int(label) > 10 else -1} {rest}")
        return path

    @cached_property
    def _mnist(self) -> DataSet:
        """Our own selection of pixels, as arrays for the others."""
        self._real("mnist/train-images-idx3-ubyte.gz")
        folder = self.context.work / MNIST
        folder.mkdir()
        with self.context.ours("gradient", data=MNIST, precision="f64", dump=folder):
            pass
        files = {"path": str(folder / "features.npy"), "labels": str(folder / "classes.npy")}
        return DataSet([MNIST, "--data-dir", str(self.context.data.real)], files, 50_000)

    def _planted(self, name: str) -> DataSet:
        work, rows = self.context.work, self.PLANTED[name]
        path = work / (f"{name}.txt" if name == "planted-sparse" else f"{name}.npy")
        if not path.exists():
            if self.context.python is None:
                raise Skipped("the peers' Python packages are not there")
            command = [str(self.context.python), "-m", "peers.optimum_sets", f"name={name}", f"folder={work}"]
            done = subprocess.run(
                command, env=self.context.environment, cwd=self.context.root, capture_output=True, text=True
            )
            if done.returncode != 0:
                raise WorkerFailed(done.stderr.strip().splitlines()[-1])
        if path.suffix == ".txt":
            return self._text(path, 200_000, rows)
        labels = str(path.with_suffix(".labels.npy"))
        return DataSet([str(path), "--labels", labels], {"path": str(path), "labels": labels}, rows)
