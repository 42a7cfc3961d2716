"""Sign-constrained regression: which substances are in a mixture, and how much of each.

A spectrum is a sum of known spectra with weights that cannot be negative and add up to one at most: the region
`unit-simplex`. Where some is known of single weights, they have bounds of their own: the region `bounded-l1`.
"""

import sys

import matplotlib.pyplot as plt
import numpy as np
from scipy.optimize import nnls

from alfcg import ConstrainedRegressor

rng = np.random.default_rng(1)
wavelengths = np.linspace(0, 1, 400)
centers = rng.random((60, 4))
known = sum(
    np.exp(-(((wavelengths[:, None] - centers[:, k]) / 0.02) ** 2) / 2) * rng.uniform(0.3, 1, 60) for k in range(4)
)
truth = np.zeros(60)
truth[[5, 17, 42]] = 0.5, 0.3, 0.2
measured = known @ truth + 0.05 * rng.normal(size=400)

mixture = ConstrainedRegressor(region="unit-simplex", method="alfcg-c", fit_intercept=False, tol=1e-6)
mixture.fit(known, measured)

# Of the last twenty substances, only one can be there.
upper = np.full(60, np.inf)
upper[40:] = 0
upper[42] = np.inf
told = ConstrainedRegressor(
    region="bounded-l1", radius=1, region_params={"lower": 0, "upper": upper}, method="alfcg-c",
    fit_intercept=False, tol=1e-6,
).fit(known, measured)  # fmt: skip

without_bound = nnls(known, measured)[0]
free = np.linalg.lstsq(known, measured, rcond=None)[0]
found = {
    "mixture": mixture.coef_,
    "some known": told.coef_,
    "non-negative": without_bound,
    "least squares": free,
}

print(f"{mixture.status_}, gap {mixture.gap_:.0e}, {(mixture.coef_ > 0).sum()} substances of {len(truth)}")
print("substance   truth", *(f"{name:>13}" for name in found))
for k in np.flatnonzero(truth):
    print(f"{k:9} {truth[k]:7.2f}", *(f"{w[k]:13.2f}" for w in found.values()))
print(f"   others {0:7.2f}", *(f"{abs(w[truth == 0]).sum():13.2f}" for w in found.values()))
print(f"   lowest {0:7.2f}", *(f"{w.min():13.2f}" for w in found.values()))

plt.plot(wavelengths, measured, color="#c0c0c0", linewidth=0.8, label="measured")
plt.plot(wavelengths, mixture.predict(known), color="#0072B2", label="mixture that was found")
for k in np.flatnonzero(mixture.coef_ > 0.05):
    plt.fill_between(
        wavelengths, known[:, k] * mixture.coef_[k], alpha=0.35, label=f"substance {k}, {mixture.coef_[k]:.2f}"
    )
plt.xlabel("wavelength")
plt.legend(frameon=False)
plt.tight_layout()
plt.savefig(sys.argv[1] if len(sys.argv) > 1 else "non_negative_mixture.png", dpi=70)
