"""alfcg-mvr1 over the nuclear ball as a loop in NumPy (docs/mathematics.md, sections 2 and 3)."""

from __future__ import annotations

import math
import time
from pathlib import Path

import numpy as np
from threadpoolctl import threadpool_limits

from peers.serving import Facts, relative_error, serve, settings


class Mvr1:
    """The state of a run, and one step of it."""

    def __init__(self, features: np.ndarray, classes: np.ndarray, radius: float, rho: float, beta: float) -> None:
        self.features = features
        self.classes = classes.astype(np.intp)
        self.radius, self.rho, self.beta = radius, rho, beta
        self.x = np.zeros((int(classes.max()) + 1, features.shape[1]), features.dtype)
        self.estimate = np.zeros_like(self.x)
        self.squares = 0.0  # S_t
        self.iteration = 0

    def batch_gradient(self, rows: np.ndarray) -> np.ndarray:
        batch = self.features[rows]
        scores = batch @ self.x.T
        scores -= scores.max(axis=1, keepdims=True)
        np.exp(scores, out=scores)
        scores /= scores.sum(axis=1, keepdims=True)
        scores[np.arange(len(rows)), self.classes[rows]] -= 1
        scores /= len(rows)
        return scores.T @ batch

    def vertex(self) -> np.ndarray:
        """-r u vᵀ from the Gram matrix of the smaller side: the fastest exact way in NumPy for few classes."""
        left = np.linalg.eigh(self.estimate @ self.estimate.T)[1][:, -1]
        right = left @ self.estimate
        right *= -self.radius / np.linalg.norm(right)
        return np.outer(left, right)

    def step(self, rows: np.ndarray) -> None:
        alpha = (1 + self.iteration * self.beta + self.squares) ** -0.5
        self.estimate *= 1 - alpha
        self.estimate += alpha * self.batch_gradient(rows)
        direction = self.vertex()
        direction -= self.x
        gap = -float(np.vdot(self.estimate, direction))
        length_squared = float(np.vdot(direction, direction))
        curvature = self.rho * math.sqrt((1 + self.squares) / alpha)
        eta = min(1.0, max(gap, 0.0) / (curvature * length_squared)) if length_squared > 0 else 0.0
        direction *= eta
        self.x += direction
        self.squares += (curvature * eta) ** 2 * length_squared
        self.iteration += 1


def main() -> None:
    arguments = settings()
    folder = Path(arguments["folder"])
    features = np.load(folder / "features.npy")
    classes = np.load(folder / "classes.npy")
    parameters = [float(arguments[name]) for name in ("radius", "rho", "beta")]
    batches = np.load(folder / "batches.npy")
    replay = Mvr1(features, classes, *parameters)
    for rows in batches:
        replay.step(rows)
    error = relative_error(replay.x, np.load(folder / "x.npy"))
    steps = int(arguments["steps"])
    random = np.random.default_rng(0)

    def iteration() -> tuple[float, Facts]:
        run = Mvr1(features, classes, *parameters)
        start = time.perf_counter()
        for _ in range(steps):
            run.step(random.integers(len(features), size=batches.shape[1]))
        return (time.perf_counter() - start) / steps, {}

    def iteration_alone() -> tuple[float, Facts]:
        """Products this small may be faster without a second thread."""
        with threadpool_limits(1):
            return iteration()

    serve({"iterate_error": error}, {"iteration": iteration, "iteration-1": iteration_alone})


if __name__ == "__main__":
    main()
