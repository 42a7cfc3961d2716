"""Value and gradient of the mean multinomial loss in NumPy (OpenBLAS), in both layouts of the scores.

Nothing is allocated inside but a few vectors of N entries; everything has the precision of the data.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from peers.serving import relative_error, serve, settings, timed


class Multinomial:
    """The loss on dense data, with its buffers."""

    def __init__(self, features: np.ndarray, classes: np.ndarray) -> None:
        self.features = features
        self.classes = classes.astype(np.intp)
        self.rows = np.arange(len(features))
        outputs = int(classes.max()) + 1
        self.scores = np.empty((len(features), outputs), features.dtype)
        self.scores_by_class = np.empty((outputs, len(features)), features.dtype)
        self.gradient = np.empty((outputs, features.shape[1]), features.dtype)

    def evaluate(self, weights: np.ndarray) -> float:
        """Scores as rows x classes: X Wᵀ, softmax in place, Rᵀ X."""
        scores = np.matmul(self.features, weights.T, out=self.scores)
        scores -= scores.max(axis=1, keepdims=True)
        own = scores[self.rows, self.classes]
        np.exp(scores, out=scores)
        total = scores.sum(axis=1, keepdims=True)
        value = np.log(total).mean() - own.mean()
        scores /= total
        scores[self.rows, self.classes] -= 1
        np.matmul(scores.T, self.features, out=self.gradient)
        self.gradient /= len(self.rows)
        return float(value)

    def evaluate_by_class(self, weights: np.ndarray) -> float:
        """The same with scores as classes x rows, where NumPy's sums over the classes run along the rows."""
        scores = np.matmul(weights, self.features.T, out=self.scores_by_class)
        scores -= scores.max(axis=0)
        own = scores[self.classes, self.rows]
        np.exp(scores, out=scores)
        total = scores.sum(axis=0)
        value = np.log(total).mean() - own.mean()
        scores /= total
        scores[self.classes, self.rows] -= 1
        np.matmul(scores, self.features, out=self.gradient)
        self.gradient /= len(self.rows)
        return float(value)


def load(folder: Path) -> Multinomial:
    return Multinomial(np.load(folder / "features.npy"), np.load(folder / "classes.npy"))


def main() -> None:
    folder = Path(settings()["folder"])
    loss = load(folder)
    weights = np.load(folder / "x.npy")
    expected = np.load(folder / "gradient.npy")
    value = loss.evaluate(weights)
    error = relative_error(loss.gradient, expected)
    loss.evaluate_by_class(weights)
    error = max(error, relative_error(loss.gradient, expected))
    serve(
        {"value": value, "gradient_error": error},
        {
            "gradient": timed(lambda: loss.evaluate(weights)),
            "gradient-by-class": timed(lambda: loss.evaluate_by_class(weights)),
        },
    )


if __name__ == "__main__":
    main()
