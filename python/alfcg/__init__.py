"""Sparse and low-rank models by conditional gradients, without projections and without tuning.

Estimators for scikit-learn: `ConstrainedClassifier`, `ConstrainedRegressor`, and `ConstrainedClassifierCV` and
`ConstrainedRegressorCV`, which find the radius. Functions: `solve` for an objective or a region of one's own, `path`,
`compare`, `load` and `save` for the models of the command line, `datasets` for its readers, `plot` for pictures.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from alfcg._core import Model, __version__, losses, methods, regions

if TYPE_CHECKING:
    from alfcg import datasets, plot
    from alfcg.estimators import (
        ConstrainedClassifier,
        ConstrainedClassifierCV,
        ConstrainedRegressor,
        ConstrainedRegressorCV,
    )

# What needs more than NumPy, or is seldom needed, is imported when it is asked for.
_LAZY = {
    "ConstrainedClassifier": "alfcg.estimators",
    "ConstrainedClassifierCV": "alfcg.estimators",
    "ConstrainedRegressor": "alfcg.estimators",
    "ConstrainedRegressorCV": "alfcg.estimators",
}
_LAZY_MODULES = ("datasets", "plot")

__all__ = [
    "ConstrainedClassifier",
    "ConstrainedClassifierCV",
    "ConstrainedRegressor",
    "ConstrainedRegressorCV",
    "Model",
    "__version__",
    "datasets",
    "losses",
    "methods",
    "plot",
    "regions",
]


def __getattr__(name: str) -> Any:
    if name in _LAZY:
        return getattr(importlib.import_module(_LAZY[name]), name)
    if name in _LAZY_MODULES:
        return importlib.import_module(f"alfcg.{name}")
    raise AttributeError(f"module 'alfcg' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(set(globals()) | set(__all__))
