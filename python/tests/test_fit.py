"""Fits through the extension module: the command line's bits, callbacks, signals, threads, processes."""

import concurrent.futures
import gc
import multiprocessing
import os
import pickle
import signal
import subprocess
import sys
import threading
import time
import weakref

import numpy as np
import pytest
import scipy.sparse as sp

import alfcg
from alfcg import _core


def libsvm(X, y):
    lines = []
    for row, label in zip(X, y, strict=True):
        lines.append(f"{label} " + " ".join(f"{j + 1}:{value!r}" for j, value in enumerate(row.tolist()) if value))
    return "\n".join(lines) + "\n"


@pytest.mark.parametrize("precision", ["f32", "f64"])
@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("method", ["auto", "alfcg-d", "alfcg-fs"])
def test_python_and_the_command_line_give_the_same_bits(program, tmp_path, rng, precision, threads, method):
    dtype = np.float32 if precision == "f32" else np.float64
    X = (rng.standard_normal((500, 30)) * (rng.random((500, 30)) < 0.2)).astype(dtype)
    y = np.argmax(X @ rng.standard_normal((30, 4)) + 0.3 * rng.standard_normal((500, 4)), axis=1)
    (tmp_path / "data.svm").write_text(libsvm(X, y))
    program("train", tmp_path / "data.svm", "--loss", "multinomial", "--region", "nuclear", "--radius", 8,
            "--method", method, "--seed", 3, "--threads", threads, "--precision", precision, "--max-epochs", 15,
            "--holdout", 0.2, "--features", 30, "--model", tmp_path / "model.npz", "--silent")  # fmt: skip
    theirs = alfcg.load(tmp_path / "model.npz")
    ours = _core.fit(sp.csr_matrix(X), y, classes=[0, 1, 2, 3], loss="multinomial", region="nuclear",
                     region_parameters={"radius": 8}, method=method, seed=3, threads=threads, max_epochs=15, tolerance=0,
                     hold_out=0.2)  # fmt: skip
    assert ours.coef.dtype == theirs.coef.dtype == dtype
    assert np.array_equal(ours.coef, theirs.coef)
    assert np.array_equal(ours.intercept, theirs.intercept)
    ours.model.save(tmp_path / "again.npz")
    assert (tmp_path / "again.npz").read_bytes() == (tmp_path / "model.npz").read_bytes()


@pytest.mark.parametrize("precision", ["f32", "f64"])
def test_dense_data_of_a_regression_give_the_same_bits(program, tmp_path, rng, precision):
    dtype = np.float32 if precision == "f32" else np.float64
    X = rng.standard_normal((300, 15)).astype(dtype)
    y = X @ rng.standard_normal(15) + 0.1 * rng.standard_normal(300)
    np.save(tmp_path / "x.npy", X)
    (tmp_path / "y.txt").write_text("\n".join(repr(float(value)) for value in y))
    program("train", tmp_path / "x.npy", "--labels", tmp_path / "y.txt", "--region", "l1", "--radius", 3, "--threads", 1,
            "--precision", precision, "--normalize", "columns", "--model", tmp_path / "model.npz", "--silent")  # fmt: skip
    theirs = alfcg.load(tmp_path / "model.npz")
    ours = _core.fit(X, y, loss="squared", region="l1", region_parameters={"radius": 3}, threads=1, normalize="columns")
    assert np.array_equal(ours.coef, theirs.coef) and np.array_equal(ours.intercept, theirs.intercept)
    # The weights are for features that are divided by their deviations.
    by_hand = X / theirs.divisors @ theirs.coef[0] + theirs.intercept[0]
    assert np.allclose(theirs.predict(X), by_hand, rtol=1e-4 if precision == "f32" else 1e-12)


def test_predictions_are_those_of_the_command_line(program, tmp_path, two_classes):
    X, y = two_classes
    fit = _core.fit(X, y, classes=[0, 1], region="l2", threads=1)
    fit.model.save(tmp_path / "model.npz")
    (tmp_path / "data.svm").write_text(libsvm(X, y))
    program(
        "predict", tmp_path / "model.npz", tmp_path / "data.svm", "--output", tmp_path / "answers.txt", "--threads", 1
    )
    answers = [float(line) for line in (tmp_path / "answers.txt").read_text().split()]
    assert answers == fit.model.predict(X, threads=1).tolist()


def test_a_fit_says_what_became_of_it(two_classes):
    X, y = two_classes
    fit = _core.fit(X, y, classes=["a", "b"], region="l1", region_parameters={"radius": 4}, tolerance=1e-6)
    assert fit.status == "converged" and fit.converged and not fit.interrupted and not fit.stopped
    assert np.abs(fit.coef).sum() <= 4 * (1 + 1e-9)
    scores = X @ fit.coef[0] + fit.intercept[0]
    losses = np.logaddexp(0, -np.where(y == 1, 1, -1) * scores)
    assert fit.objective == pytest.approx(losses.mean(), rel=1e-12)
    assert fit.train_score == np.mean((scores > 0) == (y == 1))
    assert fit.history["objective"][-1] == fit.objective and fit.history["gap"][-1] == fit.gap
    assert fit.nonzeros == np.count_nonzero(fit.coef) and fit.rank is None and fit.singular_values is None
    assert fit.model.classes == ["a", "b"] and fit.class_codes.tolist() == [0, 1]
    assert fit.model.predict(X).tolist() == np.where(scores > 0, "b", "a").tolist()
    shares = fit.model.predict(X, "probabilities")
    assert np.allclose(shares[:, 1], 1 / (1 + np.exp(-scores))) and np.allclose(shares.sum(axis=1), 1)
    assert np.allclose(fit.model.predict(X, "scores")[:, 0], scores)
    assert sum(fit.timings.values()) >= fit.seconds > 0
    assert fit.counters["oracle_calls"] > 0


def test_matrices_have_a_rank(rng):
    data = alfcg.datasets.make_low_rank(rows=400, features=20, classes=5, rank=1)
    fit = _core.fit(data.data, data.target, classes=range(5), region="nuclear", region_parameters={"radius": 6})
    assert np.allclose(fit.singular_values, np.linalg.svd(fit.coef, compute_uv=False))
    assert fit.rank == np.linalg.matrix_rank(fit.coef)


def test_weights_are_repetitions(two_classes, rng):
    X, y = two_classes
    weights = rng.integers(0, 4, len(y))
    options = {"region": "l2", "region_parameters": {"radius": 3}, "tolerance": 1e-9, "classes": [0, 1]}
    weighted = _core.fit(X, y, sample_weight=weights, **options)
    repeated = _core.fit(np.repeat(X, weights, axis=0), np.repeat(y, weights), **options)
    assert np.allclose(weighted.coef, repeated.coef, atol=1e-4)
    assert weighted.objective == pytest.approx(repeated.objective, rel=1e-6)
    by_class = _core.fit(X, y, class_weight={0: 1, 1: 3}, **options)
    by_row = _core.fit(X, y, sample_weight=np.where(y == 1, 3, 1), **options)
    assert np.allclose(by_class.coef, by_row.coef)


def test_classes_without_weight_are_not_learned(two_classes):
    X, y = two_classes
    labels = np.where(np.arange(len(y)) % 3 == 0, 2, y)
    fit = _core.fit(X, labels, classes=["a", "b", "c"], sample_weight=(labels != 1).astype(float))
    assert fit.class_codes.tolist() == [0, 2] and fit.model.classes == ["a", "c"]
    with pytest.raises(ValueError, match="class"):
        _core.fit(X, np.zeros(len(y), int), classes=["a"])


def test_a_start_saves_work_and_is_brought_into_the_region(two_classes):
    X, y = two_classes
    options = {"classes": [0, 1], "region": "l1", "tolerance": 1e-6}
    cold = _core.fit(X, y, region_parameters={"radius": 4}, **options)
    warm = _core.fit(X, y, region_parameters={"radius": 4}, start=cold.coef, **options)
    assert warm.iterations < cold.iterations
    smaller = _core.fit(
        X, y, region_parameters={"radius": 1}, start=cold.coef, max_iterations=0, classes=[0, 1], region="l1"
    )
    assert np.allclose(smaller.coef, cold.coef / np.abs(cold.coef).sum())


def test_paths_are_fits_from_where_the_last_one_ended(two_classes):
    X, y = two_classes
    radii = [0.5, 1, 2, 4]
    fits = _core.fit_path(X, y, radii, classes=[0, 1], region="l1", tolerance=1e-6)
    assert [fit.region_parameters["radius"] for fit in fits] == radii
    for radius, fit in zip(radii, fits, strict=True):
        alone = _core.fit(X, y, classes=[0, 1], region="l1", region_parameters={"radius": radius}, tolerance=1e-6)
        assert fit.objective == pytest.approx(alone.objective, rel=1e-5)


@pytest.mark.parametrize(
    ("options", "error", "words"),
    [
        ({"region": "l7"}, ValueError, "region must be one of"),
        ({"loss": "hinge"}, ValueError, "loss must be one of"),
        ({"method": "sgd"}, ValueError, "unknown method 'sgd'"),
        ({"region_parameters": {"radius": -1}}, ValueError, "radius must be positive, not -1"),
        ({"parameters": {"rho": 1}, "method": "fw-openloop"}, ValueError, "rho"),
        ({"max_epochs": -1}, ValueError, "max_epochs"),
        ({"tolerance": "small"}, TypeError, "tolerance must be a number, not str"),
        ({"seed": 1.5}, TypeError, "seed must be an integer"),
        ({"threads": 0}, ValueError, "threads must not be 0"),
        ({"radius": 3}, TypeError, "unexpected keyword argument 'radius'"),
        ({"hold_out": 1.5}, ValueError, "hold_out must be between 0 and 1"),
        ({"patience": 3}, ValueError, "patience needs rows to look at: give `hold_out`"),
        ({"sample_weight": [1.0]}, ValueError, "sample_weight"),
        ({"class_weight": "even"}, ValueError, "class_weight must be"),
        ({"class_weight": {7: 2}}, ValueError, "class_weight names 7"),
        ({"start": np.zeros((2, 2))}, ValueError, r"start must have the shape \(1, 12\), not \(2, 2\)"),
        ({"observer": 3}, TypeError, "callback must be callable"),
        ({"feature_names": ["a"]}, ValueError, "feature_names"),
        ({"history": "some"}, ValueError, "history must be"),
    ],
)
def test_bad_quantities_are_named(two_classes, options, error, words):
    X, y = two_classes
    with pytest.raises(error, match=words):
        _core.fit(X, y, **{"classes": [0, 1], **options})


# ---- callbacks --------------------------------------------------------------------------------------------------------


def test_callbacks_see_every_iterate(two_classes):
    X, y = two_classes
    seen = []

    def look(now):
        assert now.x.shape == (1, 12) and not now.x.flags.writeable
        scores = np.where(y == 1, 1, -1) * (X @ now.x[0] + now.intercept[0])
        assert now.objective == pytest.approx(np.logaddexp(0, -scores).mean(), rel=1e-9)
        seen.append((now.iteration, now.objective, now.gap, now.last))

    fit = _core.fit(
        X, y, classes=[0, 1], region="l1", method="alfcg-d", max_iterations=6, observer=look, history="full"
    )
    assert [row[0] for row in seen] == list(range(7)) and [row[3] for row in seen] == [False] * 6 + [True]
    assert [row[1] for row in seen] == fit.history["objective"].tolist()


def test_a_true_answer_ends_a_run(two_classes):
    X, y = two_classes
    fit = _core.fit(X, y, method="alfcg-d", observer=lambda now: now.iteration == 3)
    assert fit.iterations == 4 and fit.stopped and not fit.interrupted


def test_exceptions_of_callbacks_come_out_unchanged(two_classes):
    X, y = two_classes

    class Own(Exception):
        pass

    thrown = Own("why")

    def fail(now):
        if now.iteration == 2:
            raise thrown

    with pytest.raises(Own) as caught:
        _core.fit(X, y, method="alfcg-d", observer=fail)
    assert caught.value is thrown
    assert "fail" in [frame.name for frame in caught.traceback]


def test_an_iterate_is_closed_after_the_call(two_classes):
    X, y = two_classes
    kept = []
    said = []
    _core.fit(X, y, max_iterations=1, observer=lambda now: kept.append(now) or said.append(f"{now!r} {now.objective:.6g}"))
    with pytest.raises(RuntimeError, match="only while the callback runs"):
        kept[0].objective  # noqa: B018
    assert repr(kept[0]) == "<alfcg.Iteration, over>"
    words, _, objective = said[-1].rpartition(" ")
    assert words.startswith(f"<alfcg.Iteration 1: objective {objective}, gap ")


def test_nothing_of_a_call_is_kept(two_classes):
    class Callback:
        def __call__(self, now):
            raise ValueError

    X, y = two_classes
    X = X.copy()
    callback = Callback()
    before = sys.getrefcount(X)
    with pytest.raises(ValueError):
        _core.fit(X, y, observer=callback)
    _core.fit(X, y)
    gone = weakref.ref(callback)
    del callback
    gc.collect()
    assert gone() is None and sys.getrefcount(X) == before


# ---- signals ----------------------------------------------------------------------------------------------------------

LONG = """
import signal, sys, threading, time, os
import numpy as np
from alfcg import _core
rng = np.random.default_rng(0)
X = rng.standard_normal((20000, 100)); y = rng.integers(0, 2, 20000)
seen = []
observer = (lambda now: seen.append(now.iteration)) if sys.argv[1] == "callback" else None
threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGINT)).start()
began = time.monotonic()
fit = _core.fit(X, y, loss="logistic", region="l2", region_parameters={"radius": 1e6}, method="fw-openloop", max_epochs=None,
                max_seconds=60, tolerance=0, threads=1, observer=observer)
print(fit.interrupted, fit.stopped, fit.status, fit.iterations > 0, np.isfinite(fit.objective), time.monotonic() - began < 20)
"""


@pytest.mark.skipif(not hasattr(signal, "SIGINT") or os.name != "posix", reason="sends signals")
@pytest.mark.parametrize("how", ["callback", "plain"])
def test_ctrl_c_leaves_the_last_iterate(how):
    done = subprocess.run([sys.executable, "-c", LONG, how], capture_output=True, text=True, check=False, timeout=120)
    assert done.stdout.split() == ["True", "False", "interrupted", "True", "True", "True"], done.stdout + done.stderr


def test_handlers_may_raise_what_they_like(two_classes):
    X, y = two_classes

    class Alarm(Exception):
        pass

    def handler(*_):
        raise Alarm

    before = signal.signal(signal.SIGALRM, handler)
    signal.setitimer(signal.ITIMER_REAL, 0.2)
    try:
        with pytest.raises(Alarm):
            _core.fit(X, y, method="fw-openloop", max_epochs=None, max_seconds=60, tolerance=0, threads=1)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


# ---- threads and processes --------------------------------------------------------------------------------------------


def test_other_threads_run_meanwhile(two_classes):
    X, y = two_classes
    count = 0
    done = threading.Event()

    def work():
        nonlocal count
        while not done.is_set():
            count += 1
            time.sleep(0)

    other = threading.Thread(target=work)
    other.start()
    while count == 0:
        time.sleep(0.001)
    before = count
    _core.fit(X, y, method="fw-openloop", max_epochs=None, max_seconds=0.3, tolerance=0, threads=1)
    during = count - before
    done.set()
    other.join()
    assert during > 10


def fitted(seed):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((4000, 50))
    y = (X[:, 0] > 0).astype(int)
    return _core.fit(X, y, classes=[0, 1], region="l1", threads=2, method="alfcg-d", max_epochs=10).coef


def test_fits_in_threads_are_those_of_one(rng):
    expected = [fitted(k) for k in range(6)]
    with concurrent.futures.ThreadPoolExecutor(3) as pool:
        assert all(np.array_equal(a, b) for a, b in zip(pool.map(fitted, range(6)), expected, strict=True))


@pytest.mark.skipif("fork" not in multiprocessing.get_all_start_methods(), reason="there is no fork here")
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_a_fork_may_fit_too():
    expected = [fitted(k) for k in range(4)]  # threads of the parent are awake now
    with multiprocessing.get_context("fork").Pool(2) as pool:
        found = pool.map_async(fitted, range(4)).get(timeout=60)
    assert all(np.array_equal(a, b) for a, b in zip(found, expected, strict=True))


def test_loky_works():
    joblib = pytest.importorskip("joblib")
    expected = [fitted(k) for k in range(4)]
    found = joblib.Parallel(2, backend="loky")(joblib.delayed(fitted)(k) for k in range(4))
    assert all(np.array_equal(a, b) for a, b in zip(found, expected, strict=True))


def test_threads_follow_the_environment(monkeypatch):
    cores = len(os.sched_getaffinity(0))
    monkeypatch.delenv("OMP_NUM_THREADS", raising=False)
    assert _core.resolve_threads(None) == cores == _core.resolve_threads(-1)
    assert _core.resolve_threads(-cores - 5) == 1 and _core.resolve_threads(7) == 7
    assert _core.resolve_threads(-2) == max(1, cores - 1)
    done = subprocess.run(
        [sys.executable, "-c", "from alfcg import _core; print(_core.resolve_threads(None))"],
        env={**os.environ, "OMP_NUM_THREADS": "3,2"}, capture_output=True, text=True, check=True)  # fmt: skip
    assert done.stdout.strip() == "3"


def test_import_is_light():
    heavy = "sklearn", "scipy", "pandas", "matplotlib", "joblib"
    code = f"import sys, alfcg; print([name for name in {heavy} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


# ---- models -----------------------------------------------------------------------------------------------------------


def test_models_pickle(two_classes):
    X, y = two_classes
    for dtype in (np.float32, np.float64):
        model = _core.fit(X.astype(dtype), y, classes=["no", "ÿes"], normalize="columns",
                          feature_names=[f"x{k}" for k in range(12)]).model  # fmt: skip
        again = pickle.loads(pickle.dumps(model))
        assert np.array_equal(again.coef, model.coef) and again.coef.dtype == dtype
        for name in (
            "loss",
            "region",
            "region_parameters",
            "classes",
            "feature_names",
            "normalization",
            "method",
            "train_score",
        ):
            assert getattr(again, name) == getattr(model, name), name
        assert again.predict(X).tolist() == model.predict(X).tolist()


def test_models_can_be_made_by_hand(tmp_path):
    model = alfcg.Model(np.array([[1.0, -2.0]]), [0.5], loss="squared", region="l2", region_parameters={"radius": 3})
    alfcg.save(model, tmp_path / "model.npz")
    assert alfcg.load(tmp_path / "model.npz").predict([[1.0, 1.0], [0.0, 0.25]]).tolist() == [-0.5, 0.0]
    with pytest.raises(FileNotFoundError):
        alfcg.load(tmp_path / "nothing.npz")
    (tmp_path / "bad.npz").write_bytes(b"no archive")
    with pytest.raises(ValueError, match="bad.npz"):
        alfcg.load(tmp_path / "bad.npz")
    with pytest.raises(TypeError, match="int has no model"):
        alfcg.save(3, tmp_path / "x.npz")


def test_catalogues_are_the_librarys(program):
    assert [row["name"] for row in alfcg.methods()] == [
        line.split()[0] for line in program("methods").splitlines() if line.split()[:1] and line.split()[0] in
        {row["name"] for row in alfcg.methods()}
    ]  # fmt: skip
    assert {row["name"] for row in alfcg.losses()} >= {"multinomial", "logistic", "squared", "huber"}
    radius = next(
        p for row in alfcg.regions() if row["name"] == "l1" for p in row["parameters"] if p["name"] == "radius"
    )
    assert radius["default"] == 10.0 and radius["open"]
