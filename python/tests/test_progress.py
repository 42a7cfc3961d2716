"""The progress bar, with tqdm and without."""

from __future__ import annotations

import re
import sys
from types import SimpleNamespace

import pytest
from sklearn.datasets import load_digits

from alfcg import ConstrainedClassifier, ConstrainedClassifierCV
from alfcg._progress import Progress, time_text


def iterate(iteration: int, gap: float, *, last: bool = False) -> SimpleNamespace:
    return SimpleNamespace(
        iteration=iteration, epochs=float(iteration), seconds=0.0, gap=gap, objective=1.0, metrics_free=True,
        estimated_gap=gap, last=last,
    )  # fmt: skip


def test_time_is_written_as_on_a_clock() -> None:
    assert [time_text(seconds) for seconds in (0.4, 59.6, 61, 3600)] == ["0:00", "1:00", "1:01", "1:00:00"]


def test_the_share_is_of_the_digits_or_of_the_budget(monkeypatch, capsys) -> None:
    monkeypatch.setitem(sys.modules, "tqdm.auto", None)
    limits = {"tolerance": 1e-4, "max_iterations": None, "max_epochs": 1000.0, "max_seconds": None}
    progress = Progress("fit", limits)
    shares = []
    for k in range(5):
        progress.next = 0.0
        progress.look(iterate(k, 10.0**-k))
        shares.append(progress.share)
    assert shares == pytest.approx([0, 0.25, 0.5, 0.75, 1])
    progress = Progress("fit", limits)
    progress.look(iterate(0, 1.0))
    progress.next = 0.0
    progress.look(iterate(900, 0.9))
    assert progress.share == pytest.approx(0.9)
    assert re.search(r"fit:  90%, 0:00, 0:00 left, iteration 900, gap 9.00e-01", capsys.readouterr().err)


@pytest.mark.parametrize("tqdm", [True, False])
def test_a_fit_that_shows_its_progress(tqdm: bool, monkeypatch, capsys) -> None:
    if tqdm:
        pytest.importorskip("tqdm")
    else:
        monkeypatch.setitem(sys.modules, "tqdm.auto", None)
    X, y = load_digits(return_X_y=True)
    ConstrainedClassifier(radius=3, verbose=1).fit(X, y)
    said = capsys.readouterr().err
    assert "ConstrainedClassifier: 100%" in said
    assert "gap" in said
    ConstrainedClassifierCV(radii=[1.0, 2.0], verbose=1).fit(X[:200], y[:200])
    assert "10 fits" in capsys.readouterr().err
    ConstrainedClassifier(radius=3).fit(X, y)
    assert capsys.readouterr().err == ""
