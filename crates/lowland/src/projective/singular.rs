//! Leading singular vectors of data that are not centered.

use crate::spectral::FURTHER_EIGENVALUES;
use faer::Mat;
use lowland_base::{Result, Run, Scalar};
use lowland_linalg::operator::{GramOperator, Side};
use lowland_linalg::{Eigenpairs, Matrix, Request, Which, eigen, svd};

/// Squares above this share of the largest have kept their digits.
const CLEAR: f64 = 1e-6;

/// The entries of a table that is decomposed as it is, where its squares are not enough.
pub(crate) const SMALL_TABLE: usize = 1 << 22;

/// The leading eigenpairs of `X'X`, those without the ones that rounding hides. The solver sees squares: of singular
/// values below a thousandth of the first, half the digits would be lost, and below 1e-7 of it all.
/// Also eigenvalues that follow those of the pairs.
pub(crate) fn leading<T: Scalar>(
    x: &dyn Matrix<T>,
    count: usize,
    run: &Run,
) -> Result<(Eigenpairs<T>, Vec<T>)> {
    let (n, d) = (x.nrows(), x.ncols());
    let (mut pairs, mut further) = by_the_smaller_side(x, count, run)?;
    let first = pairs.values.first().map_or(0.0, |value| value.wide());
    let hidden = pairs.values.len() < count;
    let last = if hidden { 0.0 } else { pairs.values.last().map_or(0.0, |value| value.wide()) };
    let rounding = 4.0 * T::EPSILON.wide() * (n.max(d) as f64).sqrt();
    let mut floor = rounding * first;
    if last <= CLEAR * first && first > 0.0 && n.saturating_mul(d) <= SMALL_TABLE {
        let whole = svd::thin(table(x, run)?.as_ref(), run)?;
        let largest = whole.values[0];
        let values: Vec<T> = whole.values[..count].iter().map(|&s| s * s).collect();
        further = whole.values[count..].iter().take(FURTHER_EIGENVALUES).map(|&s| s * s).collect();
        // |X'X v - s^2 v| = |X'(X v - s u) + s (X'u - s v)|: at most (s_1 + s) times the residual of the triple.
        let triples = whole.values.iter().zip(&whole.residuals).take(count);
        let residuals = triples.map(|(&s, &r)| (largest + s) * r).collect();
        pairs = Eigenpairs { values, vectors: whole.right.subcols(0, count).to_owned(), residuals };
        pairs.fix_signs();
        floor = rounding * rounding * first;
    }
    let rank = pairs.values.iter().take_while(|value| value.wide() > floor && value.wide() > 0.0).count();
    pairs.values.truncate(rank);
    pairs.residuals.truncate(rank);
    pairs.vectors = pairs.vectors.subcols(0, rank).to_owned();
    further.retain(|value| rank == count && value.wide() > floor);
    Ok((pairs, further))
}

/// Whether the rows are so few that their inner products are the smaller problem.
pub(crate) fn by_rows(rows: usize, columns: usize) -> bool {
    2 * rows <= columns
}

/// The leading eigenpairs of `X'X`, through those of `X X'` where that is far smaller: a basis of vectors as long as a row
/// of a million columns would be a hundred times the table.
fn by_the_smaller_side<T: Scalar>(
    x: &dyn Matrix<T>,
    count: usize,
    run: &Run,
) -> Result<(Eigenpairs<T>, Vec<T>)> {
    let request = Request::new(count, Which::Largest);
    let columns = GramOperator::new(x, Side::Columns);
    let (n, d) = (x.nrows(), x.ncols());
    let more = FURTHER_EIGENVALUES.min(n.min(d).saturating_sub(count));
    if !by_rows(n, d) {
        return eigen::solve_with_further(&columns, &request, more, run);
    }
    let rows = GramOperator::new(x, Side::Rows);
    let (left, further) = eigen::solve_with_further(&rows, &request, more, run)?;
    // What rounding hides has no direction; `leading` leaves it out.
    let floor = 4.0 * T::EPSILON.wide() * (d as f64).sqrt() * left.values.first().map_or(0.0, |v| v.wide());
    let sound = left.values.iter().take_while(|value| value.wide() > floor).count();
    if sound == 0 {
        return Ok((Eigenpairs::empty(d), Vec::new()));
    }
    let mut right = Mat::zeros(d, sound);
    x.apply_transpose(left.vectors.subcols(0, sound), right.as_mut(), run)?;
    for (j, column) in right.col_iter_mut().enumerate() {
        let length = left.values[j].wide().sqrt();
        column.iter_mut().for_each(|value| *value = T::of(value.wide() / length));
    }
    // In order: what leans toward the vectors before goes away.
    let right = lowland_linalg::orthonormalize(right, run)?;
    Ok((Eigenpairs::of(&columns, left.values[..sound].to_vec(), right, Which::Largest, run)?, further))
}

/// The table itself, by products with as few unit vectors as there are rows or columns.
fn table<T: Scalar>(x: &dyn Matrix<T>, run: &Run) -> Result<Mat<T>> {
    let (n, d) = (x.nrows(), x.ncols());
    if n < d {
        let mut turned = Mat::zeros(d, n);
        x.apply_transpose(Mat::<T>::identity(n, n).as_ref(), turned.as_mut(), run)?;
        return Ok(turned.transpose().to_owned());
    }
    let mut table = Mat::zeros(n, d);
    x.apply(Mat::<T>::identity(d, d).as_ref(), table.as_mut(), run)?;
    Ok(table)
}
