"""Writes classification sets with planted weights, training and test rows, and says how well these weights predict."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np

from peers.serving import settings

Array = np.ndarray[Any, np.dtype[Any]]
Planted = tuple[Array, Array, Array]  # features, labels, and what the planted weights say


def draw(scores: Array, numbers: np.random.Generator) -> Array:
    """A class for every row, as likely as its scores say."""
    return np.argmax(scores + numbers.gumbel(size=scores.shape), axis=1)


def few_of_many(rows: int, numbers: np.random.Generator) -> Planted:
    """Two classes; 10 of 500 normally distributed features say anything."""
    features = numbers.standard_normal((rows, 500))
    weights = np.zeros(500)
    weights[numbers.choice(500, 10, replace=False)] = numbers.choice([-1.0, 1.0], 10)
    scores = np.column_stack([np.zeros(rows), 1.0 + features @ weights])
    return features, draw(scores, numbers), scores.argmax(axis=1)


def scales(rows: int, numbers: np.random.Generator) -> Planted:
    """Ten classes, weights of rank 3; the units of 40 features differ by a factor of up to a thousand."""
    features = numbers.standard_normal((rows, 40))
    weights = numbers.standard_normal((10, 3)) @ numbers.standard_normal((3, 40)) * 0.3
    scores = features @ weights.T
    units = 10.0 ** numbers.uniform(-1.5, 1.5, 40)
    shift = numbers.uniform(-2, 2, 40)
    return (features + shift) * units, draw(scores, numbers), scores.argmax(axis=1)


def unbalanced(rows: int, numbers: np.random.Generator) -> Planted:
    """Two classes, one row in ten of the second; 1 % of 2000 counts are not zero, a tenth of them say something."""
    features = (numbers.random((rows, 2000)) < 0.01) * numbers.integers(1, 5, (rows, 2000))
    weights = np.zeros(2000)
    weights[numbers.choice(2000, 200, replace=False)] = 1.5 * numbers.standard_normal(200)
    gain = features @ weights
    scores = np.column_stack([np.zeros(rows), gain - np.quantile(gain, 0.9)])
    return features, draw(scores, numbers), scores.argmax(axis=1)


def write_csv(path: Path, features: Array, labels: Array) -> None:
    names = [f"x{j}" for j in range(features.shape[1])]
    with path.open("w") as file:
        print(*names, "label", sep=",", file=file)
        for row, label in zip(features, labels, strict=True):
            print(*(f"{value:.6g}" for value in row), f"class{label}", sep=",", file=file)


def write_libsvm(path: Path, features: Array, labels: Array) -> None:
    with path.open("w") as file:
        for row, label in zip(features, labels, strict=True):
            print(label, *(f"{j + 1}:{row[j]:g}" for j in np.flatnonzero(row)), file=file)


MAKERS = {
    "few-of-many": (few_of_many, write_csv, 4000),
    "scales": (scales, write_csv, 6000),
    "unbalanced": (unbalanced, write_libsvm, 20000),
}


def main() -> None:
    arguments = settings()
    make, write, rows = MAKERS[arguments["name"]]
    test = rows // 2
    features, labels, planted = make(rows + test, np.random.default_rng(int(arguments["seed"])))
    write(Path(arguments["train"]), features[:rows], labels[:rows])
    write(Path(arguments["test"]), features[rows:], labels[rows:])
    print(json.dumps({"planted": float(np.mean(labels[rows:] == planted[rows:]))}))


if __name__ == "__main__":
    main()
