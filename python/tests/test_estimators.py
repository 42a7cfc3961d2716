"""What fits find, against other solvers and closed forms, and how they behave on the way."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import warnings

import numpy as np
import pytest
from scipy import sparse
from sklearn.datasets import load_breast_cancer, load_diabetes, load_digits
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from sklearn.linear_model import Lasso, LinearRegression, LogisticRegression
from sklearn.metrics import log_loss
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import Normalizer, StandardScaler, scale

from alfcg import ConstrainedClassifier, ConstrainedClassifierCV, ConstrainedRegressor


@pytest.fixture(scope="module")
def cancer() -> tuple[np.ndarray, np.ndarray]:
    X, y = load_breast_cancer(return_X_y=True)
    return scale(X), y


@pytest.fixture(scope="module")
def digits() -> tuple[np.ndarray, np.ndarray]:
    X, y = load_digits(return_X_y=True)
    return X[:600] / 16, y[:600]


def test_the_l1_ball_is_the_lasso_of_the_same_norm() -> None:
    X, y = load_diabetes(return_X_y=True)
    lasso = Lasso(alpha=0.3, tol=1e-10).fit(X, y)
    model = ConstrainedRegressor(region="l1", radius=abs(lasso.coef_).sum(), tol=1e-9).fit(X, y)
    np.testing.assert_allclose(model.coef_, lasso.coef_, atol=1e-3 * abs(lasso.coef_).max())
    assert model.intercept_ == pytest.approx(lasso.intercept_, rel=1e-6)
    assert model.coef_.shape == (10,)
    assert np.array_equal(model.coef_ != 0, lasso.coef_ != 0)


def test_the_l2_ball_is_ridge_logistic_regression_of_the_same_norm(cancer) -> None:
    X, y = cancer
    other = LogisticRegression(C=0.01, tol=1e-10, max_iter=10000).fit(X, y)
    model = ConstrainedClassifier(region="l2", radius=np.linalg.norm(other.coef_), tol=1e-8).fit(X, y)
    np.testing.assert_allclose(model.coef_, other.coef_, atol=1e-3)
    np.testing.assert_allclose(model.intercept_, other.intercept_, atol=1e-3)
    assert model.coef_.shape == (1, 30)
    assert model.intercept_.shape == (1,)


def test_a_large_ball_holds_nothing_back() -> None:
    X, y = load_diabetes(return_X_y=True)
    model = ConstrainedRegressor(radius=1e5, tol=1e-10).fit(X, y)
    free = LinearRegression().fit(X, y)
    np.testing.assert_allclose(model.predict(X), free.predict(X), rtol=1e-3)


def test_the_objective_and_the_gap_are_what_they_say(digits) -> None:
    X, y = digits
    model = ConstrainedClassifier(radius=20, tol=1e-3).fit(X, y)
    assert model.objective_ == pytest.approx(log_loss(y, model.predict_proba(X)), rel=1e-9)
    better = ConstrainedClassifier(radius=20, tol=1e-7).fit(X, y)
    assert 0 <= model.objective_ - better.objective_ <= model.gap_
    singular = np.linalg.svd(model.coef_, compute_uv=False)
    assert singular.sum() <= 20 * (1 + 1e-9)
    np.testing.assert_allclose(model.singular_values_[: model.rank_], singular[: model.rank_], rtol=1e-6)
    assert model.coef_.shape == (10, 64)
    assert model.history_["objective"][-1] == pytest.approx(model.objective_)
    assert model.history_["gap"][0] > model.gap_


def test_probabilities_are_those_of_the_scores(cancer, digits) -> None:
    for X, y in (cancer, digits):
        model = ConstrainedClassifier(radius=5).fit(X, y)
        probabilities = model.predict_proba(X)
        np.testing.assert_allclose(probabilities.sum(axis=1), 1)
        np.testing.assert_allclose(np.exp(model.predict_log_proba(X)), probabilities)
        assert (model.classes_[probabilities.argmax(axis=1)] == model.predict(X)).all()
    assert not hasattr(ConstrainedClassifier(loss="sigmoid"), "predict_proba")


@pytest.mark.parametrize("form", ["csr", "csc", "coo", "int64", "F", "list", "readonly"])
def test_all_forms_of_features_give_the_same_weights(digits, form: str) -> None:
    X, y = digits
    expected = ConstrainedClassifier(radius=8).fit(X, y)
    given = sparse.csr_array(X)
    if form == "csr":
        pass
    elif form == "csc":
        given = given.tocsc()
    elif form == "coo":
        given = given.tocoo()
    elif form == "int64":
        given.indices, given.indptr = given.indices.astype(np.int64), given.indptr.astype(np.int64)
    else:
        given = {"F": np.asfortranarray(X), "list": X.tolist(), "readonly": X.copy()}[form]
        if form == "readonly":
            given.flags.writeable = False
    model = ConstrainedClassifier(radius=8).fit(given, y)
    np.testing.assert_allclose(model.coef_, expected.coef_, atol=1e-3)
    assert model.objective_ == pytest.approx(expected.objective_, abs=expected.gap_ + model.gap_)
    np.testing.assert_allclose(model.decision_function(given), expected.decision_function(X), atol=0.05)


def test_single_precision_stays_single(cancer) -> None:
    X, y = cancer
    model = ConstrainedClassifier(radius=5).fit(X.astype(np.float32), y)
    assert model.coef_.dtype == np.float32
    np.testing.assert_allclose(model.coef_, ConstrainedClassifier(radius=5).fit(X, y).coef_, atol=0.02)
    for answers in (model.decision_function, model.predict_proba, model.predict_log_proba):
        assert answers(X.astype(np.float32)).dtype == np.float32
        assert answers(X).dtype == np.float64


def test_weights_can_be_kept_sparse(cancer) -> None:
    X, y = cancer
    for model in (ConstrainedClassifier(radius=3), ConstrainedRegressor(radius=1)):
        answers = model.fit(X, y).predict(X)
        shape = model.coef_.shape
        assert sparse.issparse(model.sparsify().coef_)
        np.testing.assert_allclose(model.predict(X), answers, rtol=1e-9, atol=1e-12)  # sums in another order
        np.testing.assert_allclose(model.predict(sparse.csr_array(X)), answers, rtol=1e-9, atol=1e-12)
        assert model.densify().coef_.shape == shape
        np.testing.assert_array_equal(model.predict(X), answers)


def test_weights_of_classes_are_weights_of_rows(digits) -> None:
    X, y = digits
    given = {label: 1.0 + label for label in range(10)}
    one = ConstrainedClassifier(radius=8, class_weight=given).fit(X, y)
    other = ConstrainedClassifier(radius=8).fit(X, y, sample_weight=1.0 + y)
    np.testing.assert_allclose(one.coef_, other.coef_, atol=1e-9)
    few = y < 3  # a fold may lack a class
    some = ConstrainedClassifier(radius=8, class_weight=given).fit(X[few], y[few])
    np.testing.assert_allclose(
        some.coef_, ConstrainedClassifier(radius=8).fit(X[few], y[few], sample_weight=1.0 + y[few]).coef_, atol=1e-9
    )
    with pytest.raises(ValueError, match=r"The classes, .*, are not in class_weight"):
        ConstrainedClassifier(class_weight={77: 1}).fit(X, y)


def test_a_fit_that_failed_leaves_no_estimator(cancer) -> None:
    X, y = cancer
    for model in (ConstrainedClassifier(region="lp"), ConstrainedClassifierCV(radii=[-1.0])):
        with pytest.raises(ValueError):
            model.fit(X, y)
        with pytest.raises(NotFittedError):
            model.predict(X)
    stream = ConstrainedClassifier()
    with pytest.raises(ValueError, match="do not exist in the initial classes"):
        stream.partial_fit(X, y, classes=[1, 2])
    assert stream.partial_fit(X, y, classes=[0, 1]).classes_.tolist() == [0, 1]


@pytest.mark.parametrize("labels", [["no", "yes"], [False, True], [-1, 1], [2.0, 7.0]])
def test_labels_come_back_as_they_were(cancer, labels: list) -> None:
    X, y = cancer
    named = np.array(labels)[y]
    model = ConstrainedClassifier(radius=5, class_weight={labels[0]: 2.0}).fit(X, named)
    assert model.classes_.tolist() == sorted(labels)
    assert model.predict(X).dtype == named.dtype
    assert model.score(X, named) > 0.95


def test_normalised_columns_leave_weights_for_features_as_they_come() -> None:
    X, y = load_breast_cancer(return_X_y=True)
    model = ConstrainedClassifier(radius=5, normalize="columns", tol=1e-8).fit(X, y)
    piped = make_pipeline(StandardScaler(with_mean=False), ConstrainedClassifier(radius=5, tol=1e-8)).fit(X, y)
    np.testing.assert_allclose(model.decision_function(X), piped.decision_function(X), atol=1e-3)
    np.testing.assert_allclose(X @ model.coef_[0] + model.intercept_, model.decision_function(X))


def test_normalised_rows(digits) -> None:
    X, y = digits
    model = ConstrainedClassifier(radius=30, normalize="rows", tol=1e-7).fit(X, y)
    piped = make_pipeline(Normalizer(), ConstrainedClassifier(radius=30, tol=1e-7)).fit(X, y)
    np.testing.assert_allclose(model.decision_function(X), piped.decision_function(X), atol=2e-2)


def test_a_fit_that_was_cut_short_says_how_far_it_is(cancer) -> None:
    X, y = cancer
    model = ConstrainedClassifier(radius=50, max_iter=1)
    with pytest.warns(ConvergenceWarning, match=r"stopped at max_iter=1 .* the gap is [0-9.e+-]+") as caught:
        model.fit(X, y)
    assert caught[0].filename == __file__
    assert f"{model.gap_:.3g}" in str(caught[0].message)
    with pytest.warns(ConvergenceWarning, match="before tol=0"):
        model.set_params(tol=None).fit(X, y)
    assert model.status_ == "max-iterations"


def test_a_fit_that_rounding_ends_says_how_far_it_is(cancer) -> None:
    X, y = cancer
    model = ConstrainedClassifier(region="l1", radius=20, tol=1e-14)
    with pytest.warns(
        ConvergenceWarning, match=r"rounding ended alfcg-c before tol=1e-14 was reached: the gap is \S+, \S+ of"
    ):
        model.fit(X.astype(np.float32), y)
    assert model.status_ == "precision"
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model.set_params(tol=0).fit(X.astype(np.float32), y)  # as far as it goes


def test_a_fit_that_arrives_as_its_budget_ends_has_converged(cancer) -> None:
    X, y = cancer
    enough = ConstrainedClassifier(radius=5).fit(X, y).n_iter_
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = ConstrainedClassifier(radius=5, max_iter=enough).fit(X, y)
    assert model.status_ == "converged"
    with pytest.warns(ConvergenceWarning):
        ConstrainedClassifier(radius=5, max_iter=enough - 1).fit(X, y)


def test_a_warm_start_is_nearer(cancer) -> None:
    X, y = cancer
    model = ConstrainedClassifier(radius=5, warm_start=True).fit(X, y)
    objective, iterations = model.objective_, model.n_iter_
    model.fit(X, y)
    assert model.n_iter_ < iterations
    assert model.objective_ == pytest.approx(objective, rel=1e-3)
    model.fit(X[:, :7], y)  # weights of another shape are no start
    assert model.coef_.shape == (1, 7)


def test_early_stopping_keeps_the_best_iterate(digits) -> None:
    X, y = digits
    model = ConstrainedClassifier(
        radius=1000, early_stopping=True, validation_fraction=0.3, n_iter_no_change=3, method="alfcg-d", tol=0,
        random_state=0,
    ).fit(X, y)  # fmt: skip
    assert model.status_ == "early-stop"
    assert model.score(X, y) > 0.9


def test_the_radius_can_be_found_by_the_library(cancer) -> None:
    X, y = cancer
    model = ConstrainedClassifier(radius="auto", random_state=0).fit(X, y)
    assert 0 < model.radius_ < 1e4
    assert abs(model.coef_).sum() <= model.radius_ * (1 + 1e-9)
    assert model.score(X, y) > 0.96


@pytest.mark.parametrize(
    ("parameters", "text"),
    [
        ({"radius": -1}, r"The 'radius' parameter of ConstrainedClassifier must be a float in the range \(0.0, inf\)"),
        ({"region": "cube"}, "The 'region' parameter of ConstrainedClassifier must be a str among"),
        ({"loss": "squared"}, "The 'loss' parameter of ConstrainedClassifier must be a str among"),
        ({"method": "newton"}, "The 'method' parameter"),
        ({"normalize": "all"}, "The 'normalize' parameter"),
        ({"tol": 2}, "The 'tol' parameter"),
        ({"max_iter": 2.5}, "The 'max_iter' parameter"),
        ({"n_jobs": 0}, "The 'n_jobs' parameter"),
        ({"method_params": {"speed": 3}}, "speed"),
        ({"region": "l2", "nuclear": 1.0}, "nuclear"),
        ({"class_weight": "fair"}, "The 'class_weight' parameter"),
    ],
)  # fmt: skip
def test_wrong_parameters_are_named(cancer, parameters: dict, text: str) -> None:
    with pytest.raises(ValueError, match=text):
        ConstrainedClassifier(**parameters).fit(*cancer)


# Callbacks and Ctrl-C.


def test_callbacks_see_every_iterate_and_may_end_the_fit(cancer) -> None:
    X, y = cancer
    seen: list[tuple[int, float, float]] = []

    def look(now) -> bool:
        assert now.x.shape == (1, 30)
        assert abs(now.x).sum() <= 5 * (1 + 1e-9)
        seen.append((now.iteration, now.objective, now.gap))
        return now.iteration == 2

    model = ConstrainedClassifier(radius=5, tol=0, callbacks=look).fit(X, y)
    last = len(seen) - 1
    assert last in (2, 3)  # the step at hand may be taken
    assert [iteration for iteration, _, _ in seen] == list(range(last + 1))
    assert seen[0][1] > seen[2][1]
    assert model.n_iter_ == last
    assert model.objective_ == pytest.approx(seen[last][1])
    calls: list[int] = []
    ConstrainedClassifier(radius=5, callbacks=[look, lambda now: calls.append(now.iteration)]).fit(X, y)
    assert calls == list(range(last + 1))


def test_what_a_callback_raises_comes_out_unchanged(cancer) -> None:
    error = LookupError("of my own")

    def fail(now) -> None:
        raise error

    with pytest.raises(LookupError) as caught:
        ConstrainedClassifier(callbacks=fail).fit(*cancer)
    assert caught.value is error
    with pytest.raises(TypeError, match="callables"):
        ConstrainedClassifier(callbacks=["print"]).fit(*cancer)


@pytest.mark.skipif(os.name != "posix", reason="sends a signal")
def test_ctrl_c_leaves_the_estimator_at_the_last_iterate(digits) -> None:
    X, y = digits
    iterations: list[int] = []

    def interrupt(now) -> None:
        iterations.append(now.iteration)
        if now.iteration == 3:
            os.kill(os.getpid(), signal.SIGINT)

    model = ConstrainedClassifier(
        radius=100, method="alfcg-d", tol=0, max_epochs=None, max_seconds=60, callbacks=interrupt
    )
    with pytest.raises(KeyboardInterrupt):
        model.fit(X, y)
    assert model.status_ == "interrupted"
    assert model.score(X, y) > 0.3


@pytest.mark.skipif(os.name != "posix", reason="sends a signal")
def test_ctrl_c_reaches_a_fit_that_python_does_not_see(digits) -> None:
    X, y = digits
    timer = threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT))
    model = ConstrainedClassifier(radius=100, method="alfcg-d", tol=0, max_epochs=None, max_seconds=60)
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        model.fit(X, y)
    timer.join()
    assert model.status_ == "interrupted"
    assert model.n_iter_ > 0
    assert model.predict(X).shape == y.shape


def test_without_scikit_learn_the_message_says_what_to_install() -> None:
    blocked = "import sys; sys.modules['sklearn'] = None; import alfcg; alfcg.ConstrainedClassifier"
    done = subprocess.run([sys.executable, "-c", blocked], capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert done.stderr.splitlines()[-1] == (
        "ImportError: ConstrainedClassifier needs scikit-learn: pip install 'alfcg[sklearn]'"
    )
