"""How much of the machine others use while something is measured, and how long to wait for a quieter moment.

Others are seen in two ways: processes of this system by the CPU time they take; those of a host that lends virtual cores
only by what is left of the cores (two of them may be one core of the host for a while).
"""

from __future__ import annotations

import os
import time
from dataclasses import dataclass, field
from pathlib import Path

from harness.worker import Worker

TICKS = os.sysconf("SC_CLK_TCK")
QUIET = 0.05  # share of the CPU that others may use before a turn is repeated
WHOLE = 0.15  # share of the cores' speed that may be missing
MOST_TRIES = 5


def _busy_seconds() -> float:
    """Of all CPUs together, since the system started; time stolen by other virtual machines counts."""
    user, nice, system, _idle, _wait, irq, softirq, steal = map(int, Path("/proc/stat").read_text().split()[1:9])
    return (user + nice + system + irq + softirq + steal) / TICKS


def _own_seconds(process: int) -> float:
    # The name in parentheses may hold spaces; user and system time are the 12th and 13th field after it.
    fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / TICKS


class Watch:
    """From its making on: the share of the CPU that went to anyone but one process."""

    def __init__(self, process: int) -> None:
        self._process = process
        self._start = time.monotonic(), _busy_seconds(), _own_seconds(process)

    def others(self) -> float:
        start, busy, own = self._start
        elapsed = max(time.monotonic() - start, 1 / TICKS)
        foreign = _busy_seconds() - busy - (_own_seconds(self._process) - own)
        return min(1.0, max(0.0, foreign) / (elapsed * (os.cpu_count() or 1)))


class Cores:
    """What is missing of the speed of all cores together, against the best that was seen of them."""

    def __init__(self, worker: Worker, looks: int = 8) -> None:
        """The worker's measure "peak" does nothing but arithmetic, on all cores."""
        self._worker = worker
        self._fastest = float("inf")
        for _ in range(looks):
            self._last = self._look()

    def missing(self) -> float:
        """Now, or when last asked, whichever is more; a little does not count."""
        before, self._last = self._last, self._look()
        share = max(before, self._last)
        return share if share > WHOLE else 0.0

    def _look(self) -> float:
        seconds = min(self._worker.measure("peak")[0])
        self._fastest = min(self._fastest, seconds)
        return 1 - self._fastest / seconds


@dataclass
class Patience:
    """Seconds that may still be spent on repeating disturbed turns, and what the turns that count had to bear."""

    seconds: float
    shares: list[float] = field(default_factory=list)

    def allows(self, seconds: float) -> bool:
        """Whether so much more time may be spent; if so, it is."""
        if seconds > self.seconds:
            return False
        self.seconds -= seconds
        return True
