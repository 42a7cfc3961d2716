"""Paths of fits with falling weights of ‖w‖₁, each begun where the last one ended, as the peers make them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from peers.mean_loss import Array, MeanLoss

NEVER = 10**6  # iterations

Path = Callable[
    [Any, Array, MeanLoss, Array, float], Any
]  # features, labels, loss, weights, tolerance: (features, fits)


def celer(features: Any, labels: Array, loss: MeanLoss, weights: Array, tolerance: float) -> Any:
    from celer import celer_path

    common = {"max_iter": 1000, "tol": tolerance}
    if loss.loss == "squared":
        return celer_path(features, labels, "lasso", alphas=weights, prune=1, **common)[1]
    alphas = loss.rows * weights  # of the sum of the losses
    return celer_path(features, labels.astype(np.float64), "logreg", alphas=alphas, use_PN=True, **common)[1]


def skglm(features: Any, labels: Array, loss: MeanLoss, weights: Array, tolerance: float) -> Any:
    from skglm import Lasso, SparseLogisticRegression

    limit = float(tolerance * weights.min() * 1e3)  # on the violation of the optimality conditions
    if loss.loss == "squared":
        return Lasso(fit_intercept=False, tol=limit, max_iter=1000).path(features, labels, weights)[1]
    model = SparseLogisticRegression(fit_intercept=False, tol=limit, max_iter=1000, warm_start=True)
    found = []
    for weight in weights:
        model.alpha = weight
        found.append(model.fit(features, labels).coef_.ravel().copy())
    return np.column_stack(found)


def glmnet(features: Any, labels: Array, loss: MeanLoss, weights: Array, tolerance: float) -> Any:
    from glmnet import ElasticNet, LogitNet

    estimator = ElasticNet if loss.loss == "squared" else LogitNet
    model = estimator(
        alpha=1, lambda_path=weights, standardize=False, fit_intercept=False, n_splits=0, tol=0.1 * tolerance,
        max_iter=NEVER,
    )  # fmt: skip
    return model.fit(features, labels).coef_path_.reshape(features.shape[1], -1)


PATHS: dict[str, Path] = {"celer": celer, "skglm": skglm, "glmnet": glmnet}
