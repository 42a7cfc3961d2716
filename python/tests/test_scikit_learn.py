"""At home in scikit-learn: its own checks, data frames, routing, clones, pickles, pipelines."""

from __future__ import annotations

import inspect
import os
import pickle
import re
import subprocess
import sys
import warnings
from pathlib import Path

import numpy as np
import pytest
from sklearn import config_context
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, load_diabetes, make_classification
from sklearn.model_selection import GridSearchCV, cross_validate
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler, scale
from sklearn.utils.estimator_checks import check_dataframe_column_names_consistency

import alfcg
from alfcg import (
    ConstrainedClassifier,
    ConstrainedClassifierCV,
    ConstrainedRegressor,
    ConstrainedRegressorCV,
    MatrixCompletion,
)

ALL = [ConstrainedClassifier, ConstrainedRegressor, ConstrainedClassifierCV, ConstrainedRegressorCV]
CLASSES = ["ConstrainedClassifier", "ConstrainedRegressor", "ConstrainedClassifierCV", "ConstrainedRegressorCV"]

KEPT = Path(__file__).parent / "kept"

# Whether SciPy knows of other array libraries is settled when it is imported: one of the checks is skipped else.
EVERY_CHECK = """
import sys, warnings
warnings.simplefilter("ignore")
import alfcg
from sklearn.utils.estimator_checks import check_estimator
results = check_estimator(getattr(alfcg, sys.argv[1])(), on_fail=None, on_skip=None)
for result in results:
    if result["status"] != "passed":
        print(result["check_name"], result["status"], repr(result["exception"]))
print(len(results))
"""


@pytest.mark.parametrize("name", CLASSES)
def test_every_check_passes_and_none_is_skipped(name: str) -> None:
    run = subprocess.run(
        [sys.executable, "-c", EVERY_CHECK, name], env=os.environ | {"SCIPY_ARRAY_API": "1"}, capture_output=True,
        text=True, check=False, timeout=600,
    )  # fmt: skip
    lines = run.stdout.splitlines()
    assert run.returncode == 0, run.stderr
    assert lines[:-1] == []
    assert int(lines[-1]) >= 50


class PolarsFrame:
    """Stands for `pandas.DataFrame` in the check, which knows of pandas alone."""

    def __new__(cls, data, columns, copy: bool = True):
        import polars

        return polars.DataFrame(np.asarray(data)[:, : len(columns)], schema=[str(name) for name in columns])


@pytest.mark.parametrize("library", ["pandas", "polars"])
@pytest.mark.parametrize("cls", ALL)
def test_columns_of_frames_are_known_by_name(cls: type, library: str, monkeypatch) -> None:
    pandas = pytest.importorskip("pandas")
    if library == "polars":
        pytest.importorskip("polars")
        monkeypatch.setattr(pandas, "DataFrame", PolarsFrame)
    check_dataframe_column_names_consistency(cls.__name__, cls())


@pytest.mark.parametrize("library", ["pandas", "polars"])
@pytest.mark.parametrize("cls", ALL)
def test_frames_give_what_arrays_give_and_other_columns_are_refused(cls: type, library: str) -> None:
    frames = pytest.importorskip(library)
    X, y = make_classification(100, 5, random_state=0)
    names = [f"column {k}" for k in range(5)]
    frame = frames.DataFrame({name: X[:, k] for k, name in enumerate(names)})
    model = cls().fit(frame, y)
    assert model.feature_names_in_.tolist() == names
    np.testing.assert_array_equal(model.coef_, cls().fit(X, y).coef_)
    np.testing.assert_allclose(model.predict(frame), model.fit(X, y).predict(X), rtol=1e-9)  # the order of sums
    model.fit(frame, y)
    with pytest.raises(ValueError, match="feature names should match"):
        model.predict(frame[names[::-1]])


def test_sample_weights_are_routed_through_pipelines_and_searches() -> None:
    X, y = make_classification(200, 6, n_informative=6, n_redundant=0, random_state=1)
    weight = np.random.default_rng(0).integers(1, 4, len(y)).astype(float)
    with config_context(enable_metadata_routing=True):
        model = (
            ConstrainedClassifier(radius=2).set_fit_request(sample_weight=True).set_score_request(sample_weight=True)
        )
        scaler = StandardScaler().set_fit_request(sample_weight=False)
        piped = make_pipeline(scaler, model).fit(X, y, sample_weight=weight)
        direct = ConstrainedClassifier(radius=2).fit(StandardScaler().fit_transform(X), y, sample_weight=weight)
        np.testing.assert_array_equal(piped[-1].coef_, direct.coef_)
        assert not np.allclose(direct.coef_, ConstrainedClassifier(radius=2).fit(scale(X), y).coef_)
        cross_validate(piped, X, y, params={"sample_weight": weight}, error_score="raise")
        search = GridSearchCV(model, {"radius": [1, 4]}).fit(X, y, sample_weight=weight)
        assert search.best_params_["radius"] in (1, 4)


@pytest.mark.parametrize("cls", [ConstrainedClassifierCV, ConstrainedRegressorCV])
def test_groups_and_weights_are_routed_to_splitter_and_scorer(cls: type) -> None:
    from sklearn.model_selection import GroupKFold

    X, y = make_classification(120, 5, random_state=2)
    groups = np.arange(len(y)) % 4
    with config_context(enable_metadata_routing=True):
        model = cls(radii=[1.0, 2.0], cv=GroupKFold(4)).set_fit_request(sample_weight=True)
        assert model.fit(X, y, groups=groups).scores_.shape == (2, 4)
        with pytest.raises(ValueError, match="sample_weight"):  # nobody said whether the scorer wants them
            model.fit(X, y, groups=groups, sample_weight=np.ones(len(y)))
    with pytest.raises(ValueError, match="enable_metadata_routing"):
        model.fit(X, y, groups=groups)


def named_in(section: str) -> list[str]:
    """Names in front of a colon and a type, several between commas."""
    found = re.findall(r"^(\w[\w, ]*) : \S", section, re.MULTILINE)
    return [name.strip().lstrip("*") for names in found for name in names.split(",")]


@pytest.mark.parametrize("cls", [*ALL, MatrixCompletion])
def test_every_parameter_is_documented(cls: type) -> None:
    head, _, _ = cls.__doc__.partition("Attributes\n")
    assert set(named_in(head)) == set(cls().get_params())
    assert "[" not in re.sub(r"\[[^\]]*[^a-z_][^\]]*\]", "", head)  # no place was left unfilled


FUNCTIONS = [
    getattr(module, name)
    for module, names in (
        (alfcg, alfcg.__all__),
        (alfcg.datasets, alfcg.datasets.__all__),
        (alfcg.plot, dir(alfcg.plot)),
    )
    for name in names
    if inspect.isfunction(getattr(module, name)) and not name.startswith("_")
]


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda function: f"{function.__module__}.{function.__name__}")
def test_every_argument_of_a_function_is_documented_in_its_order(function) -> None:
    text = inspect.getdoc(function)
    _, _, rest = text.partition("Parameters\n----------\n")
    arguments, returns, _ = rest.partition("Returns\n-------\n")
    assert named_in(arguments) == list(inspect.signature(function).parameters)
    assert bool(returns) == (inspect.signature(function).return_annotation != "None")


@pytest.mark.parametrize("cls", ALL)
def test_clones_have_the_parameters_and_nothing_else(cls: type) -> None:
    model = cls(region="l2", tol=1e-3, callbacks=[print], method_params={"a": 1})
    copy = clone(model)
    assert copy.get_params() == model.get_params()
    assert not hasattr(copy, "coef_")


@pytest.mark.parametrize("cls", ALL)
def test_pickles_answer_alike(cls: type) -> None:
    X, y = make_classification(80, 5, random_state=3)
    model = cls().fit(X, y)
    copy = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(copy.predict(X), model.predict(X))
    np.testing.assert_array_equal(copy.history_["gap"], model.history_["gap"])


@pytest.mark.parametrize("path", sorted(KEPT.glob("*.pickle")), ids=lambda path: path.stem)
def test_pickles_that_were_kept_of_every_version_are_read(path: Path) -> None:
    """Written with NumPy 1.26 and scikit-learn 1.6, the oldest that there may be."""
    kept = pickle.loads(path.read_bytes())
    for model, answers in zip(kept["models"], kept["answers"], strict=True):
        found = model.predict(kept["X"])
        if answers.dtype.kind == "f":
            np.testing.assert_allclose(found, answers, rtol=1e-9)
        else:
            np.testing.assert_array_equal(found, answers)
        assert clone(model).fit(kept["X"], answers).n_iter_ > 0
    kept["models"][-1].partial_fit(kept["X"], kept["answers"][-1])  # a stream goes on


def test_pickles_of_a_version_with_fewer_parameters_are_read() -> None:
    X, y = make_classification(80, 5, random_state=3)
    model = ConstrainedClassifier().fit(X, y)
    state = model.__getstate__()
    for name in ("max_seconds", "method_params", "_normalization", "_divisors"):
        del state[name]
    state["_alfcg_version"] = "0.0.1"
    old = ConstrainedClassifier.__new__(ConstrainedClassifier)
    old.__setstate__(state)
    np.testing.assert_array_equal(old.predict_proba(X), model.predict_proba(X))
    assert old.max_seconds is None
    assert clone(old).fit(X, y).n_iter_ == model.n_iter_


def test_output_of_a_pipeline_may_be_set() -> None:
    pytest.importorskip("pandas")
    X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    model = make_pipeline(StandardScaler(), ConstrainedClassifier(radius=3)).set_output(transform="pandas").fit(X, y)
    assert model[-1].feature_names_in_[0] == "mean radius"
    assert model.score(X, y) > 0.95


def test_models_go_to_files_and_back(tmp_path) -> None:
    X, y = load_breast_cancer(return_X_y=True)
    X = scale(X)
    model = ConstrainedClassifier(radius=5).fit(X, np.where(y, "benign", "malignant"))
    alfcg.save(model, tmp_path / "model.npz")
    loaded = ConstrainedClassifier.from_model(alfcg.load(tmp_path / "model.npz"))
    np.testing.assert_array_equal(loaded.decision_function(X), model.decision_function(X))
    np.testing.assert_array_equal(loaded.predict(X), model.predict(X))
    np.testing.assert_array_equal(alfcg.load(tmp_path / "model.npz").predict(X), model.predict(X))
    assert loaded.radius == 5
    assert loaded.region == "l1"
    with pytest.raises(ValueError, match="'loss' parameter of ConstrainedRegressor"):
        ConstrainedRegressor.from_model(alfcg.load(tmp_path / "model.npz"))

    for normalize in ("rows", "columns", "spectral"):
        model = ConstrainedClassifier(radius=20, normalize=normalize).fit(X, y)
        alfcg.save(model, tmp_path / "scaled.npz")
        file = alfcg.load(tmp_path / "scaled.npz")
        np.testing.assert_allclose(file.predict(X, "scores")[:, 0], model.decision_function(X), atol=1e-12)
        loaded = ConstrainedClassifier.from_model(file)
        np.testing.assert_array_equal(loaded.decision_function(X), model.decision_function(X))

    bare = ConstrainedClassifier(radius=5, fit_intercept=False).fit(X, y)
    alfcg.save(bare, tmp_path / "bare.npz")
    loaded = ConstrainedClassifier.from_model(alfcg.load(tmp_path / "bare.npz"))
    np.testing.assert_array_equal(loaded.decision_function(X), bare.decision_function(X))

    X, y = load_diabetes(return_X_y=True)
    numbers = ConstrainedRegressor(radius=500, loss="huber", threshold=20).fit(X, y)
    alfcg.save(numbers, tmp_path / "numbers.npz")
    loaded = ConstrainedRegressor.from_model(alfcg.load(tmp_path / "numbers.npz"))
    np.testing.assert_array_equal(loaded.predict(X), numbers.predict(X))
    assert loaded.threshold == 20


@pytest.mark.parametrize("precision", ["f32", "f64"])
@pytest.mark.parametrize("method", ["auto", "alfcg-mvr2"])
@pytest.mark.parametrize("classes", [2, 4])
def test_the_command_line_finds_the_same_bits(program, tmp_path, precision: str, method: str, classes: int) -> None:
    X, y = make_classification(300, 12, n_informative=8, n_classes=classes, random_state=5)
    X = X.astype(np.float32 if precision == "f32" else np.float64)
    np.save(tmp_path / "X.npy", X)
    np.save(tmp_path / "y.npy", y)
    program(
        "train", tmp_path / "X.npy", "--labels", tmp_path / "y.npy", "--radius", 4, "--precision", precision,
        "--method", method, "--threads", 2, "--seed", 3, "--max-epochs", 50, "--tol", 1e-4, "--silent",
        "--model", tmp_path / "model.npz",
    )  # fmt: skip
    theirs = alfcg.load(tmp_path / "model.npz")
    ours = ConstrainedClassifier(radius=4, method=method, max_epochs=50, random_state=3, n_jobs=2)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        ours.fit(X, y)
    np.testing.assert_array_equal(ours.coef_, theirs.coef)
    np.testing.assert_array_equal(ours.intercept_, theirs.intercept)
