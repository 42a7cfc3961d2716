"""Does the runs of a calibration, several processes at once, and says how far it is."""

from __future__ import annotations

import os
import queue
import sys
import threading
import time
from collections.abc import Sequence
from pathlib import Path

from harness.calibration_jobs import DATA, EPOCHS, Batch, Job
from harness.calibration_store import Store
from harness.worker import Worker, WorkerFailed

EVERY = 15.0  # seconds between two progress lines


class Progress:
    """Guesses the time left from what runs on the same data took."""

    def __init__(self, jobs: Sequence[Job], store: Store) -> None:
        self._left = list(jobs)
        self._count = len(jobs)
        self._done: set[int] = set()
        self._seconds: dict[tuple[str, ...], tuple[float, int]] = {}  # of an epoch: sum, runs
        for result in store:
            self._note(result)
        self._guessed = 0.0  # cost of what is done, as foreseen
        self._start = self._last = time.monotonic()

    def finished(self, job: Job, result: Job) -> None:
        self._guessed += self._cost(job)
        self._done.add(id(job))
        self._note(result)
        now = time.monotonic()
        if now - self._last >= EVERY:
            self._last = now
            print(f"bench: {self.line(now - self._start)}", file=sys.stderr, flush=True)

    def line(self, elapsed: float) -> str:
        # The method's time is not all: loading and metrics take as large a share of the rest as of what is done.
        left = sum(self._cost(job) for job in self._left if id(job) not in self._done)
        minutes = left * elapsed / self._guessed / 60 if self._guessed > 0 else 0.0
        rest = f"about {minutes:.0f} min" if minutes >= 1 else "less than a minute"
        return f"{len(self._done)} of {self._count} runs, {rest} left"

    def _note(self, result: Job) -> None:
        if "seconds" in result["answer"]:
            share = result["answer"]["seconds"] / result.get("epochs", EPOCHS)
            for key in ((result["data"], result["method"]), (result["data"],), ()):
                total, count = self._seconds.get(key, (0.0, 0))
                self._seconds[key] = total + share, count + 1

    def _cost(self, job: Job) -> float:
        for key in ((job["data"], job["method"]), (job["data"],), ()):
            if key in self._seconds:
                total, count = self._seconds[key]
                return total / count * float(job.get("epochs", EPOCHS))
        return float(job.get("epochs", EPOCHS))


class Runner:
    """Hands batches to worker processes; stops at once when interrupted, and keeps what was answered."""

    def __init__(self, program: Path, folder: Path | None, store: Store) -> None:
        self.failed: list[str] = []
        self._program = program
        self._folder = folder
        self._store = store
        self._stop = threading.Event()
        self._lock = threading.Lock()
        self._active: set[Worker] = set()

    def run(self, batches: Sequence[Batch], workers: int) -> None:
        waiting: queue.SimpleQueue[tuple[Batch, list[Job]]] = queue.SimpleQueue()
        todo = [(batch, self._store.missing(batch)) for batch in batches]
        todo = [(batch, jobs) for batch, jobs in todo if jobs]
        for item in todo:
            waiting.put(item)
        progress = Progress([job for _, jobs in todo for job in jobs], self._store)
        threads = [threading.Thread(target=self._work, args=(waiting, progress)) for _ in range(workers)]
        for thread in threads:
            thread.start()
        try:
            for thread in threads:
                thread.join()
        except BaseException:
            self._stop.set()
            with self._lock:
                for worker in self._active:
                    worker.kill()
            for thread in threads:
                thread.join()
            raise

    def _work(self, waiting: queue.SimpleQueue[tuple[Batch, list[Job]]], progress: Progress) -> None:
        while not self._stop.is_set():
            try:
                batch, jobs = waiting.get_nowait()
            except queue.Empty:
                return
            try:
                self._serve(batch, jobs, progress)
            except (WorkerFailed, OSError, ValueError) as error:
                if not self._stop.is_set():
                    where = f"{batch.data}, normalize {batch.normalize}, distortion {batch.distortion}"
                    self.failed.append(f"{where}: {error}")

    def _serve(self, batch: Batch, jobs: Sequence[Job], progress: Progress) -> None:
        words = [f"normalize={batch.normalize}", f"distortion={batch.distortion}"]
        with self._lock:  # two of them would make the same file
            data = DATA[batch.data].settings(self._folder, self._store.path.parent / "data")
        command = [str(self._program), *data, *words]
        worker = Worker(command, dict(os.environ), Path.cwd(), apart=True)
        with self._lock:
            self._active.add(worker)
            if self._stop.is_set():
                worker.kill()
        try:
            with worker:
                for job in jobs:
                    result = worker.ask(job)
                    with self._lock:
                        self._store.add(result)
                        progress.finished(job, result)
        finally:
            with self._lock:
                self._active.discard(worker)
