//! Leading singular vectors of data that are not centered.

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
pub(crate) fn leading<T: Scalar>(x: &dyn Matrix<T>, count: usize, run: &Run) -> Result<Eigenpairs<T>> {
    let (n, d) = (x.nrows(), x.ncols());
    let request = Request::new(count, Which::Largest);
    let mut pairs = eigen::solve(&GramOperator::new(x, Side::Columns), &request, run)?;
    let first = pairs.values.first().map_or(0.0, |value| value.wide());
    let last = pairs.values.last().map_or(0.0, |value| value.wide());
    let rounding = 4.0 * T::EPSILON.wide() * (n.max(d) as f64).sqrt();
    let mut floor = rounding * first;
    if last <= CLEAR * first && first > 0.0 && n.saturating_mul(d) <= SMALL_TABLE {
        let mut table = Mat::zeros(n, d);
        x.apply(Mat::<T>::identity(d, d).as_ref(), table.as_mut(), run)?;
        let whole = svd::thin(table.as_ref(), run)?;
        let largest = whole.values[0];
        let values: Vec<T> = whole.values[..count].iter().map(|&s| s * s).collect();
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
    Ok(pairs)
}
