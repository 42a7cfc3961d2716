"""Writes the planted sets of the `optimum` and `paths` cases."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from peers.serving import settings

SEED = 0


def sparse_logistic(folder: Path) -> None:
    """20 000 x 200 000, up to 100 entries a row at places of falling frequency; 100 of the frequent features matter."""
    rows, features, entries = 20_000, 200_000, 100
    numbers = np.random.default_rng(SEED)
    frequency = 1 / (np.arange(features) + 100.0)
    ends = np.cumsum(frequency / frequency.sum())
    places = np.minimum(np.searchsorted(ends, numbers.random((rows, entries))), features - 1)
    weights = np.zeros(features)
    weights[numbers.choice(5000, 100, replace=False)] = 2 * numbers.standard_normal(100)
    with (folder / "planted-sparse.txt").open("w") as file:
        for row in places:
            present = np.unique(row)
            values = np.round(numbers.standard_normal(len(present)), 4)
            likely = 1 / (1 + np.exp(-values @ weights[present]))
            label = 1 if numbers.random() < likely else -1
            print(label, *(f"{j + 1}:{v:g}" for j, v in zip(present, values, strict=True)), file=file)


def dense_squared(folder: Path, name: str, rows: int, features: int, true: int) -> None:
    """Normally distributed numbers in single precision, `true` features that matter, and noise."""
    numbers = np.random.default_rng(SEED)
    matrix = numbers.standard_normal((rows, features), np.float32)
    weights = np.zeros(features, np.float32)
    weights[numbers.choice(features, true, replace=False)] = numbers.standard_normal(true)
    targets = matrix @ weights + numbers.standard_normal(rows, np.float32)
    np.save(folder / f"{name}.npy", matrix)
    np.save(folder / f"{name}.labels.npy", targets)


def main() -> None:
    arguments = settings()
    folder = Path(arguments["folder"])
    makers = {
        "planted-sparse": lambda: sparse_logistic(folder),
        "planted-wide": lambda: dense_squared(folder, "planted-wide", 2_000, 20_000, 100),
        "planted-tall": lambda: dense_squared(folder, "planted-tall", 100_000, 1_000, 50),
    }
    makers[arguments["name"]]()


if __name__ == "__main__":
    main()
