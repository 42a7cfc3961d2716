"""The Python package against scikit-learn, celer and skglm: times of fits at the same accuracy of the objective, scores
on rows that nobody has seen, and what a call costs by itself.

At a weight of the penalty, a peer's accuracy is how far its objective is above the lowest of all; ours, over the ball
of the best peer's norm, how far the loss is above the lowest there.
"""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import dataclass, replace
from typing import Any

from harness.context import Context, Skipped
from harness.disturbance import Watch
from harness.optimum_peers import FIRST_CALL, Peers, TooLong
from harness.optimum_problems import Sets
from harness.results import Row, Table
from harness.tables import duration
from harness.worker import WorkerFailed

MODULE, OURS = "python_fits", "alfcg"
ACCURACIES = (1e-4, 1e-6)
LIMIT, QUICK_LIMIT = 20.0, 5.0  # seconds of a fit
MOST_DIGITS = 10  # of our tolerances
CALLS, ALLOWED = 300, 1e-4  # seconds that a call may cost by itself


@dataclass(frozen=True)
class Contest:
    data: str
    loss: str
    region: str
    peers: tuple[str, ...]
    share: float | None = None  # of the largest weight that does anything; none: C = 1
    quick: bool = False

    @property
    def name(self) -> str:
        return f"{self.data}, {self.region} {self.loss}"


L1_PEERS = ("LIBLINEAR", "SGD", "celer", "skglm")
SQUARED_PEERS = ("Lasso", "celer", "skglm")
CONTESTS = [
    Contest("a9a", "logistic", "l1", L1_PEERS, quick=True),
    Contest("mushrooms", "logistic", "l1", L1_PEERS),
    Contest("news20-halves", "logistic", "l1", L1_PEERS),
    Contest("planted-sparse", "logistic", "l1", L1_PEERS),
    Contest("a9a", "logistic", "l2", ("lbfgs",)),
    Contest("mushrooms", "logistic", "l2", ("lbfgs",)),
    Contest("planted-wide", "squared", "l1", SQUARED_PEERS, share=0.1),
    Contest("planted-tall", "squared", "l1", SQUARED_PEERS, share=0.1),
]
CLASSIFIERS = (
    "ConstrainedClassifierCV, l1", "LogisticRegressionCV, l1", "SGDClassifier, l1", "ConstrainedClassifierCV, l2",
    "LogisticRegressionCV, l2",
)  # fmt: skip
REGRESSIONS = ("ConstrainedRegressorCV", "LassoCV")  # celer's does not run with this scikit-learn
WHOLE = {
    "a9a": ("logistic", CLASSIFIERS),
    "mushrooms": ("logistic", CLASSIFIERS),
    "news20-halves": ("logistic", CLASSIFIERS),
    "planted-sparse": ("logistic", CLASSIFIERS),
    "planted-wide": ("squared", REGRESSIONS),
    "planted-tall": ("squared", REGRESSIONS),
}
WHOLE_LIMIT, QUICK_WHOLE_LIMIT = 120.0, 30.0


def with_package(context: Context) -> Context:
    """Its environment finds the package of the newest wheel."""
    if context.python is None:
        raise Skipped("the peers' Python packages are not there")
    wheels = sorted((context.root / "dist").glob("alfcg-*.whl"), key=lambda path: path.stat().st_mtime)
    if not wheels:
        raise Skipped("there is no wheel in dist; make python builds it")
    folder = context.work / "package"
    for wheel in reversed(wheels):  # not all are for this Python
        done = subprocess.run(
            [str(context.python), "-m", "pip", "install", "--quiet", "--no-deps", "--target", str(folder), str(wheel)],
            capture_output=True, text=True,
        )  # fmt: skip
        if done.returncode == 0:
            path = os.pathsep.join([context.environment["PYTHONPATH"], str(folder)])
            return replace(context, environment=context.environment | {"PYTHONPATH": path})
    raise Skipped(f"no wheel in dist can be installed: {done.stderr.strip().splitlines()[-1]}")


def say(*cells: str) -> None:
    print("bench: python:", *cells, sep=" | ", file=sys.stderr, flush=True)


def first_within(fits: list[dict[str, Any]], key: str, optimum: float, accuracy: float) -> float | None:
    return min((fit["seconds"] for fit in fits if fit[key] - optimum <= accuracy), default=None)


class Match:
    """One contest: peers at a weight, ours over the ball of the same norm."""

    def __init__(self, context: Context, peers: Peers, contest: Contest, source: dict[str, Any], limit: float) -> None:
        self.context, self.peers, self.contest, self.limit = context, peers, contest, limit
        self.source = source | {"loss": contest.loss}

    def theirs(self) -> tuple[dict[str, list[dict[str, Any]]], float]:
        facts = self.peers.load(self.contest.peers[0], self.source)
        share = self.contest.share
        weight = 1 / facts["rows"] if share is None else share * facts["largest"]
        fits: dict[str, list[dict[str, Any]]] = {}
        for who in self.contest.peers:
            try:
                found = self.peers.ladder(who, self.source, self.contest.region, weight, self.limit)
            except (WorkerFailed, TooLong) as error:
                self.context.results.remarks.append(f"python: {self.contest.name}: {error}")
                continue
            if found:
                fits[who] = found
        if not fits:
            raise Skipped("no peer has a solution whose norm could be taken")
        best = min((fit for each in fits.values() for fit in each), key=lambda fit: fit["objective"])
        return fits, best["norm"]

    def ours(self, radius: float) -> list[dict[str, Any]]:
        self.peers.load(OURS, self.source)
        question = {"ball": self.contest.region, "radius": radius}
        self.peers.ask(OURS, question | {"tolerance": 1e-2}, FIRST_CALL)
        fits: list[dict[str, Any]] = []
        for digits in range(2, MOST_DIGITS + 1):
            fits.append(self.peers.ask(OURS, question | {"tolerance": 10.0**-digits}, 4 * self.limit))
            if fits[-1]["gap"] <= ACCURACIES[-1] / 10 or fits[-1]["seconds"] > self.limit:
                break
        return fits

    def run(self, table: Table) -> None:
        fits, radius = self.theirs()
        own = self.ours(radius)
        lowest = min(fit["loss"] for fit in own)
        with_penalty = min(fit["objective"] for each in fits.values() for fit in each)
        sides = {OURS: (own, "loss", lowest)} | {who: (each, "objective", with_penalty) for who, each in fits.items()}
        times: dict[str, list[float | None]] = {}
        for who, (each, key, optimum) in sides.items():
            times[who] = [first_within(each, key, optimum, accuracy) for accuracy in ACCURACIES]
            line = [
                f"{self.contest.name}, radius {radius:.4g}", who,
                *("-" if seconds is None else duration(seconds) for seconds in times[who]),
                f"{each[-1]['score']:.4f}",
            ]  # fmt: skip
            table.cells.append(line)
            say(*line)
        table.data.append({"contest": self.contest.name, "radius": radius, "seconds": times})
        for accuracy, seconds in zip(ACCURACIES, times[OURS], strict=True):
            at = ACCURACIES.index(accuracy)
            rivals = [(each[at], who) for who, each in times.items() if who != OURS and each[at] is not None]
            if seconds is not None and rivals:
                other, who = min((float(each or 0), who) for each, who in rivals)
                what = f"{self.contest.name} to {accuracy:.0e}"
                ratio = seconds / other
                self.context.results.rows.append(
                    Row("python", what, who, seconds, other, "at most", ratio, ratio, ratio, None)
                )


def whole_fits(context: Context, peers: Peers, sets: Sets, table: Table) -> None:
    for data, (loss, names) in WHOLE.items():
        if wanted(context, data, data == "a9a"):
            try:
                source = sets.find(data).theirs | {"loss": loss}
            except (Skipped, WorkerFailed) as error:
                context.results.remarks.append(f"python: {data}: left out, {error}")
                continue
            for name in names:
                try:
                    peers.load(name, source)
                    limit = QUICK_WHOLE_LIMIT if context.quick else WHOLE_LIMIT
                    found = peers.ask(name, {"whole": name}, limit)
                    line = [data, name, duration(found["seconds"]), f"{found['score']:.4f}", str(found["nonzeros"])]
                except (WorkerFailed, TooLong) as error:
                    context.results.remarks.append(f"python: {data}: {error}")
                    line = [data, name, "-", "-", "-"]
                table.cells.append(line)
                say(*line)
                peers.drop(name)  # its copy of the data goes with it


def wanted(context: Context, name: str, quick: bool) -> bool:
    if context.problems:
        return any(word in name for word in context.problems)
    return quick or not context.quick


def calls(context: Context, peers: Peers) -> None:
    found = peers.ask(OURS, {"call": CALLS}, FIRST_CALL)
    ratio = found["call"] / ALLOWED
    what = "a call, beyond the method's time"
    context.results.rows.append(
        Row("python", what, "100 µs", found["call"], ALLOWED, "at most", ratio, ratio, ratio, 1.0)
    )
    context.results.remarks.append(
        f"python: a fit of four rows takes {duration(found['estimator'])} as an estimator, with scikit-learn's checks"
    )


def python(context: Context) -> None:
    inside = with_package(context)
    sets = Sets(context)
    at_accuracy = Table(
        "python", "Fits at f - f* at most so much, and the score of the last one on unseen rows",
        ["problem", "who", *(f"{a:.0e}" for a in ACCURACIES), "score"], [],
    )  # fmt: skip
    whole = Table(
        "python", "Estimators as they come, with cross-validation but for SGD",
        ["data", "who", "time", "score", "non-zeros"], [],
    )  # fmt: skip
    limit = QUICK_LIMIT if context.quick else LIMIT
    watch = Watch(os.getpid(), family=True)
    with Peers(inside, MODULE) as peers:
        calls(inside, peers)
        for contest in CONTESTS:
            if not wanted(context, contest.name, contest.quick):
                continue
            try:
                Match(inside, peers, contest, sets.find(contest.data).theirs, limit).run(at_accuracy)
            except (Skipped, WorkerFailed, TooLong) as error:
                context.results.remarks.append(f"python: {contest.name}: left out, {error}")
        whole_fits(inside, peers, sets, whole)
    context.patience.shares.append(watch.others())
    context.results.tables += [at_accuracy, whole]
