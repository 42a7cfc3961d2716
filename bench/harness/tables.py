"""Results as text for the terminal and as Markdown for docs/performance.md."""

from __future__ import annotations

import math
from collections.abc import Sequence

from harness.results import Results, Row, Table

HEADER = ["what", "against", "ours", "theirs", "ratio", "range", "target", ""]


def duration(seconds: float) -> str:
    if math.isinf(seconds):
        return "not reached"
    for unit, scale in (("s", 1.0), ("ms", 1e-3)):
        if seconds >= scale:
            return f"{seconds / scale:.3g} {unit}"
    return f"{seconds / 1e-6:.3g} µs"


def cells(row: Row) -> list[str]:
    verdict = {True: "met", False: "missed", None: ""}[row.passed]
    target = "" if row.target is None else f"{row.sense} {row.target:g}"
    spread = "" if row.low == row.high else f"{row.low:.2f} to {row.high:.2f}"
    return [row.what, row.against, duration(row.ours), duration(row.other), f"{row.ratio:.2f}", spread, target, verdict]


def _text(header: Sequence[str], lines: Sequence[Sequence[str]]) -> list[str]:
    widths = [max(len(line[i]) for line in (header, *lines)) for i in range(len(header))]
    return [
        "  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip()
        for line in (header, *lines)
    ]


def _markdown(header: Sequence[str], lines: Sequence[Sequence[str]]) -> list[str]:
    rule = "|---" * len(header) + "|"
    return ["| " + " | ".join(header) + " |", rule, *("| " + " | ".join(line) + " |" for line in lines)]


def _preamble(results: Results) -> list[str]:
    machine = results.machine
    versions = ", ".join(f"{name} {version}" for name, version in machine["versions"].items())
    return [
        f"CPU {machine['cpu']}, {machine['cores']} cores, {machine['threads']} threads, SIMD {machine['simd']}, "
        f"last cache {machine['last_cache']}",
        f"{versions}; {machine['mode']} run of {machine['date']}, {machine['seconds']:.0f} s, "
        f"others used {100 * machine['others_median']:.0f} % of the CPU meanwhile "
        f"(in the worst turn {100 * machine['others_most']:.0f} %)",
    ]


def _closing(results: Results) -> list[str]:
    judged = [row.passed for row in results.rows if row.passed is not None]
    lines = [f"{sum(judged)} of {len(judged)} targets met"] if judged else []
    lines += [f"note: {what}" for what in results.remarks]
    return lines + [f"FAILED: {what}" for what in results.failed]


def as_text(results: Results) -> str:
    lines = [*_preamble(results), "", *_text(HEADER, [cells(row) for row in results.rows])]
    for table in results.tables:
        lines += ["", table.title, *_text(table.header, table.cells)]
    return "\n".join([*lines, "", *_closing(results)])


def titled(table: Table) -> list[str]:
    """As Markdown, below its title."""
    return ["", f"**{table.title}**", "", *_markdown(table.header, table.cells)]


def as_markdown(results: Results) -> str:
    lines = ["\n".join(f"{line}  " for line in _preamble(results)), ""]
    lines += _markdown(HEADER, [cells(row) for row in results.rows])
    for table in results.tables:
        lines += titled(table)
    return "\n".join([*lines, "", *(f"{line}  " for line in _closing(results))])
