//! Reading files, and starting the program.

use super::{Benchmark, Demand, grouped, peer};

pub(super) fn copy(n: usize) -> Benchmark {
    Benchmark {
        name: "copy".into(),
        work: format!("copy of {} MB", n * 784 * 8 / 1_000_000),
        data: format!("gaussian-{n}x784-f64"),
        reference: None,
        arguments: vec![],
        ours: "copy",
        rivals: vec![peer("NumPy", "products.py", "copy", None)],
        demands: vec![],
    }
}

pub(super) fn csv(n: usize) -> Benchmark {
    Benchmark {
        name: "read-csv".into(),
        work: format!("reading of a CSV file of {} x 100 doubles", grouped(n)),
        data: format!("csv-{n}x100-f64"),
        reference: None,
        arguments: vec![],
        ours: "csv",
        rivals: vec![
            peer("numpy.loadtxt", "files.py", "loadtxt", Some(5.0)),
            peer("pandas.read_csv", "files.py", "pandas", Some(1.0)),
            peer("pandas.read_csv, pyarrow", "files.py", "pandas_pyarrow", None),
        ],
        demands: vec![Demand::AtMost { figure: "wrong_values", bound: 0.0 }],
    }
}

pub(super) fn startup() -> Benchmark {
    Benchmark {
        name: "startup".into(),
        work: "`lowland --version`, from nothing".into(),
        data: "swiss_roll-10-f64".into(),
        reference: None,
        arguments: vec![],
        ours: "startup",
        rivals: vec![peer("Python with scikit-learn's PCA", "files.py", "startup", Some(1.0))],
        demands: vec![Demand::AtMost { figure: "milliseconds", bound: 20.0 }],
    }
}
