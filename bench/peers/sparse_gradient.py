"""Value and gradient of the mean multinomial loss on compressed rows, in SciPy.

SciPy wants C-contiguous right-hand sides: the weights are kept as features x classes, so that nothing is copied. The
second product may use the transposed view (compressed columns) or a transposed copy made beforehand; both are measured.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
from scipy import sparse

from peers.serving import relative_error, serve, settings, timed


def main() -> None:
    arguments = settings()
    folder = Path(arguments["folder"])
    classes = np.load(folder / "classes.npy").astype(np.intp)
    expected = np.load(folder / "gradient.npy")
    features = sparse.csr_matrix(
        (np.load(folder / "value.npy"), np.load(folder / "column.npy"), np.load(folder / "start.npy")),
        shape=(len(classes), expected.shape[1]),
    )
    features.indptr = features.indptr.astype(np.int32)
    view = features.T
    copy = view.tocsr()
    weights = np.ascontiguousarray(np.load(folder / "x.npy").T)
    rows = np.arange(len(classes))

    def evaluate(transposed: sparse.spmatrix) -> tuple[float, np.ndarray]:
        scores = features @ weights
        scores -= scores.max(axis=1, keepdims=True)
        own = scores[rows, classes]
        np.exp(scores, out=scores)
        total = scores.sum(axis=1, keepdims=True)
        value = np.log(total).mean() - own.mean()
        scores /= total
        scores[rows, classes] -= 1
        scores /= len(rows)
        return float(value), transposed @ scores

    value, gradient = evaluate(view)
    error = max(relative_error(gradient.T, expected), relative_error(evaluate(copy)[1].T, expected))
    assert gradient.dtype == features.dtype
    serve(
        {"value": value, "gradient_error": error},
        {"gradient": timed(lambda: evaluate(view)), "gradient-transposed-copy": timed(lambda: evaluate(copy))},
    )


if __name__ == "__main__":
    main()
