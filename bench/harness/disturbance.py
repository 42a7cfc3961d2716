"""How much of the machine others use while something is measured, and how long to wait for a quieter moment."""

from __future__ import annotations

import contextlib
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


def _fields(stat: Path) -> list[str]:
    """What follows the name, which is in parentheses and may hold spaces."""
    return stat.read_text().rpartition(")")[2].split()


def _own_seconds(process: int) -> float:
    fields = _fields(Path(f"/proc/{process}/stat"))
    return (int(fields[11]) + int(fields[12])) / TICKS  # user and system


def family_seconds(process: int) -> float:
    """With its descendants, those that have ended too."""
    ticks: dict[int, int] = {}
    children: dict[int, list[int]] = {}
    for stat in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):  # it has just ended
            fields = _fields(stat)
            ticks[int(stat.parent.name)] = sum(map(int, fields[11:15]))  # its own, and of children it has waited for
            children.setdefault(int(fields[1]), []).append(int(stat.parent.name))
    family = [process]
    for member in family:  # grows meanwhile
        family += children.get(member, [])
    return sum(ticks.get(member, 0) for member in family) / TICKS


class Watch:
    """From its making on: the share of the CPU that went to anyone but one process, or it and its descendants."""

    def __init__(self, process: int, *, family: bool = False) -> None:
        self._process = process
        self._own = family_seconds if family else _own_seconds
        self._start = time.monotonic(), _busy_seconds(), self._own(process)

    def others(self) -> float:
        start, busy, own = self._start
        elapsed = max(time.monotonic() - start, 1 / TICKS)
        foreign = _busy_seconds() - busy - (self._own(self._process) - own)
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
