"""The radius by cross-validation: paths of warm-started fits on every fold, judged on the rows left out."""

from __future__ import annotations

import copy
import threading
import warnings
from collections.abc import Callable, Iterator
from concurrent.futures import FIRST_EXCEPTION, ThreadPoolExecutor, wait
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, Self

import numpy as np
from sklearn import get_config
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import get_scorer
from sklearn.model_selection import check_cv
from sklearn.utils import Bunch
from sklearn.utils.metadata_routing import MetadataRouter, MethodMapping, process_routing

from alfcg import _core
from alfcg._base import Array, LinearModel
from alfcg._progress import Line
from alfcg._region_files import calling
from alfcg._results import raise_if_interrupted

FIRST_GAIN = 0.03  # of the objective: more cannot be won at the first radius of a path's own choice
GROWTH, MOST_DOUBLINGS = 2.0, 42
PATIENCE = 3  # doublings that make neither score nor loss on unseen rows better
FLAT = 1e-3  # a doubling that wins a smaller share of the objective makes no difference
ROOM = 1 << 26  # bytes of fits that a fold keeps at a time
LOOK = 0.05  # seconds between two looks for Ctrl-C while folds are at work


@dataclass
class Fold:
    """Rows to train on, and rows to judge by. They are copied when their turn comes: not all folds at once."""

    view: LinearModel  # takes each fit in turn, to be judged
    X: Any  # all rows, and what belongs to them
    y: Array
    codes: Array
    sample_weight: Array | None
    train: Array  # which of them
    test: Array
    scorer: Callable[..., float] | None  # None: the usual one
    told: dict[str, Any]  # to the scorer
    start: Array | None = None
    best: tuple[float, _core.Fit] | None = None  # its score, and a fit
    scores: list[float] = field(default_factory=list)
    losses: list[float] = field(default_factory=list)  # on unseen rows, where they were asked for
    objectives: list[float] = field(default_factory=list)
    open_gaps: list[float] = field(default_factory=list)  # of fits that did not converge

    def advance(self, radii: Array, settings: dict[str, Any], with_losses: bool) -> None:
        """On to these radii, from where the last ones ended."""
        rows, unseen = self.seen(), (self.X[self.test], self.y[self.test])
        kept = max(1, ROOM // (2 * self.view._outputs() * self.X.shape[1] * 8))
        for first in range(0, len(radii), kept):
            some = [float(radius) for radius in radii[first : first + kept]]
            fits = calling(_core.fit_path, radii=some, start=self.start, history="none", **rows, **settings)
            for fit in fits:
                score = self.judge(fit, *unseen)
                if self.best is None or score > self.best[0]:
                    self.best = score, fit
                raise_if_interrupted(fit)
                if fit.stopped:
                    return  # Ctrl-C, which another thread heard
                self.scores.append(score)
                if with_losses:
                    self.losses.append(self.view._unseen_loss(*unseen, self.unseen_weight))
                self.objectives.append(fit.objective)
                if fit.status.startswith("max-"):
                    self.open_gaps.append(fit.gap)
            self.start = fits[-1].coef

    def seen(self) -> dict[str, Any]:
        """The rows to train on, as keywords of a fit."""
        weight = None if self.sample_weight is None else self.sample_weight[self.train]
        return {"X": self.X[self.train], "y": self.codes[self.train], "sample_weight": weight}

    @property
    def unseen_weight(self) -> Array | None:
        return None if self.sample_weight is None else self.sample_weight[self.test]

    def judge(self, fit: _core.Fit, X: Any, y: Array) -> float:
        self.view._adopt(fit)
        if self.scorer is None:
            return float(self.view._usual_score(X, y, **self.told))
        return float(self.scorer(self.view, X, y, **self.told))

    def forget(self) -> None:
        """Back to zero, before another path."""
        self.start = None
        self.scores, self.losses, self.objectives, self.open_gaps = [], [], [], []


class Crew:
    """Folds side by side, on as many threads as there are: small fits are not worth being shared, whole ones are."""

    def __init__(self, folds: list[Fold], settings: dict[str, Any], line: Line | None) -> None:
        self.folds, self.line, self.done = folds, line, 0
        count = _core.resolve_threads(settings["threads"])
        self.workers = min(count, len(folds))
        self.stop = threading.Event()
        self.settings = settings | {"threads": max(1, count // self.workers)}
        if self.workers > 1:  # a thread of its own does not hear of Ctrl-C
            self.settings["observer"] = lambda now: self.stop.is_set()

    def advance(self, radii: Array, most: int, *, with_losses: bool = False) -> None:
        """All folds on to these radii; `most` is how many fits there will be at the most."""

        def task(fold: Fold) -> None:
            fold.advance(radii, self.settings, with_losses)
            self.done += len(radii)
            if self.line is not None:
                self.line.show(min(self.done / most, 1.0), f"{self.done} fits")

        if self.workers == 1:
            for fold in self.folds:
                task(fold)
            return
        with ThreadPoolExecutor(self.workers) as pool:
            try:
                waiting = {pool.submit(task, fold) for fold in self.folds}
                while waiting:  # handlers of other packages (polars) do not end a wait without a limit
                    done, waiting = wait(waiting, timeout=LOOK, return_when=FIRST_EXCEPTION)
                    for finished in done:
                        finished.result()
            except BaseException:
                self.stop.set()
                pool.shutdown(wait=False, cancel_futures=True)
                raise

    def mean_score(self) -> Array:
        return np.asarray(np.mean([fold.scores for fold in self.folds], axis=0))

    def range(self, first: float) -> tuple[float, float]:
        """From the first radius to just above the best of its doublings."""
        most = MOST_DOUBLINGS * len(self.folds)
        radii: list[float] = []
        best = since = 0
        while len(radii) < MOST_DOUBLINGS:
            # The last ones take longest: none that could not count.
            more = first * GROWTH ** np.arange(len(radii), len(radii) + PATIENCE - since)
            self.advance(more, most, with_losses=True)
            radii += more.tolist()
            mean = self.mean_score()
            if np.isnan(mean).any():
                break  # the path will say so
            best = first_best(mean)
            objective = np.mean([fold.objectives for fold in self.folds], axis=0)
            lowest = first_best(-np.mean([fold.losses for fold in self.folds], axis=0))
            since = len(radii) - 1 - max(best, lowest)  # a share of right answers can stand still for long
            if since >= PATIENCE or objective[-2] - objective[-1] <= FLAT * objective[-2]:
                break
        return radii[0], radii[min(best + 1, len(radii) - 1)]


def first_best(scores: Array) -> int:
    """Where the best score is, at the smallest radius that has it but for rounding."""
    top = scores.max()
    return int(np.flatnonzero(scores >= top - 1e-10 * max(abs(top), 1e-3))[0])


def chosen(scores: Array, pick: str) -> int:
    """Position of the radius; `scores` has a row for every radius and a column for every fold.

    >>> scores = np.array([[0.70, 0.72], [0.80, 0.84], [0.82, 0.84], [0.80, 0.81]])
    >>> chosen(scores, "best"), chosen(scores, "1se")
    (2, 1)
    """
    mean = scores.mean(axis=1)
    best = first_best(mean)
    if pick == "best":
        return best
    error = scores[best].std(ddof=1) / np.sqrt(scores.shape[1]) if scores.shape[1] > 1 else 0.0
    return int(np.flatnonzero(mean >= mean[best] - error)[0])


class CrossValidated(LinearModel):
    """A fit at the radius that does best on rows left out."""

    def fit(self, X: Any, y: Any, sample_weight: Any = None, **params: Any) -> Self:
        """Find the radius, and fit the model there.

        Ctrl-C ends the search after the iteration at hand: the estimator is then the fold's model that did best so far
        on rows left out (`status_` is 'interrupted'), and KeyboardInterrupt is raised.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            The rows.
        y : array-like of shape (n_samples,)
            What belongs to them.
        sample_weight : array-like of shape (n_samples,), default=None
            How much each row counts, in fits and in scores; None: all alike.
        **params : dict
            For the splitter (as `groups`) and the scorer, where metadata routing is enabled.

        Returns
        -------
        self : object
            The fitted estimator.
        """
        if params and not get_config()["enable_metadata_routing"]:
            raise ValueError(f"{', '.join(params)}: needs sklearn.set_config(enable_metadata_routing=True)")
        X, y, sample_weight = self._checked(X, y, sample_weight)
        codes, more = self._task(y, sample_weight)
        routed = self._routed(sample_weight, params)
        splitter = check_cv(self._usual_folds(codes) if self.cv is None else self.cv, y, classifier=self._classifies)
        splits = list(splitter.split(X, y, **routed.splitter.split))
        settings = self._settings(len(more.get("classes", ()))) | {k: v for k, v in more.items() if k == "classes"}
        settings["region_parameters"] = self._region_parameters(None)
        weights = self._row_weights(codes, sample_weight)
        folds = [self._fold(X, y, codes, weights, split, routed.scorer.score) for split in splits]
        try:
            self._search(folds, X, codes, weights, settings)
            if self.store_coef_path:
                self._store_path(X, codes, weights, settings)
            if not self.refit:
                self._average(folds, settings)
        except KeyboardInterrupt:
            self._settle(folds)
            raise
        if self.refit:
            fit = self._run(X, codes, sample_weight, more, float(self.radii_[self.best_index_]))
            self._adopt(fit)
            raise_if_interrupted(fit)
            self._warn(fit)
        return self

    def _search(self, folds: list[Fold], X: Any, codes: Array, weights: Array | None, settings: dict[str, Any]) -> None:
        """Scores at every radius, and which is taken."""
        with self._line() as line:
            crew = Crew(folds, settings, line)
            radii = self._grid(crew, X, codes, weights, settings)
            crew.advance(radii, crew.done + len(radii) * len(folds))
        self.radii_, self.scores_ = radii, np.column_stack([fold.scores for fold in folds])
        if np.isnan(self.scores_).any():
            raise ValueError("scoring gives NaN on some folds; take fewer folds (cv) or another scoring")
        self.mean_score_ = self.scores_.mean(axis=1)
        self.best_index_ = chosen(self.scores_, self.pick)
        self.best_score_ = float(self.mean_score_[self.best_index_])
        self._warn_of_paths(folds)

    def _settle(self, folds: list[Fold]) -> None:
        """For the best model of any fold so far."""
        found = [fold.best for fold in folds if fold.best is not None]
        if found:
            self._adopt(max(found, key=lambda best: best[0])[1])
            self.status_ = "interrupted"

    def _usual_folds(self, codes: Array) -> int:
        """Five, where there are rows enough: of some class, or two in each fold."""
        return max(2, min(5, int(np.bincount(codes).max()) if self._classifies else len(codes) // 2))

    def _routed(self, sample_weight: Array | None, params: dict[str, Any]) -> Bunch:
        if get_config()["enable_metadata_routing"]:
            return process_routing(self, "fit", sample_weight=sample_weight, **params)
        score = {} if sample_weight is None else {"sample_weight": sample_weight}
        return Bunch(splitter=Bunch(split={}), scorer=Bunch(score=score))

    def get_metadata_routing(self) -> MetadataRouter:
        """Who asks for what: see scikit-learn's user guide on metadata routing.

        Returns
        -------
        routing : MetadataRouter
            With a splitter and a scorer.
        """
        to_split = MethodMapping().add(caller="fit", callee="split")
        to_score = MethodMapping().add(caller="fit", callee="score").add(caller="score", callee="score")
        router = MetadataRouter(owner=self).add_self_request(self)
        router.add(splitter=check_cv(self.cv, classifier=self._classifies), method_mapping=to_split)
        return router.add(scorer=self._scorer(), method_mapping=to_score)

    def _scorer(self) -> Any:
        if self.scoring is None:
            return get_scorer("accuracy" if self._classifies else "r2")
        return get_scorer(self.scoring)

    def score(self, X: Any, y: Any, sample_weight: Any = None, **params: Any) -> float:
        """How well the model does on other rows, by `scoring`.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            The rows.
        y : array-like of shape (n_samples,)
            What belongs to them.
        sample_weight : array-like of shape (n_samples,), default=None
            How much each row counts.
        **params : dict
            For the scorer, where metadata routing is enabled.

        Returns
        -------
        score : float
            The larger the better.
        """
        if get_config()["enable_metadata_routing"]:
            routed = process_routing(self, "score", sample_weight=sample_weight, **params)
            more = routed.scorer.score
        else:
            more = params if sample_weight is None else params | {"sample_weight": sample_weight}
        return float(self._scorer()(self, X, y, **more))

    @contextmanager
    def _line(self) -> Iterator[Line | None]:
        line = Line(type(self).__name__) if self.verbose else None
        try:
            yield line
        finally:
            if line is not None:
                line.close()

    def _row_weights(self, codes: Array, sample_weight: Array | None) -> Array | None:
        """With those of the classes, which are shares of all rows, not of a fold's."""
        if not self._classifies or self.class_weight is None:
            return sample_weight
        weights = np.ones(len(codes)) if sample_weight is None else sample_weight
        if isinstance(self.class_weight, str):
            sums = np.bincount(codes, weights, len(self.classes_))
            factors = weights.sum() / (len(self.classes_) * np.maximum(sums, np.finfo(float).tiny))
        else:
            factors = self._class_factors()
        return np.asarray(weights * factors[codes])

    def _fold(
        self, X: Any, y: Array, codes: Array, weights: Array | None, split: tuple[Array, Array], score: dict[str, Any]
    ) -> Fold:
        train, test = split
        if self._classifies:
            self._require_two(self.classes_, codes[train], None if weights is None else weights[train])
        view = copy.copy(self)
        view.__dict__.pop("feature_names_in_", None)  # it is judged by arrays
        own = {name: value[test] if len(value) == len(y) else value for name, value in score.items()}
        scorer = None if self.scoring is None else self._scorer()
        return Fold(view, X, y, codes, weights, train, test, scorer, own)

    def _grid(self, crew: Crew, X: Any, codes: Array, weights: Array | None, settings: dict[str, Any]) -> Array:
        """The radii, increasing."""
        if not isinstance(self.radii, (int, np.integer)):
            radii = np.sort(np.asarray(self.radii, dtype=np.float64).ravel())
            if not len(radii) or not (radii > 0).all() or not np.isfinite(radii).all():
                raise ValueError("radii must be a number of radii, or positive numbers")
            return radii
        # At zero and over the ball of radius 1, the gap is what a linear model wins for a unit of radius.
        at_zero = settings | {"max_iterations": 0, "history": "none"}
        at_zero |= dict.fromkeys(("l1", "l2", "nuclear", "norm", "entropy"), 0)
        at_zero["region_parameters"] = self._region_parameters(1.0)
        zero = calling(_core.fit, X, codes, sample_weight=weights, **at_zero)
        raise_if_interrupted(zero)
        low, high = crew.range(FIRST_GAIN * zero.objective / zero.gap if zero.gap > 0 and zero.objective > 0 else 1.0)
        for fold in crew.folds:
            fold.forget()
        return np.geomspace(low, high, int(self.radii))

    def _store_path(self, X: Any, codes: Array, weights: Array | None, settings: dict[str, Any]) -> None:
        radii = self.radii_.tolist()
        fits = calling(_core.fit_path, X, codes, radii, sample_weight=weights, history="none", **settings)
        self.coef_path_, self.intercept_path_ = self._weights_of(fits)

    def _weights_of(self, fits: list[_core.Fit]) -> tuple[Array, Array]:
        """Weights and constants of each, for features as they come."""
        view = copy.copy(self)
        found = []
        for fit in fits:
            raise_if_interrupted(fit)
            view._adopt(fit)
            found.append((view.coef_, view.intercept_))
        coefs, intercepts = zip(*found, strict=True)
        return np.stack(coefs), np.stack(intercepts)

    def _average(self, folds: list[Fold], settings: dict[str, Any]) -> None:
        """The mean of the folds' models at the radius that was chosen."""
        own = settings | {"region_parameters": self._region_parameters(float(self.radii_[self.best_index_]))}
        fits: list[_core.Fit] = []
        for fold in folds:
            fits.append(calling(_core.fit, **fold.seen(), **own, start=fold.start))
            raise_if_interrupted(fits[-1])
        if len({fit.coef.shape for fit in fits}) > 1:
            raise ValueError("refit=False: some folds lack a class; use refit=True, or a stratified cv")
        coefs, intercepts = self._weights_of(fits)
        self._adopt(fits[int(np.argmax([fit.gap for fit in fits]))])
        self.coef_ = coefs.mean(axis=0)
        self.intercept_ = intercepts.mean(axis=0) if self._classifies else float(intercepts.mean())
        self._divisors, self.n_iter_ = np.empty(0), max(fit.iterations for fit in fits)
        self.rank_ = self.singular_values_ = None
        if self._normalization != "rows":
            self._normalization = "none"

    def _warn_of_paths(self, folds: list[Fold]) -> None:
        gaps = [gap for fold in folds for gap in fold.open_gaps]
        if gaps:
            warnings.warn(
                f"{len(gaps)} of {self.scores_.size} fits along the path did not reach tol={self.tol or 0:g}; the largest "
                f"gap is {max(gaps):.3g}. A larger max_iter or max_epochs, or features of similar scale "
                "(normalize='columns') help.",
                ConvergenceWarning,
                stacklevel=4,  # who called fit
            )
