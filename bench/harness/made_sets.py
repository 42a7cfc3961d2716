"""Data sets that are made on the spot, each hard in its own way, for a rule that was chosen on others."""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Iterator
from pathlib import Path

SEED = 0
Row = tuple[int, dict[int, float]]  # label, and entries by column, counted from 1


def _draw(scores: list[float], numbers: random.Random) -> int:
    """A class with the probabilities that the scores stand for."""
    top = max(scores)
    return numbers.choices(range(len(scores)), [math.exp(score - top) for score in scores])[0]


def _planted(numbers: random.Random, outputs: int, features: int, size: float) -> list[list[float]]:
    return [[numbers.gauss(0, size) for _ in range(features)] for _ in range(outputs)]


def _scores(weights: list[list[float]], entries: dict[int, float]) -> list[float]:
    return [sum(row[place - 1] * value for place, value in entries.items()) for row in weights]


def correlated(numbers: random.Random) -> Iterator[Row]:
    """Every column is nearly the one before it; five classes of planted weights."""
    weights = _planted(numbers, 5, 50, 0.5)
    for _ in range(2000):
        value = numbers.gauss(0, 1)
        entries = {}
        for place in range(1, 51):
            value = 0.95 * value + math.sqrt(1 - 0.95**2) * numbers.gauss(0, 1)
            entries[place] = value
        yield _draw(_scores(weights, entries), numbers), entries


def unbalanced(numbers: random.Random) -> Iterator[Row]:
    """Two classes, one row in twenty-five in the second."""
    weights = _planted(numbers, 1, 60, 0.2)[0]
    for _ in range(4000):
        label = int(numbers.random() < 0.04)
        yield label, {place: numbers.gauss(0, 1) + label * weights[place - 1] for place in range(1, 61)}


def heavy_tails(numbers: random.Random) -> Iterator[Row]:
    """Columns with scales from 0.01 to 100, entries with Student's t, three degrees of freedom; four classes."""
    scales = [10 ** numbers.uniform(-2, 2) for _ in range(40)]
    weights = _planted(numbers, 4, 40, 0.5)
    for _ in range(2000):
        plain = {place: numbers.gauss(0, 1) / math.sqrt(numbers.gammavariate(1.5, 2) / 3) for place in range(1, 41)}
        label = _draw(_scores(weights, plain), numbers)
        yield label, {place: scales[place - 1] * value for place, value in plain.items()}


def wide(numbers: random.Random) -> Iterator[Row]:
    """Like text: 4000 columns, the k-th as frequent as 1/k, about thirty entries a row; three classes."""
    frequency = [1 / (place + 5) for place in range(4000)]
    topics = [[f * math.exp(numbers.gauss(0, 1)) for f in frequency] for _ in range(3)]
    for _ in range(1500):
        label = numbers.randrange(3)
        entries: dict[int, float] = {}
        for place in numbers.choices(range(1, 4001), topics[label], k=40):
            entries[place] = entries.get(place, 0) + 1
        yield label, entries


def clusters(numbers: random.Random) -> Iterator[Row]:
    """Six classes of two clouds each at corners of a cube in eight dimensions; 22 more columns are noise."""
    corners = [[numbers.choice((-1, 1)) * 1.5 for _ in range(8)] for _ in range(12)]
    for _ in range(3000):
        cloud = numbers.randrange(12)
        centre = corners[cloud] + [0.0] * 22
        yield cloud % 6, {place + 1: middle + numbers.gauss(0, 1) for place, middle in enumerate(centre)}


def categories(numbers: random.Random) -> Iterator[Row]:
    """Twenty-two attributes of two to nine values each, one column a value; the class follows from them without error."""
    sizes = [numbers.randint(2, 9) for _ in range(22)]
    starts = [1 + sum(sizes[:k]) for k in range(22)]
    weights = [numbers.gauss(0, 1) * (numbers.random() < 0.3) for _ in range(sum(sizes))]
    kinds = [[numbers.randrange(size) for size in sizes] for _ in range(40)]  # rows come in kinds that share most values
    for _ in range(4000):
        kind = numbers.choice(kinds)
        values = [numbers.randrange(s) if numbers.random() < 0.2 else k for k, s in zip(kind, sizes, strict=True)]
        entries = {start + value: 1.0 for start, value in zip(starts, values, strict=True)}
        yield int(sum(weights[place - 1] for place in entries) > 0), entries


MADE: dict[str, Callable[[random.Random], Iterator[Row]]] = {
    "correlated": correlated, "unbalanced": unbalanced, "heavy-tails": heavy_tails, "wide": wide,
    "clusters": clusters, "categories": categories,
}  # fmt: skip


def made(name: str, folder: Path) -> Path:
    """The set as a LIBSVM file in the folder, written if it is not there."""
    path = folder / f"{name}.txt"
    if not path.exists():
        folder.mkdir(parents=True, exist_ok=True)
        unfinished = path.with_suffix(".new")
        with unfinished.open("w") as file:
            for label, entries in MADE[name](random.Random(SEED)):
                cells = " ".join(f"{place}:{value:.7g}" for place, value in sorted(entries.items()))
                file.write(f"{label} {cells}\n")
        unfinished.replace(path)
    return path
