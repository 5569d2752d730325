"""CSV files by NumPy and pandas, and the start of Python."""

import subprocess
import sys

import numpy as np
from contestant import main


def reader(read):
    def work(arguments):
        truth, file = arguments.load(), f"{arguments['data']}.csv"

        def judge(result):
            found = np.ascontiguousarray(result, dtype=np.float64)
            return {"wrong_values": np.count_nonzero(found.view(np.uint64) != truth.view(np.uint64))}

        return lambda: read(file), judge

    return work


def pandas(file, **options):
    from pandas import read_csv

    # With the values in one array, as the others have them.
    return read_csv(file, header=None, **options).to_numpy()


def startup(arguments):
    def start():
        subprocess.run([sys.executable, "-c", "import sklearn.decomposition"], check=True)

    return start, lambda _: {}


main(
    {
        "loadtxt": reader(lambda file: np.loadtxt(file, delimiter=",")),
        "pandas": reader(pandas),
        "pandas_pyarrow": reader(lambda file: pandas(file, engine="pyarrow")),
        "startup": startup,
    }
)
