"""Peers of the `optimum` case, a fit at a time: penalised fits on a ladder of accuracies, and copt over the same balls.

Questions are lines of JSON:
{"load": {...}}: read a data set (see `load_set`); answered with its size and the largest penalty that does anything;
{"fit": NAME, "penalty": "l1" or "l2", "weight": λ, "rung": k}: a fit of mean loss + λ‖w‖₁ or + λ‖w‖²/2, the more
accurate the larger k; answered with its seconds, objective, loss, norm, and a lower bound of the optimum;
{"descend": METHOD, "region": NAME, "radius": r, "limit": s}: copt; answered with (seconds, loss) of its iterates;
{"path": NAME, "weights": [λ, ...], "rung": k}: fits for falling λ, see `path_fits`; answered with the seconds of all,
their norms, and the gaps between their objectives and what they prove;
{"multiplier": MODEL}: λ for which the model's weights would minimise mean loss + λ‖w‖²/2;
{"judge": MODEL, "penalty": ..., "weight": λ}: as of a fit, for a model of ours.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
from scipy.sparse import issparse

from peers.default_fits import read
from peers.mean_loss import Array, MeanLoss
from peers.path_fits import NEVER, PATHS
from peers.serving import Facts, answer, settings

REPEAT, MOST_REPEATS = 0.3, 3  # a fit is repeated while all of them took less than this

Fit = Callable[[Any, Array, MeanLoss, float, int], Any]  # features, labels, loss, weight, rung: weights


def tolerance(rung: int) -> float:
    return 10.0 ** (-rung / 2)


def liblinear(features: Any, labels: Array, loss: MeanLoss, weight: float, rung: int) -> Any:
    from sklearn.linear_model import LogisticRegression

    model = LogisticRegression(
        solver="liblinear", l1_ratio=1.0, C=1 / (weight * loss.rows), fit_intercept=False, tol=tolerance(rung),
        max_iter=NEVER, random_state=0,
    )  # fmt: skip
    return model.fit(features, labels).coef_


def _iterating(solver: str, l1_ratio: float) -> Fit:
    """The number of iterations is doubled from rung to rung."""

    def fit(features: Any, labels: Array, loss: MeanLoss, weight: float, rung: int) -> Any:
        from sklearn.linear_model import LogisticRegression

        model = LogisticRegression(
            solver=solver, l1_ratio=l1_ratio, C=1 / (weight * loss.rows), fit_intercept=False, tol=1e-14,
            max_iter=2**rung, random_state=0,
        )  # fmt: skip
        return model.fit(features, labels).coef_

    return fit


def sgd(features: Any, labels: Array, loss: MeanLoss, weight: float, rung: int) -> Any:
    """Its number of epochs is doubled from rung to rung too."""
    from sklearn.linear_model import SGDClassifier

    model = SGDClassifier(
        loss="log_loss", penalty="l1", alpha=weight, fit_intercept=False, tol=None, max_iter=2**rung, random_state=0
    )
    return model.fit(features, labels).coef_


def lasso(features: Any, labels: Array, loss: MeanLoss, weight: float, rung: int) -> Any:
    from sklearn.linear_model import Lasso

    model = Lasso(alpha=weight, fit_intercept=False, tol=tolerance(rung), max_iter=NEVER)
    return model.fit(features, labels).coef_


def celer(features: Any, labels: Array, loss: MeanLoss, weight: float, rung: int) -> Any:
    from celer import Lasso, LogisticRegression

    common = {"fit_intercept": False, "tol": tolerance(rung), "max_iter": 1000}
    if loss.loss == "squared":
        return Lasso(alpha=weight, **common).fit(features, labels).coef_
    return LogisticRegression(C=1 / (weight * loss.rows), **common).fit(features, labels).coef_


def skglm(features: Any, labels: Array, loss: MeanLoss, weight: float, rung: int) -> Any:
    from skglm import Lasso, SparseLogisticRegression

    # Its tolerance is on the violation of the optimality conditions, which are of the size of the weight; where that is
    # small, a violation of many times the weight is still near the optimum.
    estimator = Lasso if loss.loss == "squared" else SparseLogisticRegression
    model = estimator(alpha=weight, fit_intercept=False, tol=1e3 * weight * tolerance(rung), max_iter=1000)
    return model.fit(features, labels).coef_


def glmnet(features: Any, labels: Array, loss: MeanLoss, weight: float, rung: int) -> Any:
    from glmnet import ElasticNet, LogitNet

    estimator = ElasticNet if loss.loss == "squared" else LogitNet
    model = estimator(
        alpha=1, lambda_path=np.array([weight]), standardize=False, fit_intercept=False, n_splits=0,
        tol=0.1 * tolerance(rung), max_iter=NEVER,
    )  # fmt: skip
    return model.fit(features, labels).coef_path_[..., -1]


FITS: dict[str, Fit] = {
    "LIBLINEAR": liblinear,
    "celer": celer,
    "skglm": skglm,
    "glmnet": glmnet,
    "saga": _iterating("saga", 1.0),
    "lbfgs": _iterating("lbfgs", 0.0),
    "SGD": sgd,
    "Lasso": lasso,
}
BY_COLUMNS = {"celer", "skglm", "glmnet", "Lasso"}  # those that read the features column by column


def load_set(source: dict[str, Any]) -> tuple[Any, Array]:
    """A file that `default_fits` reads, or arrays; in double precision."""
    if source["path"].endswith(".npy"):
        return np.load(source["path"]).astype(np.float64), np.load(source["labels"]).ravel()
    return read(source["path"], source["features"])


class Peer:
    def __init__(self, who: str) -> None:
        self.by_columns = who in BY_COLUMNS

    def rows_of(self, source: dict[str, Any]) -> tuple[Any, Array]:
        """Those to fit to."""
        return load_set(source)

    def load(self, source: dict[str, Any]) -> Facts:
        self.features, self.labels = None, None  # before the next ones need the room
        features, labels = self.rows_of(source)
        if self.by_columns:
            features = features.tocsc() if issparse(features) else np.asfortranarray(features)
        if source["loss"] == "squared":
            labels = labels.astype(np.float64)
        self.features, self.labels = features, labels
        self.loss = MeanLoss(features, labels, source["loss"])
        start = self.loss.evaluate(np.zeros(self.loss.shape))[1]
        return {"rows": self.loss.rows, "features": features.shape[1], "largest": float(np.abs(start).max())}

    def fit(self, name: str, penalty: str, weight: float, rung: int) -> Facts:
        taken: list[float] = []
        while not taken or (sum(taken) < REPEAT and len(taken) < MOST_REPEATS):
            start = time.perf_counter()
            weights = FITS[name](self.features, self.labels, self.loss, weight, rung)
            taken.append(time.perf_counter() - start)
        return {"seconds": min(taken), **self.judge(np.asarray(weights, np.float64), penalty, weight)}

    def judge(self, weights: Array, penalty: str, weight: float) -> Facts:
        weights = weights.reshape(self.loss.shape)
        value, slopes = self.loss.derivatives(weights)
        gradient = self.loss.pulled_back(slopes)
        if penalty == "l1":
            norm = float(np.abs(weights).sum())
            total = value + weight * norm
            bound = self.loss.l1_bound(slopes, gradient, weight)
        else:
            norm = float(np.linalg.norm(weights))
            total = value + weight * norm**2 / 2
            bound = total - float(np.sum((gradient + weight * weights) ** 2)) / (2 * weight)  # strongly convex
        return {"objective": total, "loss": value, "norm": norm, "bound": bound}

    def path(self, name: str, weights: list[float], rung: int) -> Facts:
        start = time.perf_counter()
        found = np.asarray(PATHS[name](self.features, self.labels, self.loss, np.array(weights), tolerance(rung)))
        seconds = time.perf_counter() - start
        fits = [self.judge(found[:, k], "l1", weight) for k, weight in enumerate(weights)]
        gaps = [fit["objective"] - fit["bound"] for fit in fits]
        return {"seconds": seconds, "norms": [fit["norm"] for fit in fits], "gaps": gaps}

    def multiplier(self, model: str) -> Facts:
        weights = np.load(model)["weights"].astype(np.float64)
        gradient = self.loss.evaluate(weights)[1]
        return {"weight": -float(np.vdot(gradient, weights)) / max(float(np.vdot(weights, weights)), 1e-300)}

    def descend(self, method: str, region: str, radius: float, limit: float) -> Facts:
        import copt

        if region == "nuclear":
            ball = copt.constraint.TraceBall(radius, self.loss.shape)
        else:
            ball = {"l1": copt.constraint.L1Ball, "l2": copt.constraint.L2Ball}[region](radius)

        def function(flat: Array) -> tuple[float, Array]:
            value, gradient = self.loss.evaluate(flat)
            return value, gradient.ravel()

        curve: list[tuple[float, float]] = []
        start, paused = time.perf_counter(), 0.0

        def watch(state: dict[str, Any]) -> bool:
            nonlocal paused
            now = time.perf_counter()
            curve.append((now - start - paused, self.loss.derivatives(state["x"])[0]))
            paused += time.perf_counter() - now
            return curve[-1][0] < limit

        zero = np.zeros(self.loss.outputs * self.loss.shape[1])
        common = {"jac": True, "tol": 1e-14, "max_iter": NEVER, "callback": watch}
        if method == "accelerated":
            copt.minimize_proximal_gradient(function, zero, ball.prox, accelerated=True, **common)
        else:
            copt.minimize_frank_wolfe(function, zero, ball.lmo, step="backtracking", **common)
        return {"curve": curve}

    def reply(self, question: Facts) -> Facts:
        if "load" in question:
            return self.load(question["load"])
        if "fit" in question:
            return self.fit(question["fit"], question["penalty"], question["weight"], question["rung"])
        if "path" in question:
            return self.path(question["path"], question["weights"], question["rung"])
        if "judge" in question:
            weights = np.load(question["judge"])["weights"].astype(np.float64)
            return self.judge(weights, question["penalty"], question["weight"])
        if "descend" in question:
            return self.descend(question["descend"], question["region"], question["radius"], question["limit"])
        return self.multiplier(question["multiplier"])


def main() -> None:
    warnings.simplefilter("ignore")  # of fits that are meant to be cut short
    answer(Peer(settings()["who"]).reply)


if __name__ == "__main__":
    main()
