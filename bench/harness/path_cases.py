"""A path of warm-started radii against the paths of others, with the same number of fits.

The radii are the ‖w‖₁ along a peer's path. Accuracy is what each fit proves of itself, in units of the mean loss: our
gap over the ball, their duality gap; the worst of a path counts. A peer's time is that of its quickest setting which is as
accurate as ours.
"""

from __future__ import annotations

import csv
import os
import shutil
import sys
from dataclasses import dataclass
from typing import Any

from harness.context import Context, Skipped
from harness.disturbance import Watch
from harness.optimum_cases import DEFAULT, METHODS
from harness.optimum_peers import FIRST_CALL, Peers, TooLong
from harness.optimum_problems import DataSet, Sets
from harness.our_runs import finish, methods_there, program
from harness.results import Row, Table
from harness.tables import duration
from harness.worker import WorkerFailed

FITS, QUICK_FITS = 50, 10
SPAN = 0.01  # the last weight of the penalty in the largest one that does anything
LIMIT, QUICK_LIMIT = 40.0, 8.0  # seconds of a whole path
RUNG_STEP, MOST_RUNG = 2, 24
REFERENCE = 6  # the rung of the path that gives the radii
ACCURATE = 1e-6
HELD_OUT = 10  # rows, as a path of ours must have some to judge by
PEERS = ("celer", "skglm", "glmnet")
PROBLEMS = {
    "a9a": "logistic",
    "news20-halves": "logistic",
    "planted-sparse": "logistic",
    "planted-wide": "squared",
    "planted-tall": "squared",
}
QUICK = ("a9a",)


def weights_of(largest: float, count: int) -> list[float]:
    """Falling by the same factor from just below the largest, where the first weight leaves zero."""
    return [largest * 0.95 * (SPAN / 0.95) ** (k / (count - 1)) for k in range(count)]


def radii_of(norms: list[float]) -> list[float]:
    """Rising; a norm that is not larger than one before it gives no radius."""
    radii: list[float] = []
    for norm in norms:
        if norm > (radii[-1] * (1 + 1e-9) if radii else 0):
            radii.append(norm)
    return radii


@dataclass
class PathTime:
    seconds: float
    worst: float  # gap


def quickest(tries: list[PathTime], gap: float) -> PathTime | None:
    """The quickest that is accurate enough."""
    return min((one for one in tries if one.worst <= gap), key=lambda one: one.seconds, default=None)


def our_path(context: Context, name: str, data: DataSet, method: str, radii: list[float], limit: float) -> PathTime:
    folder, table = context.work / "path.report", context.work / "path.csv"
    command = [
        program(context), "path", *data.ours, "--loss", PROBLEMS[name], "--region", "l1",
        "--radii", ",".join(map(repr, radii)), "--holdout", str(HELD_OUT / data.rows), "--no-intercept",
        "--method", method, "--precision", "f64", "--max-seconds", str(limit), "--tol", "0.001",
        "--threads", str(context.threads), "--path", str(table), "--output", str(folder),
        "--model", str(context.work / "path.npz"), "--json",
    ]  # fmt: skip
    finish(command, 3 * limit + 30)
    shutil.rmtree(folder, ignore_errors=True)
    with table.open(newline="") as file:
        lines = list(csv.DictReader(file))
    if len(lines) < len(radii):
        raise WorkerFailed(f"{method}: {len(lines)} of {len(radii)} radii in time")
    return PathTime(sum(float(line["seconds"]) for line in lines), max(float(line["gap"]) for line in lines))


def their_paths(peers: Peers, who: str, question: dict[str, Any], gap: float, limit: float) -> list[PathTime]:
    """From loose to tight, until one is accurate enough or the time is up."""
    tries: list[PathTime] = []
    try:
        peers.ask(who, question | {"path": who, "rung": REFERENCE}, FIRST_CALL)  # may compile
        for rung in range(0, MOST_RUNG + 1, RUNG_STEP):
            found = peers.ask(who, question | {"path": who, "rung": rung}, 2 * limit)
            tries.append(PathTime(found["seconds"], max(found["gaps"])))
            if tries[-1].worst <= gap or tries[-1].seconds > limit / 2:
                break
    except TooLong:
        pass  # what was found before counts
    return tries


class PathContest:
    def __init__(self, context: Context, peers: Peers, name: str, data: DataSet, table: Table) -> None:
        self.context, self.peers, self.name, self.data, self.table = context, peers, name, data, table
        self.limit = QUICK_LIMIT if context.quick else LIMIT

    def note(self, who: str, at_ours: str, accurate: str, worst: float) -> None:
        line = [self.name, who, at_ours, accurate, f"{worst:.0e}"]
        self.table.cells.append(line)
        print("bench: paths:", *line, sep=" | ", file=sys.stderr, flush=True)

    def remark(self, error: Exception) -> None:
        self.context.results.remarks.append(f"paths: {self.name}: {error}")

    def radii(self, source: dict[str, Any], count: int) -> tuple[dict[str, Any], list[float]]:
        """From the first peer that is there."""
        for who in PEERS:
            try:
                largest = self.peers.load(who, source)["largest"]
                question = {"weights": weights_of(largest, count)}
                found = self.peers.ask(who, question | {"path": who, "rung": REFERENCE}, FIRST_CALL)
                return question, radii_of(found["norms"])
            except (WorkerFailed, TooLong) as error:
                self.remark(error)
        raise Skipped("no peer has a path whose radii could be taken")

    def run(self, methods: list[str]) -> None:
        source = self.data.theirs | {"loss": PROBLEMS[self.name]}
        watch = Watch(os.getpid(), family=True)
        question, radii = self.radii(source, QUICK_FITS if self.context.quick else FITS)
        ours: dict[str, PathTime] = {}
        for method in methods:
            try:
                ours[method] = our_path(self.context, self.name, self.data, method, radii, self.limit)
            except WorkerFailed as error:
                self.remark(error)
        theirs: dict[str, list[PathTime]] = {}
        for who in PEERS:
            try:
                self.peers.load(who, source)
                aim = min([ACCURATE, *(found.worst for found in ours.values())])
                theirs[who] = their_paths(self.peers, who, question, aim, self.limit)
            except (WorkerFailed, TooLong) as error:
                self.remark(error)
        self.context.patience.shares.append(watch.others())
        self.judge(len(radii), ours, theirs)

    def judge(self, count: int, ours: dict[str, PathTime], theirs: dict[str, list[PathTime]]) -> None:
        for method, found in ours.items():
            self.note(method, duration(found.seconds), "", found.worst)
        gap = min((found.worst for found in ours.values()), default=ACCURATE)
        for who, tries in theirs.items():
            at_ours, accurate = (
                "-" if one is None else duration(one.seconds)
                for one in (quickest(tries, gap), quickest(tries, ACCURATE))
            )
            self.note(who, at_ours, accurate, min((one.worst for one in tries), default=float("nan")))
        self.table.data.append({
            "set": self.name, "radii": count, "ours": {who: vars(found) for who, found in ours.items()},
            "theirs": {who: [vars(one) for one in tries] for who, tries in theirs.items()},
        })  # fmt: skip
        for method, found in ours.items():
            rivals = [(one.seconds, who) for who, tries in theirs.items() if (one := quickest(tries, found.worst))]
            if rivals:
                seconds, who = min(rivals)
                what = f"{self.name}: {method} path of {count} radii, gaps up to {found.worst:.0e}"
                ratio = found.seconds / seconds
                self.context.results.rows.append(
                    Row("paths", what, f"{who} path", found.seconds, seconds, "at most", ratio, ratio, ratio, None)
                )


def paths(context: Context) -> None:
    wanted = methods_there(context, METHODS)
    methods = list(dict.fromkeys([wanted[0] if wanted[0] == METHODS[0] else DEFAULT, DEFAULT]))
    names = [name for name in PROBLEMS if name in QUICK or not context.quick]
    if context.problems:
        names = [name for name in PROBLEMS if any(word in name for word in context.problems)]
    sets = Sets(context)
    header = ["set", "who", "time as accurate as ours", f"time to gaps of {ACCURATE:.0e}", "smallest worst gap"]
    table = Table("paths", "Paths of warm-started fits, all fits together", header, [])
    with Peers(context) as peers:
        for name in names:
            try:
                PathContest(context, peers, name, sets.find(name), table).run(methods)
            except (Skipped, WorkerFailed, TooLong) as error:
                context.results.remarks.append(f"paths: {name}: left out, {error}")
    context.results.tables.append(table)
