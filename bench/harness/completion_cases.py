"""Matrix completion: errors on ratings held out, time to a gap, memory, and how the cost of an iteration grows.

Times of others are those of their fit alone, data in memory; ours are those of the whole command, which reads the file, looks
for a radius and writes the model. Every time is given on the clock and as CPU time, which company disturbs less.
"""

from __future__ import annotations

import csv
import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Any

from harness.context import Context, Skipped
from harness.disturbance import Watch
from harness.our_runs import program
from harness.results import Row, Table
from harness.tables import duration
from harness.worker import WorkerFailed

RATINGS = "ratings/movietweetings-100k.tsv.gz"
PLANTED = {"rows": 71567, "columns": 10681, "count": 10**7, "rank": 20, "noise": 0.5}
QUICK = {"rows": 7157, "columns": 1068, "count": 10**6, "rank": 20, "noise": 0.5}  # as many for every number of the factors
BYTES_OF_TRIPLE = 12
GOALS = (1e-1, 1e-2)  # relative gaps, as --tol has them
TIMES_OURS = 12.0  # how long the loop in SciPy may take, in our time
SURPRISE: dict[str, tuple[str, dict[str, Any]]] = {
    "mean alone": ("mean", {}),
    "scikit-surprise, baseline": ("baseline", {}),
    "scikit-surprise, SVD": ("svd", {}),
    "scikit-surprise, SVD, 20 factors, 0.1": ("svd", {"n_factors": 20, "reg_all": 0.1}),
}
WEIGHTS = (3.0, 10.0, 30.0, 100.0)  # of cmfrec's penalty, with the first rank; the other ranks with the best of them
RATINGS_RANKS = (10, 3, 40)
PLANTED_RANKS = (20, 10, 40)


@dataclass
class Outcome:
    who: str
    seconds: float
    cpu: float
    error: float | None = None  # on the test set
    peak: float = 0.0  # bytes; 0: not known
    notes: str = ""


class Contest:
    """Everyone on the same observations."""

    def __init__(self, context: Context, **how: object) -> None:
        self.context = context
        self.folder = context.work / "completion"
        self.folder.mkdir(exist_ok=True)
        words = [f"{key}={value}" for key, value in ({"folder": self.folder, "seed": 0} | how).items()]
        if context.python is None:
            raise Skipped("the peers' Python packages are not there")
        make = [str(context.python), "-m", "peers.ratings_sets", *words]
        done = subprocess.run(make, env=context.environment, cwd=context.root, capture_output=True, text=True)
        if done.returncode != 0:
            raise WorkerFailed(done.stderr.strip().splitlines()[-1])
        self.facts: dict[str, Any] = json.loads(done.stdout)

    @property
    def train(self) -> Path:
        return self.folder / "train.npz"

    def judge(self, model: Path) -> float:
        with self.context.peer("completion_fits", folder=self.folder) as peer:
            return float(peer.ask({"judge": str(model)})["error"])

    def run(self, *words: object) -> tuple[dict[str, Any], Outcome]:
        """A command of ours: its summary, and what it took."""
        command = [program(self.context), "complete", str(self.train), "--model", str(self.folder / "ours.npz"),
                   "--threads", str(self.context.threads), "--json", *map(str, words)]  # fmt: skip
        answer, errors = self.folder / "answer.json", self.folder / "errors.txt"
        start = time.perf_counter()
        with answer.open("w") as out, errors.open("w") as err:
            process = subprocess.Popen(command, stdout=out, stderr=err)
            _, status, used = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
        seconds = time.perf_counter() - start
        if process.returncode != 0:
            raise WorkerFailed(errors.read_text().strip() or f"exit status {process.returncode}")
        summary = json.loads(answer.read_text())
        notes = f"radius {summary['radius']:.4g}, rank {summary['rank']}"
        outcome = Outcome("alfcg", seconds, used.ru_utime + used.ru_stime, None, used.ru_maxrss * 1024.0, notes)
        return summary, outcome

    def ours(self, who: str, *words: object) -> tuple[dict[str, Any], Outcome]:
        summary, outcome = self.run(*words)
        outcome.who, outcome.error = f"alfcg complete {who}", self.judge(self.folder / "ours.npz")
        return summary, outcome

    def theirs(self, who: str, **question: Any) -> Outcome:
        with self.context.peer("completion_fits", folder=self.folder) as peer:
            found = peer.ask(question)
        return Outcome(who, found["seconds"], found["cpu"], found["error"])

    def cmfrec(self, ranks: tuple[int, ...], *, biases: bool) -> Outcome:
        """The best on the test set itself; the time of that one fit."""

        def attempt(rank: int, weight: float) -> tuple[Outcome, float]:
            found = self.theirs("cmfrec, best of several", fit="cmfrec", settings={"k": rank, "lambda_": weight},
                                biases=biases, single=True, threads=self.context.threads)  # fmt: skip
            found.notes = f"rank {rank}, penalty {weight:g}"
            print(f"bench: completion: cmfrec {found.notes}: {found.error:.4f} in {found.seconds:.2f} s", file=sys.stderr)
            return found, weight

        tries = [attempt(ranks[0], weight) for weight in WEIGHTS]
        best = min(tries, key=lambda one: one[0].error or 0.0)[1]
        tries += [attempt(rank, best) for rank in ranks[1:]]
        return min((one[0] for one in tries), key=lambda one: one.error or 0.0)


def note(table: Table, found: Outcome) -> None:
    peak = f"{found.peak / 1e6:.0f} MB" if found.peak else ""
    error = "" if found.error is None else f"{found.error:.4f}"
    table.cells.append([found.who, error, duration(found.seconds), duration(found.cpu), peak, found.notes])
    table.data.append(asdict(found))
    print("bench: completion:", *table.cells[-1], sep=" | ", file=sys.stderr, flush=True)


HEADER = ["who", "test RMSE", "time", "CPU time", "peak memory", ""]


def attempt(context: Context, who: str, fit: Callable[[], Outcome]) -> list[Outcome]:
    """A peer that is not there is left out, with a word."""
    try:
        return [fit()]
    except WorkerFailed as error:
        context.results.remarks.append(f"completion: {who}: left out, {error}")
        return []


def compare(context: Context, what: str, ours: Outcome, other: Outcome, target: float) -> None:
    """Our time in theirs; errors side by side."""
    assert ours.error is not None and other.error is not None
    for kind, mine, theirs, most in (("time", ours.seconds, other.seconds, 1.0), ("CPU time", ours.cpu, other.cpu, None)):
        ratio = mine / theirs
        row = Row("completion", f"{what}: {ours.who}: {kind}", other.who, mine, theirs, "at most", ratio, ratio, ratio, most)
        context.results.rows.append(row)
    verdict = "met" if ours.error <= target * other.error else "missed"
    context.results.remarks.append(
        f"completion: {what}: test RMSE {ours.error:.4f} of {ours.who}, {other.error:.4f} of {other.who}: "
        f"at most {target:g} times theirs {verdict}"
    )


def film_ratings(context: Context) -> None:
    real = context.data.real
    if real is None or not (real / RATINGS).exists():
        raise Skipped(f"{RATINGS} not found")
    contest = Contest(context, file=real / RATINGS)
    title = f"movietweetings, {contest.facts['train']} ratings to fit to, {contest.facts['test']} to test with"
    table = Table("completion", title, HEADER, [])
    found: list[Outcome] = []
    for who, (fit, settings) in SURPRISE.items():
        found += attempt(context, who, partial(contest.theirs, who, fit=fit, settings=settings))
    found += attempt(context, "cmfrec", lambda: contest.cmfrec(RATINGS_RANKS, biases=True))
    for one in found:
        note(table, one)
    ours = []
    for precision in ("f32", "f64"):
        more = ["--precision", "f64"] if precision == "f64" else []
        summary, one = contest.ours(" ".join(["--biases --radius auto", *more]), "--biases", "--radius", "auto", *more)
        known = ["--radius", f"{summary['radius']:.4g}", "--bias-penalty", f"{summary['bias_penalty']:g}", *more]
        refit = ["--radius", "auto", "--refit", *more]
        ours.append(one)
        ours += [contest.ours(" ".join(["--biases", *words]), "--biases", *words)[1] for words in (known, refit)]
    for one in ours:
        note(table, one)
    context.results.tables.append(table)
    if found:
        for one in ours[:2]:
            compare(context, "movietweetings", one, min(found, key=lambda other: other.error or 0.0), 1.0)


@dataclass
class Arrival:
    seconds: float
    iterations: int
    cpu: float | None = None


def arrivals(trace: Path) -> dict[float, Arrival]:
    """When the gap was first small enough beside the objective, or what has been gained."""
    found: dict[float, Arrival] = {}
    with trace.open(newline="") as file:
        lines = list(csv.DictReader(file))
    first = float(lines[0]["objective"])
    for line in lines:
        value, gap = float(line["objective"]), float(line["gap"])
        for goal in GOALS:
            if gap <= goal * max(abs(value), first - value):
                found.setdefault(goal, Arrival(float(line["seconds"]), int(line["iteration"])))
    return found


def to_gap(context: Context, contest: Contest, radius: float, precision: str, table: Table) -> None:
    trace = contest.folder / "trace.csv"
    summary, outcome = contest.run("--radius", radius, "--tol", GOALS[-1], "--precision", precision, "--trace", trace)
    ours = arrivals(trace)
    if GOALS[-1] not in ours:
        raise WorkerFailed(f"alfcg ended at {summary['gap']:.3g}: {summary['status']}")
    limit = max(5.0, TIMES_OURS * ours[GOALS[-1]].seconds)
    question = {"radius": radius, "goals": GOALS, "limit": limit, "single": precision == "f32"}
    with context.peer("completion_fits", folder=contest.folder) as peer:
        theirs = peer.ask(question)
    for goal in GOALS:
        mine = ours[goal]
        other = theirs["times"].get(str(goal))
        shown = f"> {theirs['seconds']:.0f} s ({theirs['iterations']})" if other is None else f"{duration(other[0])} ({other[2]})"
        cpu = theirs["cpu"] if other is None else other[1]
        table.cells.append([precision, f"{goal:g}", f"{duration(mine.seconds)} ({mine.iterations})", shown, duration(cpu)])
        table.data.append({"precision": precision, "goal": goal, "ours": asdict(mine), "theirs": other or theirs})
        ratio = (theirs["seconds"] if other is None else other[0]) / mine.seconds
        what = f"planted: relative gap {goal:g}, {precision}" + (": at least" if other is None else "")
        seconds = theirs["seconds"] if other is None else other[0]
        context.results.rows.append(
            Row("completion", what, "Frank-Wolfe with SciPy svds", mine.seconds, seconds, "at least", ratio, ratio, ratio, 10.0)
        )
    outcome.who = f"--radius {radius:g} --precision {precision}: whole command, peak memory"
    note_memory(context, outcome, contest)


def note_memory(context: Context, outcome: Outcome, contest: Contest) -> None:
    triples = BYTES_OF_TRIPLE * contest.facts["train"]
    context.results.remarks.append(
        f"completion: {outcome.who} {outcome.peak / 1e6:.0f} MB, {outcome.peak / triples:.2f} times the triples at 12 bytes; "
        f"{duration(outcome.seconds)}, {duration(outcome.cpu)} of CPU time"
    )


def planted(context: Context) -> None:
    size = QUICK if context.quick else PLANTED
    contest = Contest(context, **size)
    what = f"planted {size['rows']} x {size['columns']}, {contest.facts['train']} observations, rank {size['rank']} and noise"
    table = Table("completion", what, HEADER, [])
    best = attempt(context, "cmfrec", lambda: contest.cmfrec(PLANTED_RANKS, biases=False))
    for one in best:
        note(table, one)
    summary, refit = contest.ours("--radius auto --refit", "--radius", "auto", "--refit")
    note(table, refit)
    radius = float(f"{summary['radius']:.4g}")
    for words in (["--radius", radius], ["--radius", radius, "--refit"], ["--radius", radius, "--refit", "--precision", "f64"]):
        note(table, contest.ours(" ".join(map(str, words)), *words)[1])
    context.results.tables.append(table)
    for one in best:
        compare(context, "planted", refit, one, 1.02)
    header = ["precision", "relative gap", "alfcg-c (iterations)", "SciPy svds (iterations)", "its CPU time"]
    gaps = Table("completion", f"{what}, radius {radius:g}: time to a gap", header, [])
    for precision in ("f32", "f64"):
        to_gap(context, contest, radius, precision, gaps)
    context.results.tables.append(gaps)


def growth(context: Context) -> None:
    """Seconds an iteration, from the second half of a run, when factors are as wide as they may be."""
    first = 125_000 if context.quick else 10**6
    header = ["doubled", "at first", "x 2", "x 4", "x 8"]
    table = Table("completion", "Cost of one iteration as one size is doubled", header, [])

    def each(contest: Contest, method: str, rank: int, iterations: int) -> float:
        trace = contest.folder / "trace.csv"
        contest.run("--radius", 1e4, "--method", method, "--rank", rank, "--max-iterations", iterations, "--trace", trace)
        with trace.open(newline="") as file:
            times = [float(line["seconds"]) for line in csv.DictReader(file)]
        half = len(times) // 2
        return (times[-1] - times[half]) / (len(times) - 1 - half)

    def line(what: str, seconds: list[float]) -> None:
        ratios = [f"{one / seconds[0]:.2f}" for one in seconds[1:]]
        table.cells.append([what, duration(seconds[0]), *ratios])
        table.data.append({"what": what, "seconds": seconds})
        print("bench: completion:", *table.cells[-1], sep=" | ", file=sys.stderr, flush=True)

    runs = {"alfcg-d": 64, "alfcg-c": 8}  # iterations
    taken: dict[str, list[float]] = {method: [] for method in runs}
    contest = None
    for times in (1, 2, 4, 8):
        contest = Contest(context, rows=40_000, columns=10_000, count=first * times, rank=20, noise=0.5)
        for method, iterations in runs.items():
            taken[method].append(each(contest, method, 16, iterations))
    for method, seconds in taken.items():
        line(f"{method}, {first} observations, rank 16", seconds)
    contest = Contest(context, rows=40_000, columns=10_000, count=first * 2, rank=20, noise=0.5)
    for method, iterations in runs.items():
        seconds = [each(contest, method, rank, iterations * rank // 8) for rank in (8, 16, 32, 64)]
        line(f"{method}, rank 8, {2 * first} observations", seconds)
    context.results.tables.append(table)


PARTS = {"ratings": film_ratings, "planted": planted, "growth": growth}


def completion(context: Context) -> None:
    for name, part in PARTS.items():
        if context.problems and not any(word in name for word in context.problems):
            continue
        watch = Watch(os.getpid(), family=True)
        try:
            part(context)
        except (Skipped, WorkerFailed) as error:
            context.results.remarks.append(f"completion: {name}: left out, {error}")
        context.patience.shares.append(watch.others())
