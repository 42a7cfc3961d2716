"""Measures several sides in turn, so that a busy moment of the machine hits all of them alike.

In its turn a side does as many repetitions as fit, and the fastest of them, the least disturbed, counts. A turn during
which others used the CPU is repeated while patience lasts, and the quietest try counts. Over the rounds the median is
taken.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from harness.disturbance import MOST_TRIES, QUIET, Patience, Watch
from harness.worker import Worker

# Threads of the side that has just been measured may spin for this long before they sleep.
PAUSE = 0.06


@dataclass(frozen=True)
class Pace:
    """How often, and how long a side is measured in its turn."""

    rounds: int
    turn: float  # seconds; 0: one repetition
    patience: Patience
    warm: bool = True  # whether every side is run in beforehand


@dataclass
class Side:
    """One measure of one worker, and the fastest of its repetitions in each round."""

    worker: Worker
    measure: str
    seconds: list[float] = field(default_factory=list)
    notes: dict[str, Any] = field(default_factory=dict)

    @property
    def median(self) -> float:
        return statistics.median(self.seconds)

    def take_turn(self, pace: Pace) -> None:
        tries: list[tuple[float, float]] = []  # share of others, seconds
        while True:
            start = time.monotonic()
            watch = Watch(self.worker.process)
            seconds, self.notes = self.worker.measure(self.measure, pace.turn)
            tries.append((watch.others(), min(seconds)))
            spent = time.monotonic() - start
            if tries[-1][0] <= QUIET or len(tries) == MOST_TRIES or not pace.patience.allows(spent):
                break
            time.sleep(PAUSE)
        share, best = min(tries)
        pace.patience.shares.append(share)
        self.seconds.append(best)


@dataclass(frozen=True)
class Ratio:
    """The median of the rounds' ratios, and their range."""

    median: float
    low: float
    high: float


def alternate(sides: Sequence[Side], pace: Pace) -> None:
    """Every side once a round; the order turns around from round to round."""
    if pace.warm:
        for side in sides:
            side.worker.measure(side.measure)
    order = list(sides)
    for _ in range(pace.rounds):
        last: Worker | None = None
        for side in order:
            if last is not side.worker:
                time.sleep(PAUSE)
            side.take_turn(pace)
            last = side.worker
        order.reverse()


def ratio(numerator: Side, denominator: Side) -> Ratio:
    each = [a / b for a, b in zip(numerator.seconds, denominator.seconds, strict=True)]
    return Ratio(statistics.median(each), min(each), max(each))
