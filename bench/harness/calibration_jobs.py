"""Which runs measure `--rho auto`: data, problems, methods, and the order of the work.

A job is what alfcg-calibration reads (bench/calibration_worker.cpp), with "data" and "normalize" added:

    {"data": "randn", "normalize": "none", "region": "l3", "radius": 10, "method": "alfcg-fs", "rho": 1e-05, "seed": 1}

No "rho": the method's own, which is auto for ALFCG. "epochs" (30), "distortion" ("none"), "trace" and "round" (the
repetition of a timed run) are there only where they differ from that. A result is the job with its "answer".
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

from harness.made_sets import MADE, made

Job = dict[str, Any]

EPOCHS = 30
REFERENCE = ("fw-parafree", 1000)  # only to know how low the objective can get
NORMALIZATIONS = ("none", "rows", "columns", "spectral")
RADII = (1, 10, 100, 1000)
RHOS = tuple(10.0**k for k in range(-7, 4))
DISTORTIONS = ("shuffled-labels", "huge-feature", "duplicated-rows")


@dataclass(frozen=True)
class Setting:
    """Methods that compete with each other."""

    name: str
    ours: tuple[str, ...]
    rivals: tuple[str, ...]


DETERMINISTIC = Setting(
    "deterministic",
    ("alfcg-d",),
    ("fw-openloop", "fw-shortstep", "fw-momentum", "fw-sliding", "fw-armijo", "fw-parafree"),
)
SETTINGS = (
    DETERMINISTIC,
    Setting("finite sum", ("alfcg-fs",), ("svfw", "saga-fw", "spider-cg", "onesample-fw", "sarah-fw")),
    Setting(
        "expectation",
        ("alfcg-mvr1", "alfcg-mvr2"),
        ("sfw", "sfw-gb", "onesample-storm", "onesample-ema", "srfw"),
    ),
)
ALFCG = tuple(method for setting in SETTINGS for method in setting.ours)
METHODS = tuple(method for setting in SETTINGS for method in (*setting.ours, *setting.rivals))

TIMED = "alfcg-d"
TIMED_EPOCHS = 300
TIMED_RIVALS = ("fw-armijo", "fw-parafree")
ROUNDS = 3


@dataclass(frozen=True)
class DataSet:
    name: str
    source: str  # a file of the data folder, or a built-in set
    file: str | None = None  # that must be in the data folder
    loss: str = "multinomial"
    rows: int = 0  # the first ones only; 0: all
    regions: tuple[str, ...] = ("nuclear", "l3", "l1")
    held_back: bool = False  # not part of the grid: what was chosen on the others is tried here

    def there(self, folder: Path | None) -> bool:
        return self.file is None or (folder is not None and (folder / self.file).exists())

    def settings(self, folder: Path | None, work: Path) -> list[str]:
        """What alfcg-calibration is told to load; what is made on the spot is kept in `work`."""
        source = folder / self.file if folder is not None and self.source == self.file else self.source
        if self.source in MADE:
            source = made(self.source, work)
        words = [f"data={source}", f"loss={self.loss}", f"rows={self.rows}"]
        return words + ([f"data-dir={folder}"] if self.source.startswith("mnist-") else [])


DATA = {
    data.name: data
    for data in (
        DataSet("randn", "randn-3000-200"),
        DataSet("planted", "planted"),
        DataSet("letter", "libsvm/letter.scale.gz", "libsvm/letter.scale.gz"),
        # Two classes have one row of weights, for which the nuclear ball is the Euclidean one.
        DataSet("a9a", "libsvm/a9a.gz", "libsvm/a9a.gz", loss="logistic", regions=("l3", "l1")),
        DataSet("mnist", "mnist-3000-784", "mnist/train-images-idx3-ubyte.gz"),
        DataSet("news20", "libsvm/news20.bz2", "libsvm/news20.bz2", rows=3000),
        DataSet("mushrooms", "libsvm/mushrooms.gz", "libsvm/mushrooms.gz", loss="logistic", regions=("l3", "l1"),
                held_back=True),
        *(DataSet(name, name, held_back=True) for name in ("correlated", "heavy-tails", "wide", "clusters")),
        *(DataSet(name, name, loss="logistic", regions=("l3", "l1"), held_back=True)
          for name in ("unbalanced", "categories")),
    )
}  # fmt: skip
GRID = tuple(name for name, data in DATA.items() if not data.held_back)
SLOW = ("news20",)  # comes last


class Problem(NamedTuple):
    """Runs on the same problem have the same start and the same minimum."""

    data: str
    normalize: str
    region: str
    radius: float
    distortion: str = "none"


def problem_of(job: Job) -> Problem:
    distortion = job.get("distortion", "none")
    return Problem(job["data"], job["normalize"], job["region"], job["radius"], distortion)


def key_of(job: Job) -> tuple[Any, ...]:
    """Equal for jobs that are the same run."""
    return (
        *problem_of(job), job["method"], job.get("rho"), job["seed"], job.get("epochs", EPOCHS),
        job.get("trace", False), job.get("round", 0),
    )  # fmt: skip


def is_auto(job: Job) -> bool:
    return job["method"] in ALFCG and "rho" not in job


@dataclass(frozen=True)
class Batch:
    """Jobs for one process, in order: all on one data set in one form."""

    data: str
    normalize: str
    distortion: str
    jobs: tuple[Job, ...]
    together: bool = False  # those on one problem are measured against each other: none of them, or all


@dataclass(frozen=True)
class Plan:
    """What is to be measured."""

    data: Sequence[str] = GRID
    methods: Sequence[str] = METHODS
    seeds: int = 3
    normalizations: Sequence[str] = NORMALIZATIONS
    regions: Sequence[str] | None = None  # none: those of the data set
    radii: Sequence[float] = RADII

    def batches(self) -> list[Batch]:
        """Runs that may be done side by side, what matters most first."""
        quick = [name for name in self.data if name not in SLOW]
        slow = [name for name in self.data if name in SLOW]
        found: list[Batch] = []
        for names in (quick, slow):
            for make in (self._rules, self._rest):
                found += (Batch(n, k, "none", tuple(make(n, k))) for n, k in product(names, self.normalizations))
            for distortion, name, kind in product(DISTORTIONS, names, self.normalizations):
                found.append(Batch(name, kind, distortion, tuple(self._awkward(name, kind, distortion))))
        return [batch for batch in found if batch.jobs]

    def timings(self) -> list[Batch]:
        """Runs that are timed, one process at a time."""
        if TIMED not in self.methods:
            return []
        return [
            Batch(name, kind, "none", tuple(self._timed(name, kind)), together=True)
            for name, kind in product(self.data, self.normalizations)
        ]

    def _problems(self, data: str, normalize: str) -> Iterator[Job]:
        for region, radius in product(self.regions or DATA[data].regions, self.radii):
            yield {"data": data, "normalize": normalize, "region": region, "radius": radius}

    def _runs(self, problem: Job, method: str, **more: Any) -> Iterator[Job]:
        deterministic = method in DETERMINISTIC.ours + DETERMINISTIC.rivals
        for seed in range(1, 2 if deterministic else self.seeds + 1):
            yield {**problem, "method": method, "seed": seed, **more}

    def _rules(self, data: str, normalize: str) -> Iterator[Job]:
        for problem, method in product(self._problems(data, normalize), self.methods):
            if method in ALFCG:
                yield from self._runs(problem, method)
                yield from self._runs(problem, method, rho="probe")

    def _rest(self, data: str, normalize: str) -> Iterator[Job]:
        for problem in self._problems(data, normalize):
            method, epochs = REFERENCE
            yield {**problem, "method": method, "seed": 1, "epochs": epochs}
            for method in self.methods:
                if method in ALFCG:
                    for rho in RHOS:
                        yield from self._runs(problem, method, rho=rho)
                else:
                    yield from self._runs(problem, method)

    def _awkward(self, data: str, normalize: str, distortion: str) -> Iterator[Job]:
        for problem, method in product(self._problems(data, normalize), self.methods):
            if method in ALFCG:
                yield from self._runs(problem, method, distortion=distortion)

    def _timed(self, data: str, normalize: str) -> Iterator[Job]:
        for problem, turn in product(self._problems(data, normalize), range(1, ROUNDS + 1)):
            common = {**problem, "seed": 1, "trace": True, "round": turn}
            yield {**common, "method": TIMED, "epochs": TIMED_EPOCHS}
            for rival in TIMED_RIVALS:
                yield {**common, "method": rival}
