"""The peers' half of the protocol that alfcg-bench speaks too.

A peer sets its case up and prints its facts as one line of JSON. Each line "MEASURE SECONDS" on standard input is then
answered with {"seconds": [...], "notes": {...}}: a number for each repetition that fitted into the time, at least one.
"""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Callable
from typing import Any, TextIO

Facts = dict[str, Any]
Measure = Callable[[], tuple[float, Facts]]


def settings() -> dict[str, str]:
    """The key=value words of the command line."""
    return dict(word.split("=", 1) for word in sys.argv[1:])


def timed(work: Callable[[], Any]) -> Measure:
    """One call of `work`, whose answer is thrown away."""

    def measure() -> tuple[float, Facts]:
        start = time.perf_counter()
        work()
        return time.perf_counter() - start, {}

    return measure


def relative_error(found: Any, expected: Any) -> float:
    """Largest difference, relative to the largest entry."""
    import numpy as np

    return float(np.abs(found - expected).max() / np.abs(expected).max())


def _reply_channel() -> TextIO:
    replies = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # what a library prints by itself must not end up among the replies
    return replies


def answer(reply_to: Callable[[Facts], Facts]) -> None:
    """For `Worker.ask`: a line of JSON for each line of JSON, after an empty line of facts."""
    replies = _reply_channel()
    print("{}", file=replies, flush=True)
    for line in sys.stdin:
        print(json.dumps(reply_to(json.loads(line))), file=replies, flush=True)


def serve(facts: Facts, measures: dict[str, Measure]) -> None:
    replies = _reply_channel()
    print(json.dumps(facts | {"measures": sorted(measures)}), file=replies, flush=True)
    for line in sys.stdin:
        name, limit = line.split()
        end = time.perf_counter() + float(limit)
        once, notes = measures[name]()
        seconds = [once]
        while time.perf_counter() < end:
            once, notes = measures[name]()
            seconds.append(once)
        print(json.dumps({"seconds": seconds, "notes": notes}), file=replies, flush=True)
