"""A table of numbers, embedded and judged: python examples/embed_table.py"""

import numpy as np

import lowland

# A curved strip in ten dimensions, with a little noise.
rng = np.random.default_rng(0)
position = rng.uniform(0, 3, size=400)
frequencies = np.linspace(0.2, 2.0, 10)
x = np.sin(position[:, None] * frequencies) + 0.01 * rng.normal(size=(400, 10))

isomap = lowland.Isomap(n_components=1, n_neighbors=20)
y = isomap.fit_transform(x)
print("trustworthiness", round(lowland.trustworthiness(x, y), 3))
print("correlation with the position", round(abs(np.corrcoef(y[:, 0], position)[0, 1]), 3))

# New rows get coordinates of their own, in the same map.
new = np.sin(np.array([[0.5], [1.5], [2.5]]) * frequencies)
print(isomap.transform(new).round(2))
