"""Models of the command line, and for it: `load` and `save`."""

from __future__ import annotations

import os
from typing import Any

from alfcg import _core


def load(path: str | os.PathLike[str]) -> _core.Model | _core.CompletionModel:
    """Read a model that ``alfcg train``, ``path`` or ``complete``, or `save`, has written.

    Parameters
    ----------
    path : path
        An .npz archive.

    Returns
    -------
    Model or CompletionModel
        Its answers are those of ``alfcg predict``, to the bit. `from_model` of ConstrainedClassifier, ConstrainedRegressor and
        MatrixCompletion makes an estimator of it.
    """
    if not os.path.exists(path):
        raise FileNotFoundError(f"there is no model {os.fspath(path)!r}")
    return _core.CompletionModel.load(path) if _core.CompletionModel.is_in(path) else _core.Model.load(path)


def save(what: Any, path: str | os.PathLike[str]) -> None:
    """Write a model for ``alfcg predict``, ``alfcg show``, ``alfcg recommend`` and `load`.

    Parameters
    ----------
    what : Model, CompletionModel, or anything that has one
        A fitted estimator, a `Path`, or a model.
    path : path
        Where it goes: an .npz archive, written whole or not at all.

    Examples
    --------
    >>> import alfcg, os, tempfile
    >>> data = alfcg.datasets.make_low_rank(rows=100, features=5, classes=2, rank=1)
    >>> found = alfcg.path(data.data, data.target, radii=[1.0], folds=2, threads=1)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     alfcg.save(found, os.path.join(folder, "model.npz"))
    ...     alfcg.load(os.path.join(folder, "model.npz"))
    <alfcg.Model: logistic over lp, 1 x 5 weights>
    """
    model = what
    if hasattr(what, "_alfcg_model"):
        model = what._alfcg_model()
    elif hasattr(what, "model"):
        model = what.model
    if not isinstance(model, (_core.Model, _core.CompletionModel)):
        raise TypeError(f"{type(what).__name__} has no model to save")
    model.save(path)
