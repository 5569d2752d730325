//! Oriented principal components (Diamantaras and Kung 1996; Burges 1.4): signals and their distorted versions in,
//! the directions along which the signal varies much and the distortions differ little out.

use crate::check;
use crate::matrix::{Element, faer_view, to_array};
use crate::model::Warning;
use crate::spectral::FURTHER_EIGENVALUES;
use faer::{Mat, MatRef};
use lowland_base::{Error, Result, Run, units};
use lowland_linalg::operator::Dense;
use lowland_linalg::rows::{Center, Rows, centering, power_of_two_below};
use lowland_linalg::{Eigenpairs, Request, Which, eigen, gram, symmetric};
use ndarray::{Array2, ArrayView2};
use std::collections::HashMap;

/// Which rows are signals, and which are versions of which: the first row of a label is the signal.
pub(crate) struct Versions {
    /// The rows of the signals, in the order of the rows.
    pub signals: Vec<usize>,
    /// A row, the row of its signal, and which of its signal's versions it is, from 0.
    pub versions: Vec<(usize, usize, usize)>,
}

impl Versions {
    /// Sorts the rows by their labels.
    pub fn new(labels: &[i64]) -> Result<Self> {
        let mut seen: HashMap<i64, (usize, usize)> = HashMap::new();
        let (mut signals, mut versions) = (Vec::new(), Vec::new());
        for (row, &label) in labels.iter().enumerate() {
            let (signal, count) = seen.entry(label).or_insert_with(|| {
                signals.push(row);
                (row, 0)
            });
            if *signal != row {
                versions.push((row, *signal, *count));
                *count += 1;
            }
        }
        let (problem, remedy) = match (signals.len(), versions.len()) {
            (_, 0) => (
                "0 distorted versions: no label occurs twice",
                "give every version the label of its signal, which comes first",
            ),
            (1, _) => ("1 signal: all labels are equal", "give at least two signals"),
            _ => return Ok(Self { signals, versions }),
        };
        Err(Error::malformed("set of labels", problem, remedy))
    }
}

/// The covariance of some rows, in units of its own: the matrix, and the square of the unit.
pub(crate) struct Moments {
    pub matrix: Mat<f64>,
    /// The power of two by which the rows were multiplied.
    pub scale: f64,
    pub rows: usize,
}

/// The covariance of the rows (divisor m): Burges eq. 1.16.
pub(crate) fn covariance(rows: ArrayView2<'_, f64>, run: &Run) -> Result<Moments> {
    let x = crate::matrix::faer_view(rows);
    let c = centering(x, run)?;
    let sum = gram(Rows { x, center: Center::Columns(&c.mean), scale: c.scale }, run)?;
    Ok(Moments::mean(sum, c.scale, rows.nrows()))
}

/// The correlation of the rows about zero, which also counts their mean: Burges eq. 1.17.
pub(crate) fn correlation(rows: ArrayView2<'_, f64>, run: &Run) -> Result<Moments> {
    let largest = rows.iter().fold(0.0f64, |most, value| most.max(value.abs()));
    let scale = power_of_two_below(largest);
    let sum = gram(Rows { x: crate::matrix::faer_view(rows), center: Center::None, scale }, run)?;
    Ok(Moments::mean(sum, scale, rows.nrows()))
}

impl Moments {
    fn mean(mut sum: Mat<f64>, scale: f64, rows: usize) -> Self {
        for column in sum.col_iter_mut() {
            column.iter_mut().for_each(|value| *value /= rows as f64);
        }
        Self { matrix: sum, scale, rows }
    }

    /// Adds noise of its own, by its mean square, to each column.
    pub fn add_own(&mut self, own: impl Fn(usize) -> f64) {
        for j in 0..self.matrix.nrows() {
            self.matrix[(j, j)] += own(j) * self.scale * self.scale;
        }
    }

    /// The mean of the diagonal, in the units of the data.
    pub fn size(&self) -> f64 {
        mean_diagonal(self.matrix.as_ref()) / self.scale / self.scale
    }
}

fn mean_diagonal(a: MatRef<'_, f64>) -> f64 {
    (0..a.nrows()).map(|j| a[(j, j)]).sum::<f64>() / a.nrows().max(1) as f64
}

/// The signals as rows, and the differences of the versions from them, in double precision.
pub(crate) fn split<T: Element>(x: ArrayView2<'_, T>, sorted: &Versions) -> (Array2<f64>, Array2<f64>) {
    let d = x.ncols();
    let signals = Array2::from_shape_fn((sorted.signals.len(), d), |(i, j)| x[(sorted.signals[i], j)].wide());
    let noise = Array2::from_shape_fn((sorted.versions.len(), d), |(i, j)| {
        let (row, signal, _) = sorted.versions[i];
        x[(row, j)].wide() - x[(signal, j)].wide()
    });
    (signals, noise)
}

/// A product of matrices that can be stopped.
pub(crate) fn times(a: &Array2<f64>, b: &Array2<f64>, run: &Run) -> Result<Array2<f64>> {
    super::Affine { center: None, matrix: b.view(), offset: None }.apply(crate::Input::Points(a.view()), run)
}

/// The directions, and the ratio of signal to noise along each.
pub(crate) struct Oriented {
    /// One unit direction a column, by descending quotient.
    pub directions: Array2<f64>,
    /// The variance of the signal over the mean square of the noise along each.
    pub quotients: Vec<f64>,
    /// The values of what is maximized that follow those of the directions.
    pub further: Vec<f64>,
    /// The root mean square of the noise along each, with what was added to it.
    pub noise: Vec<f64>,
    /// The mean square that was added to the noise in every direction.
    pub added: f64,
    /// `|C n - q R n|`, in units in which both matrices have mean diagonal 1, times the unit of the quotient.
    pub residuals: Vec<f64>,
    /// What was added to the diagonal of the noise, relative to its mean; `None` where nothing could be.
    pub ridge: Option<f64>,
    pub warnings: Vec<Warning>,
}

/// The directions that maximize the variance of the signal less the mean square of the noise, `C n - R n = l n`: Burges' other
/// criterion (section 1.4). They are orthogonal; unlike those of the quotient they depend on the units of the noise.
pub(crate) fn difference(
    signal: &Moments,
    noise: &Moments,
    count: usize,
    run: &Run,
) -> Result<(Oriented, Vec<f64>)> {
    let d = signal.matrix.nrows();
    if mean_diagonal(signal.matrix.as_ref()) <= 0.0 {
        return Err(Error::Constant { what: "signals" });
    }
    let _stage = run.stage("directions", None);
    let unit = (signal.scale / noise.scale).powi(2);
    let entry = |i: usize, j: usize| signal.matrix[(i, j)] - unit * noise.matrix[(i, j)];
    let matrix = Mat::from_fn(d, d, |i, j| 0.5 * (entry(i, j) + entry(j, i)));
    let request = Request::new(count, Which::Largest);
    let (pairs, further) = eigen::solve_with_further(
        &Dense::new(matrix.as_ref())?,
        &request,
        FURTHER_EIGENVALUES.min(d - count),
        run,
    )?;
    let mut directions: Array2<f64> = to_array(pairs.vectors.as_ref());
    super::signs::fix_columns(&mut directions);
    let along = |matrix: &Mat<f64>, j: usize| {
        let direction = directions.column(j);
        let image = |i: usize| (0..d).map(|l| matrix[(i, l)] * direction[l]).sum::<f64>();
        (0..d).map(|i| direction[i] * image(i)).sum::<f64>().max(0.0)
    };
    let noises: Vec<f64> = (0..pairs.len()).map(|j| along(&noise.matrix, j)).collect();
    let quotient =
        |j: usize| (along(&signal.matrix, j) / (unit * noises[j]).max(f64::MIN_POSITIVE)).min(f64::MAX);
    let quotients = (0..pairs.len()).map(quotient).collect();
    let in_units = |value: &f64| value / signal.scale / signal.scale;
    let values = pairs.values.iter().map(in_units).collect();
    let residuals = pairs.residuals.iter().map(in_units).collect();
    let noise = noises.iter().map(|square| square.sqrt() / noise.scale).collect();
    let further = further.iter().map(in_units).collect();
    let warnings = Vec::new();
    Ok((
        Oriented { directions, quotients, further, noise, added: 0.0, residuals, ridge: None, warnings },
        values,
    ))
}

/// Below this ratio of its extreme eigenvalues a noise matrix counts as singular.
const SINGULAR: f64 = 1e-10;
/// What is then added to its diagonal, relative to the mean of the diagonal.
const RIDGE: f64 = 1e-6;

/// Solves `C n = q R n` (Burges 1.4). `regularization`, relative to the mean diagonal of the noise, is added to it;
/// `None` adds something only where the noise is singular, with a warning. Scaling the signal or the noise changes
/// no direction.
pub(crate) fn solve(
    signal: &Moments,
    noise: &Moments,
    count: usize,
    regularization: Option<f64>,
    run: &Run,
) -> Result<Oriented> {
    let d = signal.matrix.nrows();
    let (signal_size, noise_size) =
        (mean_diagonal(signal.matrix.as_ref()), mean_diagonal(noise.matrix.as_ref()));
    if noise_size <= 0.0 {
        let problem = "the noise is zero: no version differs from its signal";
        return Err(Error::malformed("set of versions", problem, "give versions that are distorted"));
    }
    if signal_size <= 0.0 {
        return Err(Error::Constant { what: "signals" });
    }
    let c = Mat::from_fn(d, d, |i, j| signal.matrix[(i, j)] / signal_size);
    let r = Mat::from_fn(d, d, |i, j| noise.matrix[(i, j)] / noise_size);
    let stage = run.stage("noise", None);
    let spread = eigen::solve(&Dense::new(r.as_ref())?, &Request::new(d, Which::Largest), run)?;
    drop(stage);
    let quotient = Quotient { c: to_array(c.as_ref()), r: to_array(r.as_ref()), spread, count };
    let (first, last) = quotient.extremes();
    let singular = noise.rows < d || last <= SINGULAR * first;
    let mut warnings = Vec::new();
    if regularization.is_none() && singular {
        warnings.push(Warning::Regularized { what: "noise".into(), amount: RIDGE });
    }
    let ridge = regularization.unwrap_or(if singular { RIDGE } else { 0.0 });
    let stage = run.stage("directions", None);
    let Some(Solved { values, further, mut directions, noise: along, residuals }) =
        quotient.solve(ridge, run)?
    else {
        return Err(quotient.singular(ridge, run)?);
    };
    drop(stage);
    let ratio = signal.size() / noise.size();
    let in_units = |values: Vec<f64>| values.into_iter().map(|q| q * ratio).collect();
    let added = ridge * noise.size();
    let noise = along.iter().map(|square| (square * noise_size).sqrt() / noise.scale).collect();
    super::signs::fix_columns(&mut directions);
    Ok(Oriented {
        directions,
        quotients: in_units(values),
        further: in_units(further),
        noise,
        added,
        residuals: in_units(residuals),
        ridge: Some(ridge),
        warnings,
    })
}

/// `C n = q R n`, where both matrices have mean diagonal 1.
struct Quotient {
    c: Array2<f64>,
    r: Array2<f64>,
    /// Of `R`.
    spread: Eigenpairs<f64>,
    count: usize,
}

/// Its solution with a ridge: the quotients, those that follow, unit directions, and of each `n^T R n` and the residual.
struct Solved {
    values: Vec<f64>,
    further: Vec<f64>,
    directions: Array2<f64>,
    noise: Vec<f64>,
    residuals: Vec<f64>,
}

impl Quotient {
    /// The largest and the smallest eigenvalue of the noise.
    fn extremes(&self) -> (f64, f64) {
        let values = &self.spread.values;
        (values.first().copied().unwrap_or(0.0), values.last().copied().unwrap_or(0.0))
    }

    /// `None` where the noise with this ridge is too near to a singular one for the digits that there are.
    fn solve(&self, ridge: f64, run: &Run) -> Result<Option<Solved>> {
        let (d, (first, last)) = (self.r.nrows(), self.extremes());
        if last + ridge <= f64::EPSILON * d as f64 * first {
            return Ok(None);
        }
        let mut r = self.r.clone();
        (0..d).for_each(|j| r[(j, j)] += ridge);
        // In the axes and units in which the noise is a sphere.
        let unit = Array2::from_shape_fn((d, d), |(i, j)| {
            self.spread.vectors[(i, j)] / (self.spread.values[j] + ridge).max(f64::MIN_POSITIVE).sqrt()
        });
        let seen = times(&self.c, &unit, run)?;
        let seen = times(&unit.t().as_standard_layout().into_owned(), &seen, run)?;
        let seen = symmetric::mean(faer_view(seen.view()));
        let request = Request::new(self.count, Which::Largest);
        let (pairs, further) = eigen::solve_with_further(
            &Dense::new(seen.as_ref())?,
            &request,
            FURTHER_EIGENVALUES.min(d - self.count),
            run,
        )?;
        let mut directions = times(&unit, &to_array(pairs.vectors.as_ref()), run)?;
        for mut column in directions.columns_mut() {
            let length = column.dot(&column).sqrt();
            column.mapv_inplace(|x| x / length);
        }
        let (by_c, by_r) = (times(&self.c, &directions, run)?, times(&r, &directions, run)?);
        let norm = |m: &Array2<f64>| m.iter().map(|x| x * x).sum::<f64>().sqrt();
        let (norm_c, norm_r) = (norm(&self.c), norm(&r));
        let mut residuals = Vec::new();
        for (j, &q) in pairs.values.iter().enumerate() {
            let apart =
                by_c.column(j).iter().zip(by_r.column(j)).map(|(c, r)| (c - q * r).powi(2)).sum::<f64>();
            let (residual, tolerance) = (apart.sqrt(), 1e-11 * (norm_c + q.abs() * norm_r));
            if residual > tolerance {
                return Ok(None);
            }
            residuals.push(residual);
        }
        let noise = (0..self.count).map(|j| directions.column(j).dot(&by_r.column(j)).max(0.0)).collect();
        Ok(Some(Solved { values: pairs.values, further, directions, noise, residuals }))
    }

    /// What is said where there is no solution with this ridge: what is wrong with the noise, and the least power of ten with
    /// which there is one.
    fn singular(&self, ridge: f64, run: &Run) -> Result<Error> {
        let (d, (first, last)) = (self.r.nrows(), self.extremes());
        let zero = (0..d).filter(|&j| self.r[(j, j)] <= 0.0).count();
        let mut remedy = "give noise in every direction".to_owned();
        for more in [1e-6, 1e-5, 1e-4, 1e-3, 0.01, 0.1, 1.0, 10.0].into_iter().filter(|&more| more > ridge) {
            if self.solve(more, run)?.is_some() {
                remedy = format!("raise regularization, such as to {more}");
                break;
            }
        }
        if last < -f64::EPSILON * d as f64 * first {
            return Ok(Error::Indefinite { what: "noise", smallest: last, largest: first, remedy });
        }
        let problem = if zero > 0 {
            format!("the noise is zero in {zero} of {}", units::count(d, "column"))
        } else {
            let ratio = (last / first).max(0.0);
            format!("the noise is singular: its smallest eigenvalue is {ratio:.1e} of its largest")
        };
        let problem = format!("{problem}, and regularization = {ridge} is too little for it");
        Ok(Error::conflict("regularization", problem, remedy))
    }
}

/// Refuses a mean of so many values that is of other columns than both matrices.
pub(crate) fn admit_mean(values: usize, signal: usize, noise: usize) -> Result<()> {
    if values == signal || values == noise {
        return Ok(());
    }
    let (values, columns) = (units::count(values, "value"), units::count(signal, "column"));
    let problem = format!("{values} in the mean, and {columns} in the signal covariance");
    Err(Error::malformed("mean", problem, format!("give a mean of {}", units::count(signal, "value"))))
}

/// Refuses what is no covariance of so many columns.
pub(crate) fn admit(what: &'static str, matrix: ArrayView2<'_, f64>, d: usize) -> Result<()> {
    if matrix.dim() != (d, d) {
        let problem = format!("the {what} is {} x {}", matrix.nrows(), matrix.ncols());
        return Err(Error::malformed(what, problem, format!("give a matrix of {d} x {d}")));
    }
    check::finite(what, matrix)?;
    if let Some(i) = (0..d).find(|&i| matrix[(i, i)] < 0.0) {
        let problem =
            format!("entry ({i}, {i}) of the {what} is {}, but a mean square is at least 0", matrix[(i, i)]);
        return Err(Error::malformed(what, problem, "correct it first"));
    }
    let size = matrix.iter().fold(0.0f64, |most, x| most.max(x.abs()));
    let uneven = |((i, j), x): ((usize, usize), &f64)| (x - matrix[(j, i)]).abs() > 1e-10 * size;
    match matrix.indexed_iter().find(|&cell| uneven(cell)) {
        Some(((row, column), &value)) => {
            Err(Error::NotSymmetric { what, row, column, value, mirror: matrix[(column, row)] })
        }
        None => Ok(()),
    }
}
