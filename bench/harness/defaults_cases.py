"""`alfcg train` as it comes against scikit-learn's logistic regressions as they come: test accuracy and time."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass

from harness.context import Context
from harness.default_sets import DefaultSet, planted_sets, real_sets
from harness.disturbance import Watch
from harness.results import Table
from harness.tables import duration
from harness.worker import WorkerFailed

OURS = {"train": [], "train --holdout 0.2": ["--holdout", "0.2"], "train --radius auto": ["--radius", "auto"]}
THEIRS = {"lr-l2": "LR, l2", "lr-l1": "LR, l1", "cv-l2": "LRCV, l2", "cv-l1": "LRCV, l1"}
LIMIT, QUICK_LIMIT = 45.0, 3.0  # seconds that a fit may take
REPEAT = 1.0  # shorter fits are repeated for so many seconds, and the fastest counts


@dataclass
class Outcome:
    who: str
    seconds: float  # the limit, where it was reached
    accuracy: float | None = None  # none: not done in time
    converged: bool = True  # as far as it says
    loading: float = 0.0  # theirs, beside the fit; ours is in `seconds`
    others: float = 0.0  # the share of the CPU that went to others meanwhile

    @property
    def cell(self) -> str:
        if self.accuracy is None:
            return f"> {self.seconds:.0f} s"
        return f"{100 * self.accuracy:.1f} %, {duration(self.seconds)}{'' if self.converged else ' *'}"


def our_fit(context: Context, data: DefaultSet, who: str, limit: float) -> Outcome:
    program = context.program.parent.parent / "alfcg"
    model = context.work / "defaults.model.npz"
    threads = ["--threads", str(context.threads)]
    command = [program, "train", *data.ours_in_training(), *OURS[who], "--model", model, *threads, "--json"]
    taken: list[float] = []
    while sum(taken) < (0 if context.quick else REPEAT) or not taken:
        start = time.perf_counter()
        try:
            done = subprocess.run(command, capture_output=True, text=True, timeout=limit)
        except subprocess.TimeoutExpired:
            return Outcome(who, limit)
        taken.append(time.perf_counter() - start)
        if done.returncode != 0:
            raise WorkerFailed(f"{data.name}, {who}: {done.stderr.strip()}")
    judge = [program, "predict", model, *data.ours(data.test), *threads, "--json"]
    score = json.loads(subprocess.run(judge, capture_output=True, text=True, check=True).stdout)
    converged = json.loads(done.stdout)["status"] != "max-epochs"
    return Outcome(who, min(taken), score["accuracy"], converged)


def end_family(process: int) -> None:
    """With the processes that joblib has started, which are in its group."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process, signal.SIGKILL)


def their_fit(context: Context, data: DefaultSet, who: str, limit: float) -> Outcome:
    files = {"train": data.train, "test": data.test, "features": data.features, "threads": context.threads}
    with context.peer("default_fits", apart=True, **files) as peer:
        clock = threading.Timer(limit, end_family, (peer.process,))
        start = time.perf_counter()
        clock.start()
        try:
            seconds, notes = peer.measure(who, 0 if context.quick else REPEAT)
        except WorkerFailed:
            if time.perf_counter() - start < limit:
                raise
            return Outcome(THEIRS[who], limit)
        finally:
            clock.cancel()
            end_family(peer.process)
        return Outcome(THEIRS[who], min(seconds), notes["accuracy"], notes["converged"], peer.facts["loading"])


def watched(fit: Callable[..., Outcome], context: Context, *arguments: object) -> Outcome:
    watch = Watch(os.getpid(), family=True)
    outcome = fit(context, *arguments)
    outcome.others = watch.others()
    if outcome.accuracy is not None:
        context.patience.shares.append(outcome.others)
    return outcome


def behind(ours: Outcome, theirs: list[Outcome]) -> float | None:
    """Points of accuracy that the best of them is ahead."""
    known = [outcome.accuracy for outcome in theirs if outcome.accuracy is not None]
    return 100 * (max(known) - ours.accuracy) if known and ours.accuracy is not None else None


def defaults(context: Context) -> None:
    limit = QUICK_LIMIT if context.quick else LIMIT
    header = ["set", *OURS, *THEIRS.values(), "behind the best"]
    table = Table("defaults", f"Test accuracy and time, defaults on both sides, at most {limit:.0f} s a fit", header, [])
    for data in (*real_sets(context), *planted_sets(context)):
        ours = [watched(our_fit, context, data, who, limit) for who in OURS]
        theirs = [watched(their_fit, context, data, who, limit) for who in THEIRS]
        points = [behind(outcome, theirs) for outcome in ours]
        name = data.name if data.planted is None else f"{data.name} (planted weights: {100 * data.planted:.1f} %)"
        gaps = " / ".join("?" if point is None else f"{point:.1f}" for point in points)
        table.cells.append([name, *(outcome.cell for outcome in (*ours, *theirs)), gaps])
        print("bench: defaults:", *table.cells[-1], sep=" | ", file=sys.stderr, flush=True)
        table.data.append({"set": data.name, "outcomes": [asdict(outcome) for outcome in (*ours, *theirs)]})
    context.results.tables.append(table)
    context.results.remarks.append(
        "defaults: our times are those of the whole command, reading and writing included; theirs of fit() alone, data in memory. "
        "*: ended by the limit of iterations"
    )
