"""Runs of the program itself, for the cases that compare whole solutions."""

from __future__ import annotations

import json
import signal
import subprocess
from pathlib import Path
from typing import Any

from harness.context import Context
from harness.worker import WorkerFailed


def program(context: Context) -> str:
    return str(context.program.parent.parent / "alfcg")


def methods_there(context: Context, wanted: tuple[str, ...]) -> list[str]:
    """Those of the methods that the program has, in the order asked for."""
    listed = subprocess.run([program(context), "methods"], capture_output=True, text=True, check=True).stdout
    there = {line.split()[0] for line in listed.splitlines() if line.strip()}
    return [name for name in wanted if name in there]


def finish(command: list[str], patience: float) -> dict[str, Any]:
    """The closing summary of a command; one that takes too long is interrupted, and writes what it has."""
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        try:
            out, err = process.communicate(timeout=patience)
        except subprocess.TimeoutExpired:
            process.send_signal(signal.SIGINT)
            out, err = process.communicate(timeout=patience)
    except BaseException as error:
        process.kill()
        process.wait()
        if isinstance(error, subprocess.TimeoutExpired):
            raise WorkerFailed(f"{Path(command[0]).name} does not end") from error
        raise
    if process.returncode not in (0, 130) or not out.strip():
        raise WorkerFailed(err.strip() or f"exit status {process.returncode}")
    summary: dict[str, Any] = json.loads(out)
    return summary
