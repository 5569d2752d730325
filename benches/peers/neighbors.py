"""Nearest neighbors, each row's own point left out: SciPy, scikit-learn and pynndescent."""

from contestant import main, recall


def judge(arguments, data):
    return lambda found: {"recall": recall(arguments, data, found)}


def tree(arguments):
    from scipy.spatial import cKDTree

    data, k, threads = arguments.load(), arguments.number("k"), arguments.number("threads")
    timed = lambda: cKDTree(data).query(data, k=k + 1, workers=threads)[1]
    return timed, judge(arguments, data)


def brute(arguments):
    from sklearn.neighbors import NearestNeighbors

    data, k, threads = arguments.load(), arguments.number("k"), arguments.number("threads")
    search = lambda: NearestNeighbors(n_neighbors=k, algorithm="brute", n_jobs=threads).fit(data)
    return lambda: search().kneighbors()[1], judge(arguments, data)


def approximate(arguments):
    from pynndescent import NNDescent

    data, k, threads = arguments.load(), arguments.number("k"), arguments.number("threads")
    # The point itself is among the neighbors it finds.
    search = lambda data: NNDescent(data, n_neighbors=k + 1, n_jobs=threads, random_state=0).neighbor_graph[0]
    search(data[:4096])  # compiles
    return lambda: search(data), judge(arguments, data)


main({"tree": tree, "brute": brute, "approximate": approximate})
