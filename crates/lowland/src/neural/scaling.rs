//! What happens to the data before the first layer sees them, and after the last: centered, brought to a common size,
//! and for very many columns first projected on their principal components (Maaten 7.3).

use super::real::Real;
use crate::choices;
use faer::linalg::matmul::matmul;
use faer::{Accum, Mat, MatMut, MatRef, Par};
use lowland_base::parallel::fill_rows;
use lowland_base::{Error, Result, Run, Scalar};
use lowland_linalg::svd::{self, Randomized};
use lowland_linalg::{CenteredMatrix, DenseMatrix};
use ndarray::{Array2, ArrayView2};
use serde::{Deserialize, Serialize};

choices! {
    /// How data are brought to a size that units can work with.
    #[derive(Serialize, Deserialize)]
    pub enum Scaling {
        /// Centered, and all columns divided by one number: distances keep their proportions.
        Global = "global",
        /// Centered, and each column divided by its standard deviation.
        Columns = "columns",
        /// Taken as they are.
        None = "raw",
    }
}

/// More columns than this go through their principal components.
pub(crate) const WIDE: usize = 2048;
/// So many of these are kept.
const KEPT: usize = 512;
/// The root mean square of the components behind a projection. The first of them are many times as wide as the mean: at 1 they
/// would drive the units far from their middle, where what is far apart gets near.
const AFTER_PROJECTION: f64 = 0.3;
/// Rows packed at a time. Every block has this height, so that a row's bits do not depend on its batch.
pub(crate) const BLOCK: usize = 64;

/// Where the first value outside [0, 1] is, in words.
pub(crate) fn outside_unit<T: Scalar>(x: ArrayView2<'_, T>) -> Option<String> {
    let outside = |value: &T| !(*value >= T::zero() && *value <= T::one());
    let ((row, column), value) = x.indexed_iter().find(|(_, value)| outside(value))?;
    Some(format!("the value {value} at row {row}, column {column}"))
}

/// What was fitted to be done to rows: centers, sizes, principal directions.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Preprocessing {
    center: Vec<f64>,
    /// What each column is divided by; constant columns by 1.
    size: Vec<f64>,
    /// Principal directions as columns (row after row), and their number.
    directions: Option<(Vec<f32>, usize)>,
}

impl Preprocessing {
    /// Looks at the data. `directions`: how many principal components are kept; `None` decides by the number of columns.
    pub(crate) fn fit<T: Scalar>(
        x: ArrayView2<'_, T>,
        scaling: Scaling,
        directions: Option<usize>,
        run: &Run,
    ) -> Result<Self> {
        let (n, d) = x.dim();
        let mut center = vec![0.0; d];
        let mut variance = vec![0.0; d];
        for row in x.rows() {
            center.iter_mut().zip(row).for_each(|(sum, value)| *sum += value.wide());
        }
        center.iter_mut().for_each(|sum| *sum /= n as f64);
        for row in x.rows() {
            for ((sum, center), value) in variance.iter_mut().zip(&center).zip(row) {
                *sum += (value.wide() - center).powi(2) / n as f64;
            }
        }
        // Constant columns leave a rounding error of their mean: no spread to divide by.
        for (variance, center) in variance.iter_mut().zip(&center) {
            if *variance <= (1e-14 * center.abs()).powi(2) {
                *variance = 0.0;
            }
        }
        let total: f64 = variance.iter().sum();
        if scaling != Scaling::None && total == 0.0 {
            return Err(Error::Constant { what: "data" });
        }
        let kept = match directions {
            Some(0) => None,
            Some(count) if count > d.min(n) => {
                let bound = format!("at most {}, the smaller of rows and columns", d.min(n));
                return Err(Error::parameter(
                    "pca_components",
                    count,
                    bound,
                    "ask for fewer, or for 0: no projection",
                ));
            }
            Some(count) => Some(count),
            None => Self::usual(n, d).filter(|_| scaling != Scaling::None),
        };
        // After a projection the kept directions hold nearly all of the spread.
        let goal = if kept.is_some() { AFTER_PROJECTION } else { 1.0 };
        let common = (total / kept.unwrap_or(d) as f64).sqrt() / goal;
        let size = match scaling {
            Scaling::Global => vec![common; d],
            Scaling::Columns => {
                let spread = variance.iter().map(|v| if *v > 0.0 { v.sqrt() } else { 1.0 });
                let varied = variance.iter().filter(|v| **v > 0.0).count();
                let share = (varied as f64 / kept.unwrap_or(varied) as f64).sqrt();
                spread.map(|spread| spread * share / goal).collect()
            }
            Scaling::None => vec![1.0; d],
        };
        if scaling == Scaling::None {
            center.fill(0.0);
        }
        let mut preprocessing = Self { center, size, directions: None };
        if let Some(kept) = kept {
            preprocessing.directions = Some((preprocessing.principal(x, kept, run)?, kept));
        }
        Ok(preprocessing)
    }

    /// How many principal components are kept of so many columns, where they are too many to be seen.
    pub(crate) fn usual(rows: usize, columns: usize) -> Option<usize> {
        (columns > WIDE).then(|| KEPT.min(rows.saturating_sub(1)).max(1))
    }

    fn principal<T: Scalar>(&self, x: ArrayView2<'_, T>, kept: usize, run: &Run) -> Result<Vec<f32>> {
        let (n, d) = x.dim();
        let rows = self.apply(x, run)?;
        let rows = MatRef::from_row_major_slice(&rows, n, d);
        let right = if 2 * kept >= n.min(d) {
            svd::thin(rows, run)?.right
        } else {
            let dense = DenseMatrix(rows);
            let centered = CenteredMatrix::new(&dense, vec![0.0; d])?;
            svd::randomized(&centered, &Randomized { count: kept, oversampling: 10, iterations: 2 }, run)?
                .right
        };
        Ok((0..d * kept).map(|at| right[(at / kept, at % kept)]).collect())
    }

    /// The preprocessing of given parts; `None` where they do not fit each other.
    pub(crate) fn from_parts(
        center: Vec<f64>,
        size: Vec<f64>,
        directions: Option<(Vec<f32>, usize)>,
    ) -> Option<Self> {
        let d = center.len();
        let fits =
            |(values, kept): &(Vec<f32>, usize)| *kept > 0 && kept.checked_mul(d) == Some(values.len());
        let sound =
            d > 0 && size.len() == d && size.iter().all(|s| *s > 0.0) && directions.as_ref().is_none_or(fits);
        sound.then_some(Self { center, size, directions })
    }

    /// What is subtracted from each column, what it is divided by, and the principal directions.
    pub(crate) fn parts(&self) -> (&[f64], &[f64], Option<&(Vec<f32>, usize)>) {
        (&self.center, &self.size, self.directions.as_ref())
    }

    /// The number of columns of the data.
    pub fn columns(&self) -> usize {
        self.center.len()
    }

    /// The number of columns that the network sees.
    pub fn width(&self) -> usize {
        self.directions.as_ref().map_or(self.center.len(), |(_, kept)| *kept)
    }

    /// Whether the network sees the columns themselves.
    pub fn is_plain(&self) -> bool {
        self.directions.is_none()
    }

    /// The rows as the network sees them, one after another.
    pub(crate) fn apply<T: Scalar, U: Real>(&self, x: ArrayView2<'_, T>, run: &Run) -> Result<Vec<U>> {
        let (n, d) = x.dim();
        if d != self.columns() {
            return Err(Error::Width { what: "data", expected: self.columns(), found: d });
        }
        let width = self.width();
        let mut out = vec![U::zero(); n * width];
        fill_rows(run, &mut out, width, BLOCK, |here, out| match &self.directions {
            None => {
                for (row, out) in here.zip(out.chunks_exact_mut(d)) {
                    self.scale(x, row, out);
                }
            }
            Some((directions, _)) => {
                let mut block = vec![0.0f32; BLOCK * d];
                let mut image = vec![0.0f32; BLOCK * width];
                for (row, block) in here.zip(block.chunks_exact_mut(d)) {
                    self.scale(x, row, block);
                }
                let block = MatRef::from_row_major_slice(&block, BLOCK, d);
                let directions = MatRef::from_row_major_slice(directions, d, width);
                let product = MatMut::from_row_major_slice_mut(&mut image, BLOCK, width);
                matmul(product, Accum::Replace, block, directions, 1.0, Par::Seq);
                out.iter_mut().zip(image).for_each(|(out, value)| *out = U::of(value.into()));
            }
        })?;
        Ok(out)
    }

    fn scale<T: Scalar, U: Real>(&self, x: ArrayView2<'_, T>, row: usize, out: &mut [U]) {
        for (((out, value), center), size) in out.iter_mut().zip(x.row(row)).zip(&self.center).zip(&self.size)
        {
            *out = U::of((value.wide() - center) / size);
        }
    }

    /// Rows that the network made, in the units of the data.
    pub(crate) fn invert<T: Scalar>(&self, rows: &[f32], run: &Run) -> Result<Array2<T>> {
        let (width, d) = (self.width(), self.columns());
        let n = rows.len() / width.max(1);
        let mut out = vec![T::zero(); n * d];
        fill_rows(run, &mut out, d, BLOCK, |here, out| {
            let rows = &rows[here.start * width..here.end * width];
            let mut image = Mat::<f32>::zeros(0, 0);
            let mut flat = vec![0.0f32; BLOCK * d];
            match &self.directions {
                None => flat[..rows.len()].copy_from_slice(rows),
                Some((directions, _)) => {
                    image.resize_with(BLOCK, width, |i, j| rows.get(i * width + j).copied().unwrap_or(0.0));
                    let directions = MatRef::from_row_major_slice(directions, d, width);
                    let product = MatMut::from_row_major_slice_mut(&mut flat, BLOCK, d);
                    matmul(product, Accum::Replace, image.as_ref(), directions.transpose(), 1.0, Par::Seq);
                }
            }
            for (row, out) in flat.chunks_exact(d).zip(out.chunks_exact_mut(d)) {
                for (((out, value), center), size) in
                    out.iter_mut().zip(row).zip(&self.center).zip(&self.size)
                {
                    *out = T::of(f64::from(*value) * size + center);
                }
            }
        })?;
        Array2::from_shape_vec((n, d), out).map_err(|e| Error::shape("reconstruction", &e))
    }
}
