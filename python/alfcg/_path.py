"""Choosing the radius: `path`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from alfcg import _core
from alfcg._docs import told
from alfcg._region_files import calling, names_of
from alfcg._results import Table, answer

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray


@dataclass(repr=False)
class Path:
    """What radii are worth, and the model at the one that was chosen.

    Attributes
    ----------
    table : Table
        A row for every radius: radius, objective, gap, nonzeros, rank (of a matrix), train_score, score (on unseen
        rows), score_se (its standard error), loss (on unseen rows), seconds. Scores are shares of right answers, or
        mean squared errors.
    best : float
        The radius with the best score.
    smallest : float
        The smallest radius whose score is within one standard error of the best.
    chosen : float
        The radius of the model.
    folds : int
        Folds that the scores are from; 0: rows were held out.
    model : Model
        Fitted to all rows (that were not held out) with the chosen radius.
    coef, intercept : ndarray
        Of the model.
    objective, gap : float
        Of the model, on the rows that it was fitted to.
    status : str
        Of its fit; see `Result`.
    coefficients, singular_values : list
        For every radius: the largest entries of a vector of weights, by position, or the singular values of a matrix.
    """

    table: Table
    best: float
    smallest: float
    chosen: float
    folds: int
    model: _core.Model
    coef: NDArray[Any]
    intercept: NDArray[Any]
    objective: float
    gap: float
    status: str
    coefficients: list[list[tuple[int, float]]]
    singular_values: list[list[float]]

    def __repr__(self) -> str:
        judged = f"{self.folds} folds" if self.folds else "rows held out"
        radii = f"radius {self.chosen:g} chosen by {judged} (best {self.best:g}, smallest {self.smallest:g})"
        return f"{self.table!r}\n\n{radii}"

    def _repr_html_(self) -> str:
        return (
            self.table._repr_html_() + f"<p>radius {self.chosen:g} (best {self.best:g}, smallest {self.smallest:g})</p>"
        )


@told
def path(
    X: ArrayLike,
    y: ArrayLike,
    *,
    radii: Sequence[float] | None = None,
    folds: int | None = None,
    hold_out: float = 0.0,
    pick: str = "best",
    loss: str | None = None,
    region: str | None = None,
    region_parameters: Mapping[str, Any] | None = None,
    l1: float = 0.0,
    l2: float = 0.0,
    nuclear: float = 0.0,
    norm: float = 0.0,
    entropy: float = 0.0,
    intercept: bool = True,
    sample_weight: ArrayLike | None = None,
    class_weight: str | Mapping[Any, float] | None = None,
    normalize: str = "none",
    method: str = "auto",
    parameters: Mapping[str, float | str] | None = None,
    max_epochs: float | None = 1000,
    tolerance: float = 1e-4,
    seed: int = 0,
    threads: int | None = None,
    device: str = "cpu",
    callback: Callable[[dict[str, Any]], object] | None = None,
) -> Path:
    """Fit over increasing radii, judge each on rows that it has not seen, and choose one: ``alfcg path`` for arrays.

    Parameters
    ----------
    [data]
    radii : sequence of float, optional
        Radii to try. None: doubling, from one that hardly matters to where it holds nothing back, or unseen rows fare
        no better.
    folds : int, optional
        Parts of the rows, each of which is unseen once; 5 when None, and nothing is held out.
    hold_out : float
        Instead of folds: the share of the rows that judges.
    pick : {"best", "1se"}
        The radius with the best score, or the smallest within one standard error of it.
    [problem]
    method : str
        A name of `alfcg.methods()`; "auto": what suits the region.
    parameters : dict, optional
        Of the method, by name.
    max_epochs : float, optional
        At most so many passes over the data for the model; None: as many as it takes.
    tolerance : float
        The model's fit ends when the gap is at most this share of max(|F|, F₀ − F); 0: off.
    seed : int
        Of stochastic methods, folds and rows held out.
    [threads]
    [device]
    callback : callable, optional
        Called with a dictionary, a row of the table, after each radius.

    Returns
    -------
    Path
        What every radius is worth, and the model at the one that was chosen.

    Examples
    --------
    >>> import alfcg
    >>> data = alfcg.datasets.make_low_rank(rows=300, features=20, classes=3, rank=1)
    >>> found = alfcg.path(data.data, data.target, radii=[1.0, 4.0, 16.0], folds=3, threads=1)
    >>> len(found.table), found.chosen in (1.0, 4.0, 16.0)
    (3, True)
    """
    found = calling(
        _core.find_radius, X, y, radii=None if radii is None else [float(radius) for radius in radii], folds=folds or 0, hold_out=hold_out,
        pick=pick, feature_names=names_of(X), loss=loss, region=region, region_parameters=dict(region_parameters or {}), l1=l1, l2=l2,
        nuclear=nuclear, norm=norm, entropy=entropy, intercept=intercept, sample_weight=sample_weight, class_weight=class_weight,
        normalize=normalize, method=method, parameters=dict(parameters or {}), max_epochs=max_epochs,
        tolerance=tolerance, seed=seed, threads=threads, device=device, point=callback, history="none",
    )  # fmt: skip
    points = found.points
    if found.fit.rank is None:
        points.pop("rank")
    radius = points["radius"]
    result = Path(
        Table.from_columns({name: column.tolist() for name, column in points.items()}), float(radius[found.best]),
        float(radius[found.smallest]), float(radius[found.chosen]), found.folds, found.fit.model, found.fit.coef,
        found.fit.intercept, found.fit.objective, found.fit.gap, found.fit.status, found.coefficients,
        found.singular_values,
    )  # fmt: skip
    return answer(result, "the path", interrupted=found.fit.interrupted)
