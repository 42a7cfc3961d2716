"""Estimators on several processes: `comm=` of mpi4py."""

import os
import shutil
import subprocess
import sys

import pytest

pytest.importorskip("mpi4py", reason="mpi4py is not installed")
MPIRUN = shutil.which("mpirun")
if MPIRUN is None:
    pytest.skip("there is no mpirun (openmpi-bin)", allow_module_level=True)

BEGINNING = """
import sys
import warnings
import numpy as np
from mpi4py import MPI
from alfcg import ConstrainedClassifier, ConstrainedRegressor
warnings.simplefilter("ignore")
comm = MPI.COMM_WORLD
rank = comm.Get_rank()
rng = np.random.default_rng(5)
X = rng.normal(size=(150, 12))
score = X[:, 0] - X[:, 3] + 0.5 * rng.normal(size=150)
names = np.where(score < -0.7, "elm", np.where(score < 0.8, "ash", "oak"))
order = np.argsort(names != "oak", kind="stable")  # one class is on the first rank alone
X, names, score = X[order], names[order], score[order]
first, last = ((0, 60), (60, 60), (60, 150))[rank] if comm.Get_size() == 3 else ((0, 60), (60, 150))[rank]
own = slice(first, last)

def raised(call):
    try:
        call()
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    return "nothing"
"""


def run(ranks, text):
    environment = os.environ | {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
    start = [MPIRUN, "--oversubscribe", "--bind-to", "none", "-n", str(ranks), sys.executable, "-c"]
    # The last line is that of a process which has come to its end.
    text = BEGINNING + text + "\ncomm.Barrier()\nsys.stdout.write('done\\n')\n"
    done = subprocess.run([*start, text], env=environment, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    assert done.stdout.split() == ["done"] * ranks, done.stdout


@pytest.mark.parametrize("ranks", [2, 3])
def test_the_model_is_that_of_one_process(ranks):
    run(
        ranks,
        """
settings = dict(radius=5, tol=0, max_iter=25, n_jobs=1, random_state=3)
for more in (dict(method="alfcg-d"), dict(method="alfcg-fs", class_weight="balanced"), dict(normalize="columns")):
    alone = ConstrainedClassifier(**settings, **more).fit(X, names)
    model = ConstrainedClassifier(comm=comm, **settings, **more).fit(X[own], names[own])
    assert list(model.classes_) == ["ash", "elm", "oak"]
    assert all(np.array_equal(model.coef_, other) for other in comm.allgather(model.coef_))
    if "method" in more:
        assert np.allclose(model.coef_, alone.coef_, rtol=0, atol=1e-8), abs(model.coef_ - alone.coef_).max()
    assert np.isclose(model.objective_, alone.objective_, rtol=0, atol=1e-8)
    assert model.history_.rows == alone.history_.rows > 0
    assert np.array_equal(model.predict(X), alone.predict(X))
weights = 1.0 + np.arange(150) % 3
alone = ConstrainedRegressor(method="alfcg-d", **settings).fit(X, score, weights)
model = ConstrainedRegressor(method="alfcg-d", comm=comm, **settings).fit(X[own], score[own], weights[own])
assert np.allclose(model.coef_, alone.coef_, rtol=0, atol=1e-8)
drawn = ConstrainedClassifier(comm=comm, method="sfw", max_iter=9, radius=5).fit(X[own], names[own]).coef_
assert all(np.array_equal(drawn, other) for other in comm.allgather(drawn))  # no seed: the first draws one
""",
    )


def test_what_is_wrong_on_one_is_raised_on_all():
    run(
        3,
        """
model = ConstrainedClassifier(comm=comm, radius=5, n_jobs=1)
rows = X[own].copy()
if rank == 2:
    rows[3, 4] = np.nan
assert "NaN" in raised(lambda: model.fit(rows, names[own])), raised
rows = X[own, :11] if rank == 2 else X[own]
assert "features" in raised(lambda: model.fit(rows, names[own]))
labels = np.arange(90) % 2 if rank == 2 else names[own]
assert raised(lambda: model.fit(X[own], labels)).startswith("ValueError: y must have")
assert "at least 2 classes" in raised(lambda: model.fit(X[own], np.full(last - first, "oak")))
assert "radius='auto' is for one process" in raised(lambda: model.set_params(radius="auto").fit(X[own], names[own]))
assert "partial_fit is for one process" in raised(lambda: model.set_params(radius=5).partial_fit(X, names, np.unique(names)))
def fail(now):
    raise KeyError("no such luck")
model.set_params(callbacks=fail)
assert "no such luck" in raised(lambda: model.fit(X[own], names[own]))
class Nothing: pass
assert "comm" in raised(lambda: ConstrainedClassifier(comm=Nothing()).fit(X, names))
""",
    )


def test_one_of_the_callbacks_ends_the_fit_of_all(tmp_path):
    run(
        2,
        """
seen = []
def look(now):
    seen.append(now.objective)
    return len(seen) == 4
model = ConstrainedClassifier(comm=comm, radius=5, method="sfw", n_jobs=1, callbacks=look, tol=0).fit(X[own], names[own])
assert len(seen) == (5 if rank == 0 else 0), len(seen)
assert model.n_iter_ == 4, model.n_iter_
""",
    )


def test_a_fit_goes_on_from_its_checkpoint(tmp_path):
    run(
        2,
        f"""
settings = dict(radius=5, tol=0, n_jobs=1, random_state=3, method="alfcg-fs", comm=comm)
whole = ConstrainedClassifier(max_iter=12, **settings).fit(X[own], names[own])
ConstrainedClassifier(max_iter=5, checkpoint={str(tmp_path / "state")!r}, **settings).fit(X[own], names[own])
rest = ConstrainedClassifier(max_iter=12, resume={str(tmp_path / "state")!r}, **settings).fit(X[own], names[own])
assert np.array_equal(whole.coef_, rest.coef_)
settings["comm"] = None
assert "made on 2 ranks, here is 1 rank" in raised(
    lambda: ConstrainedClassifier(resume={str(tmp_path / "state")!r}, **settings).fit(X, names))
""",
    )
