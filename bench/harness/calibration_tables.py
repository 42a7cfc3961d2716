"""The scores of a calibration as Markdown, for docs/calibration.md."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from statistics import fmean

from harness.calibration_jobs import ALFCG, DATA, DISTORTIONS, SETTINGS, TIMED, TIMED_EPOCHS, TIMED_RIVALS, Problem
from harness.calibration_scores import (
    FAR,
    FLOOR,
    NEAR,
    TIE,
    Comparison,
    Race,
    Scores,
    above_start,
    geometric_mean,
)
from harness.results import Table
from harness.tables import titled

WORST = 10


def share(flags: Iterable[bool]) -> str:
    found = list(flags)
    return f"{100 * sum(found) / len(found):.1f} %" if found else "–"


def number(value: float | None) -> str:
    if value is None:
        return "–"
    return "∞" if math.isinf(value) else f"{value:.3g}"


def mean(values: Iterable[float | None]) -> str:
    found = [value for value in values if value is not None]
    return number(fmean(found)) if found else "–"


def by_method(scores: Scores) -> Table:
    cells = []
    for method in ALFCG:
        found = scores.comparisons(method)
        runs = [run for run in scores.auto_runs if run["method"] == method and "distortion" not in run]
        cells.append([
            method, str(len(found)), f"{sum(map(above_start, runs))} of {len(runs)}",
            mean(cell.auto for cell in found), mean(cell.probe for cell in found), mean(cell.best for cell in found),
            share(cell.near for cell in found), share(cell.far for cell in found),
            number(geometric_mean(cell.ratio for cell in found)) if found else "–",
        ])  # fmt: skip
    header = ["method", "problems", "runs that end above their start", "mean score of auto", "of the probe",
              "of the best ρ", f"auto at most {NEAR:g} x the best ρ, or below {FLOOR:g}",
              f"more than {FAR:g} x", "geometric mean of auto / best ρ"]  # fmt: skip
    return Table("calibration", "Auto against the best of eleven ρ", header, cells)


def by_group(scores: Scores) -> Table:
    groups: list[tuple[str, Callable[[Problem], bool]]] = []
    groups += [(name, lambda problem, name=name: problem.data == name) for name in DATA]
    groups += [
        (name, lambda problem, name=name: problem.region == name)
        for name in dict.fromkeys(region for data in DATA.values() for region in data.regions)
    ]
    comparisons = {method: scores.comparisons(method) for method in ALFCG}
    cells = []
    for name, belongs in groups:
        inside = {
            method: [cell for cell in found if belongs(cell.problem)] for method, found in comparisons.items()
        }
        if name in DATA and DATA[name].held_back and not any(inside.values()):
            continue
        columns = [
            f"{share(cell.near for cell in found)}, {share(cell.far for cell in found)}" if found else "–"
            for found in inside.values()
        ]
        cells.append([name, str(max(map(len, inside.values()))), *columns])
    title = f"By data set and by region: at most {NEAR:g} x the best ρ (or below {FLOOR:g}), more than {FAR:g} x"
    return Table("calibration", title, ["", "problems", *ALFCG], cells)


def against_rivals(scores: Scores) -> Table:
    cells = []
    for setting in SETTINGS:
        found = scores.contests(setting)
        winners = Counter(contest.rival for contest in found if not contest.held)
        rest = ", ".join(f"{name} {count}" for name, count in winners.most_common()) or "–"
        ours = " or ".join(setting.ours)
        cells.append([setting.name, ours, str(len(found)), share(contest.held for contest in found), rest])
    header = ["setting", "ours, with auto", "problems",
              f"best, within {100 * (TIE - 1):.0f} % of the best, or below {FLOOR:g}", "who wins the rest"]  # fmt: skip
    return Table("calibration", "Against the other methods of the setting", header, cells)


def awkward(scores: Scores) -> Table:
    cells = []
    for distortion in DISTORTIONS:
        runs = [run for run in scores.auto_runs if run.get("distortion") == distortion]
        own = [[run for run in runs if run["method"] == method] for method in ALFCG]
        counts = [f"{sum(map(above_start, group))} of {len(group)}" for group in (*own, runs)]
        cells.append([distortion.replace("-", " "), *counts])
    return Table("calibration", "Awkward data: runs with auto that end above their start",
                 ["data", *ALFCG, "all"], cells)  # fmt: skip


def _in_time(ours: float | None, theirs: float) -> bool:
    return ours is not None and ours <= theirs


def _time_ratio(races: Sequence[Race]) -> str:
    both = [(race.ours_floored, race.theirs_floored) for race in races]
    # A target that the start itself meets takes no time on either side.
    ratios = [ours / theirs for ours, theirs in both if ours is not None and ours > 0 and theirs > 0]
    return number(geometric_mean(ratios)) if ratios else "–"


def wall_time(scores: Scores) -> Table:
    cells = []
    for rival in TIMED_RIVALS:
        races = scores.races(rival)
        cells.append([
            rival, str(len(races)), share(race.ours is not None for race in races),
            share(_in_time(race.ours, race.theirs) for race in races),
            share(_in_time(race.ours_floored, race.theirs_floored) for race in races), _time_ratio(races),
        ])  # fmt: skip
    header = ["against", "problems", f"its last objective is reached within {TIMED_EPOCHS} epochs",
              "in no more time than all its epochs take",
              f"its last score or {FLOOR:g} is reached no later than by itself",
              "geometric mean of these two times"]  # fmt: skip
    return Table("calibration", f"Wall time of {TIMED} with auto (best of three turns)", header, cells)


def worst(scores: Scores) -> Table:
    found = [cell for method in ALFCG for cell in scores.comparisons(method)]
    found.sort(key=lambda cell: (-cell.ratio, cell.method, cell.problem))
    return Table("calibration", f"The worst {WORST} problems",
                 ["method", "data", "normalisation", "region", "radius", "score of auto", "of the best ρ", "that ρ"],
                 [_worst_row(cell) for cell in found[:WORST]])  # fmt: skip


def _worst_row(cell: Comparison) -> list[str]:
    problem = cell.problem
    return [cell.method, problem.data, problem.normalize, problem.region, f"{problem.radius:g}",
            number(cell.auto), number(cell.best), f"{cell.best_rho:g}"]  # fmt: skip


def as_markdown(scores: Scores, answered: int, wanted: int) -> str:
    lines = [f"{answered} of {wanted} runs are answered, {scores.broken} of all stored broke off with an error."]
    for make in (by_method, by_group, against_rivals, awkward, wall_time, worst):
        lines += titled(make(scores))
    return "\n".join(lines)
