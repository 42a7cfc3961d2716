"""A low-rank classifier of handwritten digits: ten classes that share a few directions."""

import sys

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_digits
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import train_test_split

from alfcg import ConstrainedClassifier

X, y = load_digits(return_X_y=True)
X_train, X_test, y_train, y_test = train_test_split(X / 16, y, test_size=0.4, stratify=y, random_state=0)

full = LogisticRegression(max_iter=5000).fit(X_train, y_train)
rank = np.linalg.matrix_rank(full.coef_)
print(f"logistic regression    rank {rank}, {100 * full.score(X_test, y_test):.1f} % right")
models = {}
for radius in (5, 10, 20, 40):
    models[radius] = model = ConstrainedClassifier(region="nuclear", radius=radius).fit(X_train, y_train)
    right = 100 * model.score(X_test, y_test)
    print(f"nuclear ball of {radius:>2}     rank {model.rank_}, {right:.1f} % right, gap {model.gap_:.0e}")

model = models[20]
left, values, right = np.linalg.svd(model.coef_, full_matrices=False)
print("singular values at 20 ", " ".join(f"{value:.2f}" for value in values))

figure, axes = plt.subplots(2, 4, figsize=(6.4, 3.8))
for k, ax in enumerate(axes.flat):
    ax.imshow(right[k].reshape(8, 8), cmap="RdBu_r", vmin=-0.5, vmax=0.5)
    ax.set_title(f"{values[k]:.2f}", fontsize=9)
    ax.axis("off")
figure.suptitle("Directions that the classes share, with their singular values (radius 20)", fontsize=10)
plt.tight_layout()
plt.savefig(sys.argv[1] if len(sys.argv) > 1 else "low_rank_digits.png", dpi=70)
