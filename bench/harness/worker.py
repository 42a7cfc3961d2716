"""A process that measures on demand: alfcg-bench, or a peer (see peers/serving.py for the protocol)."""

from __future__ import annotations

import contextlib
import json
import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType
from typing import IO, Any


class WorkerFailed(Exception):
    """A process ended before it answered; the text is its last words."""


class Worker:
    """Runs from the beginning to the end of a `with` block; entering it waits until the case is set up."""

    facts: dict[str, Any]

    def __init__(self, command: Sequence[str], environment: dict[str, str], cwd: Path, *, apart: bool = False) -> None:
        """`apart`: an interrupt from the keyboard does not reach the process."""
        self._errors = tempfile.TemporaryFile("w+")
        self._process = subprocess.Popen(
            command, env=environment, cwd=cwd, text=True,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self._errors,
            process_group=0 if apart else None,
        )  # fmt: skip
        assert self._process.stdin is not None and self._process.stdout is not None
        self._commands: IO[str] = self._process.stdin
        self._replies: IO[str] = self._process.stdout
        self.process = self._process.pid

    def __enter__(self) -> Worker:
        try:
            self.facts = self._reply()
        except BaseException:
            self._end(kill=True)
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._end(kill=error is not None)

    def measure(self, name: str, seconds: float = 0.0) -> tuple[list[float], dict[str, Any]]:
        """As many repetitions as fit into the time, at least one, and the notes on the last."""
        print(name, seconds, file=self._commands, flush=True)
        reply = self._reply()
        return reply["seconds"], reply["notes"]

    def ask(self, question: dict[str, Any]) -> dict[str, Any]:
        """One line of JSON for another."""
        with contextlib.suppress(BrokenPipeError):  # it has ended: its last words say why
            print(json.dumps(question), file=self._commands, flush=True)
        return self._reply()

    def kill(self) -> None:
        """From another thread: the one that waits for an answer gets WorkerFailed."""
        self._process.kill()

    def _reply(self) -> dict[str, Any]:
        line = self._replies.readline()
        if not line:
            self._process.wait()
            self._errors.seek(0)
            words = self._errors.read().strip().splitlines()
            raise WorkerFailed(words[-1] if words else f"exit status {self._process.returncode}")
        reply: dict[str, Any] = json.loads(line)
        return reply

    def _end(self, *, kill: bool) -> None:
        if kill:
            self._process.kill()
        with contextlib.suppress(BrokenPipeError):  # what it no longer read
            self._commands.close()
        self._process.wait()
        self._replies.close()
        self._errors.close()
