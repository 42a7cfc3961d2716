"""Time to the optimum at a matched radius: our methods against solvers that people use.

A peer with a penalty minimises mean loss + λ‖w‖₁ and is judged by what its objective is above the optimum of that; we
minimise the mean loss over the ball of radius ‖w‖₁, w being the best of the peers' fits, and are judged by what the
loss is above the optimum of that. Both are in units of the mean loss, and both optima are at w.
"""

from __future__ import annotations

import math
import os
import sys
from dataclasses import dataclass, field
from typing import Any

from harness.accuracy import ACCURACIES, Optimum, Point, find_optimum, matched_fit, read_trace, times_to
from harness.context import Context, Skipped
from harness.disturbance import Watch
from harness.optimum_goals import Times, goals
from harness.optimum_peers import FIRST_CALL, LONGEST, Peers, TooLong
from harness.optimum_problems import DataSet, Problem, Sets, chosen_problems
from harness.our_runs import finish, methods_there, program
from harness.results import Table
from harness.tables import duration
from harness.worker import WorkerFailed

METHODS = ("alfcg-c", "accelerated", "fw-momentum", "alfcg-fs", "alfcg-d")
DEFAULT = "alfcg-d"
LIMIT, QUICK_LIMIT = 8.0, 3.0  # seconds that a run or a fit may take
LATE, AT_LEAST = 3.0, 2.0  # once one is done, others may take so many times its time, and at least so many seconds
DONE = 1e-8  # a run whose gap is this small is done
GAP, ROUGH_GAP = 1e-10, 3e-5  # at which ours end, in double precision and in single
REPEAT, MOST_REPEATS = 1.0, 3  # shorter runs are repeated, and the quickest to each accuracy counts


@dataclass
class Race:
    """How long a run may take."""

    limit: float

    def done_in(self, seconds: float) -> None:
        self.limit = min(self.limit, max(LATE * seconds, AT_LEAST))


@dataclass
class Course:
    """What one solver went through: objectives by time, and what it has proved."""

    points: list[Point]
    bound: float = -math.inf
    limit: float = math.inf
    repeated: list[list[Point]] = field(default_factory=list)

    def times(self, optimum: float) -> Times:
        each = [times_to(points, optimum) for points in (self.points, *self.repeated)]
        return {a: min((t for times in each if (t := times[a]) is not None), default=None) for a in ACCURACIES}


@dataclass
class Standings:
    """All courses on one problem; those of peers with a penalty are of another objective."""

    radius: float = math.nan
    weight: float | None = None  # λ of the penalty
    penalised: dict[str, Course] = field(default_factory=dict)
    over_ball: dict[str, Course] = field(default_factory=dict)
    rough: dict[str, Course] = field(default_factory=dict)  # over the ball, in single precision
    matched: dict[str, Any] | None = None  # the fit whose norm is the radius
    shift: float = 0.0  # λ‖w‖₁ or λ‖w‖²/2 on the sphere
    judged: dict[str, Any] | None = None  # the best of our solutions, as if it were a fit with that penalty

    def optimum_over_ball(self) -> Optimum:
        objectives = [value for course in self.over_ball.values() for _, value in course.points]
        bounds = [course.bound for course in self.over_ball.values()]
        # Whoever is inside the ball pays no larger penalty than one on the sphere.
        bounds += [bound - self.shift for bound in self.bounds_with_penalty()]
        if self.matched is not None:
            objectives.append(self.matched["loss"])
        return find_optimum(objectives, bounds)

    def bounds_with_penalty(self) -> list[float]:
        bounds = [course.bound for course in self.penalised.values()]
        return bounds if self.judged is None else [*bounds, self.judged["bound"]]

    def optimum_with_penalty(self) -> Optimum:
        objectives = [value for course in self.penalised.values() for _, value in course.points]
        objectives.append(self.optimum_over_ball().lowest + self.shift)
        if self.judged is not None:
            objectives.append(self.judged["objective"])
        return find_optimum(objectives, self.bounds_with_penalty())

    def clear(self, times: Times) -> list[float]:
        """Accuracies that one over the ball has surely reached or surely missed: f* is at most the lowest seen."""
        doubt = self.optimum_over_ball().doubt
        return [accuracy for accuracy in ACCURACIES if doubt <= accuracy or times[accuracy] is None]

    def times(self) -> dict[str, Times]:
        found: dict[str, Times] = {}
        if self.penalised:
            optimum = self.optimum_with_penalty().value
            found |= {who: course.times(optimum) for who, course in self.penalised.items()}
        optimum = self.optimum_over_ball().value
        return found | {who: course.times(optimum) for who, course in (self.over_ball | self.rough).items()}


class Contest:
    """One problem, everyone in turn."""

    def __init__(self, context: Context, peers: Peers, problem: Problem, data: DataSet, limit: float) -> None:
        self.context, self.peers, self.problem, self.data = context, peers, problem, data
        self.source = data.theirs | {"loss": problem.loss}
        self.race = Race(limit)
        self.standings = Standings()

    def remark(self, error: Exception) -> None:
        self.context.results.remarks.append(f"optimum: {self.problem.name}: {error}")

    def fit_with_penalty(self, penalty: str, weight: float) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = []
        for who in self.problem.peers:
            try:
                fits = self.peers.ladder(who, self.source, penalty, weight, self.race.limit)
            except (WorkerFailed, TooLong) as error:
                self.remark(error)
                continue
            if not fits:
                self.remark(TooLong(f"{who}: no fit within {LONGEST * self.race.limit:.0f} s"))
                continue
            points = [(fit["seconds"], fit["objective"]) for fit in fits]
            bound = max(fit["bound"] for fit in fits)
            self.standings.penalised[who] = Course(points, bound, self.race.limit)
            done = [fit["seconds"] for fit in fits if fit["objective"] - bound <= DONE]
            if done:
                self.race.done_in(min(done))
            found += fits
        return found

    def match_radius(self) -> None:
        """The radius of the best fit with a penalty."""
        problem = self.problem
        facts = self.peers.load(problem.peers[0], self.source)
        if problem.share is not None:
            weight = problem.share * facts["largest"]
        else:
            assert problem.cost is not None
            weight = 1 / (problem.cost * facts["rows"])
        fits = self.fit_with_penalty("l1", weight)
        if not fits:
            raise Skipped("no peer has a solution whose radius could be taken")
        self.standings.weight, self.standings.matched = weight, matched_fit(fits)
        self.standings.radius = self.standings.matched["norm"]
        if self.standings.radius == 0:
            raise Skipped("no fit was done in time: all weights are zero")
        self.standings.shift = weight * self.standings.radius

    def our_run(self, method: str, *, rough: bool = False) -> Course:
        """In single precision (`rough`), until 1e-4 is certain."""
        work = self.context.work
        trace, limit = work / "optimum.csv", self.race.limit
        precision = "f32" if rough else "f64"
        # What a trace row costs is not counted, but takes time: stochastic methods get some in each epoch.
        every = max(1, math.isqrt(self.data.rows) // 4) if method == "alfcg-fs" else 1
        command = [
            program(self.context), "train", *self.data.ours, "--loss", self.problem.loss, *self.problem.region_words(),
            "--radius", repr(self.standings.radius), "--no-intercept", "--method", method,
            "--precision", precision, "--tol", "0", "--gap", str(ROUGH_GAP if rough else GAP),
            "--max-seconds", str(limit), "--threads", str(self.context.threads), "--trace", str(trace),
            "--trace-every", str(every), "--model", str(work / f"{method}.{precision}.npz"), "--json", "--quiet",
        ]  # fmt: skip
        course: Course | None = None
        taken = 0.0
        while course is None or (taken < REPEAT and len(course.repeated) + 1 < MOST_REPEATS):
            finish(command, 4 * limit + 30)
            points, bound = read_trace(trace)
            taken += points[-1][0]
            if course is None:
                course = Course(points, bound, limit)
            else:
                course.repeated.append(points)
                course.bound = max(course.bound, bound)
            if not rough and points[-1][1] - bound <= DONE:
                self.race.done_in(points[-1][0])
        return course

    def ours(self, methods: list[str]) -> None:
        for method in methods:
            try:
                self.standings.over_ball[method] = self.our_run(method)
            except WorkerFailed as error:
                self.remark(WorkerFailed(f"{method}: {error}"))
        try:
            self.standings.rough[f"{methods[0]}, f32"] = self.our_run(methods[0], rough=True)
        except WorkerFailed as error:
            self.remark(WorkerFailed(f"{methods[0]}, f32: {error}"))

    def copt(self) -> None:
        for method in self.problem.copt:
            region, radius, limit = self.problem.region, self.standings.radius, self.race.limit
            try:
                points = self.peers.descend(method, self.source, region, radius, limit)
                self.standings.over_ball[f"copt, {method}"] = Course(points, limit=limit)
            except (WorkerFailed, TooLong, Skipped) as error:
                self.remark(error)

    def best_model(self) -> str:
        """The file of the best of our solutions."""
        over_ball = self.standings.over_ball
        ours = [who for who in over_ball if not who.startswith("copt")]
        best = min(ours, key=lambda who: over_ball[who].points[-1][1])
        return str(self.context.work / f"{best}.f64.npz")

    def ask_about(self, question: dict[str, Any]) -> dict[str, Any]:
        who = self.problem.peers[0]
        self.peers.load(who, self.source)
        return self.peers.ask(who, question, FIRST_CALL)

    def judge_ours(self, penalty: str) -> None:
        """A solution of ours may prove more about the optimum with the penalty than the peers' own do."""
        question = {"judge": self.best_model(), "penalty": penalty, "weight": self.standings.weight}
        try:
            self.standings.judged = self.ask_about(question)
        except (WorkerFailed, TooLong) as error:
            self.remark(error)

    def match_penalty(self) -> None:
        """Of peers that have an l2 penalty: the weight that belongs to the radius, by the best of our solutions."""
        weight = self.ask_about({"multiplier": self.best_model()})["weight"]
        if not weight > 0:
            self.remark(Skipped("the ball does not bind, no penalty belongs to it"))
            return
        self.standings.weight, self.standings.shift = weight, weight * self.standings.radius**2 / 2
        self.judge_ours("l2")
        self.fit_with_penalty("l2", weight)

    def run(self, methods: list[str]) -> Standings:
        problem = self.problem
        if problem.radius is None:
            self.match_radius()
            self.ours(methods)
            if self.standings.over_ball:
                self.judge_ours("l1")
            self.copt()
        else:
            self.standings.radius = problem.radius
            self.ours(methods)
            if not self.standings.over_ball:
                raise Skipped("none of our methods has a solution")
            self.copt()
            if problem.peers:
                try:
                    self.match_penalty()
                except (WorkerFailed, TooLong, Skipped) as error:
                    self.remark(error)
        return self.standings


def pass_seconds(context: Context, problem: Problem) -> float | None:
    """A full gradient in double precision."""
    if problem.passes is None:
        return None
    with context.ours("gradient", data=problem.data, precision="f64") as ours:
        return min(ours.measure("gradient", 0.5)[0])


def report(problem: Problem, standings: Standings, times: dict[str, Times], table: Table) -> None:
    optimum = standings.optimum_over_ball()
    courses = standings.penalised | standings.over_ball | standings.rough
    with_penalty = standings.optimum_with_penalty() if standings.penalised else None
    name = problem.name if problem.radius is not None else f"{problem.name} (radius {standings.radius:.4g})"
    lines = []
    for who, course in courses.items():
        accurate = who not in standings.rough
        reference = with_penalty if who in standings.penalised and with_penalty else optimum
        cells = [
            "" if not accurate and a < 1e-4 else "-" if (t := times[who][a]) is None
            else duration(t) + (" ?" if a < reference.doubt else "")
            for a in ACCURACIES
        ]  # fmt: skip
        lowest = min(value for _, value in course.points) - reference.value
        lines.append([name, who, *cells, f"{max(lowest, 0.0):.0e}", f"{course.limit:.3g} s", reference.describe()])
    table.cells += lines
    for line in lines:
        print("bench: optimum:", *line, sep=" | ", file=sys.stderr, flush=True)
    table.data.append({
        "problem": problem.name, "radius": standings.radius, "weight": standings.weight,
        "optimum": optimum.value, "doubt": None if math.isinf(optimum.doubt) else optimum.doubt,
        "certain": optimum.certain,
        "optimum with penalty": with_penalty.value if with_penalty else None,
        "seconds": {who: {f"{a:.0e}": t for a, t in found.items()} for who, found in times.items()},
        "limits": {who: course.limit for who, course in courses.items()},
    })  # fmt: skip


def optimum(context: Context) -> None:
    methods = methods_there(context, METHODS)
    subject = methods[0] if methods[0] == METHODS[0] else DEFAULT
    methods.sort(key=lambda name: name != subject)
    limit = QUICK_LIMIT if context.quick else LIMIT
    problems = chosen_problems(context.quick, context.problems)
    if not problems:
        raise Skipped(f"no problem has {' or '.join(context.problems)} in its name")
    left_out = sorted(set(METHODS) - set(methods))
    if left_out:
        context.results.remarks.append(f"optimum: not in this program: {', '.join(left_out)}")
    sets = Sets(context)
    header = ["problem", "who", *(f"{a:.0e}" for a in ACCURACIES), "lowest f - f*", "limit", "f*"]
    tables: dict[str, Table] = {}
    with Peers(context) as peers:
        for problem in problems:
            try:
                contest = Contest(context, peers, problem, sets.find(problem.data), limit)
                watch = Watch(os.getpid(), family=True)
                standings = contest.run(methods)
                context.patience.shares.append(watch.others())
                seconds_a_pass = pass_seconds(context, problem)
            except (Skipped, WorkerFailed, TooLong) as error:
                context.results.remarks.append(f"optimum: {problem.name}: left out, {error}")
                continue
            times = standings.times()
            title = f"Time to f - f* at most so much, {problem.family}"
            table = tables.setdefault(problem.family, Table("optimum", title, header, []))
            report(problem, standings, times, table)
            others = [*standings.penalised, *(who for who in standings.over_ball if who.startswith("copt"))]
            judged = {who: found for who, found in times.items() if who not in standings.rough}
            judged.setdefault(subject, dict.fromkeys(ACCURACIES))  # one that failed has reached nothing
            clear = standings.clear(judged[subject])
            context.results.rows += goals(problem, subject, others, judged, clear, seconds_a_pass)
    context.results.tables += tables.values()
    context.results.remarks.append(
        'optimum: "-": not reached in the seconds that a run or fit might take (limit); "?": f* is not known that well; '
        "no goal is judged by such a time of ours"
    )
