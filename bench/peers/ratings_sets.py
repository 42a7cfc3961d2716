"""Writes observations of a matrix, to fit and to test with: planted ones, or a share of a file of ratings."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import numpy as np

from peers.serving import settings

Array = np.ndarray[Any, np.dtype[Any]]
# How unevenly rows and columns are seen: the spread of the logarithms of their shares, about as in MovieLens 10M.
ROW_SPREAD, COLUMN_SPREAD = 1.18, 1.7
TEST_SHARE = 0.05  # beside the planted observations
RATINGS_TEST_SHARE = 0.1


def draw_places(shape: tuple[int, int], count: int, numbers: np.random.Generator) -> tuple[Array, Array]:
    """So many different places, in random order; those of frequent rows and columns are likelier."""
    spreads = ROW_SPREAD, COLUMN_SPREAD
    limits = []
    for lines, spread in zip(shape, spreads, strict=True):
        shares = np.exp(spread * numbers.standard_normal(lines))
        limits.append(np.cumsum(shares) / shares.sum())
    found = np.empty(0, np.int64)
    while len(found) < count:
        drawn = [np.searchsorted(limit, numbers.random(count)).clip(max=len(limit) - 1) for limit in limits]
        found = np.unique(np.concatenate([found, drawn[0] * shape[1] + drawn[1]]))
    found = numbers.permutation(found)[:count]
    return found // shape[1], found % shape[1]


def planted_values(places: tuple[Array, Array], shape: tuple[int, int], rank: int, noise: float,
                   numbers: np.random.Generator) -> Array:  # fmt: skip
    """Of a matrix whose entries have variance one, and noise."""
    left, right = (numbers.standard_normal((lines, rank), dtype=np.float32) for lines in shape)
    values = np.empty(len(places[0]), np.float32)
    for first in range(0, len(values), 1 << 20):
        part = slice(first, first + (1 << 20))
        values[part] = np.einsum("ik,ik->i", left[places[0][part]], right[places[1][part]])
    return values / np.float32(np.sqrt(rank)) + np.float32(noise) * numbers.standard_normal(len(values), np.float32)


def write(path: Path, rows: Array, columns: Array, values: Array, shape: tuple[int, int]) -> None:
    np.savez(path, row=rows.astype(np.int32), col=columns.astype(np.int32), data=values.astype(np.float32),
             shape=np.array(shape))  # fmt: skip


def planted(arguments: dict[str, str], numbers: np.random.Generator) -> tuple[Array, Array, Array, tuple[int, int], int]:
    shape = int(arguments["rows"]), int(arguments["columns"])
    count = int(arguments["count"])
    test = round(TEST_SHARE * count)
    rows, columns = draw_places(shape, count + test, numbers)
    values = planted_values((rows, columns), shape, int(arguments["rank"]), float(arguments["noise"]), numbers)
    return rows, columns, values, shape, test


def ratings(arguments: dict[str, str], numbers: np.random.Generator) -> tuple[Array, Array, Array, tuple[int, int], int]:
    with gzip.open(arguments["file"], "rt") as file:
        triples = [line.split("\t") for line in file]
    (users, rows), (films, columns) = (
        np.unique([triple[k] for triple in triples], return_inverse=True) for k in range(2)
    )
    order = numbers.permutation(len(triples))
    values = np.array([float(triple[2]) for triple in triples])
    shape = len(users), len(films)
    return rows[order], columns[order], values[order], shape, round(RATINGS_TEST_SHARE * len(triples))


def main() -> None:
    arguments = settings()
    numbers = np.random.default_rng(int(arguments["seed"]))
    rows, columns, values, shape, test = (ratings if "file" in arguments else planted)(arguments, numbers)
    folder = Path(arguments["folder"])
    for name, part in (("test", slice(test)), ("train", slice(test, None))):
        write(folder / f"{name}.npz", rows[part], columns[part], values[part], shape)
    print(json.dumps({"shape": shape, "train": len(rows) - test, "test": test, "mean": float(values[test:].mean())}))


if __name__ == "__main__":
    main()
