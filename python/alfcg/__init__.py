"""Sparse and low-rank models by conditional gradients, without projections and without tuning.

Estimators for scikit-learn: `ConstrainedClassifier`, `ConstrainedRegressor`, and `ConstrainedClassifierCV` and
`ConstrainedRegressorCV`, which find the radius; `MatrixCompletion`. Functions: `solve` for an objective or a region of one's own, `path`,
`compare`, `load` and `save` for the models of the command line, `datasets` for its readers, `plot` for pictures.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from alfcg._compare import Comparison, compare
from alfcg._core import CompletionModel, Iteration, Model, losses, methods, regions
from alfcg._core import version as __version__
from alfcg._models import load, save
from alfcg._path import Path, path
from alfcg._results import History, Result, Table
from alfcg._solve import (
    CustomRegion,
    FiniteSum,
    Region,
    l1_ball,
    l2_ball,
    linf_ball,
    lp_ball,
    nuclear_ball,
    solve,
)

if TYPE_CHECKING:
    from alfcg import datasets, plot
    from alfcg.completion import MatrixCompletion
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
    "MatrixCompletion": "alfcg.completion",
}
_LAZY_MODULES = ("datasets", "plot")

__all__ = [
    "Comparison",
    "CompletionModel",
    "ConstrainedClassifier",
    "ConstrainedClassifierCV",
    "ConstrainedRegressor",
    "ConstrainedRegressorCV",
    "CustomRegion",
    "FiniteSum",
    "History",
    "Iteration",
    "MatrixCompletion",
    "Model",
    "Path",
    "Region",
    "Result",
    "Table",
    "__version__",
    "compare",
    "datasets",
    "l1_ball",
    "l2_ball",
    "linf_ball",
    "load",
    "losses",
    "lp_ball",
    "methods",
    "nuclear_ball",
    "path",
    "plot",
    "regions",
    "save",
    "solve",
]


def __getattr__(name: str) -> Any:
    if name in _LAZY:
        try:
            return getattr(importlib.import_module(_LAZY[name]), name)
        except ModuleNotFoundError as missing:
            if (missing.name or "").partition(".")[0] != "sklearn":
                raise
            raise ImportError(f"{name} needs scikit-learn: pip install 'alfcg[sklearn]'", name="sklearn") from missing
    if name in _LAZY_MODULES:
        return importlib.import_module(f"alfcg.{name}")
    raise AttributeError(f"module 'alfcg' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(set(globals()) | set(__all__))
