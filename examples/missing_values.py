"""Missing values, filled in by probabilistic PCA: python examples/missing_values.py"""

import numpy as np

import lowland

rng = np.random.default_rng(0)
x = rng.normal(size=(300, 2)) @ rng.normal(size=(2, 8)) + 0.1 * rng.normal(size=(300, 8))
holes = x.copy()
holes[rng.random(x.shape) < 0.2] = np.nan

ppca = lowland.PPCA(n_components=2).fit(holes)
filled = ppca.impute(holes)
missing = np.isnan(holes)
by_mean = np.where(missing, np.nanmean(holes, axis=0), holes)
print("rms error of the mean", round(float(np.sqrt(np.mean((by_mean - x)[missing] ** 2))), 3))
print("rms error of ppca    ", round(float(np.sqrt(np.mean((filled - x)[missing] ** 2))), 3))
