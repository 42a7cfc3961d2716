"""The radius by cross-validation: what is compared with what, and which is taken."""

from __future__ import annotations

import os
import signal
import threading
import warnings

import numpy as np
import pytest
from scipy import sparse
from sklearn.datasets import load_breast_cancer, load_diabetes, load_digits
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LassoCV
from sklearn.metrics import get_scorer
from sklearn.model_selection import KFold, StratifiedKFold, cross_val_score
from sklearn.preprocessing import scale

from alfcg import ConstrainedClassifier, ConstrainedClassifierCV, ConstrainedRegressor, ConstrainedRegressorCV


@pytest.fixture(scope="module")
def cancer() -> tuple[np.ndarray, np.ndarray]:
    X, y = load_breast_cancer(return_X_y=True)
    return scale(X), y


@pytest.mark.parametrize("jobs", [1, 2])
def test_the_refit_is_the_fit_at_that_radius_bit_by_bit(cancer, jobs: int) -> None:
    X, y = cancer
    model = ConstrainedClassifierCV(radii=15, cv=3, n_jobs=jobs).fit(X, y)
    plain = ConstrainedClassifier(radius=model.radius_, n_jobs=jobs).fit(X, y)
    np.testing.assert_array_equal(model.coef_, plain.coef_)
    np.testing.assert_array_equal(model.intercept_, plain.intercept_)
    assert model.radius_ == model.radii_[model.best_index_]
    assert model.n_iter_ == plain.n_iter_


@pytest.mark.parametrize("scoring", [None, "neg_log_loss", "roc_auc"])
def test_scores_are_those_of_single_fits(cancer, scoring: str | None) -> None:
    X, y = cancer
    radii = [0.5, 2.0, 8.0]
    folds = StratifiedKFold(4)
    model = ConstrainedClassifierCV(radii=radii, cv=folds, scoring=scoring, tol=1e-7).fit(X, y)
    expected = [
        cross_val_score(ConstrainedClassifier(radius=r, tol=1e-7), X, y, cv=folds, scoring=scoring) for r in radii
    ]
    np.testing.assert_allclose(model.scores_, expected, atol=1e-5)
    np.testing.assert_allclose(model.mean_score_, model.scores_.mean(axis=1))
    assert model.best_score_ == model.mean_score_.max()
    expected_score = get_scorer(scoring or "accuracy")(model, X, y)
    assert model.score(X, y) == pytest.approx(expected_score)
    assert model.score(X, y, sample_weight=np.ones(len(y))) == pytest.approx(expected_score)


def test_regression_finds_what_the_lasso_finds() -> None:
    X, y = load_diabetes(return_X_y=True)
    lasso = LassoCV(cv=5).fit(X, y)
    model = ConstrainedRegressorCV(cv=5, scoring="neg_mean_squared_error").fit(X, y)
    # At one radius folds have different penalties, so the best scores are near each other and not the same.
    assert model.best_score_ == pytest.approx(-lasso.mse_path_.mean(axis=1).min(), rel=1e-2)
    scores = ConstrainedRegressorCV(radii=[100, 1000], cv=KFold(5)).fit(X, y).scores_
    expected = [cross_val_score(ConstrainedRegressor(radius=r), X, y, cv=KFold(5)) for r in (100, 1000)]
    np.testing.assert_allclose(scores, expected, atol=1e-3)


def test_one_standard_error_gives_a_smaller_ball(cancer) -> None:
    X, y = cancer
    best = ConstrainedClassifierCV(radii=30, scoring="neg_log_loss").fit(X, y)
    simple = ConstrainedClassifierCV(radii=30, scoring="neg_log_loss", pick="1se").fit(X, y)
    assert simple.radius_ < best.radius_
    at = best.best_index_
    error = best.scores_[at].std(ddof=1) / np.sqrt(5)
    within = best.mean_score_ >= best.mean_score_[at] - error
    assert simple.best_index_ == np.flatnonzero(within)[0]
    assert (simple.coef_ != 0).sum() < (best.coef_ != 0).sum()


def test_without_a_refit_models_of_the_folds_are_averaged(cancer) -> None:
    X, y = cancer
    model = ConstrainedClassifierCV(radii=[3.0], cv=KFold(2), refit=False, tol=1e-8).fit(X, y)
    halves = [
        ConstrainedClassifier(radius=3.0, tol=1e-8).fit(X[train], y[train]).coef_ for train, _ in KFold(2).split(X)
    ]
    np.testing.assert_allclose(model.coef_, np.mean(halves, axis=0), atol=1e-4)
    assert model.predict(X).shape == y.shape


def test_rows_of_no_weight_count_neither_in_fits_nor_in_scores(cancer) -> None:
    X, y = cancer
    weight = (np.arange(len(y)) % 3 > 0).astype(float)
    kept = weight > 0
    splits = list(StratifiedKFold(3).split(X, y))
    places = np.cumsum(kept) - 1
    of_kept = [(places[train[kept[train]]], places[test[kept[test]]]) for train, test in splits]
    one = ConstrainedClassifierCV(radii=10, cv=splits).fit(X, y, sample_weight=weight)
    other = ConstrainedClassifierCV(radii=10, cv=of_kept).fit(X[kept], y[kept])
    np.testing.assert_allclose(one.radii_, other.radii_, rtol=1e-9)
    np.testing.assert_allclose(one.scores_, other.scores_, atol=1e-9)
    np.testing.assert_allclose(one.coef_, other.coef_, atol=1e-6)


def test_balanced_classes_are_weights_of_rows(cancer) -> None:
    X, y = cancer
    share = len(y) / (2 * np.bincount(y))
    one = ConstrainedClassifierCV(radii=[1, 4], class_weight="balanced").fit(X, y)
    other = ConstrainedClassifierCV(radii=[1, 4], class_weight=dict(enumerate(share))).fit(X, y)
    np.testing.assert_allclose(one.coef_, other.coef_, atol=1e-9)


def test_a_fold_without_a_class_is_judged_all_the_same() -> None:
    X, y = load_digits(return_X_y=True)
    X, y = X[:300], y[:300]
    y[y == 4] = 5
    y[0] = 4  # the only one of its class, among others
    model = ConstrainedClassifierCV(radii=[1.0, 4.0], cv=KFold(3)).fit(X, y)
    assert np.isfinite(model.scores_).all()
    assert model.coef_.shape == (10, 64)


def test_a_fold_with_a_single_class_is_named_as_elsewhere(cancer) -> None:
    X, y = cancer
    words = np.where(np.arange(len(y)) < 300, "early", "late")
    with pytest.raises(ValueError, match="only one class: .*late"):
        ConstrainedClassifierCV(radii=[1.0], cv=[(np.arange(300, len(y)), np.arange(300))]).fit(X, words)


def test_frames_are_taken_apart_without_a_word(cancer) -> None:
    pandas = pytest.importorskip("pandas")
    X, y = cancer
    frame = pandas.DataFrame(X, columns=[f"c{k}" for k in range(X.shape[1])])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = ConstrainedClassifierCV(radii=[1.0, 2.0], scoring="neg_log_loss").fit(frame, y)
    assert model.feature_names_in_[1] == "c1"


def test_the_path_of_weights_is_kept_when_asked_for(cancer) -> None:
    X, y = cancer
    model = ConstrainedClassifierCV(radii=8, store_coef_path=True).fit(sparse.csr_array(X), y)
    assert model.coef_path_.shape == (8, 1, 30)
    assert model.intercept_path_.shape == (8, 1)
    norms = abs(model.coef_path_).sum(axis=(1, 2))
    assert (norms <= model.radii_ * (1 + 1e-9)).all()
    assert not hasattr(ConstrainedClassifierCV(radii=[1.0]).fit(X, y), "coef_path_")


def test_radii_of_its_own_hold_the_best_one_inside(cancer) -> None:
    X, y = cancer
    for k in (1e-3, 1.0, 1e3):  # in whatever units
        model = ConstrainedClassifierCV(radii=25, scoring="neg_log_loss").fit(k * X, y)
        assert 0 < model.best_index_ < 24
        assert model.best_score_ > -0.1


@pytest.mark.parametrize(
    ("parameters", "text"),
    [
        ({"radii": []}, "radii"),
        ({"radii": [1, -1]}, "radii"),
        ({"radii": 0}, "The 'radii' parameter of ConstrainedClassifierCV"),
        ({"pick": "worst"}, "The 'pick' parameter of ConstrainedClassifierCV"),
        ({"scoring": "beauty"}, "beauty"),
    ],
)
def test_wrong_parameters_are_named(cancer, parameters: dict, text: str) -> None:
    with pytest.raises(ValueError, match=text):
        ConstrainedClassifierCV(**parameters).fit(*cancer)


@pytest.mark.skipif(os.name != "posix", reason="sends a signal")
@pytest.mark.parametrize("restart", [False, True])
@pytest.mark.parametrize("jobs", [1, 2])
def test_ctrl_c_ends_the_search_and_leaves_the_best_so_far(jobs: int, restart: bool) -> None:
    X, y = load_digits(return_X_y=True)
    signal.siginterrupt(
        signal.SIGINT, not restart
    )  # polars leaves it so that waiting for a lock goes on after a signal
    timer = threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    judged: list[float] = []

    def scoring(model, X, y) -> float:
        judged.append(model.radius_)
        return float((model.predict(X) == y).mean())

    model = ConstrainedClassifierCV(
        radii=[1e3] * 100, method="fw-openloop", tol=1e-12, max_seconds=60, n_jobs=jobs, scoring=scoring
    )
    with pytest.raises(KeyboardInterrupt):
        model.fit(X, y)
    timer.join()
    signal.siginterrupt(signal.SIGINT, True)
    assert len(judged) <= jobs  # the fits at hand were ended, and no others begun
    assert model.status_ == "interrupted"
    assert model.radius_ == 1e3
    assert model.score(X, y) > 0.5


def test_of_models_of_folds_the_one_with_the_best_score_is_left(cancer) -> None:
    X, y = cancer
    scores: list[float] = []

    def scoring(model, X, y) -> float:
        if len(scores) == 7:
            raise KeyboardInterrupt
        scores.append([0.5, 0.6, 0.8, 0.7, 0.6, 0.5, 0.4][len(scores)])
        return scores[-1]

    radii = [1.0, 2.0, 3.0, 4.0, 5.0]
    model = ConstrainedClassifierCV(radii=radii, cv=KFold(2), scoring=scoring, n_jobs=1)
    with pytest.raises(KeyboardInterrupt):
        model.fit(X, y)
    train, _ = next(KFold(2).split(X))
    assert model.radius_ == 3.0
    plain = ConstrainedClassifier(radius=3.0, n_jobs=1).fit(X[train], y[train])
    np.testing.assert_allclose(model.coef_, plain.coef_, atol=0.05)
    assert not hasattr(model, "scores_")


def test_a_score_that_stands_still_at_first_does_not_end_the_range() -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(600, 30))
    X[:, 0] = np.sign(X[:, 0])  # decides most rows, and is alone for many doublings
    y = 1.5 * X[:, 0] + X[:, 1:6].sum(axis=1) / 2 > 0
    model = ConstrainedClassifierCV(radii=20).fit(X, y)
    alone = (y == (X[:, 0] > 0)).mean()
    assert np.isclose(model.mean_score_, alone).sum() >= 5
    assert alone < 0.95 < model.best_score_


@pytest.mark.parametrize("tol", [1e-4, None])
def test_a_search_that_does_not_converge_says_so_to_its_caller(cancer, tol: float | None) -> None:
    with pytest.warns(ConvergenceWarning, match="along the path did not reach tol=") as caught:
        ConstrainedClassifierCV(radii=[1.0, 4.0], max_iter=1, tol=tol).fit(*cancer)
    assert {warning.filename for warning in caught} == {__file__}
