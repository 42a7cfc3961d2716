"""The readers of the command line: files as arrays, and sets to try things on."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from alfcg import _core
from alfcg._docs import told

__all__ = ["Dataset", "load", "make_low_rank"]


@dataclass(repr=False)
class Dataset:
    """Data as arrays.

    Attributes
    ----------
    data : ndarray or scipy.sparse.csr_matrix of shape (rows, features)
    target : ndarray of shape (rows,) or None
        Labels: whole numbers, numbers or texts.
    sample_weight : ndarray or None
        Weights of the rows, where the file has some.
    feature_names : list of str
        Empty where features have no names.
    notes : list of str
        What a reader should know, a line each.
    coef : ndarray or None
        Of planted data: the true weights.
    """

    data: Any
    target: NDArray[Any] | None
    sample_weight: NDArray[np.float64] | None = None
    feature_names: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    coef: NDArray[Any] | None = None

    def __repr__(self) -> str:
        kind = "" if isinstance(self.data, np.ndarray) else f", {self.data.nnz} non-zeros"
        rows, features = self.data.shape
        return f"<alfcg.datasets.Dataset: {rows} rows, {features} features{kind}, {self.data.dtype}>"


@told
def load(
    source: str | os.PathLike[str],
    *,
    dtype: Any = np.float64,
    format: str = "auto",
    labels: str | os.PathLike[str] | None = None,
    label_column: str | int | None = None,
    drop: str | None = None,
    weights: str | os.PathLike[str] | None = None,
    missing: str | None = None,
    categories: bool = False,
    scale: float = 1.0,
    rows: int | None = None,
    features: int | None = None,
    labels_required: bool = True,
    classes: int = 10,
    seed: int = 0,
    folder: str | os.PathLike[str] | None = None,
    threads: int | None = None,
) -> Dataset:
    """Read LIBSVM, CSV, NPY or IDX, plain or compressed (gzip, bzip2, xz), or a mapped file, or make a built-in set.

    Parameters
    ----------
    source : path or str
        A file, or "randn-N-d" or "mnist-N-d".
    dtype : dtype
        Of the features: float64 or float32.
    format : {"auto", "libsvm", "csv", "npy", "idx", "mapped"}
        "auto" recognises it by content.
    labels : path, optional
        A file with the labels, where they are not in the data.
    label_column : str or int, optional
        CSV: a name, a position (negative: from the end) or "none"; the last one when None.
    drop : str, optional
        CSV: names or positions of columns to leave out, between commas.
    weights : path or str, optional
        Weights of the rows: a file of numbers, or a column of a CSV file.
    missing : {"mean", "zero"}, optional
        CSV: what stands for missing values; None: they are errors.
    categories : bool
        CSV: every word of a column of words becomes a feature.
    scale : float
        Features are divided by it (255 for pixels).
    rows, features : int, optional
        Keep the first rows only; fix the number of features.
    labels_required : bool
        False: a file without labels is fine.
    classes, seed : int
        Of "randn-N-d".
    folder : path, optional
        Of "mnist-N-d": where the IDX files are; else $ALFCG_DATA.
    [threads]

    Returns
    -------
    Dataset
        Sparse data are a `scipy.sparse.csr_matrix`, which needs SciPy.

    Examples
    --------
    >>> load("randn-100-5", classes=3)
    <alfcg.datasets.Dataset: 100 rows, 5 features, float64>
    """
    name = os.fspath(source)
    if not os.path.exists(name) and not re.fullmatch(r"(randn|mnist)-\d+-\d+", name):
        raise FileNotFoundError(f"{name!r} is neither a file nor a built-in set (randn-N-d, mnist-N-d)")
    found = _core.read(
        name, _is_double(dtype), format=format, labels=os.fspath(labels or ""),
        label_column="" if label_column is None else str(label_column), drop=drop or "",
        weights=os.fspath(weights or ""), missing=missing or "", categories=categories, scale=scale, rows=rows or 0,
        features=features or 0,
        labels_required=labels_required, classes=classes, seed=seed, folder=os.fspath(folder or ""), threads=threads,
    )  # fmt: skip
    return _dataset(found)


def make_low_rank(
    rows: int = 3000,
    features: int = 200,
    classes: int = 10,
    rank: int = 3,
    noise: float = 0.25,
    seed: int = 1,
    dtype: Any = np.float64,
) -> Dataset:
    """Gaussian features labelled by the largest of noisy scores W x, W of low rank: a problem whose answer is known.

    Parameters
    ----------
    rows, features, classes : int
        How many there are.
    rank : int
        Of the true weights, `Dataset.coef`.
    noise : float
        Standard deviation of what is added to scores of standard deviation 1.
    seed : int
        Other data for another one.
    dtype : dtype
        Of the features: float64 or float32.

    Returns
    -------
    Dataset
        With the true weights, `coef`.

    Examples
    --------
    >>> data = make_low_rank(rows=50, features=8, classes=4, rank=2)
    >>> data.data.shape, data.coef.shape, int(np.linalg.matrix_rank(data.coef))
    ((50, 8), (4, 8), 2)
    """
    found = _core.planted(
        _is_double(dtype), rows=rows, features=features, classes=classes, rank=rank, noise=noise, seed=seed
    )
    return _dataset(found)


def _is_double(dtype: Any) -> bool:
    kind = np.dtype(dtype)
    if kind not in (np.dtype(np.float32), np.dtype(np.float64)):
        raise ValueError(f"dtype must be float32 or float64, not {kind}")
    return bool(kind == np.dtype(np.float64))


def _dataset(found: dict[str, Any]) -> Dataset:
    data = found["data"]
    if isinstance(data, tuple):
        from scipy.sparse import csr_matrix

        values, columns, starts, shape = data
        data = csr_matrix((values, columns, starts), shape=shape, copy=False)
    return Dataset(data, found["target"], found["weights"], found["feature_names"], found["notes"], found.get("coef"))
