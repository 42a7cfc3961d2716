#!/usr/bin/env python3
"""alfcg-calibration: its answers, and the awkward data it makes."""

from __future__ import annotations

import math
import os
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "bench"))
sys.dont_write_bytecode = True

from harness.worker import Worker, WorkerFailed  # noqa: E402

PROGRAM = Path(os.environ.get("ALFCG_CALIBRATION_PROGRAM", ROOT / "build" / "bench" / "alfcg-calibration"))


def as_libsvm(rows: list[tuple[int, int, int]]) -> str:
    return "".join(f"{label} 1:{a} 2:{b} 4:1\n" for a, b, label in rows)


def as_csv(rows: list[tuple[int, int, int]]) -> str:
    return "a,b,c,label\n" + "".join(f"{a},{b},1,{label}\n" for a, b, label in rows)


@unittest.skipUnless(PROGRAM.exists(), "alfcg-calibration is not built (-DALFCG_BENCH=ON)")
class Program(unittest.TestCase):
    def worker(self, *settings: str) -> Worker:
        return Worker([str(PROGRAM), *settings], dict(os.environ), ROOT)

    def test_answer_has_its_facts(self) -> None:
        job = {"region": "l1", "radius": 10, "method": "alfcg-d", "seed": 1, "rho": 0.5, "epochs": 4, "trace": True}
        with self.worker("data=planted") as worker:
            self.assertEqual(worker.facts, {"rows": 3000, "outputs": 10, "features": 200})
            answer = worker.ask(job)["answer"]
            self.assertAlmostEqual(answer["first"], math.log(10), places=5)
            self.assertEqual(answer["rho"], 0.5)
            self.assertGreaterEqual(answer["curvature"], 0.5)
            self.assertEqual(answer["iterations"], 4)
            objectives = answer["trace"]["objective"]
            self.assertEqual((len(objectives), objectives[0], objectives[-1]), (5, answer["first"], answer["last"]))
            self.assertEqual(answer["trace"]["seconds"], sorted(answer["trace"]["seconds"]))
            self.assertEqual(worker.ask({**job, "method": "fw-armijo"})["answer"].keys(), {"error"})
            self.assertIn("unknown region 'l7'", worker.ask({**job, "region": "l7"})["answer"]["error"])
            self.assertIn("expected a number", worker.ask({**job, "rho": "much"})["answer"]["error"])
        with self.assertRaisesRegex(WorkerFailed, "unknown distortion 'nonsense'"):
            with self.worker("data=planted", "distortion=nonsense"):
                pass

    def objectives(self, *settings: str) -> list[float]:
        """Along a run of alfcg-d."""
        job = {"region": "l3", "radius": 0.5, "method": "alfcg-d", "rho": 10, "epochs": 6, "trace": True}
        with self.worker(*settings) as worker:
            found: list[float] = worker.ask(job)["answer"]["trace"]["objective"]
            return found

    def assert_same_course(self, one: list[float], other: list[float]) -> None:
        self.assertEqual(len(one), len(other))
        for a, b in zip(one, other, strict=True):
            self.assertAlmostEqual(a, b, delta=1e-5 * abs(a))

    def test_distorted_data_are_what_they_are_said_to_be(self) -> None:
        """Against files that were distorted by hand, sparse (with an empty column) and dense."""
        rows = [(i * 37 % 11 - 5, i * i % 7 - 3, i % 2) for i in range(30)]
        enlarged = [(a * 10**6, b, label) for a, b, label in rows]  # |a| is larger than |b| on the whole
        for kind, write in {"libsvm": as_libsvm, "csv": as_csv}.items():
            with self.subTest(kind), tempfile.TemporaryDirectory() as folder:

                def source(name: str, content: list[tuple[int, int, int]]) -> str:
                    path = Path(folder) / f"{name}.{kind}"
                    path.write_text(write(content))
                    return f"data={path}"

                plain = source("plain", rows)
                for normalize in ("normalize=none", "normalize=columns"):
                    self.assert_same_course(
                        self.objectives(plain, "distortion=duplicated-rows", normalize),
                        self.objectives(source("copies", rows[:3] * 10), normalize),
                    )
                self.assert_same_course(
                    self.objectives(plain, "distortion=huge-feature"), self.objectives(source("huge", enlarged))
                )
                shuffled, straight = self.objectives(plain, "distortion=shuffled-labels"), self.objectives(plain)
                self.assertEqual(shuffled[0], straight[0])
                self.assertNotEqual(shuffled[-1], straight[-1])


if __name__ == "__main__":
    unittest.main()
