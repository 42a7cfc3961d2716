"""What is asked of alfcg-c, family by family, as rows with a target."""

from __future__ import annotations

import math
from collections.abc import Iterable

from harness.accuracy import ACCURACIES
from harness.optimum_problems import Problem
from harness.results import Row

RIVAL = "accelerated"  # on our own kernels
Times = dict[float, float | None]  # by accuracy


def compared(what: str, against: str, ours: float | None, other: float | None, target: float) -> Row | None:
    """None where neither got there; infinite is the time of one who did not."""
    if ours is None and other is None:
        return None
    mine, theirs = (math.inf if time is None else max(time, 1e-9) for time in (ours, other))
    found = 0.0 if math.isinf(theirs) else mine / theirs
    return Row("optimum", what, against, mine, theirs, "at most", found, found, found, target)


def fastest(times: dict[str, Times], others: Iterable[str], accuracy: float) -> tuple[str, float | None]:
    """The quickest of them to that accuracy."""
    names = list(others)
    found = [(time, name) for name in names if (time := times[name][accuracy]) is not None]
    return (min(found)[1], min(found)[0]) if found else (" and ".join(names), None)


def goals(
    problem: Problem,
    subject: str,
    peers: list[str],
    times: dict[str, Times],
    accuracies: list[float],
    seconds_a_pass: float | None,
) -> list[Row]:
    """At the accuracies given. `peers` are those of other makers; `times` has our own methods too."""
    ours = times[subject]
    rows: list[Row | None] = []

    def add(accuracy: float, others: Iterable[str], target: float) -> None:
        names = [name for name in others if name in times and name != subject]
        if names and accuracy in accuracies:
            against, other = fastest(times, names, accuracy)
            what = f"{problem.name}: {subject} to {accuracy:.0e}"
            rows.append(compared(what, against, ours[accuracy], other, target))

    if problem.family.startswith("l1"):
        for accuracy in ACCURACIES:
            add(accuracy, peers, 0.2 if accuracy == 1e-6 else 1.0)
    elif problem.family == "squared":
        add(1e-6, peers, 1.0)
    elif problem.family == "nuclear":
        if problem.passes is not None and seconds_a_pass is not None and 1e-4 in accuracies:
            what = f"{problem.name}: {subject} to 1e-04"
            budget = problem.passes * seconds_a_pass
            rows.append(compared(what, f"{problem.passes} full gradients", ours[1e-4], budget, 1.0))
        for accuracy in ACCURACIES:
            add(accuracy, [RIVAL], 0.2 if accuracy == 1e-4 else 1.0)
    else:
        for accuracy in ACCURACIES:
            add(accuracy, times, 1.25)
    return [row for row in rows if row is not None]
