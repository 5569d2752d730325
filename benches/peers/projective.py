"""The linear methods of scikit-learn."""

import numpy as np
from contestant import main
from sklearn.decomposition import FactorAnalysis, FastICA
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.random_projection import GaussianRandomProjection


def factors(arguments):
    data, components = arguments.load(), arguments.number("components")

    def timed():
        model = FactorAnalysis(components, random_state=0)
        return model, model.fit_transform(data)

    return timed, lambda result: {"loss": -result[0].score(data)}


def amari(unmixing, mixing):
    """0 where the sources are found, up to their order and scale."""
    p = np.abs(unmixing @ mixing)
    over = sum((p.sum(axis=a) / p.max(axis=a) - 1).sum() for a in (0, 1))
    return over / (2 * len(p) * (len(p) - 1))


def ica(arguments):
    data, mixing = arguments.load(), arguments.load(".mixing")

    def timed():
        model = FastICA(whiten="unit-variance", random_state=0)
        return model, model.fit_transform(data)

    return timed, lambda result: {"amari_error": amari(result[0].components_, mixing)}


def random(arguments):
    data, components = arguments.load(), arguments.number("components")

    def timed():
        return GaussianRandomProjection(components, random_state=0).fit_transform(data)

    def judge(result):
        before = ((data[:-1] - data[1:]) ** 2).sum(axis=1)
        after = ((result[:-1] - result[1:]) ** 2).sum(axis=1)
        return {"distortion": np.abs(after / before - 1).mean()}

    return timed, judge


def random_product(arguments):
    """The product alone."""
    data, components = arguments.load(), arguments.number("components")
    matrix = np.random.default_rng(0).standard_normal((data.shape[1], components)) / np.sqrt(components)
    return lambda: data @ matrix, lambda _: {}


def lda(arguments):
    data, labels = arguments.load(), arguments.load(".labels")

    def timed():
        return LinearDiscriminantAnalysis().fit(data, labels).transform(data)

    def judge(embedding):
        """The variance within classes over that between them, summed over the directions: less is better."""
        mean = embedding.mean(axis=0)
        groups = [embedding[labels == label] for label in np.unique(labels)]
        within = sum((g - g.mean(axis=0)).T @ (g - g.mean(axis=0)) for g in groups)
        between = sum(len(g) * np.outer(g.mean(axis=0) - mean, g.mean(axis=0) - mean) for g in groups)
        return {"within_over_between": 1 / np.trace(np.linalg.solve(within, between))}

    return timed, judge


main({"factors": factors, "ica": ica, "random": random, "random_product": random_product, "lda": lda})
