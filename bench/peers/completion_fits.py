"""Completes matrices by scikit-surprise, cmfrec, and the loop that a user would write around SciPy's svds; judges all."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from peers.serving import Facts, answer, settings

Array = np.ndarray[Any, np.dtype[Any]]
Predict = Callable[[Array, Array], Array]


class Sides:
    """Rows, columns and values to fit to, and to test with."""

    def __init__(self, folder: Path) -> None:
        train, test = (np.load(folder / f"{name}.npz") for name in ("train", "test"))
        self.rows, self.columns, self.values = train["row"], train["col"], train["data"]
        self.shape = tuple(int(lines) for lines in train["shape"])
        self.test = test["row"], test["col"], test["data"]

    def error(self, predict: Predict) -> float:
        rows, columns, values = self.test
        found = predict(rows, columns).clip(self.values.min(), self.values.max())
        return float(np.sqrt(np.mean((found - values.astype(np.float64)) ** 2)))


def model_of_ours(path: Path) -> Predict:
    """As docs/model-format.md has it. Rows and columns are named by their positions."""
    model = np.load(path)
    left, right = model["left"].astype(np.float64), model["right"].astype(np.float64)

    def predict(rows: Array, columns: Array) -> Array:
        values = model["mean"] + np.einsum("ik,ik->i", left[rows], right[columns])
        if model["row_biases"].size:
            values = values + model["row_biases"][rows] + model["column_biases"][columns]
        return values

    return predict


def surprise(sides: Sides, question: dict[str, Any]) -> tuple[Callable[[], Any], Callable[[Any], Predict]]:
    from surprise import SVD, BaselineOnly, Dataset, Reader

    reader = Reader(rating_scale=(float(sides.values.min()), float(sides.values.max())))
    triples = [(int(i), int(j), float(value), None) for i, j, value in zip(sides.rows, sides.columns, sides.values)]
    train = Dataset(reader).construct_trainset(triples)
    algorithm: Any
    if question["fit"] == "baseline":
        algorithm = BaselineOnly(verbose=False)
    else:
        algorithm = SVD(random_state=0, **question["settings"])

    def predictor(fitted: Any) -> Predict:
        return lambda rows, columns: np.array([fitted.predict(int(i), int(j)).est for i, j in zip(rows, columns)])

    return lambda: algorithm.fit(train), predictor


def cmfrec(sides: Sides, question: dict[str, Any]) -> tuple[Callable[[], Any], Callable[[Any], Predict]]:
    from cmfrec import CMF
    from scipy import sparse

    known = sparse.coo_matrix((sides.values, (sides.rows, sides.columns)), shape=sides.shape)
    model = CMF(method="als", use_float=question["single"], nthreads=question["threads"], random_state=1,
                user_bias=question["biases"], item_bias=question["biases"], verbose=False,
                precompute_for_predictions=False, **question["settings"])  # fmt: skip
    return lambda: model.fit(known), lambda fitted: fitted.predict


def mean_of_all(sides: Sides, _question: dict[str, Any]) -> tuple[Callable[[], Any], Callable[[Any], Predict]]:
    return sides.values.mean, lambda mean: lambda rows, _columns: np.full(len(rows), mean)


FITS = {"mean": mean_of_all, "baseline": surprise, "svd": surprise, "cmfrec": cmfrec}


def fit(sides: Sides, question: dict[str, Any]) -> Facts:
    work, predictor = FITS[question["fit"]](sides, question)
    start, cpu = time.perf_counter(), time.process_time()
    fitted = work()
    seconds, cpu = time.perf_counter() - start, time.process_time() - cpu
    return {"seconds": seconds, "cpu": cpu, "error": sides.error(predictor(fitted))}


def frank_wolfe(sides: Sides, question: dict[str, Any]) -> Facts:
    """x at the known places alone, exact line search, svds on the sparse gradient from where the last one ended."""
    from scipy import sparse
    from scipy.sparse.linalg import svds

    real = np.float32 if question["single"] else np.float64
    gradient = sparse.coo_matrix((sides.values.astype(real), (sides.rows, sides.columns)), shape=sides.shape).tocsr()
    wanted = gradient.data.copy()
    rows = np.repeat(np.arange(sides.shape[0], dtype=np.int32), np.diff(gradient.indptr))
    columns, count, radius = gradient.indices, len(wanted), question["radius"]
    goals, limit = list(question["goals"]), question["limit"]
    times: dict[str, list[float]] = {}
    start, cpu = time.perf_counter(), time.process_time()
    x = np.zeros_like(wanted)
    first, begin, iterations, value, gap = None, None, 0, 0.0, 0.0
    while goals and time.perf_counter() - start < limit:
        rest = x - wanted
        gradient.data[:] = rest / real(count)
        value = float(rest @ rest) / (2 * count)
        first = value if first is None else first
        left, size, right = svds(gradient, k=1, v0=begin)
        begin = right[0] if sides.shape[1] <= sides.shape[0] else left[:, 0]
        way = (-radius * left[:, 0].astype(real))[rows] * right[0].astype(real)[columns] - x
        slope = float(gradient.data @ way)
        gap = -slope
        while goals and gap <= goals[0] * max(value, first - value):
            times[str(goals.pop(0))] = [time.perf_counter() - start, time.process_time() - cpu, iterations]
        x += real(min(1.0, max(0.0, gap * count / float(way @ way)))) * way
        iterations += 1
    return {"times": times, "iterations": iterations, "seconds": time.perf_counter() - start,
            "cpu": time.process_time() - cpu, "objective": value, "gap": gap}  # fmt: skip


def main() -> None:
    sides = Sides(Path(settings()["folder"]))

    def reply_to(question: dict[str, Any]) -> Facts:
        if "judge" in question:
            return {"error": sides.error(model_of_ours(Path(question["judge"])))}
        return frank_wolfe(sides, question) if "radius" in question else fit(sides, question)

    answer(reply_to)


if __name__ == "__main__":
    main()
