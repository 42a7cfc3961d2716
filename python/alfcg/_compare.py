"""Methods side by side: `compare`."""

from __future__ import annotations

import html
import inspect
import json
import math
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from alfcg import _core
from alfcg._docs import told
from alfcg._region_files import calling, names_of
from alfcg._results import History, Table, answer

if TYPE_CHECKING:
    import pandas
    from numpy.typing import ArrayLike


@dataclass(repr=False)
class Comparison:
    """Methods on one problem, the lowest final objective first.

    Attributes
    ----------
    table : Table
        A row for every method: objective, gap, scores, iterations, epochs, seconds, ...; means over the seeds.
    runs : list of dict
        Every run: method, seed, status, objective, gap, and its course (`history`).
    left_out : dict
        Methods that do not work on this problem, and why.
    best_objective : float
        The lowest objective seen in any run.
    page : str or None
        The report that was written: one HTML file that opens offline.
    """

    table: Table
    runs: list[dict[str, Any]]
    left_out: dict[str, str]
    best_objective: float
    page: str | None

    def to_frame(self) -> pandas.DataFrame:
        """The table as a pandas data frame.

        Returns
        -------
        pandas.DataFrame
            A row for every method.
        """
        return self.table.to_frame()

    def __repr__(self) -> str:
        left_out = "".join(f"\nleft out   {why}" for why in self.left_out.values())
        page = f"\nreport     {self.page}" if self.page else ""
        return f"{self.table!r}{left_out}{page}"

    def _repr_html_(self) -> str:
        lines = [f"left out: {why}" for why in self.left_out.values()] + [f"report: {self.page}"] * bool(self.page)
        return self.table._repr_html_() + "".join(f"<p>{html.escape(line)}</p>" for line in lines)


def _written(given: Mapping[str, Any]) -> str:
    """The call, for reports: what was left out, and the data, are not spelled out."""
    arguments = ["X", "y"]
    for name, parameter in inspect.signature(compare).parameters.items():
        if parameter.kind is parameter.KEYWORD_ONLY and given[name] is not parameter.default and name != "callback":
            text = repr(given[name])
            arguments.append(f"{name}={text if len(text) <= 80 and text.isprintable() else '...'}")
    return f"alfcg.compare({', '.join(arguments)})"


@told
def compare(
    X: ArrayLike,
    y: ArrayLike,
    *,
    methods: str | Sequence[str] = "all",
    output: str | os.PathLike[str] | None = None,
    seeds: int = 1,
    loss: str | None = None,
    region: str | None = None,
    region_parameters: Mapping[str, Any] | None = None,
    l1: float = 0.0,
    l2: float = 0.0,
    nuclear: float = 0.0,
    norm: float = 0.0,
    entropy: float = 0.0,
    intercept: bool = False,
    sample_weight: ArrayLike | None = None,
    class_weight: str | Mapping[Any, float] | None = None,
    normalize: str = "none",
    hold_out: float = 0.0,
    parameters: Mapping[str, float | str] | None = None,
    max_iterations: int | None = None,
    max_epochs: float | None = None,
    max_seconds: float | None = None,
    gap: float | None = None,
    seed: int = 0,
    threads: int | None = None,
    device: str = "cpu",
    name: str = "data",
    callback: Callable[[int, int, str], object] | None = None,
) -> Comparison:
    """Run methods on the same problem with the same budget, and rank them: ``alfcg compare`` for arrays.

    As on the command line, there is no intercept unless it is asked for.

    Parameters
    ----------
    [data]
    methods : str or sequence of str
        Names of `alfcg.methods()`, settings ("deterministic", "finite-sum", "expectation", "corrective"), or "all".
    output : path, optional
        A folder for the report page, its figures and the runs; None: nothing is written.
    seeds : int
        Runs of every stochastic method.
    [problem]
    hold_out : float
        The share of the rows that is set aside, to be judged by.
    parameters : dict, optional
        Every method gets those that it has.
    max_iterations, max_epochs, max_seconds, gap : number, optional
        The budget of every run; 20 epochs when there is none, or a gap alone.
    seed : int
        Of the first run of every method; the next ones have the next.
    [threads]
    [device]
    name : str
        What the report calls the data.
    callback : callable, optional
        Called before each run with the number of finished runs, of all, and the next one's name.

    Returns
    -------
    Comparison
        A table with a row for every method, all the runs, and where the report is.

    Examples
    --------
    >>> import alfcg
    >>> data = alfcg.datasets.make_low_rank(rows=200, features=10, classes=3, rank=1)
    >>> result = alfcg.compare(data.data, data.target, methods=["alfcg-d", "fw-openloop"], max_epochs=10, threads=1)
    >>> sorted(result.table["method"])
    ['alfcg-d', 'fw-openloop']
    """
    command = _written(locals())
    if max_iterations is None and max_epochs is None and max_seconds is None:
        max_epochs = 20.0
    chosen = methods if isinstance(methods, str) else ",".join(methods)
    folder = "" if output is None else os.fspath(output)
    found = calling(
        _core.compare, X, y, folder, command, methods=chosen, seeds=seeds, feature_names=names_of(X),
        loss=loss, region=region, region_parameters=dict(region_parameters or {}), l1=l1, l2=l2, nuclear=nuclear, norm=norm, entropy=entropy,
        intercept=intercept, sample_weight=sample_weight, class_weight=class_weight, normalize=normalize, hold_out=hold_out, parameters=dict(parameters or {}), max_iterations=max_iterations,
        max_epochs=max_epochs, max_seconds=max_seconds, gap=gap, tolerance=0.0, seed=seed, threads=threads, device=device, name=name,
        point=callback,
    )  # fmt: skip
    summary = json.loads(found["summary"])
    runs = summary.get("runs", [])
    for run, course in zip(runs, found["courses"], strict=True):
        del run["trace"]
        run["history"] = History(course)
    result = Comparison(
        Table(summary.get("ranking", [])),
        runs,
        summary.get("left_out", {}),
        summary.get("best_objective", math.nan),
        found["page"] or None,
    )
    return answer(result, "the comparison", interrupted=found["interrupted"])
