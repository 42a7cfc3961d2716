"""Pictures: the course of a run, a path of radii, a comparison of methods. They need matplotlib (``alfcg[plot]``).

Every function draws into the axes it is given, or into a new figure, and returns the axes.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# Apart also for those who see red and green alike (Okabe and Ito).
COLORS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
DASHES = ("-", "--", ":")
FAINT = "#b8b8b8"
WORDS = {"iteration": "iteration", "epochs": "epochs (passes over the data)", "seconds": "seconds"}


def _new_axes(columns: int = 1) -> Any:
    try:
        import matplotlib.pyplot as plt
    except ImportError as error:
        raise ImportError(
            "alfcg.plot needs matplotlib: pip install matplotlib, or pip install 'alfcg[plot]'"
        ) from error
    _, axes = plt.subplots(1, columns, figsize=(6.4 * columns, 4.2), layout="constrained")
    for ax in np.atleast_1d(axes):
        ax.spines[["top", "right"]].set_visible(False)
    return axes


def _course(run: Any) -> Mapping[str, Any]:
    """The history of whatever has one."""
    for name in ("history_", "history"):
        found = getattr(run, name, None)
        if found is not None:
            return dict(found)
    if isinstance(run, Mapping):
        return dict(run.get("history", run))
    raise TypeError(f"a {type(run).__name__} has no history: give a Result, a History or a fitted estimator")


def _axis(across: str) -> None:
    if across not in WORDS:
        raise ValueError(f"across must be one of {', '.join(map(repr, WORDS))}, not {across!r}")


def _drawn(course: Mapping[str, Any], across: str, up: str, floor: float = 0.0) -> tuple[Any, Any]:
    """Points of a curve that can be drawn on a logarithmic axis."""
    x, y = np.asarray(course[across], float), np.asarray(course[up], float) - floor
    shown = np.isfinite(y) & (y > 0)
    return x[shown], y[shown]


def history(runs: Any, *, across: str = "seconds", up: str = "gap", ax: Axes | None = None) -> Axes:
    """Draw how the gap, or another column of a history, went down.

    Parameters
    ----------
    runs : Result, History, fitted estimator, or dict of them by name
        What is drawn.
    across : {'seconds', 'epochs', 'iteration'}, default='seconds'
        The horizontal axis.
    up : str, default='gap'
        The column that is drawn, on a logarithmic axis.
    ax : matplotlib.axes.Axes, default=None
        Where to draw; None: a new figure.

    Returns
    -------
    ax : matplotlib.axes.Axes
        The picture.

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> import alfcg
    >>> model = alfcg.ConstrainedRegressor(radius=1000).fit(*load_diabetes(return_X_y=True))
    >>> alfcg.plot.history(model, across="epochs").get_ylabel()
    'gap'
    """
    _axis(across)
    named = isinstance(runs, Mapping) and "objective" not in runs
    courses = {name: _course(run) for name, run in runs.items()} if named else {"": _course(runs)}
    ax = _new_axes() if ax is None else ax
    for k, (name, course) in enumerate(courses.items()):
        x, y = _drawn(course, across, up)
        ax.plot(x, y, color=COLORS[k % len(COLORS)], label=name, marker="o" if len(x) <= 30 else None, markersize=3.5)
    ax.set_yscale("log")
    ax.set_xlabel(WORDS[across])
    ax.set_ylabel(up)
    if named:
        ax.legend(frameon=False)
    return ax


def _scores_of(found: Any) -> tuple[Any, Any, Any, float]:
    """Radii, mean scores, their standard errors, and the chosen radius."""
    if hasattr(found, "radii_"):
        folds = found.scores_.shape[1]
        error = found.scores_.std(axis=1, ddof=1) / np.sqrt(folds) if folds > 1 else np.zeros(len(found.radii_))
        return found.radii_, found.mean_score_, error, found.radius_
    if hasattr(found, "table") and hasattr(found, "chosen"):
        return (*(np.asarray(found.table[name], float) for name in ("radius", "score", "score_se")), found.chosen)
    raise TypeError(f"a {type(found).__name__} is no path: give what alfcg.path returns, or a fitted CV estimator")


def _weights_of(found: Any) -> tuple[Any, str] | None:
    """For every radius the weights of a vector, or the singular values of a matrix."""
    path = getattr(found, "coef_path_", None)
    if path is not None:
        if path.ndim == 3 and path.shape[1] > 1:
            return np.linalg.svd(path, compute_uv=False), "singular value"
        return path.reshape(len(path), -1), "weight"
    if any(getattr(found, "singular_values", None) or ()):
        most = max(map(len, found.singular_values))
        rows = [[*values, *[0.0] * (most - len(values))] for values in found.singular_values]
        return np.array(rows), "singular value"
    if any(getattr(found, "coefficients", None) or ()):
        weights = np.zeros((len(found.coefficients), 1 + max(j for one in found.coefficients for j, _ in one)))
        for row, entries in zip(weights, found.coefficients, strict=True):
            for j, value in entries:
                row[j] = value
        return weights, "weight"
    return None


def _names_of(found: Any) -> list[str]:
    """Of the features; none where they have none."""
    names = getattr(found, "feature_names_in_", None)
    if names is None and hasattr(found, "model"):
        names = found.model.feature_names
    return [] if names is None else list(names)


def path(found: Any, *, top: int = 12, ax: Any = None) -> Any:
    """Draw the scores along a path of radii, and the weights where they are known.

    Parameters
    ----------
    found : Path or fitted CV estimator
        Weights are known of what `alfcg.path` returns, and of estimators with ``store_coef_path=True``.
    top : int, default=12
        So many of the largest weights are drawn in colour and named, the others in grey.
    ax : Axes or sequence of two, default=None
        Where to draw the scores, and the weights if there are two; None: a new figure.

    Returns
    -------
    ax : Axes or array of two
        The pictures.

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> import alfcg
    >>> model = alfcg.ConstrainedRegressorCV(radii=10).fit(*load_diabetes(return_X_y=True))
    >>> alfcg.plot.path(model).get_xlabel()
    'radius'
    """
    radii, mean, error, chosen = _scores_of(found)
    weights = _weights_of(found)
    axes = _new_axes(1 if weights is None else 2) if ax is None else ax
    both = np.atleast_1d(axes)
    both[0].plot(radii, mean, color=COLORS[0], marker="o" if len(radii) <= 40 else None, markersize=3.5)
    both[0].fill_between(radii, mean - error, mean + error, color=COLORS[0], alpha=0.15, linewidth=0)
    both[0].set_ylabel("score on rows left out (band: one standard error)")
    for one in both:
        one.axvline(chosen, color="black", linewidth=0.8, linestyle="--")
        one.set_xscale("log")
        one.set_xlabel("radius")
    both[0].annotate(
        f" {chosen:.3g}", (chosen, 0.02), xycoords=("data", "axes fraction"), ha="left", va="bottom", fontsize=9
    )
    if weights is not None and len(both) > 1:
        values, word = weights
        order = np.argsort(-np.abs(values).max(axis=0))
        names = _names_of(found) or [f"feature {j}" for j in range(len(order))]
        for j in order[top:]:
            both[1].plot(radii, values[:, j], color=FAINT, linewidth=0.7)
        for rank, j in reversed(list(enumerate(order[:top]))):
            color, dashes = COLORS[rank % len(COLORS)], DASHES[rank // len(COLORS) % len(DASHES)]
            label = names[j] if word == "weight" and abs(values[:, j]).max() > 0 else None
            both[1].plot(radii, values[:, j], color=color, linestyle=dashes, linewidth=1.3, label=label)
        both[1].set_ylabel(word)
        handles, labels = both[1].get_legend_handles_labels()
        if labels:  # the largest first
            both[1].legend(handles[::-1], labels[::-1], frameon=False, fontsize=7)
    return axes


def comparison(found: Any, *, across: str = "seconds", top: int = 7, ax: Axes | None = None) -> Axes:
    """Draw how far each method was above the lowest objective of all, less the gap that is left there.

    Parameters
    ----------
    found : Comparison
        What `alfcg.compare` returns.
    across : {'seconds', 'epochs', 'iteration'}, default='seconds'
        The horizontal axis.
    top : int, default=7
        So many of the methods that got lowest are drawn in colour and named; the others are grey.
    ax : matplotlib.axes.Axes, default=None
        Where to draw; None: a new figure.

    Returns
    -------
    ax : matplotlib.axes.Axes
        The picture.
    """
    _axis(across)
    ax = _new_axes() if ax is None else ax
    order = sorted(found.runs, key=lambda run: run["objective"])
    best = list(dict.fromkeys(run["method"] for run in order))[:top]
    # The lowest objective of all is known but for the gap of its own run.
    floor = found.best_objective - min(run["gap"] for run in order if run["gap"] is not None)
    for run in reversed(order):
        x, y = _drawn(run["history"], across, "objective", floor)
        name = run["method"]
        if name not in best:
            ax.plot(x, y, color=FAINT, linewidth=0.7)
            continue
        first = run is next(one for one in order if one["method"] == name)
        color = COLORS[best.index(name) % len(COLORS)]
        ax.plot(x, y, color=color, linewidth=1.5, label=name if first else None)
    ax.set_yscale("log")
    ax.set_xlabel(WORDS[across])
    ax.set_ylabel("objective above its proven bound")
    handles, labels = ax.get_legend_handles_labels()
    ranked = sorted(zip(handles, labels, strict=True), key=lambda pair: best.index(pair[1]))
    ax.legend([handle for handle, _ in ranked], [label for _, label in ranked], frameon=False, fontsize=9)
    return ax
