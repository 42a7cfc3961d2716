"""Every region's oracle on 10⁶ entries against one read of the gradient."""

from __future__ import annotations

from harness.context import Context
from harness.results import row
from harness.rounds import Side, alternate


def regions(context: Context) -> None:
    case = "regions"
    with context.ours("region") as ours:
        names = ours.facts["regions"]
    for name in names:
        for precision in ("f32",) if context.quick else ("f32", "f64"):
            with context.ours("region", region=name, precision=precision, threads=1) as ours:
                oracle, read = Side(ours, "oracle"), Side(ours, "read")
                alternate([oracle, read], context.pace(7, 3, 0.2))
                what = f"oracle, {precision}, {ours.facts['rows']} x {ours.facts['cols']}: {ours.facts['region']}"
                most = ours.facts["most"] or None
                context.results.rows.append(row(case, what, "one read of the gradient", oracle, read, "at most", most))
