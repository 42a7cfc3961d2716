"""Sign-constrained regression with a region of one's own: which substances are in a mixture, and how much of each.

A spectrum is a sum of known spectra with weights that cannot be negative and add up to one at most. The set of such
weights is no region of the library; its oracle is one line.
"""

import sys

import matplotlib.pyplot as plt
import numpy as np
from scipy.optimize import nnls

import alfcg

rng = np.random.default_rng(1)
wavelengths = np.linspace(0, 1, 400)
centers = rng.random((60, 4))
known = sum(
    np.exp(-(((wavelengths[:, None] - centers[:, k]) / 0.02) ** 2) / 2) * rng.uniform(0.3, 1, 60) for k in range(4)
)
truth = np.zeros(60)
truth[[5, 17, 42]] = 0.5, 0.3, 0.2
measured = known @ truth + 0.05 * rng.normal(size=400)


def half_squares(w: np.ndarray) -> tuple[float, np.ndarray]:
    residual = known @ w - measured
    return 0.5 * np.mean(residual**2), known.T @ residual / len(measured)


def oracle(g: np.ndarray) -> np.ndarray:
    """The corner of {w >= 0, sum w <= 1} that goes down most along g."""
    corner = np.zeros_like(g)
    if g.min() < 0:
        corner[g.argmin()] = 1
    return corner


mixtures = alfcg.CustomRegion(oracle, diameter=2**0.5, name="non-negative weights of sum at most 1")
result = alfcg.solve(half_squares, mixtures, np.zeros(60), method="fw-pairwise", tolerance=1e-6)
free = np.linalg.lstsq(known, measured, rcond=None)[0]
without_bound = nnls(known, measured)[0]

print(f"{result.method}: {result.status}, gap {result.gap:.0e}")
print("substance   truth   mixture   non-negative   least squares")
for k in np.flatnonzero(truth):
    print(f"{k:9} {truth[k]:7.2f} {result.x[k]:9.2f} {without_bound[k]:14.2f} {free[k]:15.2f}")
mixture, positive, plain = (abs(w[truth == 0]).sum() for w in (result.x, without_bound, free))
print(f"   others {0:7.2f} {mixture:9.2f} {positive:14.2f} {plain:15.2f}")
print(f"smallest weight {result.x.min():.2f}, sum {result.x.sum():.2f}")

plt.plot(wavelengths, measured, color="#c0c0c0", linewidth=0.8, label="measured")
plt.plot(wavelengths, known @ result.x, color="#0072B2", label="mixture that was found")
for k in np.flatnonzero(result.x > 0.05):
    plt.fill_between(wavelengths, known[:, k] * result.x[k], alpha=0.35, label=f"substance {k}, {result.x[k]:.2f}")
plt.xlabel("wavelength")
plt.legend(frameon=False)
plt.tight_layout()
plt.savefig(sys.argv[1] if len(sys.argv) > 1 else "non_negative_mixture.png", dpi=70)
