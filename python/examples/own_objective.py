"""An objective of one's own: counts, by a sparse Poisson regression over the l1 ball.

All that `alfcg.solve` needs is a function that returns value and gradient; it finds steps and scale by itself.
"""

import sys

import matplotlib.pyplot as plt
import numpy as np
from sklearn.linear_model import PoissonRegressor

import alfcg

rng = np.random.default_rng(0)
X = rng.normal(size=(400, 200))
truth = np.zeros(200)
truth[:5] = 0.6, -0.5, 0.4, 0.3, -0.3
counts = rng.poisson(np.exp(X @ truth))


def poisson(w: np.ndarray) -> tuple[float, np.ndarray]:
    scores = X @ w
    rates = np.exp(scores)
    return float(np.mean(rates - counts * scores)), X.T @ (rates - counts) / len(counts)


runs = {
    method: alfcg.solve(poisson, alfcg.l1_ball(2.1), np.zeros(200), method=method, tolerance=1e-6, max_epochs=300)
    for method in ("alfcg-c", "fw-pairwise", "alfcg-d")
}
for method, run in runs.items():
    weights = np.count_nonzero(run.x)
    print(f"{method:<12} {run.status:<10} objective {run.objective:.4f}, gap {run.gap:.0e}, {weights} weights")

# For comparison: a squared penalty, with the weight that comes nearest to the truth.
ridges = [PoissonRegressor(alpha=alpha, fit_intercept=False).fit(X, counts) for alpha in np.geomspace(0.01, 10, 13)]
ridge = min((model.coef_ for model in ridges), key=lambda w: np.linalg.norm(w - truth))
for name, w in (("l1 ball", runs["alfcg-c"].x), ("best ridge", ridge)):
    print(f"{name:<12} first five weights {np.round(w[:5], 2)}, error of all {np.linalg.norm(w - truth):.2f}")

alfcg.plot.history(runs, across="epochs")
plt.savefig(sys.argv[1] if len(sys.argv) > 1 else "own_objective.png", dpi=70)
