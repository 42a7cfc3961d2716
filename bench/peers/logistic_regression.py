"""scikit-learn's multinomial logistic regression (L-BFGS): what one of its iterations costs."""

from __future__ import annotations

import time
import warnings
from pathlib import Path

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression

from peers.serving import Facts, serve, settings


def main() -> None:
    arguments = settings()
    folder = Path(arguments["folder"])
    features = np.load(folder / "features.npy")
    classes = np.load(folder / "classes.npy")
    steps = int(arguments["steps"])
    warnings.simplefilter("ignore", ConvergenceWarning)

    def iteration() -> tuple[float, Facts]:
        model = LogisticRegression(solver="lbfgs", max_iter=steps, tol=1e-12, fit_intercept=False)
        start = time.perf_counter()
        model.fit(features, classes)
        seconds = time.perf_counter() - start
        return seconds / int(model.n_iter_[0]), {"accuracy": float(model.score(features, classes))}

    serve({}, {"iteration": iteration})


if __name__ == "__main__":
    main()
