"""copt's Frank-Wolfe over the nuclear ball until its certificate is small enough.

copt's iterate is a flat vector of doubles. The loss is that of `dense_gradient` in the precision of the data (single),
which is faster than computing in double throughout.
"""

from __future__ import annotations

import math
import time
from pathlib import Path

import copt
import numpy as np

from peers.dense_gradient import load
from peers.serving import Facts, Measure, serve, settings


def main() -> None:
    arguments = settings()
    folder = Path(arguments["folder"])
    gap = float(arguments["gap"])
    loss = load(folder)
    shape = loss.gradient.shape
    ball = copt.constraint.TraceBall(float(arguments["radius"]), shape)

    def function(flat: np.ndarray) -> tuple[float, np.ndarray]:
        value = loss.evaluate(flat.reshape(shape).astype(loss.features.dtype))
        return value, loss.gradient.ravel().astype(np.float64)

    # The largest curvature of the mean multinomial loss is at most σ₁(X)²/2N.
    bound = float(np.linalg.eigvalsh(loss.features.T @ loss.features)[-1]) / (2 * len(loss.features))

    fastest = math.inf

    def until_gap(step: str, lipschitz: float | None) -> Measure:
        def measure() -> tuple[float, Facts]:
            nonlocal fastest
            # One that takes thrice as long as another did is out of the race.
            start = time.perf_counter()
            result = copt.minimize_frank_wolfe(
                function, np.zeros(loss.gradient.size), ball.lmo, jac=True, step=step, lipschitz=lipschitz,
                tol=gap, max_iter=2000, callback=lambda _: time.perf_counter() - start < 3 * fastest,
            )  # fmt: skip
            seconds = time.perf_counter() - start
            if result.certificate <= gap:
                fastest = min(fastest, seconds)
            return seconds, {"iterations": int(result.nit), "gap": float(result.certificate)}

        return measure

    serve(
        {"curvature_bound": bound},
        {
            "backtracking": until_gap("backtracking", None),
            "DR": until_gap("DR", bound),
            "sublinear": until_gap("sublinear", 1.0),  # not used, but copt would take a gradient to find one
        },
    )


if __name__ == "__main__":
    main()
