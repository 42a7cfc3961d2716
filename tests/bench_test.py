#!/usr/bin/env python3
"""The harness of `make bench`: it measures nothing here, but what it does with measurements must be right."""

from __future__ import annotations

import gzip
import json
import math
import os
import subprocess
import sys
import tempfile
import unittest
from importlib.util import find_spec
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
BENCH = ROOT / "bench"
sys.path.insert(0, str(BENCH))
sys.dont_write_bytecode = True

from harness import tables  # noqa: E402
from harness.accuracy import find_optimum, matched_fit, read_trace, time_to  # noqa: E402
from harness.company_cases import company, measures  # noqa: E402
from harness.data import DataFolder  # noqa: E402
from harness.default_sets import split_lines  # noqa: E402
from harness.defaults_cases import Outcome, behind  # noqa: E402
from harness.disturbance import Patience, Watch, family_seconds  # noqa: E402
from harness.optimum_cases import Course, Race, Standings  # noqa: E402
from harness.optimum_goals import goals  # noqa: E402
from harness.optimum_problems import Problem, all_problems, chosen_problems  # noqa: E402
from harness.path_cases import PathTime, quickest, radii_of, weights_of  # noqa: E402
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


class Optimum(unittest.TestCase):
    def test_time_to_an_accuracy_is_that_of_the_first_point_there(self) -> None:
        course = [(0.0, 1.0), (1.0, 0.5), (2.0, 0.6), (3.0, 0.5), (4.0, 0.1)]
        self.assertEqual(time_to(course, 0.5), 1.0)
        self.assertEqual(time_to(course, 0.55), 1.0)
        self.assertEqual(time_to(course, 0.49), 4.0)
        self.assertIsNone(time_to(course, 0.05))
        self.assertEqual(time_to([(3.0, 0.1), (2.0, 0.1)], 0.2), 2.0)  # fits may come in any order

    def test_optimum_is_the_lower_bound_where_that_is_close(self) -> None:
        close = find_optimum([0.5, 0.25 + 2e-10], [0.2, 0.25, math.nan])
        self.assertTrue(close.certain)
        self.assertEqual(close.value, 0.25)
        self.assertAlmostEqual(close.doubt, 2e-10, delta=1e-15)
        far = find_optimum([0.5, 0.25], [0.2])
        self.assertFalse(far.certain)
        self.assertEqual((far.value, far.lowest), (0.25, 0.25))
        self.assertIn("at most 5e-02 too high", far.describe())
        self.assertEqual(find_optimum([0.5], []).describe(), "lowest seen")
        rounded = find_optimum([0.25], [0.25 + 1e-17, 0.2500000000000001])
        self.assertEqual((rounded.value, rounded.doubt), (0.25, 0.0))  # a bound above an objective is a rounding error

    def test_a_trace_gives_times_and_a_bound(self) -> None:
        with tempfile.TemporaryDirectory() as work:
            trace = Path(work) / "trace.csv"
            rows = ["0,0,0,1.5,2,,,,", "1,1,0.25,1,0.25,,,,", "2,2,0.5,0.875,,,,,"]
            trace.write_text(
                "iteration,epochs,seconds,objective,gap,step,curvature,alpha,error\n" + "\n".join(rows) + "\n"
            )
            points, bound = read_trace(trace)
        self.assertEqual(points, [(0.0, 1.5), (0.25, 1.0), (0.5, 0.875)])
        self.assertEqual(bound, 0.75)

    def test_radius_is_that_of_the_best_fit(self) -> None:
        fits = [{"objective": 2.0, "norm": 3.0}, {"objective": 1.0, "norm": 4.0}, {"objective": 1.5, "norm": 5.0}]
        self.assertEqual(matched_fit(fits)["norm"], 4.0)

    def test_both_forms_have_one_optimum(self) -> None:
        """f(w) = (w − 2)²/2 with |w|: weight 1 has the optimum 1, where f is 1/2 and the sum 3/2."""
        fit = {"objective": 1.5, "loss": 0.5, "norm": 1.0}
        solved = Standings(radius=1.0, weight=1.0, matched=fit, shift=1.0)
        solved.penalised["peer"] = Course([(0.1, 2.0), (0.2, 1.5)], 1.5)
        solved.over_ball["ours"] = Course([(0.1, 2.0), (0.3, 0.5 + 1e-7)], 0.4)
        self.assertEqual(solved.optimum_with_penalty().value, 1.5)
        self.assertEqual(solved.optimum_over_ball().value, 0.5)  # proved by the peer alone
        times = solved.times()
        self.assertEqual((times["peer"][1e-2], times["peer"][1e-8]), (0.2, 0.2))
        self.assertEqual((times["ours"][1e-6], times["ours"][1e-8]), (0.3, None))

    def test_a_solution_of_ours_may_show_that_a_peer_is_not_there(self) -> None:
        solved = Standings(radius=1.0, weight=1.0, shift=1.0)
        solved.penalised["peer"] = Course([(0.2, 1.6)])
        solved.over_ball["ours"] = Course([(0.3, 0.5)], 0.5)
        self.assertEqual(solved.optimum_with_penalty().value, 1.5)
        self.assertIsNone(solved.times()["peer"][1e-2])

    def test_times_that_may_be_too_short_are_not_judged(self) -> None:
        solved = Standings(radius=1.0)
        solved.over_ball["ours"] = Course([(0.1, 0.6), (0.3, 0.5)], 0.495)
        solved.over_ball["theirs"] = Course([(0.1, 0.5003)])
        times = solved.times()
        self.assertEqual(solved.clear(times["ours"]), [1e-2])
        self.assertEqual(solved.clear(times["theirs"]), [1e-2, 1e-4, 1e-6, 1e-8])  # the last three are surely missed

    def test_repeated_runs_count_by_the_quickest(self) -> None:
        course = Course([(0.0, 1.0), (2.0, 0.0)], repeated=[[(0.0, 1.0), (1.0, 0.0)]])
        self.assertEqual(course.times(0.0)[1e-8], 1.0)

    def test_a_race_has_an_end(self) -> None:
        race = Race(10.0)
        race.done_in(4.0)
        self.assertEqual(race.limit, 10.0)
        race.done_in(1.0)
        self.assertEqual(race.limit, 3.0)
        race.done_in(0.01)
        self.assertEqual(race.limit, 2.0)

    def test_problems_have_names_of_their_own(self) -> None:
        names = [problem.name for problem in all_problems()]
        self.assertEqual(len(names), len(set(names)))
        self.assertEqual(len(chosen_problems(False, [])), len(names))
        self.assertTrue(0 < len(chosen_problems(True, [])) < 8)
        self.assertEqual(len(chosen_problems(True, ["a9a, l1 logistic, C = 1,"])), 1)
        self.assertEqual(chosen_problems(False, ["nonsense"]), [])

    def test_goals_compare_with_the_fastest_peer(self) -> None:
        problem = Problem("l1 logistic", "set", "logistic", "l1", cost=1.0)
        times = {
            "alfcg-c": {1e-2: 0.1, 1e-6: 0.5, 1e-8: None},
            "slow": {1e-2: 0.4, 1e-6: None, 1e-8: None},
            "fast": {1e-2: 0.2, 1e-6: 1.0, 1e-8: 2.0},
        }
        rows = goals(problem, "alfcg-c", ["slow", "fast"], times, [1e-2, 1e-6, 1e-8], None)
        self.assertEqual([(found.against, found.ratio, found.passed) for found in rows],
                         [("fast", 0.5, True), ("fast", 0.5, False), ("fast", math.inf, False)])  # fmt: skip
        self.assertEqual(tables.cells(rows[2])[2], "not reached")
        results = Results(machine(), rows=rows)
        self.assertNotIn("Infinity", json.dumps(results.to_json()))
        self.assertEqual(Results.from_json(json.loads(json.dumps(results.to_json()))), results)
        alone = goals(problem, "alfcg-c", ["slow"], times, [1e-6, 1e-8], None)
        self.assertEqual([(found.ratio, found.passed) for found in alone], [(0.0, True)])  # to 1e-8 neither

    def test_passes_are_worth_their_time(self) -> None:
        problem = Problem("nuclear", "set", "multinomial", "nuclear", 10, passes=40)
        times = {"alfcg-c": {1e-4: 1.0}, "accelerated": {1e-4: 4.0}}
        rows = goals(problem, "alfcg-c", [], times, [1e-4], 0.05)
        self.assertEqual([(found.ratio, found.passed) for found in rows], [(0.5, True), (0.25, False)])

    def test_a_path_has_falling_weights_and_rising_radii(self) -> None:
        weights = weights_of(2.0, 50)
        self.assertEqual(len(weights), 50)
        self.assertAlmostEqual(weights[0], 1.9)
        self.assertAlmostEqual(weights[-1], 0.02)
        self.assertEqual(weights, sorted(weights, reverse=True))
        self.assertEqual(radii_of([0.0, 1.0, 1.0, 3.0, 2.0, 4.0]), [1.0, 3.0, 4.0])

    def test_a_path_is_as_accurate_as_its_worst_fit(self) -> None:
        tries = [PathTime(1.0, 1e-1), PathTime(3.0, 1e-3), PathTime(2.0, 1e-4)]
        self.assertEqual(quickest(tries, 1e-2), tries[2])
        self.assertIsNone(quickest(tries, 1e-5))


@unittest.skipUnless(find_spec("numpy") and find_spec("scipy"), "NumPy and SciPy are not there")
class PeersLoss(unittest.TestCase):
    """What the peers are judged by: gradients by central differences, bounds where the optimum is known."""

    def losses(self) -> list:
        import numpy as np
        from scipy.sparse import csr_array

        from peers.mean_loss import MeanLoss

        numbers = np.random.default_rng(0)
        features = numbers.standard_normal((40, 5))
        labels = numbers.integers(0, 3, 40)
        dense = [
            MeanLoss(features, numbers.standard_normal(40), "squared"),
            MeanLoss(features, labels > 0, "logistic"),
            MeanLoss(features, labels, "multinomial"),
        ]
        return [*dense, MeanLoss(csr_array(features), labels, "multinomial")]

    def test_gradients(self) -> None:
        import numpy as np

        numbers = np.random.default_rng(1)
        for loss in self.losses():
            w, direction = numbers.standard_normal(loss.shape), numbers.standard_normal(loss.shape)
            step = 1e-5
            slope = (loss.evaluate(w + step * direction)[0] - loss.evaluate(w - step * direction)[0]) / (2 * step)
            with self.subTest(loss.loss):
                self.assertAlmostEqual(slope, float(np.vdot(loss.evaluate(w)[1], direction)), delta=1e-8)

    def test_bounds_are_below_every_objective_and_meet_the_lowest(self) -> None:
        import numpy as np

        weight = 0.05
        numbers = np.random.default_rng(2)

        def bound(loss: object, w: object) -> float:
            _, slopes = loss.derivatives(w)
            return loss.l1_bound(slopes, loss.pulled_back(slopes), weight)

        for loss in self.losses():
            w = np.zeros(loss.shape)
            for _ in range(20000):  # proximal steps, which end at the optimum
                w = w - 0.2 * loss.evaluate(w)[1]
                w = np.sign(w) * np.maximum(np.abs(w) - 0.2 * weight, 0)
            lowest = loss.evaluate(w)[0] + weight * np.abs(w).sum()
            with self.subTest(loss.loss):
                self.assertAlmostEqual(bound(loss, w), lowest, delta=1e-9)
                for _ in range(20):
                    self.assertLessEqual(bound(loss, numbers.standard_normal(loss.shape)), lowest + 1e-12)


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
