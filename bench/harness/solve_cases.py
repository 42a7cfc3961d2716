"""Whole runs: the cost of an iteration, the time to a gap, the oracle inside a solve, and how costs grow."""

from __future__ import annotations

from typing import Any

from harness.context import Context
from harness.results import Row, Table, row
from harness.rounds import Side, alternate
from harness.tables import duration

RADIUS = 10
GAP = 1.0
BATCH = 223
DETERMINISTIC = ("alfcg-d", "fw-parafree", "fw-armijo", "fw-momentum", "fw-openloop")
GROWING = ("alfcg-d", "alfcg-mvr1")
DOUBLINGS = 4
RUN = 0.03  # seconds of a run whose iterations are timed: short, so that a turn holds several
GROWTH_RUN = 0.25  # longer where iterations may be long, so that the full gradient at the start hardly counts


def iteration(context: Context) -> None:
    case = "iteration"
    data = context.data.mnist()
    what = f"one alfcg-mvr1 iteration, {data}, nuclear, batch {BATCH}"
    with (
        context.exchange(case) as folder,
        context.ours(
            "solve", data=data, methods="alfcg-mvr1", batch=BATCH, radius=RADIUS, rho=0.3, seconds=RUN, dump=folder
        ) as ours,
        context.peer(
            "mvr1_loop", folder=folder, radius=RADIUS, steps=30, rho=ours.facts["rho"], beta=ours.facts["beta"]
        ) as numpy,
    ):
        # The two round differently, and a hundred steps carry the difference on.
        context.check(case, "NumPy's iterate after 100 steps", numpy.facts["iterate_error"], 1e-2)
        step = Side(ours, "iteration:alfcg-mvr1")
        loop, alone = Side(numpy, "iteration"), Side(numpy, "iteration-1")
        alternate([step, loop, alone], context.pace(7, 3, 0.3))
        context.results.rows.append(row(case, what, "the same loop in NumPy", step, loop, "at least", 10.0))
        context.results.rows.append(row(case, what, "the same, NumPy on one thread", step, alone, "at least", None))
        limit = 200e-6
        low, high = min(step.seconds) / limit, max(step.seconds) / limit
        context.results.rows.append(
            Row(case, what, "200 µs", step.median, limit, "at most", step.median / limit, low, high, 1.0)
        )


def time_to_gap(context: Context) -> None:
    case = "time-to-gap"
    data = context.data.mnist()
    methods = DETERMINISTIC[:1] if context.quick else DETERMINISTIC
    with (
        context.exchange(case) as folder,
        context.ours("solve", data=data, methods=",".join(methods), radius=RADIUS, gap=GAP, dump=folder) as ours,
        context.peer("copt_nuclear", folder=folder, radius=RADIUS, gap=GAP) as copt,
    ):
        tried: dict[str, Any] = {}
        fastest = "backtracking"  # in every full run so far: a quick one takes it for granted
        if not context.quick:
            tried = {step: copt.measure(step) for step in ("backtracking", "sublinear", "DR")}
            fastest = min((s for s in tried if tried[s][1]["gap"] <= GAP), key=lambda s: tried[s][0][0])
        sides = [Side(ours, f"gap:{method}") for method in methods]
        rival = Side(copt, fastest)
        alternate([rival, *sides], context.pace(3, 1, warm=False))
        context.check(case, f"copt's gap ({fastest})", rival.notes["gap"], GAP)
        for method, side in zip(methods, sides, strict=True):
            context.check(case, f"the gap of {method}", side.notes["gap"], GAP)
            steps_taken = f"{method}, {side.notes['iterations']} iterations"
            what = f"time to gap {GAP:g}, {data}, nuclear radius {RADIUS}: {steps_taken}"
            against = f"copt, {fastest} step, {rival.notes['iterations']} iterations"
            target = 10.0 if method == "alfcg-d" else None
            found = row(case, what, against, side, rival, "at least", target)
            found.notes["copt's steps"] = {step: {"seconds": s[0], **notes} for step, (s, notes) in tried.items()}
            context.results.rows.append(found)


def logistic_regression(context: Context) -> None:
    case = "logistic-regression"
    data = context.data.mnist()
    with (
        context.exchange(case) as folder,
        context.ours("solve", data=data, methods="alfcg-d", radius=RADIUS, dump=folder) as ours,
        context.peer("logistic_regression", folder=folder, steps=10) as sklearn,
    ):
        step, fit = Side(ours, "iteration:alfcg-d"), Side(sklearn, "iteration")
        alternate([step, fit], context.pace(3, 1))
        what = f"one alfcg-d iteration, {data}, nuclear"
        against = "an L-BFGS iteration of scikit-learn's LogisticRegression"
        context.results.rows.append(row(case, what, against, step, fit, "at least", None))


def singular_pair(context: Context) -> None:
    case = "singular-pair"
    kinds = [(20, "rank 20 and noise", 5.0), (0, "noise alone", None)]
    for rank, kind, target in kinds[:1] if context.quick else kinds:
        with (
            context.exchange(case) as folder,
            context.ours("oracle", rank=rank, dump=folder) as ours,
            context.peer("singular_pair", folder=folder) as scipy,
        ):
            oracle, svds = Side(ours, "oracle"), Side(scipy, "svds")
            alternate([oracle, svds], context.pace(7, 3))
            mine, theirs = ours.facts["singular_values"], scipy.facts["singular_values"]
            shortfall = max(1 - a / b for a, b in zip(mine, theirs, strict=True))
            context.check(case, f"the singular value ({kind})", shortfall, 2e-2)
            what = f"leading singular pair inside a solve, dense 2000 x 3000, {kind}"
            found = row(case, what, "SciPy svds", oracle, svds, "at least", target)
            found.notes["shortfall of the singular value"] = shortfall
            context.results.rows.append(found)


def growth(context: Context) -> None:
    """One size doubled four times, the others kept."""
    base = {"N": 8000 if context.quick else 32000, "d": 256, "c": 8}
    at_first = _iteration_costs(context, base)
    cells: list[list[str]] = []
    data: list[dict[str, Any]] = [{**base, **at_first}]
    for name in base:
        sizes = [base | {name: base[name] << doubling} for doubling in range(1, DOUBLINGS + 1)]
        costs = [_iteration_costs(context, size) for size in sizes]
        data += [{**size, **cost} for size, cost in zip(sizes, costs, strict=True)]
        for method in GROWING:
            times = [f"{cost[method] / at_first[method]:.2f}" for cost in costs]
            cells.append([f"{method}, {name} = {base[name]}", duration(at_first[method]), *times])
    title = (
        f"Cost of one iteration (nuclear ball) as one size is doubled, "
        f"from N = {base['N']}, d = {base['d']}, c = {base['c']}"
    )
    header = ["doubled", "at first", *(f"x {2**k}" for k in range(1, DOUBLINGS + 1))]
    context.results.tables.append(Table("growth", title, header, cells, data))


def _iteration_costs(context: Context, size: dict[str, int]) -> dict[str, float]:
    with context.ours(
        "solve", data=f"randn-{size['N']}-{size['d']}", classes=size["c"], radius=RADIUS, methods=",".join(GROWING),
        seconds=GROWTH_RUN,
    ) as ours:  # fmt: skip
        sides = {method: Side(ours, f"iteration:{method}") for method in GROWING}
        alternate(list(sides.values()), context.pace(5, 3, 0.3))
        return {method: side.median for method, side in sides.items()}
