"""What a run found: rows that may have a target, and tables beside them."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass, field
from typing import Any

from harness.rounds import Ratio, Side, ratio

# Fields of a row that are infinite where an aim was never reached.
MAY_BE_INFINITE = ("ours", "other", "ratio", "low", "high")


@dataclass
class Row:
    """Ours against another. `sense`: "at most" counts our time in theirs, "at least" theirs in ours."""

    case: str
    what: str
    against: str
    ours: float  # median seconds
    other: float
    sense: str
    ratio: float  # the median of the rounds' ratios
    low: float
    high: float
    target: float | None  # none: for context
    rounds: dict[str, list[float]] = field(default_factory=dict)
    notes: dict[str, Any] = field(default_factory=dict)

    @property
    def passed(self) -> bool | None:
        if self.target is None:
            return None
        return self.ratio <= self.target if self.sense == "at most" else self.ratio >= self.target


def row(case: str, what: str, against: str, ours: Side, other: Side, sense: str, target: float | None) -> Row:
    found: Ratio = ratio(ours, other) if sense == "at most" else ratio(other, ours)
    return Row(
        case, what, against, ours.median, other.median, sense, found.median, found.low, found.high, target,
        {"ours": ours.seconds, "other": other.seconds}, {"ours": ours.notes, "other": other.notes},
    )  # fmt: skip


@dataclass
class Table:
    """Figures side by side: the cells are text, the numbers behind them are in `data`."""

    case: str
    title: str
    header: list[str]
    cells: list[list[str]]
    data: list[dict[str, Any]] = field(default_factory=list)


@dataclass
class Results:
    machine: dict[str, Any]
    rows: list[Row] = field(default_factory=list)
    tables: list[Table] = field(default_factory=list)
    remarks: list[str] = field(default_factory=list)
    failed: list[str] = field(default_factory=list)  # a case that broke, or sides that disagree

    def to_json(self) -> dict[str, Any]:
        result = asdict(self)
        for plain, found in zip(result["rows"], self.rows, strict=True):
            plain["passed"] = found.passed
            plain |= {key: None for key in MAY_BE_INFINITE if math.isinf(plain[key])}  # JSON has no infinity
        return result

    @staticmethod
    def from_json(source: dict[str, Any]) -> Results:
        rows: list[Row] = []
        for item in source["rows"]:
            fields: dict[str, Any] = {key: value for key, value in item.items() if key != "passed"}
            rows.append(Row(**fields | {key: math.inf for key in MAY_BE_INFINITE if fields[key] is None}))
        tables = [Table(**item) for item in source["tables"]]
        return Results(source["machine"], rows, tables, source["remarks"], source["failed"])
