#!/usr/bin/env python3
"""Runs of all methods are killed (SIGKILL) at random moments and gone on with from their checkpoints, again and again, until they end.
Every one must end, with the model and the trace, to the last digit, of a run that nobody disturbed.

    tests/kills.py PROGRAM [--kills 200] [--seed 1] [--ranks 1]

On several ranks (mpirun) one of them is killed; those that cannot be started here are left out.
"""

import argparse
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time


def method_names(program):
    listed = subprocess.run([program, "methods"], capture_output=True, text=True, check=True).stdout
    settings = ("deterministic", "finite-sum", "expectation", "corrective")
    return [words[0] for words in map(str.split, listed.splitlines()) if len(words) > 1 and words[1] in settings]


def write_sparse(path, rows, columns, seed):
    """Counts, as in texts: few of the columns in every row."""
    stream = random.Random(seed)
    with open(path, "w", encoding="ascii") as file:
        for _ in range(rows):
            chosen = sorted(stream.sample(range(1, columns + 1), 12))
            score = sum(1 if j % 3 else -1 for j in chosen) + stream.gauss(0, 2)
            entries = " ".join(f"{j}:{stream.randint(1, 5)}" for j in chosen)
            file.write(f"{1 if score > 4 else -1} {entries}\n")


MPI = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}


class Run:
    def __init__(self, program, folder, method, data, precision, ranks):
        self.folder = folder
        self.ranks = ranks
        self.title = f"{method}, {os.path.basename(data)}, {precision}"
        self.command = [program, "train", data, "--method", method, "--precision", precision, "--threads", "2",
                        "--max-iterations", "250", "--seed", "3", "--silent"]
        if ranks > 1:
            self.command = ["mpirun", "--oversubscribe", "--bind-to", "none", "-n", str(ranks), *self.command]

    def files(self, name):
        return [os.path.join(self.folder, f"{name}.{kind}") for kind in ("npz", "csv")]

    def start(self, name, more=()):
        model, trace = self.files(name)
        return subprocess.Popen(self.command + ["--model", model, "--trace", trace, *more],
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=os.environ | MPI)

    def kill(self, process, stream):
        """The process, or one of the ranks that it has started; then all of them are gone."""
        victim = process.pid
        if self.ranks > 1:
            with open(f"/proc/{victim}/task/{victim}/children", encoding="ascii") as file:
                children = file.read().split()
            victim = int(stream.choice(children)) if children else victim
        try:
            os.kill(victim, signal.SIGKILL)
        except ProcessLookupError:  # at its end just now
            pass
        process.communicate()

    def outcome(self, name):
        """The model's bytes, and the trace without its seconds."""
        model, trace = self.files(name)
        with open(model, "rb") as file:
            weights = file.read()
        with open(trace, encoding="ascii") as file:
            rows = [line.rstrip("\n").split(",") for line in file]
        return weights, [row[:2] + row[3:] for row in rows]


def disturbed(run, stream, seconds, most_kills):
    """Returns how often it was killed, and how often there was a checkpoint to go on from."""
    checkpoint = os.path.join(run.folder, "state")
    if os.path.exists(checkpoint):
        os.remove(checkpoint)
    kills = resumed = 0
    while True:
        there = os.path.exists(checkpoint)
        more = ["--checkpoint", checkpoint, "--checkpoint-every", str(stream.choice([0, 0.005, 0.02]))]
        process = run.start("disturbed", more + (["--resume", checkpoint] if there else []))
        resumed += there
        try:
            process.wait(stream.uniform(0, 1.5 * seconds) if kills < most_kills else 300)
        except subprocess.TimeoutExpired:
            if kills >= most_kills:
                raise
            run.kill(process, stream)
            kills += 1
            if there and not os.path.exists(checkpoint):
                raise AssertionError(f"{run.title}: the checkpoint is lost") from None
            continue
        said = process.stderr.read()
        if process.returncode != 0:
            raise AssertionError(f"{run.title}: ended with {process.returncode} after {kills} kills: {said}")
        return kills, resumed


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("--kills", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--ranks", type=int, default=1)
    arguments = parser.parse_args()
    if arguments.ranks > 1 and shutil.which("mpirun") is None:
        print("skipped: there is no mpirun (openmpi-bin)")
        return
    stream = random.Random(arguments.seed)
    names = method_names(arguments.program)
    parent = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
    kills = resumed = runs = 0
    with tempfile.TemporaryDirectory(prefix="alfcg-kills-", dir=parent) as folder:
        sparse = os.path.join(folder, "counts.svm")
        write_sparse(sparse, 1500, 400, 4)
        order = [(name, data) for name in names for data in ("randn-1500-40", sparse)]
        stream.shuffle(order)
        while kills < arguments.kills:
            method, data = order[runs % len(order)]
            run = Run(arguments.program, folder, method, data, stream.choice(["f32", "f64"]), arguments.ranks)
            begin = time.monotonic()
            process = run.start("whole")
            said = process.communicate()[1]
            if process.returncode != 0:
                raise AssertionError(f"{run.title}: ended with {process.returncode}: {said}")
            seconds = time.monotonic() - begin
            own_kills, own_resumed = disturbed(run, stream, seconds, min(5, arguments.kills - kills))
            if run.outcome("whole") != run.outcome("disturbed"):
                raise AssertionError(f"{run.title}: another outcome after {own_kills} kills")
            kills += own_kills
            resumed += own_resumed
            runs += 1
            for name in os.listdir(folder):  # what a kill leaves of a file that was being written
                if name.endswith(".tmp"):
                    os.remove(os.path.join(folder, name))
    place = f" on {arguments.ranks} ranks" if arguments.ranks > 1 else ""
    print(f"{kills} kills in {runs} runs{place} of {len(names)} methods, {resumed} times gone on with from a checkpoint: all outcomes equal")


if __name__ == "__main__":
    try:
        main()
    except AssertionError as failure:
        sys.exit(f"kills: {failure}")
