"""What every case needs: the programs, the data, the pace, and the results it adds to."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from harness.data import DataFolder
from harness.disturbance import Patience
from harness.results import Results
from harness.rounds import Pace
from harness.worker import Worker


class Skipped(Exception):
    """A case that cannot run here, and why."""


@dataclass
class Context:
    program: Path  # alfcg-bench
    python: Path | None  # with the peers
    torch: str | None  # a Python that has PyTorch
    root: Path
    work: Path
    data: DataFolder
    threads: int
    quick: bool
    environment: dict[str, str]
    results: Results
    patience: Patience
    problems: list[str] = field(default_factory=list)  # words in the names of those to measure; none: all

    def pace(self, rounds: int, quick_rounds: int, turn: float = 0.0, *, warm: bool = True) -> Pace:
        """Fewer rounds and shorter turns in a quick run."""
        if self.quick:
            return Pace(quick_rounds, turn / 3, self.patience, warm)
        return Pace(rounds, turn, self.patience, warm)

    def ours(self, case: str, **settings: object) -> Worker:
        if str(settings.get("data")).startswith("mnist-"):
            settings["data-dir"] = self.data.real
        words = [f"{key}={value}" for key, value in ({"threads": self.threads} | settings).items()]
        return Worker([str(self.program), case, *words], self.environment, self.root)

    def peer(self, module: str, python: str | None = None, *, apart: bool = False, **settings: object) -> Worker:
        if python is None:
            if self.python is None:
                raise Skipped("the peers' Python packages are not there")
            python = str(self.python)
        words = [f"{key}={value}" for key, value in settings.items()]
        return Worker([python, "-m", f"peers.{module}", *words], self.environment, self.root, apart=apart)

    @contextmanager
    def exchange(self, name: str) -> Iterator[Path]:
        """A folder in which our arrays are handed to a peer."""
        folder = self.work / name
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        try:
            yield folder
        finally:
            shutil.rmtree(folder, ignore_errors=True)

    def check(self, case: str, what: str, error: float, allowed: float) -> None:
        """Both sides must have computed the same thing."""
        if not error <= allowed:
            self.results.failed.append(f"{case}: {what} differs by {error:.1e}, more than {allowed:.0e}")
