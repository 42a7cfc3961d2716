"""The parts of docstrings that estimators, and functions, share."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable
from typing import Any, TypeVar

Class = TypeVar("Class", bound=type)
Function = TypeVar("Function", bound=Callable[..., Any])

_REGION = """region : str, default='auto'
        Where the weights have to be: a name from `alfcg.regions()`. 'l1' makes most of them zero, 'nuclear' gives a matrix
        of low rank, 'lp' needs `p`, 'box', 'simplex' and others keep signs and bounds. 'auto': nuclear where every class
        has a row of weights, l1 for a single row.
    region_params : dict, default=None
        Its parameters beside `radius` and `p`, such as ``{"k": 5}``. Those that are files for the command line may be
        arrays: ``{"lower": [0, -1, 0]}`` or ``{"lower": {"age": 0, "*": -1}}`` by feature, ``{"group_by": [[0, 1], [2]]}``,
        ``{"graph": [("a", "b"), ("b", "c")]}``."""
_TERMS = """l1, l2, nuclear, norm, entropy : float, default=0
        Weights of ‖w‖₁, ‖w‖²/2, the nuclear norm, the norm whose ball the region is, and Σ w log w, added to the mean loss.
        `alfcg.regions()` says which of them a region takes."""
_COMMON = """fit_intercept : bool, default=True
        Whether scores have a constant, which nothing constrains.
    {weights}normalize : {{None, 'columns', 'rows', 'spectral'}}, default=None
        Divide columns by their standard deviations, rows by their norms, or all by the largest singular value, for the
        fit. `coef_` belongs to the features as they come, except with 'rows'."""
_LIMITS = """method : str, default='auto'
        A name from `alfcg.methods()`. 'auto': what suits the region; over the l1 and nuclear balls alfcg-c, which goes
        to the optimum and proves it.
    method_params : dict, default=None
        Parameters of the method, such as ``{{"batch": 100}}``.
    max_iter : int, default=None
        At most so many iterations; None: as many as it takes.
    max_epochs : float, default={epochs}
        At most so many passes over the data; None: as many as it takes.
    max_seconds : float, default=None
        At most so much time.
    tol : float, default={tol}
        The fit ends when the gap, which bounds how far the objective is from its optimum, is at most `tol` times the
        objective, or times what has been won since the start, whichever is more."""
_RANDOM = """random_state : int, RandomState instance or None, default=None
        For stochastic methods and rows set aside. An integer is the ``--seed`` of the command line.
    n_jobs : int, default=None
        Threads. None: OMP_NUM_THREADS if that is set, else all cores that the process may use; -1: all cores.
    """
_REPRODUCIBLE = """reproducible : bool, default=False
        The same bits for every `n_jobs`: work is divided into eight parts in any case.
    """
_VERBOSE = """verbose : int, default=0
        Above 0: a progress bar with the time that is left (of tqdm, if it is there)."""
_DEVICE = """device : str, default="cpu"
        Where passes over the rows are made: "cpu"; "cuda" or "cuda:1", a GPU; "auto", where they take less time, which is measured."""
_CALLBACKS = """callbacks : callable or list of callables, default=None
        Called at every iterate with an object that has `iteration`, `objective`, `gap`, `x` and more (see
        `alfcg.Iteration`); one that returns True ends the fit."""
_CHECKPOINTS = """checkpoint : str or path, default=None
        A file for the state of the fit: written every `checkpoint_every` seconds, when a limit ends the fit, and on Ctrl-C.
    checkpoint_every : float, default=300
        Seconds from one time to the next; 0: every iteration.
    resume : str or path, default=None
        A file that such a fit has left, of the same data, parameters and `random_state`, but for the limits: the fit goes on
        from there, and ends with the bits of one that was never interrupted."""
_COMM = """comm : mpi4py communicator, default=None
        Processes that have some of the rows each: all of them call `fit`, and have the same model then. None: this process
        has all rows."""
_CV_CALLBACKS = _CALLBACKS.replace("at every iterate", "at every iterate of the fit at the radius found,")
_SINGLE = """radius : float, 'auto' or None, default=None
        The size of the region: how much the model may say. There is no good value for all data: use the estimator with CV
        at its end, a grid search, or 'auto', which goes along growing radii judged on five folds. None: as `alfcg.regions()`
        says, 10 for balls.
    p : float, default=None
        Of region='lp', from 1 to inf."""
_STOPPING = """warm_start : bool, default=False
        Whether `fit` begins at the weights of the last fit, if they have the same shape.
    early_stopping : bool, default=False
        Set rows aside and end when the score on them gets no better; the best iterate is kept.
    validation_fraction : float, default=0.1
        The share of rows set aside.
    n_iter_no_change : int, default=20
        Looks at them without a better score before the end. A look comes every epoch, later every sixteenth of the
        epochs so far."""
_CLASS_WEIGHT = """class_weight : dict, 'balanced' or None, default=None
        How much rows of a class count: ``{label: weight}``, or 'balanced' for the same total in every class.
    """
_PATH = """radii : int or array-like, default=100
        The radii to try, or how many. Then the range is found first: radii are doubled, from one that hardly matters to
        where rows left out fare no better.
    p : float, default=None
        Of region='lp', from 1 to inf.
    cv : int, splitter or iterable, default=None
        The folds, as elsewhere in scikit-learn; None: five, stratified by class.
    scoring : str or callable, default=None
        What makes a radius good, as elsewhere in scikit-learn; None: {score}.
    pick : {{'best', '1se'}}, default='best'
        The radius with the best mean score, or the smallest within one standard error of it: a simpler model.
    refit : bool, default=True
        Fit on all rows at that radius. False: the mean of the folds' models there.
    store_coef_path : bool, default=False
        Keep `coef_path_` and `intercept_path_`, fits on all rows at every radius."""
_FITTED = """intercept_ : {intercept}
        The constant of each score.
    n_iter_ : int
        Iterations of the fit.
    objective_ : float
        The mean loss, with the terms added to it.
    gap_ : float
        A proven bound on the distance of `objective_` from the optimum (for convex losses).
    status_ : str
        What ended the fit: 'converged', 'precision' (rounding allows no more), 'max-iterations', ...
    history_ : alfcg.History
        Objective, gap and more by iteration, epochs and seconds, of iterates where they cost nothing.
    radius_ : float
        The radius of the ball.
    rank_ : int or None
        The rank of a matrix of weights; None for a vector.
    singular_values_ : ndarray or None
        Its singular values, largest first.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names, where X had names that are all strings."""
_CV_FITTED = """radii_ : ndarray of shape (n_radii,)
        The radii that were tried, increasing.
    scores_ : ndarray of shape (n_radii, n_folds)
        Scores on the rows left out.
    mean_score_ : ndarray of shape (n_radii,)
        Their means over the folds.
    best_index_ : int
        Position of `radius_` in `radii_`.
    best_score_ : float
        Its mean score.
    coef_path_, intercept_path_ : ndarray
        Weights and constants at every radius, with ``store_coef_path=True``."""
_INTERCEPT_C = "ndarray of shape (1,) or (n_classes,)"
_COEF_C = """coef_ : ndarray of shape (1, n_features) or (n_classes, n_features)
        Weights; one row where there are two classes.
    classes_ : ndarray of shape (n_classes,)
        The labels, in increasing order."""
_COEF_R = """coef_ : ndarray of shape (n_features,)
        Weights."""
_LOSS_C = """loss : {'auto', 'logistic', 'multinomial', 'sigmoid'}, default='auto'
        'auto': logistic for two classes, multinomial logistic for more. 'sigmoid' (two classes) cares little for
        outliers, and is not convex."""
_LOSS_R = """loss : {'squared', 'huber', 'welsch'}, default='squared'
        Half the square of the error; Huber's, which is linear beyond `threshold`; or Welsch's, which is flat beyond
        some `width` and not convex.
    threshold : float, default=1.0
        Of the Huber loss.
    width : float, default=1.0
        Of the Welsch loss."""


_DATA = """X : array or CSR matrix of shape (rows, features)
        The rows. What is C-ordered, or CSR, of float32 or float64 is used where it is, in its precision.
    y : array of shape (rows,)
        Labels: texts or numbers. `loss` None takes whole numbers for classes, as the command line does."""
_PROBLEM = """loss : str, optional
        A name of `alfcg.losses()`; None: what suits the labels.
    region : str, optional
        A name of `alfcg.regions()`; None: nuclear where every class has a row of weights, l1 for a single row.
    region_parameters : dict, optional
        Its parameters, such as ``{"p": 1.5}``; files by their names, or as arrays (docs/python.md).
    l1, l2, nuclear, norm, entropy : float
        Weights of ‖w‖₁, ‖w‖²/2, the nuclear norm, the norm whose ball the region is, and Σ w log w, added to the mean loss.
    intercept : bool
        Whether scores have a constant, which nothing constrains.
    sample_weight : array of shape (rows,), optional
        How much each row counts.
    class_weight : dict or "balanced", optional
        How much rows of a class count, by label; "balanced": every class as much in all.
    normalize : {"none", "rows", "columns", "spectral"}
        Divide rows by their norms, columns by their standard deviations, or all by the largest singular value."""
_BALL = """radius : float
        Its size, above 0.
    l1, l2 : float
        Weights of the composite term h(x) = l1 ‖x‖₁ + (l2/2) ‖x‖₂²."""
_THREADS = """threads : int, optional
        None: OMP_NUM_THREADS if that is set, else all cores that the process may use."""

_DEVICE_OF_CALL = _DEVICE.replace(', default="cpu"', "")


def _filled(doc: str | None, parts: dict[str, str]) -> str:
    """Puts the parts where a docstring has their names in brackets: each is written down once."""
    text = inspect.cleandoc(doc or "")  # none with python -OO; from 3.13 on it is clean already
    for name, part in parts.items():
        text = text.replace(f"[{name}]", re.sub("^    ", "", part, flags=re.MULTILINE))
    return text


def documented(cls: Class) -> Class:
    """For estimators."""
    classifies = "Classifier" in cls.__name__
    weights = _CLASS_WEIGHT if classifies else ""
    cls.__doc__ = _filled(
        cls.__doc__,
        {
            "region": _REGION,
            "radius": _SINGLE,
            "loss": _LOSS_C if classifies else _LOSS_R,
            "terms": _TERMS,
            "common": _COMMON.format(weights=weights) + "\n    " + _LIMITS.format(epochs="1000", tol="1e-4"),
            "running": "\n    ".join([_LIMITS.format(epochs="10000", tol="1e-2"), _RANDOM + _VERBOSE, _CALLBACKS]),
            "stopping": _STOPPING,
            "end": _RANDOM + _REPRODUCIBLE + _VERBOSE + "\n    " + _DEVICE,
            "checkpoints": _CHECKPOINTS,
            "comm": _COMM,
            "callbacks": _CV_CALLBACKS if cls.__name__.endswith("CV") else _CALLBACKS,
            "path": _PATH.format(score="accuracy" if classifies else "R²"),
            "coef": _COEF_C if classifies else _COEF_R,
            "fitted": _FITTED.format(intercept=_INTERCEPT_C if classifies else "float"),
            "cv_fitted": _CV_FITTED,
        },
    )
    return cls


def told(function: Function) -> Function:
    """For functions."""
    parts = {"data": _DATA, "problem": _PROBLEM, "ball": _BALL, "threads": _THREADS, "device": _DEVICE_OF_CALL}
    function.__doc__ = _filled(function.__doc__, parts)
    return function
