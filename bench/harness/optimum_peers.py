"""The peers of the `optimum` case, and others: a process each, which lives from problem to problem, as some compile for
long."""

from __future__ import annotations

import threading
from contextlib import ExitStack
from typing import Any

from harness.accuracy import CERTAIN, Point
from harness.context import Context
from harness.worker import Worker, WorkerFailed

FIRST_CALL = 180.0  # seconds for reading the data, and for a first fit, which may compile
WARM_RUNG = {"celer": 2, "skglm": 8}  # of the first fit, where one that ends at zero would not compile everything
COARSE = 1.0  # where fits take longer than this, every other rung is left out
MOST_RUNGS = 40
DOUBLING = {"saga", "lbfgs", "SGD"}  # whose rungs double the number of iterations: none is left out
LONGEST = 2.0  # a fit is ended after this, in the time that it should take
COSTLIEST = 1.5  # what all fits of a ladder take beyond the first one's time, in the time that one may take


class TooLong(Exception):
    """A peer that was ended because it took too long."""


class Peers:
    def __init__(self, context: Context, module: str = "optimum_fits") -> None:
        self.context, self.module = context, module
        self.workers: dict[str, tuple[Worker, ExitStack]] = {}
        self.loaded: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {}  # by peer: what, and the facts about it
        self.warm: set[tuple[str, str]] = set()  # peer and loss

    def __enter__(self) -> Peers:
        return self

    def __exit__(self, *_: object) -> None:
        for who in list(self.workers):
            self.drop(who)

    def drop(self, who: str) -> None:
        self.loaded.pop(who, None)
        self.warm = {(other, loss) for other, loss in self.warm if other != who}
        if who in self.workers:
            self.workers.pop(who)[1].close()

    def ask(self, who: str, question: dict[str, Any], limit: float) -> dict[str, Any]:
        if who not in self.workers:
            stack = ExitStack()
            worker = self.context.peer(self.module, who=who)
            self.workers[who] = stack.enter_context(worker), stack
        worker = self.workers[who][0]
        late = threading.Event()

        def end() -> None:
            late.set()
            worker.kill()

        clock = threading.Timer(limit, end)
        clock.start()
        try:
            return worker.ask(question)
        except WorkerFailed as error:
            self.drop(who)
            if late.is_set():
                raise TooLong(f"{who} took more than {limit:.0f} s") from error
            raise WorkerFailed(f"{who}: {error}") from error
        finally:
            clock.cancel()

    def load(self, who: str, source: dict[str, Any]) -> dict[str, Any]:
        if self.loaded.get(who, (None,))[0] != source:
            self.loaded[who] = source, self.ask(who, {"load": source}, FIRST_CALL)
        return self.loaded[who][1]

    def ladder(
        self, who: str, source: dict[str, Any], penalty: str, weight: float, limit: float
    ) -> list[dict[str, Any]]:
        """Fits of rising accuracy, until one is certified, or the time is up."""
        self.load(who, source)
        question = {"fit": who, "penalty": penalty, "weight": weight}
        fits: list[dict[str, Any]] = []
        spent, rung = 0.0, 0
        try:
            if (who, source["loss"]) not in self.warm:
                self.ask(who, question | {"rung": WARM_RUNG.get(who, 0)}, FIRST_CALL)
                self.warm.add((who, source["loss"]))
            while rung < MOST_RUNGS and spent < COSTLIEST * limit:
                fit = self.ask(who, question | {"rung": rung}, LONGEST * limit)
                fits.append(fit)
                spent += fit["seconds"] - fits[0]["seconds"]  # what every fit costs is no reason to stop
                if fit["objective"] - fit["bound"] < CERTAIN / 2 or fit["seconds"] > limit:
                    break
                rung += 2 if fit["seconds"] > COARSE and who not in DOUBLING else 1
        except TooLong:
            pass  # what was found before counts
        return fits

    def descend(self, method: str, source: dict[str, Any], region: str, radius: float, limit: float) -> list[Point]:
        """copt's iterates."""
        self.load("copt", source)
        question = {"descend": method, "region": region, "radius": radius, "limit": limit}
        return [(seconds, value) for seconds, value in self.ask("copt", question, 4 * limit + 30)["curve"]]
