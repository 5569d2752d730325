//! The principal directions of data and the variances along them, by every route: covariance, Gram matrix of
//! the rows, singular values, randomized, Krylov. Each says which variances it can resolve above rounding.

use crate::matrix::faer_view;
use crate::spectral::FURTHER_EIGENVALUES;
use faer::{Mat, MatRef};
use lowland_base::{Csr, Error, Result, Run, Scalar};
use lowland_linalg::operator::{Dense, GramOperator, Operator, Side};
use lowland_linalg::rows::{Center, Rows, centering};
use lowland_linalg::svd::{self, Randomized, Svd};
use lowland_linalg::{
    CenteredMatrix, Eigenpairs, Matrix, Request, SparseMatrix, Which, eigen, gram, orthonormalize,
};
use ndarray::ArrayView2;

/// The leading part of the spectrum of a covariance matrix (divisor n - 1).
pub(crate) struct Spectrum {
    pub rows: usize,
    pub mean: Vec<f64>,
    /// Descending.
    pub variances: Vec<f64>,
    /// Some that follow, without their directions: roughly.
    pub further: Vec<f64>,
    /// Unit vectors, one a column, each with its largest entry positive.
    pub directions: Mat<f64>,
    /// `|C v - l v|` of each.
    pub residuals: Vec<f64>,
    /// The trace of the covariance: the variance in all directions.
    pub total: f64,
    /// Variances up to this one may be no more than rounding.
    pub resolution: f64,
    /// The standard deviation along the first direction, even where its square underflows.
    pub spread: f64,
    /// What would resolve smaller ones; empty where nothing would.
    pub finer: &'static str,
}

/// Where the data can be decomposed without squaring them.
const FINER: &str = "set svd_solver = full to find smaller variances, or ask for fewer components";

/// Rounding noise in a scatter matrix of order `d`, relative to its largest eigenvalue.
fn scatter_noise<T: Scalar>(d: usize) -> f64 {
    4.0 * T::EPSILON.wide() * (d as f64).sqrt()
}

/// From the scatter matrix (scaled by `scale` squared). `count` directions, or all: rows that are fewer than the columns
/// span no more than there are of them.
pub(crate) fn of_scatter<T: Scalar>(
    scatter: MatRef<'_, f64>,
    scale: f64,
    rows: usize,
    mean: Vec<f64>,
    count: Option<usize>,
    run: &Run,
) -> Result<Spectrum> {
    let d = scatter.nrows();
    let total = (0..d).map(|j| scatter[(j, j)]).sum::<f64>();
    let most = d.min(rows);
    let request = Request::new(count.unwrap_or(most).min(most), Which::Largest);
    let solved = solve(&Dense::new(scatter)?, &request, most, run)?;
    Ok(from_pairs(solved, total, scale, rows, mean, scatter_noise::<T>(d)))
}

/// Eigenpairs, and some values that follow them: of a matrix of no more than this rank.
fn solve<T: Scalar>(
    op: &dyn Operator<T>,
    request: &Request,
    most: usize,
    run: &Run,
) -> Result<(Eigenpairs<T>, Vec<T>)> {
    eigen::solve_with_further(op, request, FURTHER_EIGENVALUES.min(most.saturating_sub(request.count)), run)
}

/// Takes eigenpairs of the scaled scatter matrix back to the units of the data.
fn from_pairs(
    (pairs, further): (Eigenpairs<f64>, Vec<f64>),
    total: f64,
    scale: f64,
    rows: usize,
    mean: Vec<f64>,
    noise: f64,
) -> Spectrum {
    // In two steps: the square of the scale may not be representable.
    let unit = |value: f64| value / (rows.max(2) - 1) as f64 / scale / scale;
    let in_units = |values: &[f64]| values.iter().map(|&value| unit(value.max(0.0))).collect();
    let (variances, further): (Vec<f64>, Vec<f64>) = (in_units(&pairs.values), in_units(&further));
    let largest = variances.first().copied().unwrap_or(0.0);
    let residuals = pairs.residuals.iter().map(|&residual| unit(residual)).collect();
    let (total, resolution) = (unit(total), noise * largest);
    let first = pairs.values.first().map_or(0.0, |value| value.max(0.0));
    let spread = (first / (rows.max(2) - 1) as f64).sqrt() / scale;
    let directions = pairs.vectors;
    Spectrum {
        rows,
        mean,
        variances,
        further,
        directions,
        residuals,
        total,
        resolution,
        spread,
        finer: FINER,
    }
}

/// Through the covariance matrix: the fastest way for tall data.
pub(crate) fn by_covariance<T: Scalar>(
    x: ArrayView2<'_, T>,
    count: Option<usize>,
    run: &Run,
) -> Result<Spectrum> {
    let x = faer_view(x);
    let stage = run.stage("covariance", None);
    let c = centering(x, run)?;
    let scatter = gram(Rows { x, center: Center::Columns(&c.mean), scale: c.scale }, run)?;
    drop(stage);
    of_scatter::<T>(scatter.as_ref(), c.scale, x.nrows(), c.mean, count, run)
}

/// Through the inner products of the rows: the fastest way for wide data.
pub(crate) fn by_gram<T: Scalar>(x: ArrayView2<'_, T>, count: Option<usize>, run: &Run) -> Result<Spectrum> {
    let x = faer_view(x);
    let n = x.nrows();
    let stage = run.stage("gram matrix", None);
    let c = centering(x, run)?;
    let transposed = Rows { x: x.transpose(), center: Center::Rows(&c.mean), scale: c.scale };
    let inner = gram(transposed, run)?;
    drop(stage);
    let total = (0..n).map(|i| inner[(i, i)]).sum::<f64>();
    let most = n.min(x.ncols());
    let request = Request::new(count.unwrap_or(most).min(most), Which::Largest);
    let (mut pairs, further) = solve(&Dense::new(inner.as_ref())?, &request, most, run)?;
    // Directions beyond the resolution would be noise made orthogonal: leave them out of the product.
    let floor = scatter_noise::<T>(n) * pairs.values.first().copied().unwrap_or(0.0);
    let asked = pairs.len();
    let sound = pairs.values.iter().take_while(|&&value| value > floor).count();
    let stage = run.stage("directions", None);
    let u = Mat::<T>::from_fn(n, sound, |i, j| T::of(pairs.vectors[(i, j)]));
    let mut v = Mat::<T>::zeros(x.ncols(), sound);
    Rows { x, center: Center::Columns(&c.mean), scale: c.scale }.apply_transpose(
        u.as_ref(),
        v.as_mut(),
        run,
    )?;
    let v = Mat::from_fn(x.ncols(), sound, |i, j| v[(i, j)].wide() / pairs.values[j].sqrt());
    let v = orthonormalize(v, run)?;
    drop(stage);
    pairs.vectors = Mat::from_fn(x.ncols(), asked, |i, j| if j < sound { v[(i, j)] } else { 0.0 });
    pairs.fix_signs();
    let mut spectrum = from_pairs((pairs, further), total, c.scale, n, c.mean, scatter_noise::<T>(n));
    // |X'X v - l v| = |X'(X X' u - l u)| / sqrt(l) <= the residual of u times sqrt(l_1 / l): as a bound.
    for j in 0..sound {
        spectrum.residuals[j] *= (spectrum.variances[0] / spectrum.variances[j]).sqrt();
    }
    Ok(spectrum)
}

/// Through the singular values of the centered data: the most accurate way, for it squares nothing.
pub(crate) fn by_svd<T: Scalar>(x: ArrayView2<'_, T>, run: &Run) -> Result<Spectrum> {
    let x = faer_view(x);
    let (n, d) = (x.nrows(), x.ncols());
    let c = centering(x, run)?;
    let mut block = vec![T::zero(); n * d];
    Rows { x, center: Center::Columns(&c.mean), scale: c.scale }.pack(0..n, 0..d, &mut block);
    run.check()?;
    let stage = run.stage("singular values", None);
    let svd = svd::thin(MatRef::from_row_major_slice(&block, n, d), run)?;
    drop(stage);
    let total = block.iter().map(|value| value.wide() * value.wide()).sum();
    let noise = T::EPSILON.wide() * n.max(d) as f64;
    Ok(from_svd(svd, total, c.scale, n, c.mean, noise))
}

/// Through a random sketch of the range: the cheapest way to a few directions of large data.
pub(crate) fn by_sketch<T: Scalar>(x: ArrayView2<'_, T>, sketch: &Randomized, run: &Run) -> Result<Spectrum> {
    let x = faer_view(x);
    let c = centering(x, run)?;
    let z = Rows { x, center: Center::Columns(&c.mean), scale: c.scale };
    let svd = svd::randomized(&z, sketch, run)?;
    let noise = T::EPSILON.wide() * x.nrows().max(x.ncols()) as f64;
    Ok(from_svd(svd, z.squared_norm(run)?, c.scale, x.nrows(), c.mean, noise))
}

fn from_svd<T: Scalar>(
    svd: Svd<T>,
    total: f64,
    scale: f64,
    rows: usize,
    mean: Vec<f64>,
    noise: f64,
) -> Spectrum {
    let values: Vec<f64> = svd.values.iter().map(|value| value.wide().powi(2)).collect();
    // |Z'Z v - s^2 v| = |Z'(Z v - s u) + s (Z'u - s v)|: at most (s_1 + s) times the residual of the triple.
    let largest = svd.values.first().map_or(0.0, |value| value.wide());
    let residuals =
        svd.values.iter().zip(&svd.residuals).map(|(s, r)| (largest + s.wide()) * r.wide()).collect();
    let vectors = Mat::from_fn(svd.right.nrows(), svd.right.ncols(), |i, j| svd.right[(i, j)].wide());
    let mut pairs = Eigenpairs { values, vectors, residuals };
    pairs.fix_signs();
    Spectrum { finer: "", ..from_pairs((pairs, Vec::new()), total, scale, rows, mean, noise * noise) }
}

/// Through products with the centered data alone: exact, for data large in both directions.
pub(crate) fn by_krylov<T: Scalar>(x: ArrayView2<'_, T>, count: usize, run: &Run) -> Result<Spectrum> {
    let x = faer_view(x);
    let c = centering(x, run)?;
    let z = Rows { x, center: Center::Columns(&c.mean), scale: c.scale };
    let total = z.squared_norm(run)?;
    krylov(&z, total, c.scale, c.mean.clone(), count, run)
}

fn krylov<T: Scalar>(
    z: &dyn Matrix<T>,
    total: f64,
    scale: f64,
    mean: Vec<f64>,
    count: usize,
    run: &Run,
) -> Result<Spectrum> {
    let request = Request::new(count, Which::Largest);
    let (pairs, further) =
        solve(&GramOperator::new(z, Side::Columns), &request, z.nrows().min(z.ncols()), run)?;
    let wide = |values: Vec<T>| values.into_iter().map(Scalar::wide).collect();
    let vectors = Mat::from_fn(pairs.vectors.nrows(), count, |i, j| pairs.vectors[(i, j)].wide());
    let pairs = Eigenpairs { values: wide(pairs.values), vectors, residuals: wide(pairs.residuals) };
    Ok(from_pairs((pairs, wide(further)), total, scale, z.nrows(), mean, scatter_noise::<T>(z.ncols())))
}

/// Of sparse rows, which stay sparse: the mean is taken off the products.
pub(crate) fn of_sparse<T: Scalar>(x: &Csr<T>, count: Option<usize>, run: &Run) -> Result<Spectrum> {
    Ok(Spectrum { finer: "", ..sparse_spectrum(x, count, run)? })
}

fn sparse_spectrum<T: Scalar>(x: &Csr<T>, count: Option<usize>, run: &Run) -> Result<Spectrum> {
    let (n, d) = (x.nrows(), x.ncols());
    let (mean, full) = column_means(x);
    let largest = x.values().iter().fold(0.0f64, |largest, value| largest.max(value.wide().abs()));
    let scale = lowland_linalg::rows::power_of_two_below(largest);
    let scaled_mean: Vec<f64> = mean.iter().map(|mean| mean * scale).collect();
    match count {
        Some(count) if d > DENSE_SCATTER => {
            let (scaled, mean_left) = centered_where_full(x, &scaled_mean, &full, scale)?;
            let total = scaled.values().iter().map(|v| v.wide().powi(2)).sum::<f64>()
                - n as f64 * mean_left.iter().map(|m| m * m).sum::<f64>();
            let sparse = SparseMatrix::new(&scaled);
            let z = CenteredMatrix::new(&sparse, mean_left.iter().map(|&m| T::of(m)).collect())?;
            krylov(&z, total.max(0.0), scale, mean, count, run)
        }
        None if d > DENSE_SCATTER => Err(Error::conflict(
            "n_components",
            format!(
                "{d} columns of sparse data are too many for a share or a rule (at most {DENSE_SCATTER})"
            ),
            "give n_components as a count",
        )),
        _ => {
            let scatter = sparse_scatter(x, &scaled_mean, &full, scale, run)?;
            of_scatter::<T>(scatter.as_ref(), scale, n, mean, count, run)
        }
    }
}

/// The mean of each column, and the columns that are stored in more than half of the rows. Differences to the
/// first stored value are summed, so that an offset costs no digits.
pub(crate) fn column_means<T: Scalar>(x: &Csr<T>) -> (Vec<f64>, Vec<usize>) {
    let (n, d) = (x.nrows() as f64, x.ncols());
    let (mut first, mut sums, mut counts) = (vec![0.0; d], vec![0.0; d], vec![0usize; d]);
    for (&column, value) in x.indices().iter().zip(x.values()) {
        let column = column as usize;
        if counts[column] == 0 {
            first[column] = value.wide();
        }
        sums[column] += value.wide() - first[column];
        counts[column] += 1;
    }
    let mean = (0..d).map(|j| first[j] * (counts[j] as f64 / n) + sums[j] / n).collect();
    (mean, (0..d).filter(|&j| 2 * counts[j] > x.nrows()).collect())
}

/// The rows times `scale`, their mostly stored columns centered (and so stored in full), and the means that are
/// left to be taken off the products: those of the other columns.
fn centered_where_full<T: Scalar>(
    x: &Csr<T>,
    scaled_mean: &[f64],
    full: &[usize],
    scale: f64,
) -> Result<(Csr<T>, Vec<f64>)> {
    let mut is_full = vec![false; x.ncols()];
    full.iter().for_each(|&j| is_full[j] = true);
    let (mut offsets, mut indices, mut values) = (vec![0], Vec::new(), Vec::new());
    for row in 0..x.nrows() {
        let (columns, stored) = x.row(row);
        let mut rest = full.iter().copied().peekable();
        let mut put = |column: usize, value: f64| {
            indices.push(column as u32);
            values.push(T::of(value));
        };
        for (&column, value) in columns.iter().zip(stored) {
            let column = column as usize;
            while let Some(before) = rest.next_if(|&j| j < column) {
                put(before, -scaled_mean[before]);
            }
            rest.next_if_eq(&column);
            let shift = if is_full[column] { scaled_mean[column] } else { 0.0 };
            put(column, value.wide() * scale - shift);
        }
        rest.for_each(|after| put(after, -scaled_mean[after]));
        offsets.push(indices.len());
    }
    let mean_left = scaled_mean.iter().zip(&is_full).map(|(&mean, &full)| if full { 0.0 } else { mean });
    let mean_left = mean_left.collect();
    Ok((Csr::new(x.nrows(), x.ncols(), offsets, indices, values)?, mean_left))
}

/// The scatter matrix about the mean, scaled by `scale` squared. A column that is mostly stored is centered
/// before it is multiplied, its zeros too: it may sit at an offset, and the products would cancel. Of a column
/// that is mostly zero the square of the mean is at most half the mean square, and can be taken off afterward.
fn sparse_scatter<T: Scalar>(
    x: &Csr<T>,
    scaled_mean: &[f64],
    full: &[usize],
    scale: f64,
    run: &Run,
) -> Result<Mat<f64>> {
    let (n, d) = (x.nrows(), x.ncols());
    let stage = run.stage("covariance", Some(n as u64));
    let zeros: Vec<(usize, f64)> = full.iter().map(|&j| (j, -scaled_mean[j])).collect();
    let mut position = vec![None; d];
    full.iter().enumerate().for_each(|(at, &j)| position[j] = Some(at));
    let mut scatter = Mat::<f64>::zeros(d, d);
    let mut sums = vec![0.0; d];
    let mut entries = Vec::new();
    for row in 0..n {
        if row % 256 == 0 {
            stage.advance(256.min(n - row) as u64)?;
        }
        entries.clone_from(&zeros);
        let (columns, values) = x.row(row);
        for (&column, value) in columns.iter().zip(values) {
            let (column, value) = (column as usize, value.wide() * scale);
            match position[column] {
                Some(at) => entries[at].1 += value,
                None => entries.push((column, value)),
            }
        }
        for (at, &(column, value)) in entries.iter().enumerate() {
            sums[column] += value;
            for &(other, entry) in &entries[at..] {
                scatter[(column.max(other), column.min(other))] += value * entry;
            }
        }
    }
    for j in 0..d {
        for i in j..d {
            // Of a centered column the sum is what the rounding of its mean left.
            let centered = scatter[(i, j)] - sums[i] * (sums[j] / n as f64);
            scatter[(i, j)] = centered;
            scatter[(j, i)] = centered;
        }
    }
    Ok(scatter)
}

/// Up to this width the covariance of sparse data is formed.
pub(crate) const DENSE_SCATTER: usize = 3000;

/// `log2((2 pi e)^d det C) / 2` of Gaussian coordinates of these variances (Burges eq. 1.6): what the projection says of the
/// data, which principal directions make largest. None where a variance is zero.
pub(crate) fn entropy(variances: &[f64]) -> Option<f64> {
    let whole = std::f64::consts::TAU * std::f64::consts::E;
    let bits: f64 = variances.iter().map(|variance| 0.5 * (whole * variance).log2()).sum();
    (bits.is_finite() && !variances.is_empty()).then_some(bits)
}
