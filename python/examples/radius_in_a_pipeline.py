"""The radius by cross-validation: in a Pipeline with GridSearchCV, and by the estimator that does it itself."""

import sys

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_breast_cancer
from sklearn.model_selection import GridSearchCV, StratifiedKFold, train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import alfcg
from alfcg import ConstrainedClassifier, ConstrainedClassifierCV

X, y = load_breast_cancer(return_X_y=True, as_frame=True)
X_train, X_test, y_train, y_test = train_test_split(X, y, stratify=y, random_state=0)
folds = StratifiedKFold(5)

# Any estimator, any parameters: a pipeline and a grid.
search = GridSearchCV(
    make_pipeline(StandardScaler(), ConstrainedClassifier()),
    {"constrainedclassifier__region": ["l1", "l2"], "constrainedclassifier__radius": np.geomspace(0.1, 30, 12)},
    scoring="neg_log_loss",
    cv=folds,
).fit(X_train, y_train)
for name, value in search.best_params_.items():
    print(name, value if isinstance(value, str) else f"{value:.2f}")
print(f"log loss on new rows {-search.score(X_test, y_test):.3f}")

# The radius alone: a path of warm-started fits on every fold.
found = ConstrainedClassifierCV(region="l1", cv=folds, scoring="neg_log_loss", pick="1se", store_coef_path=True)
model = make_pipeline(StandardScaler(), found).set_output(transform="pandas").fit(X_train, y_train)
first, last = found.radii_[[0, -1]]
print(f"path: {len(found.radii_)} radii from {first:.2g} to {last:.3g}, {found.radius_:.2f} chosen")
print(f"log loss on new rows {-model.score(X_test, y_test):.3f}, {(found.coef_ != 0).sum()} of {X.shape[1]} features:")
for k in np.argsort(-abs(found.coef_[0]))[:5]:
    print(f"  {found.feature_names_in_[k]:<22} {found.coef_[0, k]:6.2f}")

alfcg.plot.path(found)
plt.savefig(sys.argv[1] if len(sys.argv) > 1 else "radius_in_a_pipeline.png", dpi=70)
