"""partial_fit: a stream ends near the fit of all its rows, and never leaves the region on the way."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse
from scipy.special import expit, logsumexp
from sklearn.datasets import make_classification, make_regression
from sklearn.metrics import log_loss

from alfcg import ConstrainedClassifier, ConstrainedRegressor, _core
from alfcg._streaming import slopes

VALUES = {
    "logistic": lambda z, y, s: np.logaddexp(0, -(2 * y - 1) * z[:, 0]),
    "sigmoid": lambda z, y, s: expit(-(2 * y - 1) * z[:, 0]),
    "multinomial": lambda z, y, s: logsumexp(z, axis=1) - z[np.arange(len(y)), y],
    "squared": lambda z, y, s: (z[:, 0] - y) ** 2 / 2,
    "huber": lambda z, y, s: np.where(abs(z[:, 0] - y) <= s, (z[:, 0] - y) ** 2 / 2, s * (abs(z[:, 0] - y) - s / 2)),
    "welsch": lambda z, y, s: s**2 / 2 * (1 - np.exp(-((z[:, 0] - y) ** 2) / s**2)),
}


@pytest.mark.parametrize("loss", VALUES)
def test_slopes_are_differences_of_the_losses(loss: str) -> None:
    rng = np.random.default_rng(0)
    outputs = 4 if loss == "multinomial" else 1
    z = 2 * rng.normal(size=(50, outputs))
    y = rng.integers(0, max(outputs, 2), 50)
    found = slopes(loss, z, y, {"threshold": 0.7, "width": 0.7})
    for k in range(outputs):
        step = np.zeros(outputs)
        step[k] = 1e-6
        difference = (VALUES[loss](z + step, y, 0.7) - VALUES[loss](z - step, y, 0.7)) / 2e-6
        np.testing.assert_allclose(found[:, k], difference, atol=1e-6)


NORMS = {
    "l1": lambda w: abs(w).sum(),
    "l2": np.linalg.norm,
    "linf": lambda w: abs(w).max(),
    "nuclear": lambda w: np.linalg.svd(w, compute_uv=False).sum(),
}


@pytest.mark.parametrize("region", NORMS)
@pytest.mark.parametrize("classes", [2, 3])
def test_a_stream_comes_near_the_fit_and_stays_inside(region: str, classes: int) -> None:
    X, y = make_classification(4000, 10, n_informative=6, n_classes=classes, flip_y=0.1, random_state=0)
    radius = 0.3 if region == "linf" else 2
    fit = ConstrainedClassifier(region=region, radius=radius, tol=1e-3).fit(X, y)
    stream = ConstrainedClassifier(region=region, radius=radius)
    for _ in range(3):
        for first in range(0, len(y), 500):
            stream.partial_fit(X[first : first + 500], y[first : first + 500], classes=np.arange(classes))
            assert NORMS[region](stream.coef_) <= radius * (1 + 1e-6)
    start = log_loss(y, np.full((len(y), classes), 1 / classes))
    won = (start - log_loss(y, stream.predict_proba(X))) / (start - log_loss(y, fit.predict_proba(X)))
    assert won > 0.95
    assert abs(stream.score(X, y) - fit.score(X, y)) < 0.03


@pytest.mark.parametrize("loss", ["squared", "huber"])
def test_numbers_in_a_stream(loss: str) -> None:
    X, y = make_regression(3000, 20, n_informative=4, noise=5, random_state=0)
    y = y / 30 + 7
    fit = ConstrainedRegressor(radius=8, loss=loss).fit(X, y)
    stream = ConstrainedRegressor(radius=8, loss=loss)
    for _ in range(5):
        stream.partial_fit(sparse.csr_array(X), y)
    assert stream.score(X, y) > fit.score(X, y) - 0.02
    assert stream.intercept_ == pytest.approx(fit.intercept_, abs=0.3)
    assert stream.coef_.shape == (20,)


def test_a_stream_goes_on_from_a_fit() -> None:
    X, y = make_classification(2000, 10, n_informative=8, random_state=1)
    model = ConstrainedClassifier(region="l2", radius=2).fit(X, y)
    before = model.coef_.copy()
    model.partial_fit(X[:50], y[:50])
    assert 0 < abs(model.coef_ - before).max() < 0.2
    again = ConstrainedClassifier(region="l2", radius=2).partial_fit(X[:50], y[:50], classes=[0, 1])
    assert abs(again.coef_ - before).max() > abs(model.coef_ - before).max()
    model.fit(X, y)  # which forgets the stream
    np.testing.assert_array_equal(model.coef_, before)


def test_rows_of_no_weight_do_nothing() -> None:
    X, y = make_classification(64, 5, random_state=2)
    one = ConstrainedClassifier(radius=2).partial_fit(X[:16], y[:16], classes=[0, 1])
    other = ConstrainedClassifier(radius=2).partial_fit(
        X[:32], y[:32], classes=[0, 1], sample_weight=np.arange(32) < 16
    )
    np.testing.assert_allclose(other.coef_, one.coef_)


@pytest.mark.parametrize("rows", [1, 16])
def test_weights_count_from_batch_to_batch(rows: int) -> None:
    """With batches of one class each, only their weights beside those of others can say which class counts more."""
    X, y = make_classification(6000, 5, n_informative=4, n_redundant=0, flip_y=0.2, random_state=4)
    halves = np.stack([np.flatnonzero(y == label)[:2400].reshape(-1, rows) for label in (0, 1)], axis=1)
    X, y = X[halves.ravel()], y[halves.ravel()]  # `rows` of one class, then as many of the other
    weight = np.where(y == 1, 8.0, 1.0)
    fit = ConstrainedClassifier(region="l2", radius=1, tol=1e-3).fit(X, y, sample_weight=weight)
    stream = ConstrainedClassifier(region="l2", radius=1)
    for first in range(0, len(y), 16):
        some = slice(first, first + 16)
        stream.partial_fit(X[some], y[some], classes=[0, 1], sample_weight=weight[some])
    assert fit.intercept_[0] > 1.5  # of weight 1 each, it is near zero
    assert stream.intercept_[0] == pytest.approx(fit.intercept_[0], abs=0.5)


def test_ctrl_c_leaves_a_stream_between_two_batches(monkeypatch) -> None:
    X, y = make_classification(160, 5, random_state=3)
    whole = ConstrainedClassifier(radius=2).partial_fit(X, y, classes=[0, 1])
    part = ConstrainedClassifier(radius=2).partial_fit(X[:64], y[:64], classes=[0, 1])
    calls: list[int] = []
    oracle = _core.oracle

    def interrupt(*arguments, **options):
        calls.append(1)
        if len(calls) == 5:
            raise KeyboardInterrupt
        return oracle(*arguments, **options)

    monkeypatch.setattr(_core, "oracle", interrupt)
    model = ConstrainedClassifier(radius=2)
    with pytest.raises(KeyboardInterrupt):
        model.partial_fit(X, y, classes=[0, 1])
    assert model.status_ == "interrupted"
    assert model.n_iter_ == 4
    np.testing.assert_array_equal(model.coef_, part.coef_)
    np.testing.assert_array_equal(model.intercept_, part.intercept_)
    np.testing.assert_array_equal(model.partial_fit(X[64:], y[64:]).coef_, whole.coef_)


def test_what_a_stream_needs_to_know() -> None:
    X, y = make_classification(20, 5, random_state=2)
    with pytest.raises(ValueError, match="classes must be passed on the first call"):
        ConstrainedClassifier().partial_fit(X, y)
    with pytest.raises(ValueError, match="do not exist in the initial classes"):
        ConstrainedClassifier().partial_fit(X, y, classes=[1, 2])
    with pytest.raises(ValueError, match="is not the same as on last call to partial_fit"):
        ConstrainedClassifier().partial_fit(X, y, classes=[0, 1]).partial_fit(X, y, classes=[0, 1, 2])
    with pytest.raises(ValueError, match="The number of classes has to be greater than one"):
        ConstrainedClassifier().partial_fit(X, y, classes=[0])
    with pytest.raises(ValueError, match="radius"):
        ConstrainedClassifier(radius="auto").partial_fit(X, y, classes=[0, 1])
    with pytest.raises(ValueError, match="normalize"):
        ConstrainedClassifier(normalize="columns").partial_fit(X, y, classes=[0, 1])
    with pytest.raises(ValueError, match="class_weight"):
        ConstrainedClassifier(class_weight="balanced").partial_fit(X, y, classes=[0, 1])
