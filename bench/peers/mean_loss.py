"""The mean loss that alfcg minimises, in NumPy and double precision: values, gradients and lower bounds.

Weights are (outputs, features): one row for `logistic` and `squared`, one per class for `multinomial`.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.special import entr, expit, log_softmax

Array = np.ndarray[Any, np.dtype[Any]]


class MeanLoss:
    def __init__(self, features: Any, labels: Array, loss: str) -> None:
        self.features, self.loss = features, loss
        self.rows = features.shape[0]
        if loss == "squared":
            self.targets = labels.astype(np.float64)
            self.outputs = 1
        else:
            names, self.classes = np.unique(labels, return_inverse=True)
            self.outputs = 1 if loss == "logistic" else len(names)
            self.targets = 2.0 * self.classes - 1  # of logistic: the smaller label is -1

    @property
    def shape(self) -> tuple[int, int]:
        return self.outputs, self.features.shape[1]

    def derivatives(self, weights: Array) -> tuple[float, Array]:
        """The mean loss, and its derivatives by the scores times the number of rows: (rows, outputs)."""
        scores = np.asarray(self.features @ weights.reshape(self.shape).T)
        if self.loss == "squared":
            residual = scores - self.targets[:, None]
            return float(0.5 * np.mean(residual**2)), residual
        if self.loss == "logistic":
            margin = self.targets * scores[:, 0]
            return float(np.mean(np.logaddexp(0, -margin))), (-self.targets * expit(-margin))[:, None]
        logarithms = log_softmax(scores, axis=1)
        own = np.arange(self.rows), self.classes
        value = -float(np.mean(logarithms[own]))
        slopes = np.exp(logarithms)
        slopes[own] -= 1
        return value, slopes

    def pulled_back(self, slopes: Array) -> Array:
        """The gradient that belongs to derivatives by the scores."""
        return np.asarray(self.features.T @ slopes).T / self.rows

    def evaluate(self, weights: Array) -> tuple[float, Array]:
        value, slopes = self.derivatives(weights)
        return value, self.pulled_back(slopes)

    def conjugate(self, slopes: Array) -> float:
        """The mean of the conjugate losses at derivatives of size at most those of some scores."""
        if self.loss == "squared":
            return float(np.mean(0.5 * slopes[:, 0] ** 2 + slopes[:, 0] * self.targets))
        if self.loss == "logistic":
            share = -self.targets * slopes[:, 0]
            return -float(np.mean(entr(share) + entr(1 - share)))
        shares = slopes.copy()
        shares[np.arange(self.rows), self.classes] += 1
        return -float(np.mean(entr(np.maximum(shares, 0)).sum(axis=1)))

    def l1_bound(self, slopes: Array, gradient: Array, weight: float) -> float:
        """A lower bound of mean loss + weight ‖w‖₁: the dual objective, at derivatives scaled to be feasible."""
        scale = min(1.0, weight / max(float(np.abs(gradient).max()), 1e-300))
        return -self.conjugate(scale * slopes)
