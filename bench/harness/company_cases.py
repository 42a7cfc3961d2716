"""All threads against one, on an idle machine and beside others who use it: threads must never hurt.

Unlike elsewhere the mean over all repetitions of a turn counts, not the fastest of them: what others cost is what is
looked for. All threads and one take turns, as everywhere, so that both meet the same others.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from statistics import fmean

from harness.context import Context
from harness.results import row
from harness.rounds import Side

MOST = 1.25  # the time of all threads in that of one
SITUATIONS = {"idle": 0, "beside one busy process": 1, "beside two": 2}
TURN = 0.4  # seconds
SMALL = {"randn-1000-50": 3, "randn-2000-100": 10}  # data and classes
MEDIUM = ("randn-1000-200", "randn-5000-200", "randn-5000-768")
RUN = 0.1  # of a run whose iterations are timed: much longer than a scheduler's time slice
LONGEST = 600  # seconds that a busy process lasts if nobody ends it

BUSY = f"""
import time
end = time.monotonic() + {LONGEST}
while time.monotonic() < end:
    pass
"""


@contextmanager
def company(count: int) -> Iterator[list[subprocess.Popen[bytes]]]:
    """So many processes that do nothing, as fast as they can."""
    processes = [subprocess.Popen([sys.executable, "-c", BUSY]) for _ in range(count)]
    try:
        yield processes
    finally:
        for process in processes:
            process.kill()
            process.wait()


@dataclass(frozen=True)
class Measure:
    """What is measured, by which measure of which of the worker's cases, and the settings of that."""

    what: str
    case: str
    name: str
    settings: dict[str, object]


def measures(mnist: str) -> list[Measure]:
    """Iterations over batches, small and smaller deterministic runs, gradients of all sizes."""

    def iteration(method: str, data: str, **settings: object) -> Measure:
        settings |= {"data": data, "methods": method, "radius": 10, "seconds": RUN}
        return Measure(f"one {method} iteration, {data}", "solve", f"iteration:{method}", settings)

    batches = [
        iteration("alfcg-mvr1", data, batch=223, rho=0.3) for data in dict.fromkeys((mnist, "randn-50000-768"))
    ]
    small = [iteration("alfcg-d", data, classes=classes) for data, classes in SMALL.items()]
    gradients = [
        Measure(f"full gradient, {data}", "gradient", "gradient", {"data": data}) for data in (*MEDIUM, mnist)
    ]
    return batches + small + gradients


def together(context: Context) -> None:
    rounds, turn = (3, TURN / 4) if context.quick else (7, TURN)
    for measure in measures(context.data.mnist()):
        with ExitStack() as stack:
            team, alone = (
                Side(stack.enter_context(context.ours(measure.case, threads=threads, **measure.settings)), measure.name)
                for threads in (context.threads, 1)
            )
            for situation, count in SITUATIONS.items():
                team.seconds, alone.seconds = [], []
                with company(count):
                    for number in range(rounds + 1):  # the first one is the warm-up
                        for side in (team, alone) if number % 2 == 0 else (alone, team):
                            seconds, side.notes = side.worker.measure(side.measure, turn if number > 0 else 0)
                            if number > 0:
                                side.seconds.append(fmean(seconds))
                what = f"{measure.what}, {situation}"
                context.results.rows.append(row("company", what, "one thread", team, alone, "at most", MOST))
