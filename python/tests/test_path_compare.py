"""Paths and comparisons: the command line's numbers, and its report."""

import csv
import json
import subprocess
import sys

import numpy as np
import pytest

import alfcg


@pytest.fixture(scope="module")
def data():
    return alfcg.datasets.make_low_rank(rows=400, features=15, classes=3, rank=1, dtype=np.float32)


def write_csv(path, data):
    with open(path, "w", newline="") as file:
        writer = csv.writer(file)
        for row, label in zip(data.data.tolist(), data.target.tolist(), strict=True):
            writer.writerow([*map(repr, row), label])


def test_a_path_is_the_command_lines(program, tmp_path, data):
    write_csv(tmp_path / "data.csv", data)
    program("path", tmp_path / "data.csv", "--radii", "1,2,8,32", "--folds", 4, "--seed", 2, "--threads", 1, "--pick", "1se",
            "--model", tmp_path / "model.npz", "--output", tmp_path / "report", "--silent")  # fmt: skip
    with open(tmp_path / "report" / "path.csv") as file:
        theirs = list(csv.DictReader(file))
    ours = alfcg.path(data.data, data.target, radii=[32, 1, 2, 8], folds=4, seed=2, threads=1, pick="1se")
    assert ours.table["radius"] == [1, 2, 8, 32]
    for mine, other in zip(ours.table, theirs, strict=True):
        for name in ("objective", "gap", "score", "score_se", "train_score"):
            assert mine[name] == float(other[name]), name
    assert np.array_equal(ours.model.coef, alfcg.load(tmp_path / "model.npz").coef)
    assert ours.folds == 4 and ours.chosen == ours.smallest <= ours.best
    assert len(ours.singular_values) == 4 and "radius" in repr(ours) and "<table>" in ours._repr_html_()


def test_a_path_finds_radii_by_itself(data):
    seen = []
    found = alfcg.path(data.data, data.target, hold_out=0.3, callback=seen.append)
    assert [row["radius"] for row in seen] == found.table["radius"]
    assert found.folds == 0 and len(found.table) > 3
    assert np.linalg.svd(found.coef, compute_uv=False).sum() <= found.chosen * (1 + 1e-5)
    with pytest.raises(ValueError, match="folds and `hold_out` are two ways"):
        alfcg.path(data.data, data.target, folds=3, hold_out=0.2)


def test_a_comparison_is_the_command_lines(program, tmp_path, data):
    write_csv(tmp_path / "data.csv", data)
    options = {"methods": ["alfcg-d", "fw-openloop", "alfcg-fs"], "seeds": 2, "seed": 5, "max_epochs": 8, "threads": 1}
    program("compare", tmp_path / "data.csv", "--methods", ",".join(options["methods"]), "--seeds", 2, "--seed", 5,
            "--max-epochs", 8, "--threads", 1, "--radius", 4, "--output", tmp_path / "theirs", "--silent")  # fmt: skip
    theirs = json.loads((tmp_path / "theirs" / "summary.json").read_text())
    ours = alfcg.compare(
        data.data, data.target, output=tmp_path / "ours", region_parameters={"radius": 4}, name="data", **options
    )
    assert len(ours.runs) == 4 and ours.best_objective == theirs["best_objective"]
    for mine, other in zip(ours.table, theirs["ranking"], strict=True):
        for name in ("method", "setting", "runs", "objective", "gap", "iterations", "accuracy", "rank"):
            assert mine[name] == other[name], name
    for name in ("report.html", "summary.json", "figures/gap-epochs.svg", "runs/alfcg-fs-6.csv"):
        assert (tmp_path / "ours" / name).exists(), name
    page = (tmp_path / "ours" / "report.html").read_text()
    assert ours.page == str(tmp_path / "ours" / "report.html") and "alfcg compare data" in page
    summary = json.loads((tmp_path / "ours" / "summary.json").read_text())
    assert summary["command"].startswith("alfcg.compare(X, y, methods=['alfcg-d', 'fw-openloop', 'alfcg-fs'], output=")
    assert summary["command"].endswith("region_parameters={'radius': 4}, max_epochs=8, seed=5, threads=1)")
    run = ours.runs[0]
    assert run["history"]["objective"][-1] == run["objective"]
    assert "alfcg-d" in repr(ours) and "<table>" in ours._repr_html_()


def test_a_comparison_is_a_frame(data):
    pandas = pytest.importorskip("pandas")
    before = []
    result = alfcg.compare(data.data, data.target, methods="deterministic", max_iterations=3, threads=1,
                           callback=lambda done, planned, name: before.append((done, planned, name)))  # fmt: skip
    frame = result.to_frame()
    assert isinstance(frame, pandas.DataFrame) and list(frame.method) == result.table["method"]
    assert frame.objective.is_monotonic_increasing
    assert len(before) == before[0][1] and before[0][0] == 0
    assert result.page is None


def test_methods_that_do_not_work_are_left_out_or_told(data):
    wide = np.tile(data.data, (1, 20))
    with pytest.raises(ValueError, match="rho is not a parameter of any"):
        alfcg.compare(wide, data.target, methods="fw-openloop", parameters={"rho": 1.0})
    with pytest.raises(ValueError, match="seeds must be at least 1"):
        alfcg.compare(wide, data.target, seeds=0)
    with pytest.raises(ValueError, match="no-such"):
        alfcg.compare(wide, data.target, methods="no-such")


INTERRUPTED = """
import os, signal, sys, threading
import numpy as np, alfcg
rng = np.random.default_rng(0)
X = rng.standard_normal((20000, 100)); y = (X[:, 0] + rng.standard_normal(20000) > 0).astype(int)
seen = []
def look(*now):  # the signal comes once something has been finished: between two calls, or in one
    seen.append(now)
    if len(seen) == 2 and sys.argv[2] == "between": threading.Timer(0.05, os.kill, (os.getpid(), signal.SIGINT)).start()
    if len(seen) == 2 and sys.argv[2] == "within": signal.raise_signal(signal.SIGINT)
try:
    if sys.argv[1] == "path":
        alfcg.path(X, y, radii=np.geomspace(0.01, 1e4, 200), folds=5, callback=look)
    else:
        alfcg.compare(X, y, methods="deterministic", seeds=1, max_epochs=1e5, max_seconds=3, callback=look)
except KeyboardInterrupt as error:
    print(1 <= len(error.result.table) < 200, "finished" in str(error) or "so far" in str(error))
"""


@pytest.mark.parametrize("when", ["between", "within"])
@pytest.mark.parametrize("what", ["path", "compare"])
def test_ctrl_c_leaves_what_has_been_finished(what, when):
    done = subprocess.run(
        [sys.executable, "-c", INTERRUPTED, what, when], capture_output=True, text=True, timeout=120, check=False
    )
    assert done.stdout.split() == ["True", "True"], done.stdout + done.stderr
