#!/usr/bin/env python3
"""Runs the program for a long time while things go wrong, and counts what that costs.

    tests/soak.py PROGRAM [--seconds 3600] [--seed N] [--keep]

Every round starts a train, predict, path, compare or complete and does one thing to it: a signal after a random time, a disk that is
full, too little memory, too few open files, busy neighbours, another run that writes the same files, data cut short, a clock that jumps.
Whatever happens, an output is whole: the one of before, or the new one. A round is lost where that does not hold, where the program dies
of a fault of its own, where a refusal is not one line, or where something is left behind. At the end comes a table; the exit status is 1
when a round was lost. As root, full disks are small file systems in memory; else a limit on the size of files stands for them.
"""

import argparse
import os
import pathlib
import random
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time

KINDS = ["signal", "kill", "full disk", "little memory", "few files", "busy neighbours", "two writers", "data cut short", "clock"]
FAULTS = {signal.SIGSEGV, signal.SIGBUS, signal.SIGFPE, signal.SIGILL, signal.SIGABRT}


class Lost(Exception):
    """Something that must not happen."""


class Soak:
    def __init__(self, program, folder, seed):
        self.program = program
        self.folder = folder
        self.random = random.Random(seed)
        self.table = {kind: [0, 0, 0] for kind in KINDS}  # tried, finished, interrupted or refused
        self.lost = []
        self.skipped = {}
        self.prepare()

    def run(self, arguments, folder, **settings):
        return subprocess.run([self.program, *arguments], cwd=folder, stdin=subprocess.DEVNULL, capture_output=True, text=True,
                              timeout=300, check=False, **settings)

    def prepare(self):
        """Data, and a model of before."""
        numbers = random.Random(5)
        with open(self.folder / "data.svm", "w", encoding="ascii") as file:
            for _ in range(3000):
                row = sorted(numbers.sample(range(1, 200), 12))
                entries = [(j, numbers.gauss(0, 1)) for j in row]
                label = 1 if sum(value for j, value in entries if j % 2 == 0) > 0 else -1
                file.write(f"{label} " + " ".join(f"{j}:{value:.4f}" for j, value in entries) + "\n")
        with open(self.folder / "ratings.csv", "w", encoding="ascii") as file:
            file.write("user,item,value\n")
            for user in range(80):
                for item in numbers.sample(range(60), 20):
                    file.write(f"u{user},i{item},{1 + (user * item) % 5}\n")
        self.check(self.run(["train", "data.svm", "--max-epochs", "5", "--quiet", "--model", "old.npz"], self.folder).returncode == 0,
                   "the first model was not made")

    @staticmethod
    def check(holds, what):
        if not holds:
            raise Lost(what)

    def command(self):
        """A run of some kind: its arguments, and the outputs that it is to write."""
        seed = str(self.random.randrange(1000))
        choice = self.random.randrange(5)
        if choice == 0:
            method = self.random.choice(["alfcg-c", "alfcg-d", "alfcg-fs", "sfw", "fw-pairwise"])
            return ["train", "data.svm", "--region", "l1", "--method", method, "--seed", seed, "--max-seconds", "1.5",
                    "--model", "m.npz", "--trace", "t.csv", "--trace-every", "100"], ["m.npz", "t.csv"]
        if choice == 1:
            return ["predict", "old.npz", "data.svm", "--output", "p.txt"], ["p.txt"]
        if choice == 2:
            return ["path", "data.svm", "--region", "l1", "--holdout", "0.2", "--seed", seed, "--radii", "1,4,16", "--model", "m.npz",
                    "--path", "path.csv", "--output", "path"], ["m.npz", "path.csv"]
        if choice == 3:
            return ["compare", "data.svm", "--region", "l1", "--methods", "alfcg-d,sfw", "--max-epochs", "20", "--output", "report"], []
        return ["complete", "ratings.csv", "--radius", "60", "--seed", seed, "--max-seconds", "1", "--model", "c.npz"], ["c.npz"]

    def start(self, arguments, folder, limit=None):
        return subprocess.Popen([self.program, *arguments], cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE, text=True, preexec_fn=limit)

    def finish(self, process, told):
        """Waits; what came of it is the table's column."""
        try:
            _, errors = process.communicate(timeout=300)
        except subprocess.TimeoutExpired as expired:
            process.kill()
            raise Lost(f"{told}: does not end") from expired
        status = process.returncode
        self.check(-status not in FAULTS, f"{told}: ended by signal {-status}: {errors}")
        # Progress and notes may come before.
        if status == 127 and "error while loading shared libraries" in errors:
            return 2  # with so little the system does not get as far as the program
        lines = [line for line in errors.splitlines() if line.startswith("alfcg: ") and not line.startswith("alfcg: note: ")]
        if status == 2:
            self.check(len(lines) == 1, f"{told}: refused with {errors!r}")
            return 2
        self.check(status in (0, 130) or status < 0, f"{told}: exit status {status}: {errors}")
        return 1 if status == 0 else 2

    def look(self, folder, outputs, told):
        """Every output is whole, or the old one."""
        for name in outputs:
            path = folder / name
            if not path.exists():
                continue
            if name.endswith(".npz"):
                shown = self.run(["show", name], folder)
                self.check(shown.returncode == 0, f"{told}: {name} is damaged: {shown.stderr}")
            else:
                text = path.read_text(encoding="utf-8")
                self.check(text == "before\n" or text.endswith("\n"), f"{told}: {name} is half a file")

    def fresh_folder(self, arguments, outputs, size=None):
        folder = pathlib.Path(tempfile.mkdtemp(prefix="round-", dir=self.folder))
        if size is not None:
            subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={size}", "soak", str(folder)], check=True)
        for name in ("old.npz", "data.svm", "ratings.csv"):
            if name in arguments:
                os.symlink(self.folder / name, folder / name)
        if size is None and self.random.random() < 0.5:
            for name in outputs:
                if name.endswith(".npz"):
                    shutil.copy(self.folder / "old.npz", folder / name)
                else:
                    (folder / name).write_text("before\n", encoding="ascii")
        return folder

    def round(self, kind):
        arguments, outputs = self.command()
        if kind == "data cut short":
            arguments, outputs = ["train", "data.svm", "--region", "l1", "--max-epochs", "20", "--model", "m.npz"], ["m.npz"]
        told = f"{kind}: alfcg {' '.join(arguments)}"
        size = f"{self.random.randrange(4, 200)}k" if kind == "full disk" and os.geteuid() == 0 else None
        folder = self.fresh_folder(arguments, outputs, size)
        try:
            result = getattr(self, "do_" + kind.replace(" ", "_"))(arguments, folder, told)
            if result is None:
                return
            self.table[kind][0] += 1
            self.table[kind][result] += 1
            self.look(folder, outputs, told)
            if size is None:
                # The next run removes what a killed one has left.
                after = self.run(["predict", str(self.folder / "old.npz"), str(self.folder / "data.svm"), "--output", "after"], folder)
                self.check(after.returncode == 0, f"{told}: the next run fails: {after.stderr}")
                left = [name for name in os.listdir(folder) if name.startswith(".alfcg")]
                self.check(not left, f"{told}: left behind: {left}")
        finally:
            if size is not None:
                subprocess.run(["umount", str(folder)], check=True)
            shutil.rmtree(folder, ignore_errors=True)

    def do_signal(self, arguments, folder, told):
        process = self.start(arguments, folder)
        time.sleep(self.random.random() * 1.2)
        process.send_signal(self.random.choice([signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGPIPE]))
        return self.finish(process, told)

    def do_kill(self, arguments, folder, told):
        process = self.start(arguments, folder)
        time.sleep(self.random.random() * 1.2)
        process.kill()
        return self.finish(process, told)

    def do_full_disk(self, arguments, folder, told):
        bytes_left = self.random.randrange(0, 20000)

        def limit():
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (bytes_left, bytes_left))

        return self.finish(self.start(arguments, folder, None if os.geteuid() == 0 else limit), told)

    def do_little_memory(self, arguments, folder, told):
        most = self.random.randrange(10, 200) << 20
        return self.finish(self.start(arguments, folder, lambda: resource.setrlimit(resource.RLIMIT_AS, (most, most))), told)

    def do_few_files(self, arguments, folder, told):
        most = self.random.randrange(4, 16)
        return self.finish(self.start(arguments, folder, lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))), told)

    def do_busy_neighbours(self, arguments, folder, told):
        neighbours = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(2 * (os.cpu_count() or 1))]
        try:
            return self.finish(self.start(arguments, folder), told)
        finally:
            for neighbour in neighbours:
                neighbour.kill()
                neighbour.wait()

    def do_two_writers(self, arguments, folder, told):
        both = [self.start(arguments, folder) for _ in range(2)]
        return max(self.finish(process, told) for process in both)

    def do_data_cut_short(self, arguments, folder, told):
        (folder / "data.svm").unlink()
        shutil.copy(self.folder / "data.svm", folder / "data.svm")
        process = self.start(arguments, folder)
        time.sleep(self.random.random() * 0.05)
        os.truncate(folder / "data.svm", self.random.randrange(200000))
        return self.finish(process, told)

    def do_clock(self, arguments, folder, told):
        faketime = shutil.which("faketime")
        if faketime is None:
            self.skipped["clock"] = "faketime is not installed"
            return None
        process = subprocess.Popen([faketime, "-f", self.random.choice(["+1000d x50", "-1000d x0.1"]), self.program, *arguments],
                                   cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        return self.finish(process, told)

    def go(self, seconds):
        end = time.monotonic() + seconds
        number = 0
        while time.monotonic() < end:
            kind = KINDS[number % len(KINDS)]
            number += 1
            try:
                self.round(kind)
            except Lost as lost:
                self.table[kind][0] += 0 if self.table[kind][0] > sum(self.table[kind][1:]) else 1
                self.lost.append((kind, str(lost)))
                print(f"LOST {lost}", flush=True)

    def print_table(self):
        print(f"{'':<18}{'tried':>8}{'finished':>10}{'ended or refused':>18}{'lost':>6}")
        for kind in KINDS:
            if kind in self.skipped:
                print(f"{kind:<18}not tried: {self.skipped[kind]}")
                continue
            tried, finished, ended = self.table[kind]
            print(f"{kind:<18}{tried:>8}{finished:>10}{ended:>18}{sum(1 for k, _ in self.lost if k == kind):>6}")
        print(f"{'all':<18}{sum(row[0] for row in self.table.values()):>8}{sum(row[1] for row in self.table.values()):>10}"
              f"{sum(row[2] for row in self.table.values()):>18}{len(self.lost):>6}")


def main():
    parser = argparse.ArgumentParser(description="the program, while things go wrong")
    parser.add_argument("program")
    parser.add_argument("--seconds", type=float, default=3600)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--keep", action="store_true", help="keep the folder")
    arguments = parser.parse_args()
    folder = pathlib.Path(tempfile.mkdtemp(prefix="alfcg-soak-"))
    try:
        soak = Soak(os.path.abspath(arguments.program), folder, arguments.seed)
        try:
            soak.go(arguments.seconds)
        except KeyboardInterrupt:
            pass
        soak.print_table()
    finally:
        if not arguments.keep:
            shutil.rmtree(folder, ignore_errors=True)
    return 1 if soak.lost else 0


if __name__ == "__main__":
    sys.exit(main())
