"""How much of the machine others use while something is measured, and how long to wait for a quieter moment."""

from __future__ import annotations

import os
import time
from dataclasses import dataclass, field
from pathlib import Path

TICKS = os.sysconf("SC_CLK_TCK")
QUIET = 0.05  # share of the CPU that others may use before a turn is repeated
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
