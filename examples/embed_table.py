"""A table of numbers, embedded and judged: python examples/embed_table.py"""

import numpy as np

import lowland

# Three groups of rows in ten dimensions.
rng = np.random.default_rng(0)
centers = rng.normal(scale=4.0, size=(3, 10))
x = np.concatenate([center + rng.normal(size=(100, 10)) for center in centers])

isomap = lowland.Isomap(n_components=2, n_neighbors=10)
y = isomap.fit_transform(x)
print("trustworthiness", round(lowland.trustworthiness(x, y), 3))

# New rows get coordinates of their own, in the same map.
print(isomap.transform(centers).round(2))
