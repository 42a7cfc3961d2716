"""Side by side: joblib's processes and threads, a fork; and memory that is only looked at."""

from __future__ import annotations

import multiprocessing
import os
import subprocess
import sys

import numpy as np
import pytest
from sklearn.datasets import load_digits
from sklearn.model_selection import GridSearchCV, cross_val_score

from alfcg import ConstrainedClassifier, ConstrainedRegressorCV


@pytest.fixture(scope="module")
def digits() -> tuple[np.ndarray, np.ndarray]:
    X, y = load_digits(return_X_y=True)
    return X[:800] / 16, y[:800]


@pytest.mark.parametrize("backend", ["loky", "threading"])
def test_joblib_gives_what_a_loop_gives(digits, backend: str) -> None:
    joblib = pytest.importorskip("joblib")
    X, y = digits
    model = ConstrainedClassifier(radius=10, n_jobs=1)
    expected = cross_val_score(model, X, y, cv=4)
    with joblib.parallel_backend(backend):
        found = cross_val_score(model, X, y, cv=4, n_jobs=2)
    np.testing.assert_array_equal(found, expected)
    search = GridSearchCV(ConstrainedClassifier(), {"radius": [1, 10]}, n_jobs=2, cv=3).fit(X, y)
    assert search.best_params_ == {"radius": 10}


@pytest.mark.parametrize(
    "options", [{}, {"region": "l1"}, {"method": "alfcg-fs", "max_epochs": 4, "tol": None, "random_state": 1}]
)
def test_reproducible_fits_have_the_same_bits_for_every_number_of_threads(digits, options: dict) -> None:
    X, y = digits
    X = np.tile(X, (5, 1)).astype(np.float32)  # more than one thread has something to do
    y = np.tile(y, 5)
    models = [ConstrainedClassifier(radius=10, reproducible=True, n_jobs=jobs, **options) for jobs in (1, 2, 3)]
    fits = [model.fit(X, y) for model in models]
    for fit in fits[1:]:
        np.testing.assert_array_equal(fit.coef_, fits[0].coef_)
        np.testing.assert_array_equal(fit.intercept_, fits[0].intercept_)
        assert fit.gap_ == fits[0].gap_


def test_reproducible_searches_have_the_same_bits_for_every_number_of_threads(digits) -> None:
    X, y = digits
    one, two = (
        ConstrainedRegressorCV(radii=5, cv=3, reproducible=True, n_jobs=jobs).fit(X, y.astype(float)) for jobs in (1, 2)
    )
    np.testing.assert_array_equal(one.scores_, two.scores_)
    np.testing.assert_array_equal(one.coef_, two.coef_)


def fit_in_child(pipe, X: np.ndarray, y: np.ndarray) -> None:
    pipe.send(ConstrainedClassifier(radius=10, n_jobs=2).fit(X, y).coef_)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork here")
@pytest.mark.filterwarnings("ignore:This process.*is multi-threaded:DeprecationWarning")
def test_a_child_of_a_fork_fits_like_its_parent(digits) -> None:
    X, y = digits
    expected = ConstrainedClassifier(radius=10, n_jobs=2).fit(X, y).coef_  # the parent has threads now
    context = multiprocessing.get_context("fork")
    ours, theirs = context.Pipe()
    child = context.Process(target=fit_in_child, args=(theirs, X, y))
    child.start()
    assert ours.poll(60)
    np.testing.assert_array_equal(ours.recv(), expected)
    child.join(10)
    assert child.exitcode == 0


MEMORY = """
import resource, sys, warnings
import numpy as np
from alfcg import ConstrainedClassifier
warnings.simplefilter("ignore")
mib = 200
rng = np.random.default_rng(0)
X = np.empty((mib * 131072 // 500, 500))
for k in range(len(X)):
    X[k] = rng.standard_normal(500)
if sys.argv[1] == "strided":
    X = X[:, 1:-3]
if sys.argv[1] == "map":
    np.save(sys.argv[2], X)
    X = np.load(sys.argv[2], mmap_mode="r")
y = np.arange(len(X)) % 2
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
ConstrainedClassifier(region="l2", method="fw-openloop", max_iter=3).fit(X, y).predict(X)
print((resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024 / mib)
"""


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="memory is measured as Linux counts it")
@pytest.mark.parametrize("form", ["float64", "map", "strided"])
def test_arrays_are_not_copied(form: str, tmp_path) -> None:
    run = subprocess.run(
        [sys.executable, "-c", MEMORY, form, str(tmp_path / "X.npy")], capture_output=True, text=True, check=True,
        timeout=300,
    )  # fmt: skip
    assert float(run.stdout) < 0.15  # of the array: far from a copy
