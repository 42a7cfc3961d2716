"""Fits that are ended in the middle and gone on with: the same bits as without the break."""

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning

import alfcg
from alfcg import ConstrainedClassifier, ConstrainedRegressor

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")


@pytest.fixture
def rows():
    rng = np.random.default_rng(3)
    X = rng.normal(size=(400, 30))
    return X, rng.integers(3, size=400), X[:, 0] - 2 * X[:, 3] + rng.normal(size=400)


def without_seconds(history):
    return {name: column.tolist() for name, column in history.items() if name != "seconds"}


@pytest.mark.parametrize("method", ["alfcg-d", "alfcg-fs", "saga-fw", "alfcg-c"])
def test_an_estimator_goes_on(rows, tmp_path, method):
    X, y, _ = rows
    settings = {"radius": 20, "method": method, "tol": 0, "random_state": 1, "n_jobs": 1}
    whole = ConstrainedClassifier(max_iter=12, **settings).fit(X, y)
    state = tmp_path / "state"
    ConstrainedClassifier(max_iter=5, checkpoint=state, checkpoint_every=0, **settings).fit(X, y)
    rest = ConstrainedClassifier(max_iter=12, resume=state, checkpoint=str(state), **settings).fit(X, y)
    assert np.array_equal(whole.coef_, rest.coef_)
    assert np.array_equal(whole.intercept_, rest.intercept_)
    assert (rest.n_iter_, rest.objective_, rest.gap_) == (whole.n_iter_, whole.objective_, whole.gap_)
    np.testing.assert_equal(without_seconds(rest.history_), without_seconds(whole.history_))


def test_what_it_is_of_is_checked(rows, tmp_path):
    X, y, target = rows
    state = tmp_path / "state"
    settings = {"radius": 5, "method": "alfcg-d", "random_state": 1, "max_iter": 5, "n_jobs": 1}
    with pytest.warns(ConvergenceWarning):
        ConstrainedRegressor(checkpoint=state, **settings).fit(X, target)
    with pytest.raises(ValueError, match="it was made with other data"):
        ConstrainedRegressor(resume=state, **settings).fit(X + 1, target)
    with pytest.raises(ValueError, match="it was made with .*radius 5, here .*radius 6"):
        ConstrainedRegressor(resume=state, **(settings | {"radius": 6})).fit(X, target)
    with pytest.raises(ValueError, match="cannot open the checkpoint"):
        ConstrainedRegressor(resume=tmp_path / "nothing", **settings).fit(X, target)
    with pytest.raises(ValueError, match="'checkpoint_every' parameter"):
        ConstrainedRegressor(checkpoint=state, checkpoint_every=-1, **settings).fit(X, target)
    with pytest.raises(ValueError, match="cannot write"):
        ConstrainedRegressor(checkpoint=tmp_path / "no" / "folder", **settings).fit(X, target)


def test_a_region_of_arrays(rows, tmp_path):
    X, _, target = rows
    region = {"region": "bounded-l1", "region_params": {"upper": [2.0] * 29 + [0.0], "lower": [-5.0] * 30}}
    settings = {"radius": 5, "method": "alfcg-d", "random_state": 1, "tol": 0, "n_jobs": 1, **region}
    whole = ConstrainedRegressor(max_iter=12, **settings).fit(X, target)
    ConstrainedRegressor(max_iter=5, checkpoint=tmp_path / "state", **settings).fit(X, target)
    rest = ConstrainedRegressor(max_iter=12, resume=tmp_path / "state", **settings).fit(X, target)
    assert np.array_equal(whole.coef_, rest.coef_)


def test_solve_goes_on(rows, tmp_path):
    X, _, target = rows

    def some_squares(at, x):
        residual = X[at] @ x - target[at]
        return 0.5 * np.mean(residual**2), X[at].T @ residual / len(at)

    def run(iterations, **more):
        objective = alfcg.FiniteSum(len(X), some_squares)
        limits = {"max_iterations": iterations, "tolerance": 0, "seed": 2, "threads": 1}
        return alfcg.solve(objective, alfcg.l1_ball(2.0), np.zeros(30), method="alfcg-fs", **limits, **more)

    whole = run(40)
    run(17, checkpoint=tmp_path / "state")
    rest = run(40, resume=tmp_path / "state")
    assert np.array_equal(whole.x, rest.x)
    np.testing.assert_equal(without_seconds(rest.history), without_seconds(whole.history))
    with pytest.raises(ValueError, match="seed 2, here 3"):
        alfcg.solve(
            alfcg.FiniteSum(len(X), some_squares), alfcg.l1_ball(2.0), np.zeros(30), method="alfcg-fs", seed=3,
            resume=tmp_path / "state",
        )  # fmt: skip
