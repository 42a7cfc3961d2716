"""Ratings of films by users: a matrix of low rank of which few entries are known, and what to watch next."""

import sys

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from sklearn.model_selection import train_test_split

from alfcg import MatrixCompletion

# Users have tastes, films have more or less of what there is a taste for; some of either are better known than others.
rng = np.random.default_rng(0)
users, films = 600, 300
taste, content = rng.normal(size=(users, 3)), rng.normal(size=(films, 3))
liking = 3 + 0.4 * rng.normal(size=(users, 1)) + 0.5 * rng.normal(size=films) + 0.5 * taste @ content.T
seen = rng.random(liking.shape) < 0.2 * rng.pareto(3, (users, 1)) * rng.pareto(3, films) / 0.25
i, j = seen.nonzero()
stars = (liking[i, j] + 0.5 * rng.normal(size=len(i))).clip(0.5, 5)
ratings = pd.DataFrame({"user": [f"user {k}" for k in i], "film": [f"film {k}" for k in j], "stars": stars})
train, test = train_test_split(ratings, test_size=0.2, random_state=0)
print(f"{len(ratings)} ratings, {100 * seen.mean():.1f} % of the matrix")

print(f"root mean square error of the mean  {np.sqrt(((test.stars - train.stars.mean()) ** 2).mean()):.3f}")
models = {
    "means of users and films": MatrixCompletion(radius=1e-6, biases=True, random_state=0),
    "and a low-rank part": MatrixCompletion(biases=True, random_state=0),
}
for name, model in models.items():
    model.fit(train)
    print(f"{name:<35} {model.error(test):.3f}, rank {model.rank_}")

best = model.recommend("user 7", 3, without=ratings)
print(best.to_frame().round(1).to_string(index=False))
k = [int(name.split()[1]) for name in best["column"]]
print("which user 7 would really give", *liking[7, k].clip(0.5, 5).round(1))

figure, (left, right) = plt.subplots(1, 2, figsize=(7, 2.8))
tried = sorted(model.radii_, key=lambda one: one["radius"])
for what, label in (("error", "known"), ("held_out_error", "held out")):
    left.plot([one["radius"] for one in tried], [one[what] for one in tried], "o-", label=label)
left.set(xlabel="radius", ylabel="error")
left.legend()
right.bar(range(1, model.rank_ + 1), model.singular_values_)
right.set(xlabel="direction", ylabel="singular value")
plt.tight_layout()
plt.savefig(sys.argv[1] if len(sys.argv) > 1 else "film_ratings.png", dpi=70)
