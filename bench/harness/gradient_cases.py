"""The full gradient: against a streaming read, NumPy, PyTorch, SciPy, one thread, and the roofline."""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import replace
from typing import Any

from harness.context import Context
from harness.results import Row, Table, row
from harness.rounds import Ratio, Side, alternate, ratio
from harness.worker import Worker

RANDN = "randn-30000-5000"
PLAIN = "randn-50000-768"  # of MNIST's size, but of numbers that no byte can hold
CLASSES = (2, 3, 26, 100, 1000)
FEATURES = (50, 123, 784, 5000)


class _Limits:
    """What bounds a gradient from below: reading the data, and the multiply-adds."""

    def __init__(self, ours: Worker) -> None:
        self.read, self.fastest, self.peak = (Side(ours, name) for name in ("read", "read-fastest", "peak"))
        self.sides = [self.read, self.fastest, self.peak]
        self._share_of_peak = ours.facts["flops"] / ours.facts["peak_flops"]

    def roofline(self) -> tuple[Side, str]:
        """The larger of bytes over bandwidth and operations over peak, and which it is."""
        at_peak = replace(self.peak, seconds=[seconds * self._share_of_peak for seconds in self.peak.seconds])
        if self.fastest.median >= at_peak.median:
            return self.fastest, "memory"
        return at_peak, "compute"

    def rows(self, case: str, what: str, gradient: Side, target: float | None) -> list[Row]:
        bound, kind = self.roofline()
        return [
            row(case, what, "streaming read", gradient, self.read, "at most", target),
            row(case, what, "fastest read (several streams)", gradient, self.fastest, "at most", None),
            row(case, what, f"roofline ({kind})", gradient, bound, "at least", None),
        ]


def gradient_f32(context: Context) -> None:
    for data in (context.data.mnist(), RANDN):
        _dense_gradient(context, data)
    if not context.quick:
        _dense_gradient(context, PLAIN, with_targets=False)


def _dense_gradient(context: Context, data: str, with_targets: bool = True) -> None:
    case = "gradient-f32"
    what = f"full gradient, f32, 10 classes, {data}"
    with ExitStack() as stack:
        folder = stack.enter_context(context.exchange(case))
        ours = stack.enter_context(context.ours("gradient", data=data, dump=folder))
        gradient, alone = Side(ours, "gradient"), Side(ours, "gradient-1")
        limits = _Limits(ours)
        others: dict[str, Side] = {}
        if context.python is not None:
            numpy = stack.enter_context(context.peer("dense_gradient", folder=folder))
            context.check(case, f"NumPy's gradient ({data})", numpy.facts["gradient_error"], 1e-4)
            others["NumPy, X Wᵀ and Rᵀ X"] = Side(numpy, "gradient")
            others["NumPy, scores by class"] = Side(numpy, "gradient-by-class")
        if context.torch is not None:
            torch = stack.enter_context(context.peer("torch_gradient", context.torch, folder=folder))
            context.check(case, f"PyTorch's gradient ({data})", torch.facts["gradient_error"], 1e-4)
            others["PyTorch"] = Side(torch, "gradient")
        alternate([gradient, alone, *limits.sides, *others.values()], context.pace(7, 3, 0.3))
        rows = context.results.rows
        rows += limits.rows(case, what, gradient, 2.0 if with_targets else None)
        for name, side in others.items():
            target = 4.5 if with_targets and name.startswith("NumPy, X") else None
            rows.append(row(case, what, name, gradient, side, "at least", target))
        if context.threads > 1:
            target = 1.8 if with_targets and context.threads == 2 else None
            against = f"one thread ({context.threads} are used)"
            rows.append(row("threads", what, against, gradient, alone, "at least", target))


def gradient_f64(context: Context) -> None:
    for data in (context.data.mnist(), RANDN):
        what = f"full gradient, f64, 10 classes, {data}"
        with context.ours("gradient", data=data, precision="f64") as ours:
            gradient, limits = Side(ours, "gradient"), _Limits(ours)
            alternate([gradient, *limits.sides], context.pace(7, 3, 0.3))
            context.results.rows += limits.rows("gradient-f64", what, gradient, 2.2)


def sparse_gradient(context: Context) -> None:
    case = "sparse-gradient"
    text = context.data.news20()
    what = f"full gradient, f32, 20 classes, {text.name} (CSR)"
    # News20 has counts up to hundreds: a small point keeps the softmax from being all zeros and ones.
    with (
        context.exchange(case) as folder,
        context.ours("gradient", data=text.path, features=text.features, size=0.001, dump=folder) as ours,
        context.peer("sparse_gradient", folder=folder) as scipy,
    ):
        context.check(case, "SciPy's gradient", scipy.facts["gradient_error"], 1e-4)
        gradient = Side(ours, "gradient")
        sides = {"SciPy, transposed view": Side(scipy, "gradient"),
                 "SciPy, transposed copy": Side(scipy, "gradient-transposed-copy")}  # fmt: skip
        alternate([gradient, *sides.values()], context.pace(7, 3, 0.3))
        fastest = min(sides, key=lambda name: sides[name].median)
        for name, side in sides.items():
            target = 5.0 if name == fastest else None
            context.results.rows.append(row(case, what, name, gradient, side, "at least", target))


def roofline(context: Context) -> None:
    """Every number of classes with every number of features."""
    case = "roofline"
    cells: list[list[str]] = []
    data: list[dict[str, Any]] = []
    worst: Row | None = None
    for classes in CLASSES:
        line = [f"{classes}"]
        for features in FEATURES:
            found, side, limit = _roofline_cell(context, classes, features)
            line.append(f"{found.median:.2f} {limit}")
            data.append({"classes": classes, "features": features, "share": found.median, "low": found.low,
                         "high": found.high, "limit": limit, "seconds": side.median})  # fmt: skip
            if worst is None or found.median < worst.ratio:
                what = f"full gradient, f32, worst of the grid: c = {classes}, d = {features}"
                worst = Row(case, what, f"roofline ({limit})", side.median, side.median * found.median, "at least",
                            found.median, found.low, found.high, 0.5)  # fmt: skip
        cells.append(line)
    assert worst is not None
    context.results.rows.append(worst)
    title = "Share of the roofline: full gradient, f32, by classes c (down) and features d (across)"
    header = ["c", *(f"d = {features}" for features in FEATURES)]
    context.results.tables.append(Table(case, title, header, cells, data))


def _roofline_cell(context: Context, classes: int, features: int) -> tuple[Ratio, Side, str]:
    """Our time, and the roofline as a share of it."""
    # Where memory is the limit the data must be too large for any cache (a quick run cannot quite afford it).
    if classes < 10:
        megabytes = 96 if context.quick else 512
    else:
        megabytes = 16 if context.quick and classes >= 100 else 64
    rows = megabytes * 2**20 // (4 * features)
    with context.ours("gradient", data=f"randn-{rows}-{features}", classes=classes) as ours:
        gradient, limits = Side(ours, "gradient"), _Limits(ours)
        alternate([gradient, limits.fastest, limits.peak], context.pace(5, 3, 0.15))
        bound, kind = limits.roofline()
        return ratio(bound, gradient), gradient, kind
