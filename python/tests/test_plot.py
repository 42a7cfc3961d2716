"""Pictures: what is drawn, and what is said where it cannot be."""

from __future__ import annotations

import sys

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_digits
from sklearn.preprocessing import scale

import alfcg
from alfcg import ConstrainedClassifier, ConstrainedClassifierCV, plot

matplotlib = pytest.importorskip("matplotlib")
matplotlib.use("Agg")


@pytest.fixture(scope="module")
def cancer() -> tuple[np.ndarray, np.ndarray]:
    X, y = load_breast_cancer(return_X_y=True)
    return scale(X), y


@pytest.fixture(autouse=True)
def closed():
    yield
    import matplotlib.pyplot as plt

    plt.close("all")


def test_a_history_is_drawn_as_it_is(cancer) -> None:
    model = ConstrainedClassifier(radius=5).fit(*cancer)
    ax = plot.history(model, across="iteration")
    (line,) = ax.get_lines()
    np.testing.assert_array_equal(line.get_xdata(), model.history_["iteration"])
    np.testing.assert_array_equal(line.get_ydata(), model.history_["gap"])
    assert ax.get_yscale() == "log"
    assert plot.history(model.history_, up="objective", ax=ax) is ax
    both = plot.history({"one": model, "two": model.history_})
    assert [text.get_text() for text in both.get_legend().get_texts()] == ["one", "two"]
    with pytest.raises(TypeError, match="no history"):
        plot.history(3)
    with pytest.raises(ValueError, match="across must be one of"):
        plot.history(model, across="time")


def test_paths_of_estimators_and_of_the_library(cancer) -> None:
    X, y = cancer
    model = ConstrainedClassifierCV(radii=6, store_coef_path=True).fit(X, y)
    scores, weights = plot.path(model)
    np.testing.assert_array_equal(scores.get_lines()[0].get_ydata(), model.mean_score_)
    assert len(weights.get_lines()) == 30 + 1
    largest = np.argsort(-abs(model.coef_path_[:, 0]).max(axis=0))[:3]
    named = [text.get_text() for text in weights.get_legend().get_texts()]
    assert named[:3] == [f"feature {j}" for j in largest]
    assert plot.path(ConstrainedClassifierCV(radii=4).fit(X, y)).get_xscale() == "log"
    found = alfcg.path(X, y, radii=[0.5, 2.0], folds=3)
    scores, weights = plot.path(found)
    np.testing.assert_array_equal(scores.get_lines()[0].get_xdata(), [0.5, 2.0])
    assert weights.get_ylabel() == "weight"
    frame = pytest.importorskip("pandas").DataFrame(X[:, :2], columns=["width", "height"])
    found = alfcg.path(frame, y, radii=[0.5, 2.0], folds=3)
    assert found.model.feature_names == ["width", "height"]
    named = [text.get_text() for text in plot.path(found)[1].get_legend().get_texts()]
    assert sorted(named) == ["height", "width"]
    X, y = load_digits(return_X_y=True)
    scores, values = plot.path(alfcg.path(X[:300], y[:300], radii=[0.5, 1.0], folds=2))
    assert values.get_ylabel() == "singular value"
    with pytest.raises(TypeError, match="no path"):
        plot.path(3)


def test_a_comparison_names_those_that_got_lowest(cancer) -> None:
    X, y = cancer
    found = alfcg.compare(X, y, methods=["alfcg-c", "fw-openloop", "fw-armijo"], region="l1", max_epochs=20)
    ax = plot.comparison(found, across="epochs", top=2)
    assert len(ax.get_lines()) == 3
    best = sorted(found.runs, key=lambda run: run["objective"])
    assert [text.get_text() for text in ax.get_legend().get_texts()] == [run["method"] for run in best[:2]]
    for line in ax.get_lines():
        assert (line.get_ydata() > 0).all()


def test_without_matplotlib_it_is_said_what_to_do(monkeypatch, cancer) -> None:
    model = ConstrainedClassifier(radius=5).fit(*cancer)
    monkeypatch.setitem(sys.modules, "matplotlib.pyplot", None)
    with pytest.raises(ImportError, match="pip install matplotlib"):
        plot.history(model)
