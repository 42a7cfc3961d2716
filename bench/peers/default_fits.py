"""scikit-learn's logistic regressions with the settings they come with: time and accuracy on unseen rows."""

from __future__ import annotations

import csv
import gzip
import time
import warnings
from pathlib import Path
from typing import Any

import numpy as np
from scipy.sparse import issparse
from sklearn.datasets import load_svmlight_file
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression, LogisticRegressionCV

from peers.serving import Facts, Measure, serve, settings

Rows = tuple[Any, Any]  # features, labels


def read_idx(path: str) -> Any:
    raw = gzip.decompress(Path(path).read_bytes())
    shape = np.frombuffer(raw, ">u4", raw[3], 4)
    return np.frombuffer(raw, np.uint8, offset=4 + 4 * len(shape)).reshape(shape[0], -1)


def read(path: str, features: int) -> Rows:
    """What a user would have in hand: doubles, sparse where most entries are zero, pixels divided by 255."""
    if path.endswith(".csv"):
        with Path(path).open(newline="") as file:
            lines = csv.reader(file)
            next(lines)
            table = np.array(list(lines))
        return table[:, :-1].astype(float), table[:, -1]
    if "-images-idx3-" in path:
        labels = read_idx(path.replace("-images-idx3-", "-labels-idx1-"))
        return read_idx(path) / 255, labels.ravel()
    matrix, labels = load_svmlight_file(path, n_features=features)
    matrix.indices, matrix.indptr = matrix.indices.astype(np.int32), matrix.indptr.astype(np.int32)  # for liblinear
    return (matrix.toarray() if matrix.nnz > 0.5 * np.prod(matrix.shape) else matrix), labels


def estimator(name: str, classes: int, jobs: int) -> Any:
    penalty = 1.0 if name.endswith("l1") else 0.0
    # liblinear has no loss for more than two classes.
    solver = "lbfgs" if penalty == 0 else "liblinear" if classes == 2 else "saga"
    if name.startswith("cv"):
        return LogisticRegressionCV(
            solver=solver, l1_ratios=(penalty,), scoring="accuracy", n_jobs=jobs, use_legacy_attributes=False
        )
    return LogisticRegression(solver=solver, l1_ratio=penalty)


def fitting(name: str, train: Rows, test: Rows, jobs: int) -> Measure:
    def measure() -> tuple[float, Facts]:
        model = estimator(name, len(np.unique(train[1])), jobs)
        with warnings.catch_warnings(record=True) as said:
            warnings.simplefilter("always")
            start = time.perf_counter()
            model.fit(*train)
            seconds = time.perf_counter() - start
        ended = not any(issubclass(word.category, ConvergenceWarning) for word in said)
        return seconds, {"accuracy": float(model.score(*test)), "converged": ended}

    return measure


def main() -> None:
    arguments = settings()
    features, jobs = int(arguments["features"]), int(arguments["threads"])
    start = time.perf_counter()
    train = read(arguments["train"], features)
    loading = time.perf_counter() - start
    test = read(arguments["test"], features)
    facts = {
        "loading": loading,
        "rows": train[0].shape[0],
        "features": train[0].shape[1],
        "classes": len(np.unique(train[1])),
        "sparse": bool(issparse(train[0])),
    }
    serve(facts, {name: fitting(name, train, test, jobs) for name in ("lr-l2", "lr-l1", "cv-l2", "cv-l1")})


if __name__ == "__main__":
    main()
