//! The checks of input values: each names the first offending cell and how many there are.

mod dense;
mod graph;

pub(crate) use dense::{dense, dense_while};
pub(crate) use graph::{LENGTH, directed, graph};

use dense::all_within;

use crate::matrix::faer_view;
use faer::Mat;
use lowland_base::{Csr, Error, Result, Run, Scalar};
use lowland_linalg::operator::{Centered, Dense, Shifted};
use lowland_linalg::rows::power_of_two_below;
use lowland_linalg::{Operator, Request, Which, eigen};
use ndarray::ArrayView2;

/// The largest magnitude whose squares can be summed over `count` values (differences of two included)
/// without overflow.
pub(crate) fn squarable<T: Scalar>(count: usize) -> T {
    (T::max_value() / T::of(16.0 * count.max(1) as f64)).sqrt()
}

/// The least size of the largest value: below it the squares of differences vanish.
pub(crate) const LEAST: f64 = 1e-152;

/// Refuses points that are all too small to be squared, unless all are zero.
pub(crate) fn large_enough<T: Scalar>(values: impl Iterator<Item = T> + Clone) -> Result<()> {
    not_vanishing("data", values)
}

/// The same of any values. Stops at the first that is large enough.
fn not_vanishing<T: Scalar>(what: &'static str, values: impl Iterator<Item = T> + Clone) -> Result<()> {
    let sizes = values.map(|value| value.wide().abs());
    if sizes.clone().any(|size| size >= LEAST) {
        return Ok(());
    }
    match sizes.fold(0.0, f64::max) {
        0.0 => Ok(()),
        spread => Err(Error::TooSmall { what, spread, bound: LEAST }),
    }
}

/// As [`dense`], but NaN stands for a missing value. A row of nothing else has no place in an embedding.
pub(crate) fn dense_or_missing<T: Scalar>(what: &'static str, x: ArrayView2<'_, T>, run: &Run) -> Result<()> {
    match dense(what, x, run) {
        Err(Error::NotFinite { .. }) => {}
        other => return other,
    }
    let bound = squarable::<T>(x.len());
    if x.iter().any(|value| !value.is_nan() && value.abs() > bound) {
        let cells = || x.indexed_iter().map(|((row, column), &value)| (row, column, value));
        return Err(offense(what, || cells().filter(|cell| !cell.2.is_nan()), bound));
    }
    all_missing(what, "row", x)
}

/// Refuses points with a row (or, transposed, a column) that holds missing values only.
pub(crate) fn all_missing<T: Scalar>(
    what: &'static str,
    axis: &'static str,
    lines: ArrayView2<'_, T>,
) -> Result<()> {
    let empty = |line: ndarray::ArrayView1<'_, T>| line.iter().all(|value| value.is_nan());
    let mut found = (0..lines.nrows()).filter(|&line| empty(lines.row(line)));
    match found.next() {
        None => Ok(()),
        Some(index) => Err(Error::AllMissing { what, axis, index, count: 1 + found.count() }),
    }
}

/// The error for the worst kind of cell found: not finite before too large.
fn offense<T: Scalar, I: Iterator<Item = (usize, usize, T)>>(
    what: &'static str,
    cells: impl Fn() -> I,
    bound: T,
) -> Error {
    let of_kind = |wrong: &dyn Fn(T) -> bool| {
        let mut found = cells().filter(|cell| wrong(cell.2));
        found.next().map(|first| (first, 1 + found.count()))
    };
    if let Some(((row, column, value), count)) = of_kind(&|value| !value.is_finite()) {
        return Error::NotFinite { what, row, column, value: value.wide(), count };
    }
    let ((row, column, value), count) =
        of_kind(&|value| value.abs() > bound).unwrap_or(((0, 0, T::zero()), 0));
    Error::TooLarge { what, row, column, value: value.wide(), bound: bound.wide(), count }
}

fn not_empty(what: &'static str, (rows, columns): (usize, usize)) -> Result<()> {
    match (rows, columns) {
        (0, _) => Err(Error::Empty { what, axis: "rows" }),
        (_, 0) => Err(Error::Empty { what, axis: "columns" }),
        _ => Ok(()),
    }
}

/// As [`dense`], for sparse rows.
pub(crate) fn sparse<T: Scalar>(what: &'static str, x: &Csr<T>) -> Result<()> {
    not_empty(what, (x.nrows(), x.ncols()))?;
    let bound = squarable::<T>(x.nrows().saturating_mul(x.ncols()));
    if all_within(x.values(), bound) {
        return Ok(());
    }
    let cells = || {
        (0..x.nrows()).flat_map(|row| {
            let (columns, values) = x.row(row);
            columns.iter().zip(values).map(move |(&column, &value)| (row, column as usize, value))
        })
    };
    Err(offense(what, cells, bound))
}

/// A square symmetric matrix without negative entries and with a zero diagonal, whose squares do not all vanish.
pub(crate) fn distances<T: Scalar>(x: ArrayView2<'_, T>, run: &Run) -> Result<()> {
    square_symmetric("distance", x, run)?;
    zero_diagonal(x)?;
    not_vanishing("distance", x.iter().copied())
}

/// No negative entries, and a diagonal of zeros. NaN is a distance that is not known.
fn zero_diagonal<T: Scalar>(x: ArrayView2<'_, T>) -> Result<()> {
    for ((row, column), &value) in x.indexed_iter() {
        if value < T::zero() {
            return Err(Error::NotADistance { row, column, value: value.wide(), bound: "at least 0" });
        }
        if row == column && value != T::zero() && !value.is_nan() {
            return Err(Error::NotADistance {
                row,
                column,
                value: value.wide(),
                bound: "0, being on the diagonal",
            });
        }
    }
    Ok(())
}

/// As [`distances`], where NaN is a distance that is not known, both ways.
pub(crate) fn known_distances<T: Scalar>(x: ArrayView2<'_, T>, run: &Run) -> Result<()> {
    if x.nrows() != x.ncols() || !x.iter().any(|value| value.is_nan()) {
        return distances(x, run);
    }
    dense_or_missing("distance", x, run)?;
    for ((row, column), value) in x.indexed_iter() {
        let mirror = x[(column, row)];
        if value.is_nan() && !mirror.is_nan() {
            let (value, mirror) = (value.wide(), mirror.wide());
            return Err(Error::NotSymmetric { what: "distance", row, column, value, mirror });
        }
    }
    symmetric("distance", x, run)?;
    zero_diagonal(x)?;
    not_vanishing("distance", x.iter().copied())
}

/// A square symmetric matrix. Whether it is positive semidefinite costs an eigenproblem: see [`semidefinite`].
pub(crate) fn kernel<T: Scalar>(x: ArrayView2<'_, T>, run: &Run) -> Result<()> {
    square_symmetric("kernel", x, run)
}

/// Whether distances are those of points in a Euclidean space: by Schoenberg's theorem, that `-P D^2 P / 2` is
/// positive semidefinite.
pub(crate) fn euclidean<T: Scalar>(x: ArrayView2<'_, T>, run: &Run) -> Result<()> {
    let n = x.nrows();
    run.reserve("the check of the distances", (n * n * size_of::<T>()) as u64, "skip the check")?;
    let power = T::of(power_of_two_below(x.iter().fold(0.0, |m: f64, v| m.max(v.wide()))));
    let squares = Mat::from_fn(n, n, |i, j| (x[(i, j)] * power) * (x[(j, i)] * power));
    let squares = Dense::new(squares.as_ref())?;
    let centered = Centered::new(&squares);
    let halved = Shifted::new(&centered, T::zero(), T::of(-0.5));
    let remedy =
        "these are not distances between points: add a constant to all, or use a method for dissimilarities";
    semidefinite("double-centered distance", &halved, remedy, run)
}

/// Whether a kernel is positive semidefinite.
pub(crate) fn positive<T: Scalar>(x: ArrayView2<'_, T>, run: &Run) -> Result<()> {
    let remedy = "this is no kernel: add to its diagonal, or drop its negative eigenvalues";
    semidefinite("kernel", &Dense::new(faer_view(x))?, remedy, run)
}

fn semidefinite<T: Scalar>(
    what: &'static str,
    matrix: &dyn Operator<T>,
    remedy: &str,
    run: &Run,
) -> Result<()> {
    let end = |which| Ok(eigen::solve(matrix, &Request::new(1, which), run)?.values[0].wide());
    let (smallest, largest) = (end(Which::Smallest)?, end(Which::LargestMagnitude)?);
    // Rounding of the entries alone moves an eigenvalue by so much.
    if smallest < -10.0 * matrix.order() as f64 * T::EPSILON.wide() * largest.abs() {
        return Err(Error::Indefinite { what, smallest, largest, remedy: remedy.into() });
    }
    Ok(())
}

/// Refuses values that are not finite.
pub(crate) fn finite(what: &'static str, x: ArrayView2<'_, f64>) -> Result<()> {
    let broken = || x.indexed_iter().filter(|cell| !cell.1.is_finite());
    match broken().next() {
        None => Ok(()),
        Some(((row, column), &value)) => {
            Err(Error::NotFinite { what, row, column, value, count: broken().count() })
        }
    }
}

/// Square, and symmetric up to the rounding of whoever computed it; names the worst pair.
fn square_symmetric<T: Scalar>(what: &'static str, x: ArrayView2<'_, T>, run: &Run) -> Result<()> {
    dense(what, x, run)?;
    let (rows, columns) = x.dim();
    if rows != columns {
        return Err(Error::NotSquare { what, rows, columns });
    }
    symmetric(what, x, run)
}

/// The same of a square matrix whose values are clean, or NaN on both sides.
fn symmetric<T: Scalar>(what: &'static str, x: ArrayView2<'_, T>, run: &Run) -> Result<()> {
    let (mut worst, mut place, mut largest) = (T::zero(), (0, 0), T::zero());
    for row in 0..x.nrows() {
        if row % 64 == 0 {
            run.check()?;
        }
        for column in 0..=row {
            let difference = (x[(row, column)] - x[(column, row)]).abs();
            largest = largest.max(x[(row, column)].abs());
            if difference > worst {
                (worst, place) = (difference, (row, column));
            }
        }
    }
    if worst > largest * T::EPSILON.sqrt() {
        let (row, column) = place;
        let (value, mirror) = (x[(row, column)].wide(), x[(column, row)].wide());
        return Err(Error::NotSymmetric { what, row, column, value, mirror });
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::{Array2, array};
    use rand::RngExt;

    #[test]
    fn the_first_bad_cell_is_named_in_every_layout_and_all_are_counted() {
        let run = Run::new();
        for (bad, where_) in [(f64::NAN, (3, 5)), (f64::INFINITY, (0, 0)), (f64::NEG_INFINITY, (99, 40))] {
            let mut x = Array2::<f64>::zeros((100, 41));
            x[where_] = bad;
            x[(99, 40)] = bad;
            let count = if where_ == (99, 40) { 1 } else { 2 };
            let fortran = x.t().as_standard_layout().into_owned().reversed_axes();
            for view in [x.view(), fortran.view()] {
                match dense("data", view, &run) {
                    Err(Error::NotFinite { row, column, count: found, .. }) => {
                        assert_eq!(((row, column), found), (where_, count));
                    }
                    other => panic!("{other:?}"),
                }
            }
        }
    }

    #[test]
    fn values_that_cannot_be_squared_are_refused() {
        let x = array![[1.0, 2.0], [3.0, -1e200]];
        assert!(matches!(
            dense("data", x.view(), &Run::new()),
            Err(Error::TooLarge { row: 1, column: 1, count: 1, .. })
        ));
        let x = array![[1.0f32, 2.0], [3.0, 1e19]];
        assert!(matches!(dense("data", x.view(), &Run::new()), Err(Error::TooLarge { .. })));
        let x = array![[1e150, 2.0], [3.0, 1e-200]];
        assert_eq!(dense("data", x.view(), &Run::new()), Ok(()));
    }

    #[test]
    fn what_is_no_distance_matrix_is_refused_with_the_place() {
        let run = Run::new();
        let refused = |x: Array2<f64>| distances(x.view(), &run).unwrap_err();
        assert!(matches!(refused(array![[0.0, 1.0]]), Error::NotSquare { rows: 1, columns: 2, .. }));
        assert!(matches!(
            refused(array![[0.0, 1.0], [2.0, 0.0]]),
            Error::NotSymmetric { row: 1, column: 0, .. }
        ));
        assert!(matches!(
            refused(array![[0.0, -1.0], [-1.0, 0.0]]),
            Error::NotADistance { row: 0, column: 1, .. }
        ));
        assert!(matches!(
            refused(array![[0.0, 1.0], [1.0, 0.5]]),
            Error::NotADistance { row: 1, column: 1, .. }
        ));
        assert!(matches!(
            refused(array![[0.0, f64::NAN], [1.0, 0.5]]),
            Error::NotFinite { row: 0, column: 1, .. }
        ));
        assert_eq!(distances(array![[0.0, 1.0], [1.0 + 1e-12, 0.0]].view(), &run), Ok(()));
    }

    #[test]
    fn distances_and_lengths_whose_squares_vanish_are_refused() {
        let run = Run::new();
        let between =
            |length: f64| array![[0.0, length, length], [length, 0.0, length], [length, length, 0.0]];
        let too_small = |refused: Result<()>, name: &str| match refused {
            Err(Error::TooSmall { what, spread, .. }) => assert_eq!((what, spread), (name, 1e-200)),
            other => panic!("{other:?}"),
        };
        let mut known = between(1e-200);
        (known[(0, 1)], known[(1, 0)]) = (f64::NAN, f64::NAN);
        too_small(distances(between(1e-200).view(), &run), "distance");
        too_small(known_distances(known.view(), &run), "distance");
        let edges = |length: f64| Csr::from_entries(2, 2, &[(0, 1, length), (1, 0, length)]).unwrap();
        too_small(graph(&edges(1e-200)), "graph");
        too_small(directed(&edges(1e-200)), "graph");
        for length in [0.0, 1e-150] {
            assert_eq!(distances(between(length).view(), &run), Ok(()));
            assert_eq!(graph(&edges(length)), Ok(()));
            assert_eq!(directed(&edges(length)), Ok(()));
        }
        assert_eq!(distances(between(1e-40).mapv(|length| length as f32).view(), &run), Ok(()));
    }

    #[test]
    fn a_negative_edge_is_one_of_the_graph() {
        let negative = Csr::from_entries(2, 2, &[(0, 1, -1.0), (1, 0, -1.0)]).unwrap();
        for refused in [graph(&negative), directed(&negative)] {
            assert_eq!(
                refused.unwrap_err().to_string(),
                "the distance at row 0, column 1 is -1, but must be at least 0, being an edge of the graph; correct \
                 it first"
            );
        }
    }

    #[test]
    fn schoenberg_both_ways() {
        let run = Run::new();
        for seed in 0..10 {
            let mut rng = run.clone().with_seed(seed).rng("schoenberg");
            let n = 5 + 7 * seed as usize;
            let points = Array2::from_shape_fn((n, 3), |_| rng.random::<f64>() * 1e100);
            let far = |i: usize, j: usize| {
                points.row(i).iter().zip(points.row(j)).fold(0.0f64, |h, (a, b)| h.hypot(a - b))
            };
            let mut d = Array2::from_shape_fn((n, n), |(i, j)| far(i, j));
            assert_eq!(euclidean(d.view(), &run), Ok(()), "seed {seed}");
            // A distance longer than the way round by a third point belongs to no space at all.
            let longer = 3.0 * (d[(0, 1)] + d[(0, 2)] + d[(1, 2)]);
            (d[(0, 1)], d[(1, 0)]) = (longer, longer);
            let refused = euclidean(d.view(), &run);
            assert!(
                matches!(refused, Err(Error::Indefinite { smallest, .. }) if smallest < 0.0),
                "seed {seed}"
            );
            let gram = points.mapv(|v| v * 1e-100).dot(&points.t().mapv(|v| v * 1e-100));
            assert_eq!(positive(gram.view(), &run), Ok(()));
            let shifted = gram - Array2::<f64>::eye(n);
            assert!(matches!(positive(shifted.view(), &run), Err(Error::Indefinite { .. })));
        }
    }

    #[test]
    fn a_graph_must_be_symmetric_with_lengths() {
        let refused =
            |entries: &[(usize, usize, f64)]| graph(&Csr::from_entries(2, 2, entries).unwrap()).is_err();
        assert!(refused(&[(0, 1, 1.0)]));
        assert!(refused(&[(0, 1, 1.0), (1, 0, 2.0)]));
        assert!(refused(&[(0, 1, -1.0), (1, 0, -1.0)]));
        assert!(!refused(&[(0, 1, 0.0), (1, 0, 0.0)]));
        assert!(!refused(&[(0, 1, 0.1 + 0.2), (1, 0, 0.3)]));
        assert!(refused(&[(0, 1, 1e-300), (1, 0, 2e-300)]));
    }
}
