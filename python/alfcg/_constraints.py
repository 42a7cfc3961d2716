"""What the estimators' parameters may be. Scikit-learn checks them and says in its own words what is wrong."""

from __future__ import annotations

from numbers import Integral, Real
from os import PathLike
from typing import Any

import numpy as np
from sklearn.metrics import get_scorer_names
from sklearn.utils._param_validation import HasMethods, Interval, StrOptions

from alfcg import _core

_NOT_NEGATIVE = Interval(Real, 0, None, closed="left")
_POSITIVE = Interval(Real, 0, None, closed="neither")
_COUNT = Interval(Integral, 1, None, closed="left")
_YES_OR_NO = ["boolean"]


def _names(rows: list[dict[str, Any]]) -> set[str]:
    return {row["name"] for row in rows}


_COMMON: dict[str, list[Any]] = {
    "region": [StrOptions({"auto", *_names(_core.regions())})],
    "p": [Interval(Real, 1, np.inf, closed="both"), None],
    "region_params": [dict, None],
    "l1": [_NOT_NEGATIVE],
    "l2": [_NOT_NEGATIVE],
    "nuclear": [_NOT_NEGATIVE],
    "norm": [_NOT_NEGATIVE],
    "entropy": [_NOT_NEGATIVE],
    "fit_intercept": _YES_OR_NO,
    "normalize": [StrOptions({"none", "columns", "rows", "spectral"}), None],
    "method": [StrOptions({"auto", *_names(_core.methods())})],
    "method_params": [dict, None],
    "max_iter": [Interval(Integral, 0, None, closed="left"), None],
    "max_epochs": [_NOT_NEGATIVE, None],
    "max_seconds": [_NOT_NEGATIVE, None],
    "tol": [Interval(Real, 0, 1, closed="left"), None],
    "random_state": ["random_state"],
    "n_jobs": [Interval(Integral, 1, 1024, closed="both"), Interval(Integral, None, -1, closed="right"), None],
    "reproducible": _YES_OR_NO,
    "verbose": ["verbose"],
    "device": [str],  # but for completion
    "callbacks": [callable, list, tuple, None],
}
_SINGLE: dict[str, list[Any]] = {
    "radius": [_POSITIVE, StrOptions({"auto"}), None],
    "warm_start": _YES_OR_NO,
    "early_stopping": _YES_OR_NO,
    "validation_fraction": [Interval(Real, 0, 1, closed="neither")],
    "n_iter_no_change": [_COUNT],
    "checkpoint": [str, PathLike, None],
    "checkpoint_every": [_NOT_NEGATIVE],
    "resume": [str, PathLike, None],
    "comm": [HasMethods(["Get_rank", "Get_size", "Allgather"]), None],
}
_SEARCH: dict[str, list[Any]] = {
    "radii": [_COUNT, "array-like"],
    "cv": ["cv_object"],
    "scoring": [StrOptions(set(get_scorer_names())), callable, None],
    "pick": [StrOptions({"best", "1se"})],
    "refit": _YES_OR_NO,
    "store_coef_path": _YES_OR_NO,
}


def constraints(*, classifies: bool, searches: bool) -> dict[str, list[Any]]:
    """By name of a parameter: what it may be."""
    targets = {"classes", "two-classes"} if classifies else {"numbers"}
    losses = _names([row for row in _core.losses() if row["target"] in targets])
    task: dict[str, list[Any]] = {"loss": [StrOptions({"auto", *losses})]}
    if classifies:
        task["class_weight"] = [dict, StrOptions({"balanced"}), None]
    else:
        task |= {"threshold": [_POSITIVE], "width": [_POSITIVE]}
    return _COMMON | (_SEARCH if searches else _SINGLE) | task
