"""A sparse text classifier: which words tell good reviews from bad ones.

The reviews are made up: 4000 words of no meaning, as frequent as words are, and two dozen that say something.
"""

import sys

import matplotlib.pyplot as plt
import numpy as np
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.model_selection import train_test_split

from alfcg import ConstrainedClassifierCV

GOOD = "crisp tasty fresh friendly generous warm perfect lovely bright quick honest splendid".split()
BAD = "stale rude cold broken bland noisy greasy slow dirty sour lazy expensive".split()


def reviews(count: int, rng: np.random.Generator) -> tuple[list[str], np.ndarray]:
    syllables = [c + v for c in "bdfgklmnprst" for v in "aeiou"]
    filler = ["".join(rng.choice(syllables, rng.integers(2, 5))) for _ in range(4000)]
    share = 1 / np.arange(1, len(filler) + 1)
    good = rng.random(count) < 0.5
    texts = []
    for is_good in good:
        words = list(rng.choice(filler, rng.integers(20, 60), p=share / share.sum()))
        telling, other = (GOOD, BAD) if is_good else (BAD, GOOD)
        words += list(rng.choice(telling, rng.integers(1, 5))) + list(rng.choice(other, rng.integers(0, 2)))
        texts.append(" ".join(rng.permutation(words)))
    return texts, np.where(good, "good", "bad")


texts, labels = reviews(3000, np.random.default_rng(0))
train, test, y_train, y_test = train_test_split(texts, labels, random_state=0)
vectorizer = TfidfVectorizer()
X_train, X_test = vectorizer.fit_transform(train), vectorizer.transform(test)

model = ConstrainedClassifierCV(region="l1", radii=25, cv=3, scoring="neg_log_loss", pick="1se", store_coef_path=True)
model.fit(X_train, y_train)

words = vectorizer.get_feature_names_out()
order = np.argsort(model.coef_[0])
print(f"{X_train.shape[0]} reviews, {X_train.shape[1]} words, {X_train.nnz} entries")
print(f"radius {model.radius_:.3g}: {(model.coef_ != 0).sum()} words have a weight")
print(f"{100 * (model.predict(X_test) == y_test).mean():.1f} % of new reviews are told right")
print("bad: ", " ".join(sorted(words[order[:12]])))
print("good:", " ".join(sorted(words[order[-12:]])))
planted = set(GOOD + BAD)
print(f"{sum(word in planted for word in words[np.r_[order[:12], order[-12:]]])} of these 24 were planted")

path = model.coef_path_[:, 0]
for name, weights in zip(words, path.T, strict=True):
    if weights.any():
        color = "#0072B2" if name in GOOD else "#D55E00" if name in BAD else "#c8c8c8"
        plt.plot(model.radii_, weights, color=color, linewidth=1.2 if name in planted else 0.6)
plt.axvline(model.radius_, color="black", linestyle="--", linewidth=0.8)
plt.xscale("log")
plt.xlabel("radius (dashed: chosen)")
plt.ylabel("weight of a word (blue: good, red: bad, grey: no meaning)")
plt.tight_layout()
plt.savefig(sys.argv[1] if len(sys.argv) > 1 else "sparse_text.png", dpi=70)
