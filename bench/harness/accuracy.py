"""From courses of runs to times: when was the objective within so much of the optimum, and what is the optimum?"""

from __future__ import annotations

import csv
import math
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ACCURACIES = (1e-2, 1e-3, 1e-4, 1e-6, 1e-8)
CERTAIN = 1e-9  # an optimum that is known within this is taken from below

Point = tuple[float, float]  # seconds, objective


@dataclass(frozen=True)
class Optimum:
    value: float
    lowest: float  # objective seen
    doubt: float  # what the lowest objective seen may be above the optimum; infinite: nothing is proved
    certain: bool  # whether `value` is the lower bound, and not the lowest objective seen

    def describe(self) -> str:
        if self.certain:
            return f"certified within {max(self.doubt, 1e-16):.0e}"
        return "lowest seen" + ("" if math.isinf(self.doubt) else f", at most {self.doubt:.0e} too high")


def find_optimum(objectives: Iterable[float], bounds: Iterable[float]) -> Optimum:
    """From all objectives seen and all bounds proved: the best bound where it is close enough, else the lowest seen."""
    lowest = min(objectives)
    bound = max((b for b in bounds if not math.isnan(b)), default=-math.inf)
    doubt = max(lowest - bound, 0.0)
    certain = doubt < CERTAIN
    return Optimum(min(bound, lowest) if certain else lowest, lowest, doubt, certain)


def time_to(points: Iterable[Point], target: float) -> float | None:
    """The earliest time with an objective that is no larger. Nothing is interpolated: no iterate lies between two."""
    return min((seconds for seconds, objective in points if objective <= target), default=None)


def times_to(points: list[Point], optimum: float) -> dict[float, float | None]:
    return {accuracy: time_to(points, optimum + accuracy) for accuracy in ACCURACIES}


def matched_fit(fits: Iterable[dict[str, Any]]) -> dict[str, Any]:
    """The best of the penalised fits; its norm is the radius at which a ball has the same optimum."""
    return min(fits, key=lambda fit: fit["objective"])


def read_trace(path: Path) -> tuple[list[Point], float]:
    """The points of a trace, and the best lower bound that its gaps prove."""
    with path.open(newline="") as file:
        lines = list(csv.DictReader(file))
    points = [(float(line["seconds"]), float(line["objective"])) for line in lines]
    gaps = [float(line["gap"]) if line["gap"] else math.inf for line in lines]
    return points, max((f - gap for (_, f), gap in zip(points, gaps, strict=True)), default=-math.inf)
