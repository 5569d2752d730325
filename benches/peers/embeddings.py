"""Neighbor embeddings by openTSNE, scikit-learn, tapkee, umap-learn and pacmap. What numba compiles is compiled before the
time is taken: the first repetition of every contestant does not count."""

import numpy as np
from contestant import main, recall

PERPLEXITY = 30


def judged(arguments, points, divergence=False):
    """The error of the nearest neighbor's label and the share of kept neighbors; for t-SNE the divergence."""

    def judge(embedding):
        from sklearn.neighbors import NearestNeighbors

        embedding = np.asarray(embedding, dtype=np.float64)
        k = arguments.number("k")
        near = NearestNeighbors(n_neighbors=k + 1).fit(embedding).kneighbors(embedding)[1]
        labels = arguments.load(".labels")
        first = np.where(near[:, 0] == np.arange(len(near)), near[:, 1], near[:, 0])
        figures = {"one_nn": np.mean(labels != labels[first]), "kept": recall(arguments, points, near)}
        if divergence:
            figures["kl"] = kullback_leibler(points, embedding)
        return figures

    return judge


def affinities(points, perplexity):
    """Rows and columns of the joint affinities and their values, from exact neighbors."""
    from scipy.sparse import csr_array
    from sklearn.neighbors import NearestNeighbors

    n, k = len(points), 3 * perplexity
    search = NearestNeighbors(n_neighbors=k, algorithm="brute").fit(points)
    distances, near = search.kneighbors()
    squared = distances**2 - distances[:, :1] ** 2
    low, high = np.full(n, -np.inf), np.full(n, np.inf)
    log_beta = -np.log(squared.mean(axis=1))
    for _ in range(200):
        p = np.exp(-np.exp(log_beta)[:, None] * squared)
        p /= p.sum(axis=1, keepdims=True)
        entropy = -np.sum(p * np.log(np.maximum(p, 1e-300)), axis=1)
        above = entropy > np.log(perplexity)
        low, high = np.where(above, log_beta, low), np.where(above, high, log_beta)
        middle = (low + high) / 2
        log_beta = np.where(np.isinf(low), high - 1, np.where(np.isinf(high), low + 1, middle))
    matrix = csr_array((p.ravel(), near.ravel(), np.arange(0, n * k + 1, k)), shape=(n, n))
    joint = (matrix + matrix.T).tocoo()
    return joint.row, joint.col, joint.data / joint.data.sum()


def kullback_leibler(points, embedding):
    """The divergence that t-SNE minimizes, summed over all pairs."""
    rows, columns, p = affinities(points, PERPLEXITY)
    apart = np.sum((embedding[rows] - embedding[columns]) ** 2, axis=1)
    squares = np.sum(embedding**2, axis=1)
    total = 0.0
    for block in np.array_split(np.arange(len(embedding)), max(1, len(embedding) // 1000)):
        distances = squares[block, None] + squares - 2 * embedding[block] @ embedding.T
        total += np.sum(1 / (1 + np.maximum(distances, 0)))
    total -= len(embedding)
    return np.sum(p * (np.log(p) + np.log1p(apart))) + np.log(total)


def opentsne(method):
    def work(arguments):
        from openTSNE import TSNE

        points = arguments.load()
        threads = arguments.number("threads")
        model = TSNE(
            perplexity=PERPLEXITY,
            early_exaggeration_iter=250,
            n_iter=arguments.number("max_iter") - 250,
            negative_gradient_method=method,
            n_jobs=threads,
            random_state=0,
        )
        return lambda: np.array(model.fit(points)), judged(arguments, points, divergence=True)

    return work


def sklearn_tsne(arguments):
    from sklearn.manifold import TSNE

    points = arguments.load()
    iterations = arguments.number("max_iter")
    model = TSNE(perplexity=PERPLEXITY, max_iter=iterations, n_jobs=arguments.number("threads"), random_state=0)
    return lambda: model.fit_transform(points), judged(arguments, points, divergence=True)


def tapkee_tsne(arguments):
    import tapkee

    points = arguments.load()
    columns = np.asfortranarray(points.T)

    def timed():
        return tapkee.embed(columns, method="t-sne", target_dimension=2, sne_perplexity=float(PERPLEXITY))

    return timed, judged(arguments, points, divergence=True)


def umap(arguments):
    from umap import UMAP

    points = arguments.load()
    # Without a seed it runs in parallel, with one it does not: the faster of the two.
    return lambda: UMAP(n_jobs=arguments.number("threads")).fit_transform(points), judged(arguments, points)


def pacmap(arguments):
    from pacmap import PaCMAP

    points = arguments.load()
    return lambda: PaCMAP().fit_transform(points), judged(arguments, points)


if __name__ == "__main__":
    main(
        {
            "opentsne-bh": opentsne("bh"),
            "opentsne-fft": opentsne("fft"),
            "sklearn-tsne": sklearn_tsne,
            "tapkee-tsne": tapkee_tsne,
            "umap": umap,
            "pacmap": pacmap,
        }
    )
