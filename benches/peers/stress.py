"""Layouts by stress by scikit-learn and the package sammon-mapping."""

import numpy as np
from contestant import main


def distances(points):
    from scipy.spatial.distance import pdist

    return pdist(np.asarray(points, dtype=np.float64))


def judged(points, kind):
    """The stress of a layout: raw, Kruskal's stress-1 or Sammon's."""

    def judge(embedding):
        given, found = distances(points), distances(embedding)
        if kind == "raw":
            return {"stress": np.sum((given - found) ** 2)}
        if kind == "sammon":
            some = given > 0
            return {"stress": np.sum((given[some] - found[some]) ** 2 / given[some]) / np.sum(given)}
        from sklearn.isotonic import isotonic_regression

        found = found[np.argsort(given, kind="stable")]
        fitted = isotonic_regression(found)
        return {"stress": np.sqrt(np.sum((found - fitted) ** 2) / np.sum(found**2))}

    return judge


def sklearn_mds(metric):
    def work(arguments):
        from sklearn.manifold import MDS

        points = arguments.load()
        model = MDS(
            metric_mds=metric,
            n_init=1,
            init="classical_mds",
            max_iter=300,
            n_jobs=arguments.number("threads"),
            random_state=0,
        )
        return lambda: model.fit_transform(points), judged(points, "raw" if metric else "order")

    return work


def sammon_mapping(arguments):
    from sammon.sammon import sammon

    points = arguments.load()
    return lambda: sammon(points, 2)[0], judged(points, "sammon")


main(
    {
        "sklearn-mds": sklearn_mds(True),
        "sklearn-nonmetric": sklearn_mds(False),
        "sammon-mapping": sammon_mapping,
    }
)
