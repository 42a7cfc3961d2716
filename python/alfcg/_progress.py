"""Who looks on while a fit runs: the callbacks, and a line or bar that says how far it is."""

from __future__ import annotations

import math
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

EVERY = 0.1  # seconds between two looks at a bar


def time_text(seconds: float) -> str:
    """
    >>> time_text(75), time_text(3725)
    ('1:15', '1:02:05')
    """
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes}:{rest:02}" if minutes < 60 else f"{minutes // 60}:{minutes % 60:02}:{rest:02}"


class Line:
    """A bar of tqdm, in terminals and notebooks; without tqdm, a line that is written over."""

    def __init__(self, title: str) -> None:
        self.title, self.began, self.shown = title, time.monotonic(), False
        self.bar: Any = None
        try:
            from tqdm.auto import tqdm
        except ImportError:
            return
        form = "{desc}: {percentage:3.0f}%|{bar}| {elapsed}<{remaining}{postfix}"
        self.bar = tqdm(total=100, desc=title, bar_format=form, leave=True)

    def show(self, share: float, note: str) -> None:
        if self.bar is not None:
            self.bar.n = 100 * share
            self.bar.set_postfix_str(note, refresh=True)
            return
        spent = time.monotonic() - self.began
        left = f", {time_text(spent * (1 - share) / share)} left" if 0 < share < 1 else ""
        text = f"{self.title}: {100 * share:3.0f}%, {time_text(spent)}{left}, {note}"
        sys.stderr.write(f"\r{text:<79}" if sys.stderr.isatty() else f"{text}\n")
        sys.stderr.flush()
        self.shown = True

    def close(self) -> None:
        if self.bar is not None:
            self.bar.close()
        elif self.shown and sys.stderr.isatty():
            sys.stderr.write("\n")


class Progress:
    """How much of a fit is done: of the digits that the gap has to lose, or of its budget, whichever is more."""

    def __init__(self, title: str, settings: dict[str, Any]) -> None:
        self.line = Line(title)
        self.limits = settings
        self.first: float | None = None
        self.next = 0.0
        self.share = 0.0

    def look(self, now: Any) -> None:
        if time.monotonic() < self.next and not now.last:
            return
        gap = now.gap if now.metrics_free else now.estimated_gap
        note = f"iteration {now.iteration}"
        if gap is not None and gap > 0:
            self.first = gap if self.first is None else self.first
            note += f", gap {gap:.2e}"
            if now.metrics_free and self.limits["tolerance"] > 0:
                self.share = max(self.share, self.digits(gap, abs(now.objective)))
        for limit, spent in (("iterations", now.iteration), ("epochs", now.epochs), ("seconds", now.seconds)):
            most = self.limits[f"max_{limit}"]
            if most:
                self.share = max(self.share, min(spent / most, 1.0))
        self.line.show(1.0 if now.last else self.share, note)
        self.next = time.monotonic() + (EVERY if self.line.bar is not None or sys.stderr.isatty() else 10 * EVERY)

    def digits(self, gap: float, objective: float) -> float:
        """The share of the gap's digits that are gone."""
        goal = self.limits["tolerance"] * objective
        assert self.first is not None
        if gap <= goal or goal <= 0:
            return 1.0
        return max(0.0, math.log(self.first / gap) / math.log(self.first / goal)) if self.first > goal else 0.0


class Observer:
    """Looks on while a fit runs: shows how far it is, and calls whoever wants to know."""

    def __init__(self, progress: Progress | None, callbacks: list[Callable[[Any], object]]) -> None:
        self.progress, self.callbacks = progress, callbacks

    def __call__(self, now: Any) -> bool:
        if self.progress is not None:
            self.progress.look(now)
        answers = [callback(now) for callback in self.callbacks]  # all of them are called
        return any(answers)


@contextmanager
def watching(estimator: Any, settings: dict[str, Any]) -> Iterator[Observer | None]:
    """The observer of a fit: None where nobody looks on."""
    callbacks = estimator.callbacks
    callbacks = [callbacks] if callable(callbacks) else list(callbacks or ())
    for callback in callbacks:
        if not callable(callback):
            raise TypeError(f"callbacks must be callables, not {type(callback).__name__}")
    progress = Progress(type(estimator).__name__, settings) if estimator.verbose else None
    if progress is None and not callbacks:
        yield None
        return
    try:
        yield Observer(progress, callbacks)
    finally:
        if progress is not None:
            progress.line.close()
