"""Estimators in Python, a process for each: alfcg's and those of others, judged on rows that none of them has seen.

Beside the questions of `optimum_fits`:
{"ball": REGION, "radius": r, "tolerance": t}: a fit of ours; answered with its seconds, loss, gap and score;
{"whole": NAME}: an estimator as it comes, mostly with cross-validation; answered with its seconds and score;
{"call": N}: the seconds of N fits of four rows, beyond what the method itself took, and of a whole estimator's.
"""

from __future__ import annotations

import os
import statistics
import time
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

from peers.mean_loss import Array
from peers.optimum_fits import MOST_REPEATS, REPEAT, Peer
from peers.serving import Facts, answer, settings

JOBS = int(os.environ["OMP_NUM_THREADS"])
FOLDS, POINTS = 5, 10


def _logistic_cv(solver: str, l1_ratio: float) -> Callable[[], Any]:
    def make() -> Any:
        from sklearn.linear_model import LogisticRegressionCV

        return LogisticRegressionCV(
            Cs=POINTS, solver=solver, l1_ratios=(l1_ratio,), scoring="accuracy", cv=FOLDS, n_jobs=JOBS, max_iter=1000,
            use_legacy_attributes=False,
        )  # fmt: skip

    return make


def _sgd() -> Any:
    from sklearn.linear_model import SGDClassifier

    return SGDClassifier(loss="log_loss", penalty="l1", n_jobs=JOBS, random_state=0)


def _lasso_cv() -> Any:
    from sklearn.linear_model import LassoCV

    return LassoCV(cv=FOLDS, n_jobs=JOBS)


def _ours(name: str, **parameters: Any) -> Callable[[], Any]:
    def make() -> Any:
        import alfcg

        return getattr(alfcg, name)(cv=FOLDS, n_jobs=JOBS, **parameters)

    return make


WHOLE: dict[str, Callable[[], Any]] = {
    "ConstrainedClassifierCV, l1": _ours("ConstrainedClassifierCV", region="l1", radii=POINTS),
    "LogisticRegressionCV, l1": _logistic_cv("liblinear", 1.0),
    "SGDClassifier, l1": _sgd,
    "ConstrainedClassifierCV, l2": _ours("ConstrainedClassifierCV", region="l2", radii=POINTS),
    "LogisticRegressionCV, l2": _logistic_cv("lbfgs", 0.0),
    "ConstrainedRegressorCV": _ours("ConstrainedRegressorCV"),
    "LassoCV": _lasso_cv,
}


def quickest(work: Callable[[], Any]) -> tuple[float, Any]:
    """Of some calls, unless one takes long."""
    taken: list[float] = []
    found: Any = None
    while not taken or (sum(taken) < REPEAT and len(taken) < MOST_REPEATS):
        start = time.perf_counter()
        found = work()
        taken.append(time.perf_counter() - start)
    return min(taken), found


def overhead(count: int) -> Facts:
    """Of a call on next to nothing."""
    from alfcg import ConstrainedRegressor, _core

    X, y = np.array([[0.0, 1.0], [1.0, 0.0], [1.0, 1.0], [2.0, 1.0]]), np.array([1.0, 2.0, 3.0, 5.0])
    core: list[float] = []
    whole: list[float] = []
    for _ in range(count):
        start = time.perf_counter()
        fit = _core.fit(X, y, loss="squared", region="l1", threads=1)
        core.append(time.perf_counter() - start - fit.seconds)
        start = time.perf_counter()
        ConstrainedRegressor(n_jobs=1).fit(X, y)
        whole.append(time.perf_counter() - start)
    return {"call": statistics.median(core), "estimator": statistics.median(whole)}


class Unseen(Peer):
    def rows_of(self, source: dict[str, Any]) -> tuple[Any, Array]:
        features, labels = super().rows_of(source)
        aside = np.random.default_rng(0).random(features.shape[0]) < 0.25
        self.unseen = features[aside], labels[aside]
        return features[~aside], labels[~aside]

    def judge(self, weights: Array, penalty: str, weight: float) -> Facts:
        scores = np.asarray(self.unseen[0] @ weights.ravel())
        return {**super().judge(weights, penalty, weight), "score": self.score(scores)}

    def score(self, scores: Array) -> float:
        """Accuracy, or R²."""
        truth = self.unseen[1]
        if self.loss.loss == "squared":
            return float(1 - np.mean((scores - truth) ** 2) / np.var(truth))
        return float(np.mean((scores > 0) == (truth == truth.max())))

    def ball(self, region: str, radius: float, tolerance: float) -> Facts:
        import alfcg

        name = "ConstrainedRegressor" if self.loss.loss == "squared" else "ConstrainedClassifier"
        model = getattr(alfcg, name)(region=region, radius=radius, tol=tolerance, fit_intercept=False, n_jobs=JOBS)
        seconds, fitted = quickest(lambda: model.fit(self.features, self.labels))
        value = self.loss.derivatives(np.asarray(fitted.coef_, np.float64))[0]
        scores = np.asarray(self.unseen[0] @ fitted.coef_.ravel())
        return {"seconds": seconds, "loss": value, "gap": fitted.gap_, "score": self.score(scores)}

    def whole(self, name: str) -> Facts:
        model = WHOLE[name]()
        seconds, fitted = quickest(lambda: model.fit(self.features, self.labels))
        score = float(np.mean(fitted.predict(self.unseen[0]) == self.unseen[1]))
        if self.loss.loss == "squared":
            score = self.score(fitted.predict(self.unseen[0]))
        return {"seconds": seconds, "score": score, "nonzeros": int(np.count_nonzero(fitted.coef_))}

    def reply(self, question: Facts) -> Facts:
        if "ball" in question:
            return self.ball(question["ball"], question["radius"], question["tolerance"])
        if "whole" in question:
            return self.whole(question["whole"])
        if "call" in question:
            return overhead(question["call"])
        return super().reply(question)


def main() -> None:
    warnings.simplefilter("ignore")  # of fits that are meant to be cut short
    answer(Unseen(settings()["who"]).reply)


if __name__ == "__main__":
    main()
