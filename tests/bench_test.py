#!/usr/bin/env python3
"""The harness of `make bench`: it measures nothing here, but what it does with measurements must be right."""

from __future__ import annotations

import gzip
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
BENCH = ROOT / "bench"
sys.path.insert(0, str(BENCH))
sys.dont_write_bytecode = True

from harness import tables  # noqa: E402
from harness.company_cases import company, measures  # noqa: E402
from harness.data import DataFolder  # noqa: E402
from harness.default_sets import split_lines  # noqa: E402
from harness.defaults_cases import Outcome, behind  # noqa: E402
from harness.disturbance import Patience, Watch, family_seconds  # noqa: E402
from harness.results import Results, Row, Table, row  # noqa: E402
from harness.rounds import Pace, Side, alternate, ratio  # noqa: E402
from harness.worker import Worker, WorkerFailed  # noqa: E402

PROGRAM = Path(os.environ.get("ALFCG_BENCH_PROGRAM", ROOT / "build" / "bench" / "alfcg-bench"))

# Answers each measure with the repetitions 3, 4, 5, ... times the number in its name.
SCRIPT = """
import itertools
from peers.serving import serve
count = itertools.count(3)
serve({"ready": True}, {"m2": lambda: (2.0 * next(count), {"last": True}), "m1": lambda: (1.0, {})})
"""


def scripted(script: str) -> Worker:
    return Worker([sys.executable, "-c", script], os.environ | {"PYTHONPATH": str(BENCH)}, ROOT)


def machine() -> dict:
    return {
        "cpu": "a CPU", "cores": 2, "threads": 2, "simd": "AVX3", "last_cache": "32768K", "date": "today",
        "versions": {"python": "3"}, "mode": "quick", "seconds": 1.0, "others_median": 0.0, "others_most": 0.5,
    }  # fmt: skip


class Harness(unittest.TestCase):
    def test_cases_are_listed_without_any_environment(self) -> None:
        done = subprocess.run([sys.executable, BENCH / "run", "--list"], capture_output=True, text=True, check=True)
        names = [line.split()[0] for line in done.stdout.splitlines()]
        self.assertIn("gradient-f32", names)
        self.assertIn("growth", names)
        self.assertEqual(len(names), len(set(names)))

    def test_unknown_case_is_refused(self) -> None:
        done = subprocess.run([sys.executable, BENCH / "run", "--only", "nonsense"], capture_output=True, text=True)
        self.assertEqual(done.returncode, 2)
        self.assertIn("nonsense", done.stderr)

    def test_worker_gives_facts_and_repetitions(self) -> None:
        with scripted(SCRIPT) as worker:
            self.assertEqual(worker.facts, {"ready": True, "measures": ["m1", "m2"]})
            self.assertEqual(worker.measure("m2"), ([6.0], {"last": True}))
            self.assertEqual(worker.measure("m2", 0.01)[0][:3], [8.0, 10.0, 12.0])

    def test_what_a_library_prints_is_not_taken_for_a_reply(self) -> None:
        noisy = SCRIPT.replace('"m1": lambda: (1.0, {})', '"m1": lambda: (print("noise"), (1.0, {}))[1]')
        with scripted(noisy) as worker:
            self.assertEqual(worker.measure("m1")[0], [1.0])

    def test_last_words_of_a_failed_worker_are_told(self) -> None:
        with self.assertRaisesRegex(WorkerFailed, "no such thing"):
            with scripted("raise SystemExit('no such thing')"):
                pass

    def test_every_side_has_one_turn_a_round(self) -> None:
        with scripted(SCRIPT) as worker:
            slow, fast = Side(worker, "m2"), Side(worker, "m1")
            alternate([slow, fast], Pace(rounds=4, turn=0.0, patience=Patience(0)))
            # The first is the warm-up.
            self.assertEqual(slow.seconds, [8.0, 10.0, 12.0, 14.0])
            self.assertEqual(fast.seconds, [1.0] * 4)

    def test_fastest_repetition_of_a_turn_counts(self) -> None:
        with scripted(SCRIPT) as worker:
            side = Side(worker, "m2")
            side.take_turn(Pace(rounds=1, turn=0.01, patience=Patience(0)))
            self.assertEqual(side.seconds, [6.0])

    def test_ratio_is_the_median_of_the_rounds(self) -> None:
        with scripted(SCRIPT) as worker:
            ours = Side(worker, "m1", [1.0, 2.0, 4.0])
            theirs = Side(worker, "m2", [3.0, 4.0, 40.0])
        found = ratio(theirs, ours)
        self.assertEqual((found.median, found.low, found.high), (3.0, 2.0, 10.0))
        faster = row("case", "what", "them", ours, theirs, "at least", 3.0)
        self.assertTrue(faster.passed)
        slower = row("case", "what", "them", theirs, ours, "at most", 2.9)
        self.assertFalse(slower.passed)
        self.assertIsNone(row("case", "what", "them", ours, theirs, "at least", None).passed)

    def test_patience_ends(self) -> None:
        patience = Patience(1.0)
        self.assertTrue(patience.allows(0.75))
        self.assertFalse(patience.allows(0.5))
        self.assertTrue(patience.allows(0.25))

    def test_share_of_others_is_a_share(self) -> None:
        self.assertTrue(0 <= Watch(os.getpid()).others() <= 1)

    def test_work_of_children_is_not_that_of_others(self) -> None:
        before = family_seconds(os.getpid())
        subprocess.run([sys.executable, "-c", "import time\nwhile time.process_time() < 0.3: pass"], check=True)
        self.assertGreaterEqual(family_seconds(os.getpid()) - before, 0.25)

    def test_default_fits_say_how_far_they_are_behind(self) -> None:
        theirs = [Outcome("one", 1.0, 0.5), Outcome("two", 2.0, 0.75), Outcome("slow", 60.0)]
        self.assertAlmostEqual(behind(Outcome("ours", 1.0, 0.7), theirs), 5.0)
        self.assertIsNone(behind(Outcome("ours", 60.0), theirs))
        self.assertIsNone(behind(Outcome("ours", 1.0, 0.7), theirs[2:]))
        self.assertEqual([outcome.cell for outcome in theirs], ["50.0 %, 1 s", "75.0 %, 2 s", "> 60 s"])
        self.assertEqual(Outcome("ours", 1.0, 0.7, converged=False).cell, "70.0 %, 1 s *")

    def test_a_split_is_always_the_same_and_loses_no_row(self) -> None:
        with tempfile.TemporaryDirectory() as work:
            source, train, test = (Path(work) / name for name in ("all.gz", "train", "test"))
            lines = [f"{i}\n" for i in range(101)]
            with gzip.open(source, "wt") as packed:
                packed.writelines(lines)
            split_lines(source, train, test)
            first = train.read_text(), test.read_text()
            split_lines(source, train, test)
            self.assertEqual((train.read_text(), test.read_text()), first)
            self.assertEqual(len(first[1].split()), 25)
            self.assertEqual(sorted((first[0] + first[1]).split()), sorted("".join(lines).split()))

    def test_busy_processes_end_with_the_block(self) -> None:
        with company(2) as processes:
            self.assertEqual([process.poll() for process in processes], [None, None])
        self.assertNotIn(None, [process.poll() for process in processes])

    def test_company_measures_each_thing_once(self) -> None:
        names = [measure.what for measure in measures("randn-50000-768")]
        self.assertEqual(len(names), len(set(names)))
        self.assertEqual(len(measures("mnist-50000-768")), len(names) + 1)

    def test_results_survive_json_and_are_shown(self) -> None:
        results = Results(machine())
        results.rows.append(Row("c", "gradient", "NumPy", 1e-3, 5e-3, "at least", 5.0, 4.0, 6.0, 4.5))
        results.rows.append(Row("c", "gradient", "a read", 1e-3, 5e-4, "at most", 2.5, 2.0, 3.0, 2.0))
        results.tables.append(Table("grid", "A grid", ["c", "d"], [["1", "0.50"]]))
        results.failed.append("one thing")
        back = Results.from_json(results.to_json())
        self.assertEqual(back, results)
        for shown in (tables.as_text(back), tables.as_markdown(back)):
            for part in ("1 ms", "500 µs", "met", "missed", "A grid", "1 of 2 targets met", "FAILED: one thing"):
                self.assertIn(part, shown)

    def test_absent_data_have_a_stand_in_that_says_so(self) -> None:
        with tempfile.TemporaryDirectory() as work:
            folder = DataFolder(None, Path(work))
            self.assertEqual(folder.mnist(), "randn-50000-768")
            text = folder.a9a()
            self.assertIn("stand-in", text.name)
            lines = text.path.read_text().splitlines()
            self.assertEqual(len(lines), 32561)
            places = [int(entry.split(":")[0]) for entry in lines[7].split()[1:]]
            self.assertEqual(places, sorted(set(places)))
            self.assertTrue(1 <= places[0] and places[-1] <= text.features)


@unittest.skipUnless(PROGRAM.exists(), "alfcg-bench is not built (-DALFCG_BENCH=ON)")
class Program(unittest.TestCase):
    def worker(self, case: str, *settings: str) -> Worker:
        return Worker([str(PROGRAM), case, "threads=2", *settings], dict(os.environ), ROOT)

    def test_every_measure_of_every_case_takes_time(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            text = Path(folder) / "some.txt"
            text.write_text("1 1:1 3:2\n2 2:5\n")
            cases = {
                "gradient": ["data=randn-300-20", "classes=4"],
                "solve": ["data=randn-300-20", "methods=alfcg-d,alfcg-mvr1", "seconds=0.001", "gap=100"],
                "oracle": ["rows=30", "cols=40", "rank=2", "iterations=5"],
                "reading": [f"data={text}", "features=3"],
            }
            for case, settings in cases.items():
                for precision in ("f32", "f64"):
                    with (
                        self.subTest(case, precision=precision),
                        self.worker(case, f"precision={precision}", f"dump={folder}", *settings) as worker,
                    ):
                        for measure in worker.facts["measures"]:
                            self.assertGreater(min(worker.measure(measure)[0]), 0)

    def test_misspelt_settings_and_measures_are_refused(self) -> None:
        with self.assertRaisesRegex(WorkerFailed, "no setting 'dta'"):
            with self.worker("gradient", "dta=randn-30-5"):
                pass
        with self.assertRaisesRegex(WorkerFailed, "unknown case 'nonsense'"):
            with self.worker("nonsense"):
                pass
        with self.assertRaisesRegex(WorkerFailed, "no measure 'nonsense'"):
            with self.worker("gradient", "data=randn-30-5") as worker:
                worker.measure("nonsense")


if __name__ == "__main__":
    unittest.main()
