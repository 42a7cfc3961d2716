"""Objectives and regions of one's own: `solve`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from os import PathLike, fspath
from typing import TYPE_CHECKING, Any

import numpy as np

from alfcg import _core
from alfcg._docs import told
from alfcg._region_files import calling
from alfcg._results import History, Result, answer

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray


@dataclass(frozen=True)
class Region:
    """A set by name, with a composite term: one of `alfcg.regions()`.

    Parameters
    ----------
    name : str
        "l1", "l2", "linf", "lp", "nuclear", ...
    parameters : dict
        `radius` and the like; those left out have their defaults. Files may be given as arrays (docs/python.md).
    l1, l2, nuclear, norm, entropy : float
        Weights of the composite term h(x) = l1 ‖x‖₁ + (l2/2) ‖x‖₂² + nuclear ‖x‖_* + norm ‖x‖ + entropy Σ x log x, where
        ‖x‖ is the norm whose ball the set is. `alfcg.regions()` says which terms a set takes.

    Examples
    --------
    >>> Region("lp", {"radius": 2.0, "p": 1.5})
    Region(name='lp', parameters={'radius': 2.0, 'p': 1.5}, l1=0.0, l2=0.0, nuclear=0.0, norm=0.0, entropy=0.0)
    """

    name: str
    parameters: Mapping[str, Any] = field(default_factory=dict)
    l1: float = 0.0
    l2: float = 0.0
    nuclear: float = 0.0
    norm: float = 0.0
    entropy: float = 0.0

    def oracle(self, gradient: ArrayLike) -> NDArray[Any]:
        """A point v of the set that minimises <gradient, v> + h(v).

        Parameters
        ----------
        gradient : array
            A vector or a matrix.

        Returns
        -------
        ndarray
            The point, in its shape.

        Examples
        --------
        >>> l1_ball(2.0).oracle([1.0, -3.0, 2.0]) + 0.0
        array([0., 2., 0.])
        """
        g = np.asarray(gradient)
        found = calling(_core.oracle, g if g.ndim == 2 else g[None, :], **self._keywords())
        return found.reshape(g.shape)

    def _keywords(self) -> dict[str, Any]:
        defaults = _default_region(self.name).parameters
        parameters = {**defaults, **self.parameters}
        return {
            "region": self.name,
            "region_parameters": parameters,
            "l1": self.l1,
            "l2": self.l2,
            "nuclear": self.nuclear,
            "norm": self.norm,
            "entropy": self.entropy,
        }


@told
def l1_ball(radius: float, *, l1: float = 0.0, l2: float = 0.0) -> Region:
    """The points with ‖x‖₁ ≤ radius: sparse solutions.

    Parameters
    ----------
    [ball]

    Returns
    -------
    Region
        For `solve`.
    """
    return Region("l1", {"radius": radius}, l1=l1, l2=l2)


@told
def l2_ball(radius: float, *, l1: float = 0.0, l2: float = 0.0) -> Region:
    """The points with ‖x‖₂ ≤ radius.

    Parameters
    ----------
    [ball]

    Returns
    -------
    Region
        For `solve`.
    """
    return Region("l2", {"radius": radius}, l1=l1, l2=l2)


@told
def linf_ball(radius: float, *, l1: float = 0.0, l2: float = 0.0) -> Region:
    """The points with no entry beyond ±radius.

    Parameters
    ----------
    [ball]

    Returns
    -------
    Region
        For `solve`.
    """
    return Region("linf", {"radius": radius}, l1=l1, l2=l2)


@told
def lp_ball(p: float, radius: float, *, l1: float = 0.0, l2: float = 0.0) -> Region:
    """The points with ‖x‖_p ≤ radius.

    Parameters
    ----------
    p : float
        From 1 to infinity.
    [ball]

    Returns
    -------
    Region
        For `solve`.
    """
    return Region("lp", {"radius": radius, "p": p}, l1=l1, l2=l2)


def nuclear_ball(radius: float, *, nuclear: float = 0.0, l2: float = 0.0) -> Region:
    """The matrices whose singular values add up to at most radius: low rank.

    Parameters
    ----------
    radius : float
        Its size, above 0.
    nuclear, l2 : float
        Weights of the composite term h(x) = nuclear ‖x‖_* + (l2/2) ‖x‖₂².

    Returns
    -------
    Region
        For `solve`.
    """
    return Region("nuclear", {"radius": radius}, nuclear=nuclear, l2=l2)


@dataclass(frozen=True)
class CustomRegion:
    """A compact convex set given by an oracle of one's own.

    Parameters
    ----------
    oracle : callable
        ``oracle(g)`` returns a point v of the set that minimises <g, v> + h(v), in the shape of g.
    diameter : float
        The largest Euclidean distance between two of its points, or more.
    composite : callable, optional
        ``composite(x)`` returns h(x); none: 0.
    violation : callable, optional
        ``violation(x)`` returns how far x lies outside, 0 for points of the set; none: every point counts as inside.
    start : array or callable, optional
        A point of the set, or a function that returns one; none: the origin where `violation` says that it is one, else
        what the oracle answers to a zero gradient.
    proximal : callable, optional
        ``proximal(point, weight)`` returns the u of the set that minimises (weight/2) ‖u − point‖² + h(u); some methods
        need it.
    name : str
        In reports.

    Examples
    --------
    The probability simplex:

    >>> def corner(g):
    ...     v = np.zeros_like(g)
    ...     v[np.argmin(g)] = 1
    ...     return v
    >>> simplex = CustomRegion(corner, diameter=2**0.5, start=lambda: np.full(3, 1 / 3), name="simplex")
    >>> target = np.array([0.1, 0.6, 0.3])
    >>> def distance(x):
    ...     return 0.5 * np.sum((x - target) ** 2), x - target
    >>> result = solve(distance, simplex, np.full(3, 1 / 3), tolerance=1e-8)
    >>> np.abs(result.x - target).max() < 1e-3
    np.True_
    """

    oracle: Callable[[NDArray[Any]], ArrayLike]
    diameter: float
    composite: Callable[[NDArray[Any]], float] | None = None
    violation: Callable[[NDArray[Any]], float] | None = None
    start: ArrayLike | Callable[[], ArrayLike] | None = None
    proximal: Callable[[NDArray[Any], float], ArrayLike] | None = None
    name: str = "custom region"


@dataclass(frozen=True)
class FiniteSum:
    """An objective that is a mean over rows, f(x) = (1/n) Σ f_i(x): stochastic methods look at some of them at a time.

    Parameters
    ----------
    n : int
        Number of rows.
    function : callable
        ``function(rows, x)`` returns the mean value over the rows listed (an int64 array; a row may come up twice) and
        its gradient.

    Examples
    --------
    >>> A, b = np.eye(4), np.array([1.0, 2.0, 0.0, 0.0])
    >>> def squares(rows, x):
    ...     r = A[rows] @ x - b[rows]
    ...     return 0.5 * np.mean(r**2), A[rows].T @ r / len(rows)
    >>> result = solve(FiniteSum(4, squares), l1_ball(1.0), np.zeros(4))
    >>> np.round(result.x, 2) + 0.0
    array([0., 1., 0., 0.])
    """

    n: int
    function: Callable[[NDArray[np.int64], NDArray[Any]], tuple[float, ArrayLike]]


@told
def solve(
    objective: Callable[[NDArray[Any]], tuple[float, ArrayLike]] | FiniteSum,
    region: Region | CustomRegion | str,
    x0: ArrayLike | None = None,
    *,
    shape: int | tuple[int, ...] | None = None,
    method: str = "auto",
    parameters: Mapping[str, float | str] | None = None,
    callback: Callable[[_core.Iteration], object] | None = None,
    max_iterations: int | None = None,
    max_epochs: float | None = 1000,
    max_seconds: float | None = None,
    gap: float | None = None,
    tolerance: float = 1e-4,
    seed: int = 0,
    threads: int | None = None,
    history: str = "free",
    checkpoint: str | PathLike[str] | None = None,
    checkpoint_every: float = 300.0,
    resume: str | PathLike[str] | None = None,
) -> Result:
    """Minimise f + h over a region, for a smooth function f of one's own.

    Parameters
    ----------
    objective : callable or FiniteSum
        ``objective(x)`` returns the value f(x), and the gradient in the shape of x.
    region : Region, CustomRegion or str
        `l1_ball(radius)` and the like, an oracle of one's own, or the name of a region with its default radius.
    x0 : array, optional
        Where to start: a point of the region, a vector or a matrix. Its precision (float32, else float64) is that of
        the run. None: the origin, or where the region says; `shape` is needed then.
    shape : int or tuple of int, optional
        The shape of x where there is no `x0`.
    method : str
        A name of `alfcg.methods()`; "auto": what suits the region.
    parameters : dict, optional
        Of the method, by name.
    callback : callable, optional
        Called with every iterate (`alfcg.Iteration`: iteration, objective, gap, x, ...). A true answer ends the run; an
        exception ends it too, and comes out unchanged. Ctrl-C ends it after the iteration at hand (twice: at once); the
        `result` of the KeyboardInterrupt is what there is so far.
    max_iterations, max_epochs, max_seconds : number, optional
        Budgets. An epoch is a gradient, or as many of a row's as there are rows; seconds are the method's own.
    gap : float, optional
        Converged when the gap is at most this.
    tolerance : float
        Converged when the gap is at most this share of max(|F|, F₀ − F); 0: off.
    seed : int
        Of stochastic methods.
    [threads]
    history : {"free", "full", "none"}
        "free" keeps rows of the course where objective and gap cost nothing, "full" all (about 200 of them, evenly).
    checkpoint : str or path, optional
        A file for the state of the run: written every `checkpoint_every` seconds (0: every iteration), when a budget ends the run,
        and on Ctrl-C.
    checkpoint_every : float
        Seconds from one time to the next.
    resume : str or path, optional
        A file that such a run has left, with the same method, seed, start and region: this one goes on from there, with the
        same bits. That the objective is the same, and a region of one's own, is for the caller to know.

    Returns
    -------
    Result
        The last iterate, its objective and gap, and how the run went.

    Examples
    --------
    The point of an l1 ball that is nearest to another one:

    >>> target = np.array([3.0, 1.0, 0.2])
    >>> result = solve(lambda x: (0.5 * np.sum((x - target) ** 2), x - target), l1_ball(2.0), np.zeros(3))
    >>> result.status, np.round(result.x, 3) + 0.0
    ('converged', array([2., 0., 0.]))
    """
    samples: int | None = None
    function: Callable[..., Any] = objective  # type: ignore[assignment]
    if isinstance(objective, FiniteSum):
        samples, function = int(objective.n), objective.function
        if samples < 1:
            raise ValueError(f"n must be at least 1, not {samples}")
    if not callable(function):
        raise TypeError(f"objective must be callable or a FiniteSum, not {type(objective).__name__}")
    if isinstance(region, str):
        region = _default_region(region)
    options: dict[str, Any] = {}
    own: CustomRegion | None = None
    if isinstance(region, Region):
        options = region._keywords()
    elif isinstance(region, CustomRegion):
        own = region
    else:
        raise TypeError(f"region must be a Region, a CustomRegion or a name, not {type(region).__name__}")
    is_double = True
    if x0 is not None:
        x0 = np.asarray(x0)
        is_double = x0.dtype != np.float32
        if shape is not None and _shape(shape) != x0.shape:
            raise ValueError(f"shape {shape} is not that of x0, {x0.shape}")
        shape = x0.shape
    if shape is None:
        raise ValueError("give x0 or shape: the size of x is not known otherwise")
    found = calling(
        _core.solve, function, samples, _shape(shape), is_double, own, start=x0, method=method, parameters=dict(parameters or {}),
        observer=callback, max_iterations=max_iterations, max_epochs=max_epochs, max_seconds=max_seconds, gap=gap,
        tolerance=tolerance, seed=seed, threads=threads, history=history, checkpoint=None if checkpoint is None else fspath(checkpoint),
        checkpoint_every=checkpoint_every, resume=None if resume is None else fspath(resume), **options,
    )  # fmt: skip
    cut_short = found.pop("interrupted")
    found.pop("stopped")
    result = Result(**{**found, "history": History(found["history"])})
    return answer(result, "the run", interrupted=cut_short)


def _shape(shape: int | tuple[int, ...]) -> tuple[int, ...]:
    return (shape,) if isinstance(shape, int) else tuple(shape)


def _default_region(name: str) -> Region:
    for row in _core.regions():
        if row["name"] == name:
            return Region(name, {p["name"]: p["default"] for p in row["parameters"] if p["default"] is not None})
    names = ", ".join(row["name"] for row in _core.regions())
    raise ValueError(f"region must be one of {names}, not {name!r}")
