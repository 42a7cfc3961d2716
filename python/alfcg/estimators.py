"""Estimators for scikit-learn: linear models whose weights are held inside a ball.

>>> from sklearn.datasets import load_breast_cancer
>>> from sklearn.preprocessing import scale
>>> from alfcg import ConstrainedClassifier
>>> X, y = load_breast_cancer(return_X_y=True)
>>> model = ConstrainedClassifier(region="l1", radius=5).fit(scale(X), y)
>>> float(abs(model.coef_).sum().round(3)), int((model.coef_ != 0).sum())
(5.0, 8)
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Self

from alfcg._constraints import constraints
from alfcg._cv import CrossValidated
from alfcg._docs import documented
from alfcg._single import Constrained
from alfcg._tasks import Classification, Regression

__all__ = ["ConstrainedClassifier", "ConstrainedClassifierCV", "ConstrainedRegressor", "ConstrainedRegressorCV"]

Callbacks = Callable[[Any], object] | Sequence[Callable[[Any], object]] | None


@documented
class ConstrainedClassifier(Classification, Constrained):
    """Linear classifier over a ball: sparse weights (l1), low rank (nuclear), and others.

    Minimises the mean loss over weights of norm at most `radius`, by conditional gradient methods. They need no
    projections and no step sizes, and every fit comes with a bound on its distance from the optimum (`gap_`).

    Parameters
    ----------
    [region]
    [radius]
    [loss]
    [terms]
    [common]
    [stopping]
    [end]
    [callbacks]
    [checkpoints]
    [comm]

    Attributes
    ----------
    [coef]
    [fitted]

    See Also
    --------
    ConstrainedClassifierCV : Finds the radius by cross-validation.

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from alfcg import ConstrainedClassifier
    >>> X, y = load_digits(return_X_y=True)
    >>> model = ConstrainedClassifier(radius=3, random_state=0).fit(X[:1000], y[:1000])
    >>> model.coef_.shape, bool(model.score(X[1000:], y[1000:]) > 0.9)
    ((10, 64), True)
    """

    _parameter_constraints = constraints(classifies=True, searches=False)

    def __init__(
        self,
        *,
        region: str = "auto",
        radius: float | str | None = None,
        p: float | None = None,
        region_params: dict[str, Any] | None = None,
        loss: str = "auto",
        l1: float = 0.0,
        l2: float = 0.0,
        nuclear: float = 0.0,
        norm: float = 0.0,
        entropy: float = 0.0,
        fit_intercept: bool = True,
        class_weight: dict[Any, float] | str | None = None,
        normalize: str | None = None,
        method: str = "auto",
        method_params: dict[str, Any] | None = None,
        max_iter: int | None = None,
        max_epochs: float | None = 1000.0,
        max_seconds: float | None = None,
        tol: float = 1e-4,
        warm_start: bool = False,
        early_stopping: bool = False,
        validation_fraction: float = 0.1,
        n_iter_no_change: int = 20,
        random_state: Any = None,
        n_jobs: int | None = None,
        reproducible: bool = False,
        verbose: int = 0,
        device: str = "cpu",
        callbacks: Callbacks = None,
        checkpoint: Any = None,
        checkpoint_every: float = 300.0,
        resume: Any = None,
        comm: Any = None,
    ) -> None:
        self.region = region
        self.radius = radius
        self.p = p
        self.region_params = region_params
        self.loss = loss
        self.l1 = l1
        self.l2 = l2
        self.nuclear = nuclear
        self.norm = norm
        self.entropy = entropy
        self.fit_intercept = fit_intercept
        self.class_weight = class_weight
        self.normalize = normalize
        self.method = method
        self.method_params = method_params
        self.max_iter = max_iter
        self.max_epochs = max_epochs
        self.max_seconds = max_seconds
        self.tol = tol
        self.warm_start = warm_start
        self.early_stopping = early_stopping
        self.validation_fraction = validation_fraction
        self.n_iter_no_change = n_iter_no_change
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.reproducible = reproducible
        self.verbose = verbose
        self.device = device
        self.callbacks = callbacks
        self.checkpoint = checkpoint
        self.checkpoint_every = checkpoint_every
        self.resume = resume
        self.comm = comm

    def partial_fit(self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None) -> Self:
        """Take in some more rows: one stochastic pass over them, from where the last call ended.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            The rows.
        y : array-like of shape (n_samples,)
            Their labels.
        classes : array-like of shape (n_classes,), default=None
            All labels that will ever come. Needed in the first call, unless `fit` has been called.
        sample_weight : array-like of shape (n_samples,), default=None
            How much each row counts; None: all alike.

        Returns
        -------
        self : object
            The estimator.
        """
        return self._take_classes(X, y, classes, sample_weight)


@documented
class ConstrainedRegressor(Regression, Constrained):
    """Linear regression over a ball: the lasso in its constrained form (l1), and others.

    Minimises the mean loss over weights of norm at most `radius`, by conditional gradient methods. They need no
    projections and no step sizes, and every fit comes with a bound on its distance from the optimum (`gap_`).

    Parameters
    ----------
    [region]
    [radius]
    [loss]
    [terms]
    [common]
    [stopping]
    [end]
    [callbacks]
    [checkpoints]
    [comm]

    Attributes
    ----------
    [coef]
    [fitted]

    See Also
    --------
    ConstrainedRegressorCV : Finds the radius by cross-validation.

    Examples
    --------
    >>> import numpy as np
    >>> from alfcg import ConstrainedRegressor
    >>> X = np.random.default_rng(0).normal(size=(200, 30))
    >>> model = ConstrainedRegressor(radius=3).fit(X, 2 * X[:, 0] - X[:, 7] + 5)
    >>> np.flatnonzero(abs(model.coef_) > 0.01), round(model.intercept_, 2)
    (array([0, 7]), 5.0)
    """

    _parameter_constraints = constraints(classifies=False, searches=False)
    _loss_parameters = ("threshold", "width")

    def __init__(
        self,
        *,
        region: str = "auto",
        radius: float | str | None = None,
        p: float | None = None,
        region_params: dict[str, Any] | None = None,
        loss: str = "squared",
        threshold: float = 1.0,
        width: float = 1.0,
        l1: float = 0.0,
        l2: float = 0.0,
        nuclear: float = 0.0,
        norm: float = 0.0,
        entropy: float = 0.0,
        fit_intercept: bool = True,
        normalize: str | None = None,
        method: str = "auto",
        method_params: dict[str, Any] | None = None,
        max_iter: int | None = None,
        max_epochs: float | None = 1000.0,
        max_seconds: float | None = None,
        tol: float = 1e-4,
        warm_start: bool = False,
        early_stopping: bool = False,
        validation_fraction: float = 0.1,
        n_iter_no_change: int = 20,
        random_state: Any = None,
        n_jobs: int | None = None,
        reproducible: bool = False,
        verbose: int = 0,
        device: str = "cpu",
        callbacks: Callbacks = None,
        checkpoint: Any = None,
        checkpoint_every: float = 300.0,
        resume: Any = None,
        comm: Any = None,
    ) -> None:
        self.region = region
        self.radius = radius
        self.p = p
        self.region_params = region_params
        self.loss = loss
        self.threshold = threshold
        self.width = width
        self.l1 = l1
        self.l2 = l2
        self.nuclear = nuclear
        self.norm = norm
        self.entropy = entropy
        self.fit_intercept = fit_intercept
        self.normalize = normalize
        self.method = method
        self.method_params = method_params
        self.max_iter = max_iter
        self.max_epochs = max_epochs
        self.max_seconds = max_seconds
        self.tol = tol
        self.warm_start = warm_start
        self.early_stopping = early_stopping
        self.validation_fraction = validation_fraction
        self.n_iter_no_change = n_iter_no_change
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.reproducible = reproducible
        self.verbose = verbose
        self.device = device
        self.callbacks = callbacks
        self.checkpoint = checkpoint
        self.checkpoint_every = checkpoint_every
        self.resume = resume
        self.comm = comm

    def partial_fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Take in some more rows: one stochastic pass over them, from where the last call ended.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            The rows.
        y : array-like of shape (n_samples,)
            The numbers that belong to them.
        sample_weight : array-like of shape (n_samples,), default=None
            How much each row counts; None: all alike.

        Returns
        -------
        self : object
            The estimator.
        """
        return self._take_numbers(X, y, sample_weight)


@documented
class ConstrainedClassifierCV(Classification, CrossValidated):
    """Linear classifier over a ball whose radius is found by cross-validation.

    Parameters
    ----------
    [region]
    [path]
    [loss]
    [terms]
    [common]
    [end]
    [callbacks]

    Attributes
    ----------
    [coef]
    [fitted]
    [cv_fitted]

    See Also
    --------
    ConstrainedClassifier : A fit at a given radius.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.preprocessing import scale
    >>> from alfcg import ConstrainedClassifierCV
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> model = ConstrainedClassifierCV(radii=20, cv=3, pick="1se").fit(scale(X), y)
    >>> model.scores_.shape, bool(model.best_score_ > 0.95)
    ((20, 3), True)
    """

    _parameter_constraints = constraints(classifies=True, searches=True)

    def __init__(
        self,
        *,
        region: str = "auto",
        radii: int | Sequence[float] = 100,
        p: float | None = None,
        region_params: dict[str, Any] | None = None,
        cv: Any = None,
        scoring: Any = None,
        pick: str = "best",
        refit: bool = True,
        store_coef_path: bool = False,
        loss: str = "auto",
        l1: float = 0.0,
        l2: float = 0.0,
        nuclear: float = 0.0,
        norm: float = 0.0,
        entropy: float = 0.0,
        fit_intercept: bool = True,
        class_weight: dict[Any, float] | str | None = None,
        normalize: str | None = None,
        method: str = "auto",
        method_params: dict[str, Any] | None = None,
        max_iter: int | None = None,
        max_epochs: float | None = 1000.0,
        max_seconds: float | None = None,
        tol: float = 1e-4,
        random_state: Any = None,
        n_jobs: int | None = None,
        reproducible: bool = False,
        verbose: int = 0,
        device: str = "cpu",
        callbacks: Callbacks = None,
    ) -> None:
        self.region = region
        self.radii = radii
        self.p = p
        self.region_params = region_params
        self.cv = cv
        self.scoring = scoring
        self.pick = pick
        self.refit = refit
        self.store_coef_path = store_coef_path
        self.loss = loss
        self.l1 = l1
        self.l2 = l2
        self.nuclear = nuclear
        self.norm = norm
        self.entropy = entropy
        self.fit_intercept = fit_intercept
        self.class_weight = class_weight
        self.normalize = normalize
        self.method = method
        self.method_params = method_params
        self.max_iter = max_iter
        self.max_epochs = max_epochs
        self.max_seconds = max_seconds
        self.tol = tol
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.reproducible = reproducible
        self.verbose = verbose
        self.device = device
        self.callbacks = callbacks

    score = CrossValidated.score  # by `scoring`


@documented
class ConstrainedRegressorCV(Regression, CrossValidated):
    """Linear regression over a ball whose radius is found by cross-validation.

    Parameters
    ----------
    [region]
    [path]
    [loss]
    [terms]
    [common]
    [end]
    [callbacks]

    Attributes
    ----------
    [coef]
    [fitted]
    [cv_fitted]

    See Also
    --------
    ConstrainedRegressor : A fit at a given radius.

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> from alfcg import ConstrainedRegressorCV
    >>> X, y = load_diabetes(return_X_y=True)
    >>> model = ConstrainedRegressorCV(radii=20).fit(X, y)
    >>> bool(model.best_score_ > 0.45)
    True
    """

    _parameter_constraints = constraints(classifies=False, searches=True)
    _loss_parameters = ("threshold", "width")

    def __init__(
        self,
        *,
        region: str = "auto",
        radii: int | Sequence[float] = 100,
        p: float | None = None,
        region_params: dict[str, Any] | None = None,
        cv: Any = None,
        scoring: Any = None,
        pick: str = "best",
        refit: bool = True,
        store_coef_path: bool = False,
        loss: str = "squared",
        threshold: float = 1.0,
        width: float = 1.0,
        l1: float = 0.0,
        l2: float = 0.0,
        nuclear: float = 0.0,
        norm: float = 0.0,
        entropy: float = 0.0,
        fit_intercept: bool = True,
        normalize: str | None = None,
        method: str = "auto",
        method_params: dict[str, Any] | None = None,
        max_iter: int | None = None,
        max_epochs: float | None = 1000.0,
        max_seconds: float | None = None,
        tol: float = 1e-4,
        random_state: Any = None,
        n_jobs: int | None = None,
        reproducible: bool = False,
        verbose: int = 0,
        device: str = "cpu",
        callbacks: Callbacks = None,
    ) -> None:
        self.region = region
        self.radii = radii
        self.p = p
        self.region_params = region_params
        self.cv = cv
        self.scoring = scoring
        self.pick = pick
        self.refit = refit
        self.store_coef_path = store_coef_path
        self.loss = loss
        self.threshold = threshold
        self.width = width
        self.l1 = l1
        self.l2 = l2
        self.nuclear = nuclear
        self.norm = norm
        self.entropy = entropy
        self.fit_intercept = fit_intercept
        self.normalize = normalize
        self.method = method
        self.method_params = method_params
        self.max_iter = max_iter
        self.max_epochs = max_epochs
        self.max_seconds = max_seconds
        self.tol = tol
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.reproducible = reproducible
        self.verbose = verbose
        self.device = device
        self.callbacks = callbacks

    score = CrossValidated.score  # by `scoring`
