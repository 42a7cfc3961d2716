"""The peers' virtual environment, and facts about the machine."""

from __future__ import annotations

import datetime
import os
import platform
import subprocess
import sys
from pathlib import Path
from typing import Any

PEERS = (
    "numpy", "scipy", "scikit-learn", "copt", "celer", "skglm", "python-glmnet", "scikit-surprise", "cmfrec",
)  # fmt: skip


def make_environment(folder: Path, requirements: Path, optional: Path) -> Path | None:
    """A Python with the peers, made on first use; none, with a message, when they cannot be had.

    Those that are optional are installed one by one, and left out, with a message, where that fails.
    """
    python = folder / "bin" / "python"
    stamp = folder / "requirements.txt"
    wanted = requirements.read_text() + optional.read_text()
    if stamp.exists() and stamp.read_text() == wanted:
        return python
    print(f"bench: setting up the peers in {folder}", file=sys.stderr)
    install = [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]

    def succeeds(command: list[str], what: str) -> bool:
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode != 0:
            words = (done.stderr or done.stdout).strip().splitlines() or ["no message"]
            print(f"bench: {what} cannot be had: {words[-1]}", file=sys.stderr)
        return done.returncode == 0

    needed = [sys.executable, "-m", "venv", "--clear", str(folder)], [*install, "-r", str(requirements)]
    if not all(succeeds(command, "the peers") for command in needed):
        return None
    for line in optional.read_text().splitlines():
        if not line.startswith("#"):
            succeeds([*install, "-c", str(requirements), line], line)
    stamp.write_text(wanted)
    return python


def torch_version(python: str) -> str | None:
    """None where there is no PyTorch, or no NumPy to hand it the data."""
    code = "import numpy, torch; print(torch.__version__)"
    answer = subprocess.run([python, "-c", code], capture_output=True, text=True)
    return answer.stdout.strip() if answer.returncode == 0 else None


def versions(python: Path | None) -> dict[str, str]:
    found = {"python": platform.python_version()}
    if python is not None:
        code = "import importlib.metadata as m; print(*(f'{d.name} {d.version}' for d in m.distributions()), sep='\\n')"
        answer = subprocess.run([str(python), "-c", code], capture_output=True, text=True, check=True)
        there = dict(line.split() for line in answer.stdout.splitlines())
        there = {name.replace("_", "-"): version for name, version in there.items()}
        found |= {name: there[name] for name in PEERS if name in there}
    return found


def cpu_model() -> str:
    """The name the CPU gives itself, with its family and model where that name says little (virtual machines)."""
    facts: dict[str, str] = {}
    for line in Path("/proc/cpuinfo").read_text().splitlines():
        key, _, value = line.partition(":")
        facts.setdefault(key.strip(), value.strip())
    name = facts.get("model name", platform.processor() or "unknown")
    if "cpu family" in facts:
        name += f" (family {facts['cpu family']}, model {facts.get('model', '?')})"
    return name


def last_cache() -> str:
    """Size of the last cache level, as the system writes it."""
    caches = sorted(Path("/sys/devices/system/cpu/cpu0/cache").glob("index*/size"))
    return caches[-1].read_text().strip() if caches else "unknown"


def machine_facts(python: Path | None, threads: int) -> dict[str, Any]:
    return {
        "date": datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
        "cpu": cpu_model(),
        "cores": len(os.sched_getaffinity(0)),
        "threads": threads,
        "last_cache": last_cache(),
        "system": platform.platform(),
        "versions": versions(python),
    }


def worker_environment(bench: Path, threads: int) -> dict[str, str]:
    """The same number of threads for everyone."""
    count = str(threads)
    names = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMEXPR_NUM_THREADS")
    return os.environ | dict.fromkeys(names, count) | {"PYTHONPATH": str(bench), "PYTHONDONTWRITEBYTECODE": "1"}
