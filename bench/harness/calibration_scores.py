"""What the runs of a calibration are worth, and how auto compares with the best ρ and with other methods."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from statistics import fmean

from harness.calibration_jobs import (
    ALFCG,
    EPOCHS,
    RHOS,
    ROUNDS,
    TIMED,
    Job,
    Problem,
    Setting,
    is_auto,
    problem_of,
)

FLOOR = 1e-3  # a score below this is as good as zero
NEAR = 1.5
FAR = 5.0
TIE = 1.05
ROUNDING = 1e-6  # objectives are single precision

Rule = float | str | None  # a ρ, "auto", "probe"; none: a method without ρ


def score(end: float, start: float, reference: float) -> float:
    """The share of the possible decrease that is left: 1 at the start, 0 at the least objective known."""
    return (end - reference) / (start - reference) if start > reference else 0.0


def floored(value: float) -> float:
    return max(value, FLOOR)


def above_start(result: Job) -> bool:
    """A run that broke counts as one."""
    answer = result["answer"]
    return "error" in answer or answer["last"] > answer["first"] + ROUNDING * abs(answer["first"])


def geometric_mean(values: Iterable[float]) -> float:
    return math.exp(fmean(math.log(value) for value in values))


@dataclass(frozen=True)
class Comparison:
    """One method on one problem: auto against the best ρ of the grid."""

    problem: Problem
    method: str
    auto: float
    probe: float | None
    best: float
    best_rho: float

    @property
    def ratio(self) -> float:
        return floored(self.auto) / floored(self.best) if math.isfinite(self.auto) else math.inf

    @property
    def near(self) -> bool:
        return math.isfinite(self.auto) and (self.auto <= NEAR * self.best or self.auto < FLOOR)

    @property
    def far(self) -> bool:
        return self.ratio > FAR


@dataclass(frozen=True)
class Contest:
    """The methods of one setting on one problem: the better of ours, with auto, against the best rival."""

    problem: Problem
    ours: float
    best: float
    rival: str

    @property
    def held(self) -> bool:
        return math.isfinite(self.ours) and (self.ours <= TIE * self.best or self.ours < FLOOR)


@dataclass(frozen=True)
class Race:
    """Seconds until a rival's last score is reached: by the rival, and by alfcg-d (none: not within its epochs)."""

    problem: Problem
    rival: str
    ours: float | None
    theirs: float  # all its epochs
    ours_floored: float | None  # the same until that score or FLOOR, whichever comes first,
    theirs_floored: float  # where the rival's clock stops as soon as it is there


class Scores:
    def __init__(self, results: Iterable[Job]) -> None:
        self.auto_runs: list[Job] = []
        self.broken = 0
        self._traces: dict[tuple[Problem, str], dict[int, Job]] = defaultdict(dict)
        self._runs: dict[tuple[Problem, str, Rule], dict[int, Job]] = defaultdict(dict)
        self._reference: dict[Problem, float] = {}
        for result in results:
            self._take(result)
        self._means: dict[Problem, dict[tuple[str, Rule], float]] = defaultdict(dict)
        for (problem, method, rule), runs in self._runs.items():
            self._means[problem][method, rule] = fmean(self._score(problem, run) for run in runs.values())

    def _take(self, result: Job) -> None:
        problem, answer = problem_of(result), result["answer"]
        if "error" in answer:
            self.broken += 1
        else:
            least = min(answer["first"], answer["last"])
            self._reference[problem] = min(least, self._reference.get(problem, least))
        if result.get("trace"):
            self._traces[problem, result["method"]][result["round"]] = result
            return
        if result.get("epochs", EPOCHS) != EPOCHS:
            return
        if is_auto(result):
            self.auto_runs.append(result)
        rule: Rule = result.get("rho", "auto" if result["method"] in ALFCG else None)
        self._runs[problem, result["method"], rule][result["seed"]] = result

    def _score(self, problem: Problem, run: Job) -> float:
        answer = run["answer"]
        if "error" in answer:
            return math.inf
        return score(answer["last"], answer["first"], self._reference[problem])

    def comparisons(self, method: str) -> list[Comparison]:
        """The problems where auto and the whole grid have been run."""
        found = []
        for problem, means in self._means.items():
            grid = {rho: means[method, rho] for rho in RHOS if (method, rho) in means}
            if (method, "auto") in means and len(grid) == len(RHOS):
                best = min(grid, key=lambda rho: grid[rho])
                auto, probe = means[method, "auto"], means.get((method, "probe"))
                found.append(Comparison(problem, method, auto, probe, grid[best], best))
        return found

    def contests(self, setting: Setting) -> list[Contest]:
        """The problems where every method of the setting has been run."""
        found = []
        for problem, means in self._means.items():
            ours = [means[name, "auto"] for name in setting.ours if (name, "auto") in means]
            rivals = {name: means[name, None] for name in setting.rivals if (name, None) in means}
            if len(ours) == len(setting.ours) and len(rivals) == len(setting.rivals):
                rival = min(rivals, key=lambda name: rivals[name])
                found.append(Contest(problem, min(ours), rivals[rival], rival))
        return found

    def races(self, rival: str) -> list[Race]:
        """The problems where all rounds of both have been timed."""
        found = []
        for (problem, method), theirs in self._traces.items():
            ours = self._traces.get((problem, TIMED), {})
            if method != rival or len(theirs) != ROUNDS or len(ours) != ROUNDS:
                continue
            answers = [run["answer"] for runs in (ours, theirs) for run in runs.values()]
            if not any("error" in answer for answer in answers):
                found.append(self._race(problem, rival, answers[:ROUNDS], answers[ROUNDS:]))
        return found

    def _race(self, problem: Problem, rival: str, ours: Sequence[Job], theirs: Sequence[Job]) -> Race:
        start, reference = theirs[0]["first"], self._reference[problem]
        target = theirs[0]["trace"]["objective"][-1] + ROUNDING * abs(start)
        easy = max(target, reference + FLOOR * (start - reference))
        end = min(answer["trace"]["seconds"][-1] for answer in theirs)
        reached = first_time(theirs, easy)
        return Race(
            problem, rival, first_time(ours, target), end, first_time(ours, easy), end if reached is None else reached
        )


def first_time(answers: Sequence[Job], target: float) -> float | None:
    """Seconds of the fastest repetition to the first iterate that is as low as the target."""
    times = []
    for answer in answers:
        trace = zip(answer["trace"]["seconds"], answer["trace"]["objective"], strict=True)
        times.append(next((seconds for seconds, objective in trace if objective <= target), None))
    return min((time for time in times if time is not None), default=None)
