"""The two tasks, classification and regression: how y is read, and what is made of scores."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.special import expit, log_expit, log_softmax, softmax
from sklearn.base import ClassifierMixin, RegressorMixin
from sklearn.utils.class_weight import compute_class_weight
from sklearn.utils.metaestimators import available_if
from sklearn.utils.multiclass import check_classification_targets

from alfcg import _core
from alfcg._base import Array
from alfcg._ranks import all_labels, together


def labels_of(classes: Array) -> list[Any]:
    """Labels as models keep them: numbers or texts."""
    if classes.dtype.kind in "biuf":
        return [float(label) for label in classes]
    return [str(label) for label in classes]


def _has_probabilities(self: Any) -> bool:
    name = getattr(self, "_learned", {"loss": self.loss})["loss"]
    if name not in ("auto", "logistic", "multinomial"):
        raise AttributeError(f"the {name} loss has no probabilities")
    return True


class Classification(ClassifierMixin):  # type: ignore[misc]
    """Of classes: scores are compared, and where the loss is a likelihood turned into probabilities."""

    _classifies = True
    _given_classes: Array  # of y, learned or not

    def _encoded(self, y: Array, sample_weight: Array | None) -> tuple[Array, Array]:
        """The classes, and each row's position in them."""
        comm = getattr(self, "comm", None)
        with together(comm):
            if len(y):
                check_classification_targets(y)
        classes, codes = np.unique(y, return_inverse=True)
        if comm is not None:
            classes = all_labels(classes, comm)
            codes = np.searchsorted(classes, y)
        self._require_two(classes, codes, sample_weight, comm)
        return classes, codes

    @staticmethod
    def _require_two(classes: Array, codes: Array, sample_weight: Array | None, comm: Any = None) -> None:
        """Of the classes, among rows that count."""
        counts = np.bincount(codes, sample_weight, len(classes))
        present = classes[np.flatnonzero(counts if comm is None else comm.allreduce(counts))]
        if len(present) < 2:
            raise ValueError(
                "This solver needs samples of at least 2 classes in the data, but the data contains only one class: "
                + ", ".join(map(repr, present))
            )

    def _class_factors(self) -> Array:
        """What a dictionary says that rows of each class count. One that names others instead of them is refused."""
        return np.asarray(compute_class_weight(self.class_weight, classes=self.classes_, y=self.classes_))

    def _task(self, y: Array, sample_weight: Array | None) -> tuple[Array, dict[str, Any]]:
        """y and keywords for the library."""
        self.classes_, codes = self._encoded(y, sample_weight)
        self._given_classes = self.classes_
        labels, weight = self._labels(), self.class_weight
        if isinstance(weight, dict):
            weight = dict(zip(labels, self._class_factors().tolist(), strict=True))
        return codes, {"classes": labels, "class_weight": weight}

    def _labels(self) -> list[Any]:
        return labels_of(self.classes_)

    def _outputs(self) -> int:
        return 1 if len(self.classes_) == 2 else len(self.classes_)

    def _adopt(self, fit: _core.Fit) -> None:
        super()._adopt(fit)
        self.classes_ = self._given_classes[fit.class_codes]  # those without a row that counts are unknown

    def decision_function(self, X: Any) -> Array:
        """Scores: how strongly rows speak for the second of two classes, or for each of more.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            The rows.

        Returns
        -------
        scores : ndarray of shape (n_samples,) or (n_samples, n_classes)
            One number a row where there are two classes: above zero, it is the second.
        """
        scores = self._scores(X)
        return np.asarray(scores[:, 0] if scores.shape[1] == 1 else scores)

    def predict(self, X: Any) -> Array:
        """The most likely class of each row.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            The rows.

        Returns
        -------
        labels : ndarray of shape (n_samples,)
            Labels as they were in y.
        """
        return self._decided(self._scores(X))

    def _decided(self, scores: Array) -> Array:
        codes = (scores[:, 0] > 0).astype(int) if scores.shape[1] == 1 else scores.argmax(axis=1)
        return np.asarray(self.classes_[codes])

    def _usual_score(self, X: Any, y: Array, sample_weight: Array | None = None) -> float:
        """Accuracy. Scikit-learn's own takes longer than a fit of few rows."""
        return float(np.average(self._decided(self._linear(X)) == y, weights=sample_weight))

    def _unseen_loss(self, X: Any, y: Array, sample_weight: Array | None = None) -> float:
        """The log loss. A class that was never seen, like a share that is zero, costs much and not everything."""
        at = np.searchsorted(self.classes_, y).clip(max=len(self.classes_) - 1)
        logarithms = self._log_shares(self._linear(X))[np.arange(len(y)), at]
        logarithms = np.where(self.classes_[at] == y, logarithms, -np.inf)
        return -float(np.average(logarithms.clip(min=np.log(np.finfo(float).tiny)), weights=sample_weight))

    def _log_shares(self, scores: Array) -> Array:
        if scores.shape[1] == 1:
            return np.column_stack([log_expit(-scores[:, 0]), log_expit(scores[:, 0])])
        return np.asarray(log_softmax(scores, axis=1))

    @available_if(_has_probabilities)  # type: ignore[untyped-decorator,unused-ignore]
    def predict_proba(self, X: Any) -> Array:
        """Probabilities of the classes, by the logistic and multinomial losses.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            The rows.

        Returns
        -------
        probabilities : ndarray of shape (n_samples, n_classes)
            In the order of `classes_`; rows sum to one.
        """
        scores = self.decision_function(X)
        if scores.ndim == 1:
            return np.column_stack([expit(-scores), expit(scores)])
        return np.asarray(softmax(scores, axis=1))

    @available_if(_has_probabilities)  # type: ignore[untyped-decorator,unused-ignore]
    def predict_log_proba(self, X: Any) -> Array:
        """Logarithms of the probabilities, exact also where these are too small for a number.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            The rows.

        Returns
        -------
        logarithms : ndarray of shape (n_samples, n_classes)
            In the order of `classes_`.
        """
        return self._log_shares(self._scores(X))


class Regression(RegressorMixin):  # type: ignore[misc]
    """Of numbers: scores are the answers."""

    _classifies = False

    def _task(self, y: Array, sample_weight: Array | None) -> tuple[Array, dict[str, Any]]:
        return np.asarray(y, dtype=np.float64), {}

    def _outputs(self) -> int:
        return 1

    def predict(self, X: Any) -> Array:
        """The number that belongs to each row.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            The rows.

        Returns
        -------
        y : ndarray of shape (n_samples,)
            Predictions.
        """
        return np.asarray(self._scores(X)[:, 0])

    def _usual_score(self, X: Any, y: Array, sample_weight: Array | None = None) -> float:
        """R²: the share of the squares that is explained."""
        if len(y) < 2:
            return np.nan
        error = self._unseen_loss(X, y, sample_weight)
        spread = np.average((y - np.average(y, weights=sample_weight)) ** 2, weights=sample_weight)
        return float(1 - error / spread) if spread > 0 else float(error == 0)

    def _unseen_loss(self, X: Any, y: Array, sample_weight: Array | None = None) -> float:
        """The mean squared error."""
        return float(np.average((self._linear(X)[:, 0] - y) ** 2, weights=sample_weight))
