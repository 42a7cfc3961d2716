"""Reading LIBSVM text."""

from __future__ import annotations

from harness.context import Context
from harness.data import TextFile
from harness.results import row
from harness.rounds import Side, alternate


def reading(context: Context) -> None:
    _read(context, context.data.news20(), 10.0)
    _read(context, context.data.a9a(), 10.0)


def _read(context: Context, text: TextFile, target: float | None) -> None:
    case = "reading"
    with (
        context.exchange(case) as folder,
        context.ours("reading", data=text.path, features=text.features, dump=folder) as ours,
        context.peer("libsvm_reader", folder=folder, file=text.path, features=text.features) as sklearn,
    ):
        if not sklearn.facts["same"]:
            context.results.failed.append(f"{case}: scikit-learn reads other numbers from {text.name}")
        mine, theirs = Side(ours, "read"), Side(sklearn, "read")
        alternate([mine, theirs], context.pace(7, 3, 0.3))
        what = f"reading LIBSVM text, {text.name} ({ours.facts['file_bytes'] / 1e6:.1f} MB)"
        against = "scikit-learn load_svmlight_file"
        context.results.rows.append(row(case, what, against, mine, theirs, "at least", target))
