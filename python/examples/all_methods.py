"""All methods on one problem: planted low-rank weights, the nuclear ball, thirty passes over the data."""

import sys

import matplotlib.pyplot as plt

import alfcg

data = alfcg.datasets.make_low_rank(rows=2000, features=50, classes=5, rank=2, seed=1)
found = alfcg.compare(
    data.data, data.target, region="nuclear", region_parameters={"radius": 10}, max_epochs=30, threads=1
)

order = [row["name"] for row in alfcg.methods()]
print(f"lowest objective {found.best_objective:.4f}")
print("method             above it")
for row in sorted(found.table, key=lambda row: order.index(row["method"])):
    above = row["objective"] - found.best_objective
    print(f"{row['method']:<15} {'at most 1e-06' if above <= 1e-6 else f'{above:11.4f}'}")

alfcg.plot.comparison(found, across="epochs")
plt.savefig(sys.argv[1] if len(sys.argv) > 1 else "all_methods.png", dpi=70)
