#!/usr/bin/env python3
"""The calibration of `--rho auto`: what is run, what is kept, and what is made of it."""

from __future__ import annotations

import json
import math
import os
import signal
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
BENCH = ROOT / "bench"
sys.path.insert(0, str(BENCH))
sys.dont_write_bytecode = True

from harness import calibration_tables  # noqa: E402
from harness.calibration_jobs import DATA, GRID, RHOS, SETTINGS, Batch, Job, Plan, is_auto, key_of  # noqa: E402
from harness.calibration_run import Progress, Runner  # noqa: E402
from harness.calibration_scores import Scores, above_start, score  # noqa: E402
from harness.calibration_store import Store  # noqa: E402
from harness.made_sets import MADE  # noqa: E402

PROGRAM = Path(os.environ.get("ALFCG_CALIBRATION_PROGRAM", ROOT / "build" / "bench" / "alfcg-calibration"))
PROBLEM = {"data": "randn", "normalize": "none", "region": "l3", "radius": 10}

# Answers as alfcg-calibration does, at once.
STAND_IN = """#!/usr/bin/env python3
import json, sys
print(json.dumps({"rows": 1}), flush=True)
for line in sys.stdin:
    job = json.loads(line)
    answer = {"first": 2.0, "last": 1.0, "seconds": 0.1}
    print(json.dumps({**job, "answer": answer}), flush=True)
"""


def result(method: str, last: float, *, first: float = 2.0, seed: int = 1, **more: Any) -> Job:
    return {**PROBLEM, "method": method, "seed": seed, **more, "answer": {"first": first, "last": last}}


def broken(method: str, **more: Any) -> Job:
    return {**PROBLEM, "method": method, "seed": 1, **more, "answer": {"error": "not finite"}}


def traced(method: str, turn: int, seconds: list[float], objectives: list[float]) -> Job:
    found = result(method, objectives[-1], first=objectives[0], trace=True, round=turn)
    if method == "alfcg-d":
        found["epochs"] = 300
    found["answer"]["trace"] = {"seconds": seconds, "objective": objectives}
    return found


def grid(method: str, best: float, best_rho: float, other: float = 2.0) -> list[Job]:
    return [result(method, best if rho == best_rho else other, rho=rho) for rho in RHOS]


def small_plan(**more: Any) -> Plan:
    usual: dict[str, Any] = {
        "data": ["planted"], "methods": ["alfcg-d", "alfcg-mvr1", "sfw"], "seeds": 2, "normalizations": ["rows"],
        "regions": ["l3"], "radii": [10],
    }  # fmt: skip
    return Plan(**{**usual, **more})


def jobs_of(batches: list[Batch]) -> list[Job]:
    return [job for batch in batches for job in batch.jobs]


class Jobs(unittest.TestCase):
    def test_every_run_of_the_grid_is_there_once(self) -> None:
        jobs = jobs_of(Plan().batches())
        self.assertEqual(len({key_of(job) for job in jobs}), len(jobs))
        problems = 4 * 4 * (5 * 3 + 2)
        rules = 1 + 3 * 3  # alfcg-d once, three random methods with three seeds
        rivals = 6 + 3 * (5 + 5)
        self.assertEqual(len(jobs), problems * (rules * (2 + len(RHOS)) + rivals + 1 + 3 * rules))
        self.assertEqual(len(jobs_of(Plan().timings())), problems * 3 * 3)

    def test_auto_and_probe_come_first_and_news20_last(self) -> None:
        batches = Plan(seeds=1).batches()
        rules = [i for i, batch in enumerate(batches) if batch.jobs[1].get("rho") == "probe"]
        quick = 4 * (len(GRID) - 1)
        self.assertEqual(rules[:quick], list(range(quick)))
        slow = [batch.data == "news20" for batch in batches]
        self.assertEqual(slow, sorted(slow))

    def test_rho_grid_is_written_as_powers_of_ten(self) -> None:
        self.assertEqual(RHOS, (1e-7, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 0.1, 1.0, 10.0, 100.0, 1000.0))

    def test_defaults_may_be_left_out_or_written_down(self) -> None:
        short = {**PROBLEM, "method": "alfcg-d", "seed": 1}
        long = {**short, "epochs": 30, "distortion": "none", "trace": False, "radius": 10.0}
        self.assertEqual(key_of(short), key_of(long))
        self.assertNotEqual(key_of(short), key_of({**short, "rho": "probe"}))
        self.assertNotEqual(key_of(short), key_of({**short, "distortion": "huge-feature"}))

    def test_data_that_are_not_there_are_known(self) -> None:
        self.assertTrue(DATA["planted"].there(None))
        self.assertFalse(DATA["letter"].there(None))
        self.assertFalse(DATA["letter"].there(Path("/nonexistent")))


class MadeSets(unittest.TestCase):
    def setUp(self) -> None:
        self._folder = tempfile.TemporaryDirectory()
        self.addCleanup(self._folder.cleanup)
        self.folder = Path(self._folder.name)

    def rows(self, name: str) -> list[list[str]]:
        words = DATA[name].settings(None, self.folder)
        path = Path(words[0].removeprefix("data="))
        self.assertEqual(path.parent, self.folder)
        return [line.split() for line in path.read_text().splitlines()]

    def test_all_are_held_back_and_can_be_made_without_a_data_folder(self) -> None:
        for name in MADE:
            self.assertTrue(DATA[name].there(None))
            self.assertNotIn(name, GRID)

    def test_two_classes_have_their_shares(self) -> None:
        labels = [row[0] for row in self.rows("unbalanced")]
        self.assertEqual(len(labels), 4000)
        self.assertAlmostEqual(labels.count("1") / len(labels), 0.04, delta=0.01)

    def test_text_is_sparse_and_counts_its_words(self) -> None:
        for row in self.rows("wide")[:200]:
            cells = [cell.split(":") for cell in row[1:]]
            self.assertEqual(sum(float(value) for _, value in cells), 40)
            places = [int(place) for place, _ in cells]
            self.assertEqual(places, sorted(set(places)))

    def test_categories_have_one_value_each(self) -> None:
        for row in self.rows("categories")[:200]:
            self.assertEqual([cell.split(":")[1] for cell in row[1:]], ["1"] * 22)

    def test_a_set_is_the_same_every_time(self) -> None:
        first = self.rows("unbalanced")
        (self.folder / "unbalanced.txt").unlink()
        self.assertEqual(self.rows("unbalanced"), first)


class Results(unittest.TestCase):
    def setUp(self) -> None:
        self._folder = tempfile.TemporaryDirectory()
        self.addCleanup(self._folder.cleanup)
        self.folder = Path(self._folder.name)
        self.path = self.folder / "calibration" / "results.jsonl"

    def store(self, *results: Job) -> Store:
        store = Store(self.path)
        store.mend()
        for item in results:
            store.add(item)
        return store

    def test_results_are_read_back(self) -> None:
        both = [result("alfcg-d", 1.0), result("alfcg-d", 1.5, rho=1e-5)]
        self.store(*both)
        self.assertEqual(list(Store(self.path)), both)

    def test_half_written_last_line_is_dropped_and_the_next_one_is_whole(self) -> None:
        self.store(result("alfcg-d", 1.0))
        with self.path.open("a") as file:
            file.write('{"data":"randn","ans')
        self.assertEqual(len(Store(self.path)), 1)
        self.store(result("sfw", 1.5))
        methods = [json.loads(line)["method"] for line in self.path.read_text().splitlines()]
        self.assertEqual(methods, ["alfcg-d", "sfw"])

    def test_other_broken_lines_are_named(self) -> None:
        self.store(result("alfcg-d", 1.0))
        with self.path.open("a") as file:
            file.write("nonsense\n{}\n")
        with self.assertRaisesRegex(SystemExit, r"results\.jsonl:2: not a result"):
            Store(self.path)

    def test_later_answer_counts(self) -> None:
        self.store(result("alfcg-d", 1.0), result("alfcg-d", 1.5))
        self.assertEqual([found["answer"]["last"] for found in Store(self.path)], [1.5])

    def test_forgotten_runs_are_gone_from_the_disk(self) -> None:
        kept = result("alfcg-d", 1.5, rho=1.0)
        store = self.store(result("alfcg-d", 1.0), kept, result("alfcg-fs", 1.0, distortion="huge-feature"))
        self.assertEqual(store.forget(is_auto), 2)
        self.assertEqual(list(store), [kept])
        self.assertEqual(list(Store(self.path)), [kept])

    def test_runs_timed_against_each_other_are_repeated_together(self) -> None:
        batch = small_plan(radii=[1, 10]).timings()[0]
        answered = [{**job, "answer": {}} for job in batch.jobs]
        store = self.store(*answered[1:])
        self.assertEqual(store.missing(batch), [job for job in batch.jobs if job["radius"] == 1])

    def stand_in(self, script: str = STAND_IN) -> Path:
        program = self.folder / "stand-in"
        program.write_text(script)
        program.chmod(0o755)
        return program

    def test_answered_jobs_are_not_repeated(self) -> None:
        batches = small_plan().batches()
        jobs = jobs_of(batches)
        store = self.store({**jobs[0], "answer": {"first": 2.0, "last": 0.5, "seconds": 0.1}})
        runner = Runner(self.stand_in(), None, store)
        runner.run(batches, 2)
        self.assertEqual(runner.failed, [])
        self.assertEqual(len(store), len(jobs))
        self.assertEqual(len(self.path.read_text().splitlines()), len(jobs))
        self.assertEqual([found["answer"]["last"] for found in store if found["answer"]["last"] < 1], [0.5])

    def test_worker_that_dies_is_reported_and_the_others_go_on(self) -> None:
        died = STAND_IN.replace("print", 'if "distortion=none" in sys.argv: sys.exit("no luck")\nprint', 1)
        batches = small_plan().batches()
        store = self.store()
        runner = Runner(self.stand_in(died), None, store)
        runner.run(batches, 2)
        self.assertEqual(len(runner.failed), 2)
        self.assertIn("planted, normalize rows, distortion none: no luck", runner.failed[0])
        self.assertEqual(len(store), len([job for job in jobs_of(batches) if "distortion" in job]))

    def test_interrupted_run_says_so_and_goes_on_later(self) -> None:
        wait = "    import time; time.sleep(60 if 'alfcg-mvr1' in line else 0)\n"
        slow = STAND_IN.replace("    job =", wait + "    job =")
        program = self.folder / "bench" / "alfcg-calibration"
        program.parent.mkdir()
        self.stand_in(slow).rename(program)
        command = [sys.executable, str(BENCH / "calibration"), "--build", str(self.folder), "--data", "planted",
                   "--only", "alfcg-d", "--only", "alfcg-mvr1", "--seeds", "1", "--workers", "1"]  # fmt: skip
        with subprocess.Popen(command, stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as running:
            while running.poll() is None and not (self.path.exists() and self.path.read_text().count("\n") == 2):
                time.sleep(0.02)
            running.send_signal(signal.SIGINT)
            errors = running.communicate(timeout=30)[1]
        self.assertEqual(errors, "bench: interrupted; 2 runs are kept, the same command goes on from there\n")
        self.assertEqual(running.returncode, 130)
        self.assertEqual([found["method"] for found in Store(self.path)], ["alfcg-d", "alfcg-d"])

    def test_time_left_is_told_from_what_runs_took(self) -> None:
        jobs = [{**PROBLEM, "method": "sfw", "seed": seed} for seed in range(1, 5)]
        jobs.append({**PROBLEM, "method": "sfw", "seed": 1, "epochs": 90})
        progress = Progress(jobs, self.store())
        done = {**jobs[0], "answer": {"first": 2.0, "last": 1.0, "seconds": 60.0}}
        progress.finished(jobs[0], done)
        # Three more of 30 epochs and one of 90, where the first was guessed at a second an epoch.
        self.assertEqual(progress.line(30.0), "1 of 5 runs, about 6 min left")

    def test_only_what_the_rule_decided_is_redone(self) -> None:
        tracing = STAND_IN.replace("answer = {", 'answer = {"trace": {"seconds": [0, 1], "objective": [2, 1]}, ')
        (self.folder / "bench").mkdir()
        self.stand_in(tracing).rename(self.folder / "bench" / "alfcg-calibration")
        here = {"data": "planted"}
        old = [
            {**result("alfcg-d", 1.5), **here},
            {**result("alfcg-d", 1.5, rho=1.0), **here},
            {**result("alfcg-d", 1.5, rho="probe"), **here},
            {**result("fw-armijo", 1.5), **here},
            {**result("fw-armijo", 1.5, trace=True, round=1), **here},
            {**result("alfcg-fs", 1.5), **here},
            result("alfcg-d", 1.5),
        ]
        self.store(*old)
        command = [sys.executable, str(BENCH / "calibration"), "--build", str(self.folder), "--redo", "auto",
                   "--data", "planted", "--only", "alfcg-d"]  # fmt: skip
        done = subprocess.run(command, capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("2 runs forgotten", done.stderr)
        answers = {key_of(found): found["answer"]["last"] for found in Store(self.path)}
        self.assertEqual([answers[key_of(found)] for found in old], [1.0, 1.5, 1.5, 1.5, 1.0, 1.5, 1.5])

    def test_absent_data_are_left_out_with_a_message(self) -> None:
        (self.folder / "bench").mkdir()
        self.stand_in().rename(self.folder / "bench" / "alfcg-calibration")
        command = [sys.executable, str(BENCH / "calibration"), "--build", str(self.folder), "--data", "letter",
                   "--data-dir", str(self.folder)]  # fmt: skip
        done = subprocess.run(command, capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("letter: left out, there is no libsvm/letter.scale.gz", done.stderr)
        self.assertIn("0 of 0 runs are answered", done.stdout)


class Values(unittest.TestCase):
    def test_score_is_the_share_of_the_decrease_that_is_left(self) -> None:
        self.assertEqual(score(2.0, 2.0, 1.0), 1.0)
        self.assertEqual(score(1.25, 2.0, 1.0), 0.25)
        self.assertEqual(score(3.0, 2.0, 1.0), 2.0)
        self.assertEqual(score(5.0, 2.0, 2.0), 0.0)

    def test_only_more_than_rounding_is_above_the_start(self) -> None:
        self.assertFalse(above_start(result("sfw", 2.0 + 1e-6)))
        self.assertTrue(above_start(result("sfw", 2.0 + 1e-5)))
        self.assertTrue(above_start(broken("sfw")))

    def test_auto_is_compared_with_the_best_rho_in_means_over_seeds(self) -> None:
        runs = [result("alfcg-fs", 1.2, seed=1), result("alfcg-fs", 1.4, seed=2)]
        runs += grid("alfcg-fs", 1.1, 1e-5)
        runs.append(result("fw-parafree", 1.0, epochs=1000))  # how low it gets
        (cell,) = Scores(runs).comparisons("alfcg-fs")
        self.assertAlmostEqual(cell.auto, 0.3)
        self.assertAlmostEqual(cell.best, 0.1)
        self.assertEqual(cell.best_rho, 1e-5)
        self.assertIsNone(cell.probe)
        self.assertAlmostEqual(cell.ratio, 3.0)
        self.assertFalse(cell.near)
        self.assertFalse(cell.far)

    def test_scores_below_the_floor_are_equals(self) -> None:
        runs = grid("alfcg-d", 1.0, 1.0) + [result("alfcg-d", 1.0009)]
        (cell,) = Scores(runs).comparisons("alfcg-d")
        self.assertTrue(cell.near)
        self.assertEqual(cell.ratio, 1.0)
        (worse,) = Scores([*runs[:-1], result("alfcg-d", 1.006)]).comparisons("alfcg-d")
        self.assertTrue(worse.far)
        self.assertAlmostEqual(worse.ratio, 6.0)

    def test_incomplete_grid_is_no_comparison(self) -> None:
        runs = grid("alfcg-d", 1.0, 1.0)[1:] + [result("alfcg-d", 1.5)]
        self.assertEqual(Scores(runs).comparisons("alfcg-d"), [])

    def test_broken_runs_are_never_good(self) -> None:
        scores = Scores([*(broken("alfcg-d", rho=rho) for rho in RHOS), broken("alfcg-d")])
        (cell,) = scores.comparisons("alfcg-d")
        self.assertEqual((cell.near, cell.far, cell.ratio), (False, True, math.inf))
        self.assertEqual(scores.broken, 12)

    def test_better_of_our_methods_meets_the_best_rival(self) -> None:
        setting = SETTINGS[2]
        rivals = [result(name, 1.5 if name == "srfw" else 1.8) for name in setting.rivals]
        ours = [result("alfcg-mvr1", 1.6), result("alfcg-mvr2", 1.51)]
        low = result("fw-parafree", 1.0, epochs=1000)
        (contest,) = Scores([*rivals, *ours, low]).contests(setting)
        self.assertEqual(contest.rival, "srfw")
        self.assertAlmostEqual(contest.ours, 0.51)
        self.assertTrue(contest.held)  # 2 % behind
        (lost,) = Scores([*rivals, *ours[:1], result("alfcg-mvr2", 1.6), low]).contests(setting)
        self.assertFalse(lost.held)
        self.assertEqual(Scores([*rivals[1:], *ours, low]).contests(setting), [])

    def test_race_ends_where_the_rival_ends(self) -> None:
        runs = []
        for turn in (1, 2, 3):
            runs.append(traced("alfcg-d", turn, [0.0, 1.0 * turn, 2.0 * turn, 3.0 * turn], [2.0, 1.7, 1.5, 1.0]))
            runs.append(traced("fw-armijo", turn, [0.0, 1.0, 5.0 - turn], [2.0, 1.6, 1.6]))
            runs.append(traced("fw-parafree", turn, [0.0, 1.0], [2.0, 0.5]))
        (race,) = Scores(runs).races("fw-armijo")
        # Its 1.6 is reached by us at the third iterate, in the fastest turn; by itself at the second already.
        self.assertEqual((race.ours, race.theirs), (2.0, 2.0))
        self.assertEqual((race.ours_floored, race.theirs_floored), (2.0, 1.0))
        (never,) = Scores(runs).races("fw-parafree")
        self.assertIsNone(never.ours)
        self.assertEqual(Scores(runs[1:]).races("fw-armijo"), [])


class Tables(unittest.TestCase):
    def test_all_tables_tell_what_was_found(self) -> None:
        runs = grid("alfcg-d", 1.0, 1e-4) + [result("alfcg-d", 1.5), result("alfcg-d", 1.2, rho="probe")]
        runs += [result(name, 1.25 if name == "fw-armijo" else 1.75) for name in SETTINGS[0].rivals]
        runs += [result("alfcg-d", 2.5, distortion="huge-feature"), result("alfcg-fs", 3.0)]
        for turn in (1, 2, 3):
            runs.append(traced("alfcg-d", turn, [0.0, 1.0, 2.0], [2.0, 1.5, 1.2]))
            runs.append(traced("fw-armijo", turn, [0.0, 4.0], [2.0, 1.25]))
            runs.append(traced("fw-parafree", turn, [0.0, 4.0], [2.0, 1.1]))
        lines = calibration_tables.as_markdown(Scores(runs), 5, 7).splitlines()
        self.assertIn("5 of 7 runs are answered, 0 of all stored broke off with an error.", lines)
        for line in (
            "| alfcg-d | 1 | 0 of 1 | 0.5 | 0.2 | 0 | 0.0 % | 100.0 % | 500 |",
            "| alfcg-fs | 0 | 1 of 1 | – | – | – | – | – | – |",
            "| randn | 1 | 0.0 %, 100.0 % | – | – | – |",
            "| l3 | 1 | 0.0 %, 100.0 % | – | – | – |",
            "| deterministic | alfcg-d | 1 | 0.0 % | fw-armijo 1 |",
            "| huge feature | 1 of 1 | 0 of 0 | 0 of 0 | 0 of 0 | 1 of 1 |",
            "| fw-armijo | 1 | 100.0 % | 100.0 % | 100.0 % | 0.5 |",
            "| fw-parafree | 1 | 0.0 % | 0.0 % | 0.0 % | – |",
            "| alfcg-d | randn | none | l3 | 10 | 0.5 | 0 | 0.0001 |",
        ):
            self.assertIn(line, lines)

    def test_nothing_measured_is_no_error(self) -> None:
        self.assertIn("| alfcg-d | 0 | 0 of 0 |", calibration_tables.as_markdown(Scores([]), 0, 7))


@unittest.skipUnless(PROGRAM.exists(), "alfcg-calibration is not built (-DALFCG_BENCH=ON)")
class Program(unittest.TestCase):
    def test_small_calibration_is_run_kept_and_told(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            store = Store(Path(folder) / "results.jsonl")
            store.mend()
            plan = small_plan(seeds=1)
            runner = Runner(PROGRAM, None, store)
            runner.run(plan.batches(), 2)
            runner.run(plan.timings(), 1)
            self.assertEqual(runner.failed, [])
            jobs = jobs_of(plan.batches() + plan.timings())
            self.assertEqual({key_of(job) for job in jobs}, {key_of(found) for found in Store(store.path)})
        scores = Scores(store)
        self.assertEqual(scores.broken, 0)
        for method in ("alfcg-d", "alfcg-mvr1"):
            (cell,) = scores.comparisons(method)
            self.assertIsNotNone(cell.probe)
            self.assertGreaterEqual(cell.best, 0)
        self.assertEqual(len(scores.races("fw-armijo")), 1)
        self.assertIn("| planted | 1 |", calibration_tables.as_markdown(scores, len(jobs), len(jobs)))



if __name__ == "__main__":
    unittest.main()
