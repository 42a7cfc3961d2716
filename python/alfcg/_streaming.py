"""Streams: conditional gradient steps along an estimate of the gradient that remembers all batches so far.

A batch B moves the estimate, g <- grad_B f(x) + (1 - a) (g - grad_B f(x')), where x' is the point before and
a = (t+1)^(-2/3): STORM, as in the method onesample-storm of the table, with its state kept from call to call. x goes
2/(t+2) of the way to the oracle's answer for g: it never leaves the region, and there is no rate to choose.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.special import expit, softmax

from alfcg import _core
from alfcg._base import Array
from alfcg._region_files import readable

BATCH = 16  # rows a step: with fewer steps the ball is not found, and an oracle has to be asked in each
POWER = 2 / 3

# How much the derivative of a loss can change with a score, for steps of the intercept.
CURVATURE = {"logistic": 0.25, "multinomial": 0.5, "sigmoid": 0.1}


def steps_of(rows: int) -> int:
    return -(-rows // BATCH)


def slopes(loss: str, scores: Array, y: Array, parameters: dict[str, float]) -> Array:
    """The derivative of each row's loss by its scores; y holds codes of classes, or numbers."""
    if loss == "multinomial":
        found = softmax(scores, axis=1)
        found[np.arange(len(y)), y] -= 1
        return np.asarray(found)
    if loss in ("logistic", "sigmoid"):
        sign = (2 * y - 1)[:, None]
        wrong = expit(-sign * scores)
        return np.asarray(-sign * wrong * ((1 - wrong) if loss == "sigmoid" else 1))
    error = scores - y[:, None]
    if loss == "huber":
        return np.asarray(np.clip(error, -parameters["threshold"], parameters["threshold"]))
    if loss == "welsch":
        return np.asarray(error * np.exp(-((error / parameters["width"]) ** 2)))
    return np.asarray(error)


@dataclass
class Stream:
    """Where a stream is: its point and what it remembers of the gradients."""

    loss: str
    loss_parameters: dict[str, float]
    region: dict[str, Any]  # keywords of the oracle
    weights: Array
    intercept: Array
    moves_intercept: bool
    gradient: Array
    before: tuple[Array, Array] | None = None  # the point of the step before: weights and intercept
    steps: int = 0
    rows: int = 0  # that have passed, and how much they counted
    total_weight: float = 0.0

    def take(self, X: Any, y: Array, sample_weight: Array | None) -> None:
        """One pass over rows, in their order. Ctrl-C leaves it between two batches."""
        with readable(self.region["region_parameters"], self.region.get("feature_names")) as (parameters, _):
            region = self.region | {"region_parameters": parameters}
            for first in range(0, X.shape[0], BATCH):
                some = slice(first, first + BATCH)
                counts = np.ones(len(y[some])) if sample_weight is None else sample_weight[some]
                total = float(counts.sum())
                rows, total_weight = self.rows + len(counts), self.total_weight + total
                if total > 0:  # a batch counts as much as its rows do, beside those that have passed
                    importance = (total / len(counts)) / (total_weight / rows)
                    self._step(X[some], y[some], counts / total, importance, region)
                self.rows, self.total_weight = rows, total_weight

    def _step(self, X: Any, y: Array, share: Array, importance: float, region: dict[str, Any]) -> None:
        slope, gradient = self._gradient(X, y, share * importance, self.weights, self.intercept)
        new = (self.steps + 1.0) ** -POWER
        if self.before is not None:
            gradient += (1 - new) * (self.gradient - self._gradient(X, y, share * importance, *self.before)[1])
        vertex = _core.oracle(gradient, **region)
        weights = self.weights + (2 / (self.steps + 2)) * (vertex - self.weights)
        intercept = self.intercept
        if self.moves_intercept:
            length = min(new, 1 / importance)  # however much a batch counts, to its own optimum at the most
            intercept = intercept - length * slope / CURVATURE.get(self.loss, 1.0)
        self.gradient, self.before = gradient, (self.weights, self.intercept)
        self.weights, self.intercept, self.steps = weights, intercept, self.steps + 1

    def _gradient(self, X: Any, y: Array, share: Array, weights: Array, intercept: Array) -> tuple[Array, Array]:
        """The derivatives of a batch's mean loss by intercept and weights."""
        scores = np.asarray(X @ weights.T, dtype=np.float64) + intercept
        slope = slopes(self.loss, scores, y, self.loss_parameters) * share[:, None]
        return slope.sum(axis=0), np.asarray((X.T @ slope.astype(X.dtype)).T)
