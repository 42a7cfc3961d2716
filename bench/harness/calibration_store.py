"""The results of a calibration on disk: one JSON line a run, appended as they come."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from harness.calibration_jobs import Batch, Job, key_of, problem_of


def _line(result: Job) -> str:
    return json.dumps(result, sort_keys=True, separators=(",", ":")) + "\n"


class Store:
    """Every run that was answered; of two answers to the same job the later one counts."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._results: dict[tuple[Any, ...], Job] = {}
        if path.exists():
            self._read()

    def _read(self) -> None:
        # What follows the last line end is a line that was never finished.
        for number, line in enumerate(self.path.read_bytes().split(b"\n")[:-1], start=1):
            try:
                result = json.loads(line)
                self._results[key_of(result)] = result
            except (ValueError, KeyError, TypeError):
                raise SystemExit(f"bench: {self.path}:{number}: not a result; delete the line") from None

    def __len__(self) -> int:
        return len(self._results)

    def __iter__(self) -> Iterator[Job]:
        return iter(self._results.values())

    def __contains__(self, job: Job) -> bool:
        return key_of(job) in self._results

    def missing(self, batch: Batch) -> list[Job]:
        """The jobs that are still to be done."""
        left = [job for job in batch.jobs if job not in self]
        if batch.together:
            problems = {problem_of(job) for job in left}
            return [job for job in batch.jobs if problem_of(job) in problems]
        return left

    def mend(self) -> None:
        """Takes an unfinished line off the end, so that results can be appended."""
        self.path.parent.mkdir(parents=True, exist_ok=True)
        with self.path.open("ab+") as file:
            file.seek(0)
            file.truncate(file.read().rfind(b"\n") + 1)

    def add(self, result: Job) -> None:
        self._results[key_of(result)] = result
        with self.path.open("a") as file:
            file.write(_line(result))

    def forget(self, unwanted: Callable[[Job], bool]) -> int:
        """Drops results, on disk as well; how many there were."""
        kept = {key: result for key, result in self._results.items() if not unwanted(result)}
        dropped = len(self._results) - len(kept)
        if dropped:
            lines = [_line(result) for result in kept.values()]
            whole = self.path.with_suffix(".new")
            whole.write_text("".join(lines))
            whole.replace(self.path)
            self._results = kept
        return dropped
