//! PCA over chunks: data larger than memory, or still arriving. The covariance is exact, not approximated:
//! each chunk's scatter about its own mean is merged by the formula of Chan, Golub and LeVeque (1979).

use super::{Pca, PcaModel, Selection};
use crate::chunks::{Accumulate, Known, no_resumption};
use crate::input::on_points;
use crate::matrix::{AnyMatrix, Element, faer_view};
use crate::method::{Fit, Method};
use crate::model::Model;
use crate::projective::spectrum;
use crate::{Admitted, Shape};
use faer::Mat;
use lowland_base::{Result, Run};
use lowland_linalg::gram;
use lowland_linalg::rows::{Center, Rows, centering, power_of_two_below};
use ndarray::ArrayView2;

/// A fit under way.
pub(super) struct PcaStream {
    pca: Pca,
    rows: usize,
    /// The first row of all: means are kept relative to it, so that an offset costs no digits.
    origin: Vec<f64>,
    /// The mean less the origin.
    shift: Vec<f64>,
    /// Of the data times `scale`.
    scatter: Mat<f64>,
    scale: f64,
    scalar_bytes: usize,
}

impl PcaStream {
    pub(super) fn new(pca: Pca) -> Self {
        let (origin, shift) = (Vec::new(), Vec::new());
        Self { pca, rows: 0, origin, shift, scatter: Mat::new(), scale: 1.0, scalar_bytes: 8 }
    }

    fn add<T: Element>(&mut self, chunk: ArrayView2<'_, T>, run: &Run) -> Result<()> {
        let (m, d) = chunk.dim();
        run.reserve("the covariance matrix", 4 * 8 * (d * d) as u64, "select fewer columns first")?;
        let x = faer_view(chunk);
        let new = centering(x, run)?;
        let scale = if self.rows == 0 { new.scale } else { self.scale.min(new.scale) };
        let mut scatter = gram(Rows { x, center: Center::Columns(&new.mean), scale }, run)?;
        if self.rows == 0 {
            (self.origin, self.shift) = (new.first, new.shift);
        } else {
            let (old_rows, new_rows) = (self.rows as f64, m as f64);
            let all = old_rows + new_rows;
            let step: Vec<f64> =
                (0..d).map(|j| (new.first[j] - self.origin[j]) + new.shift[j] - self.shift[j]).collect();
            let rescale = (scale / self.scale).powi(2);
            for j in 0..d {
                for i in 0..d {
                    let between = step[i] * scale * (step[j] * scale) * (old_rows * new_rows / all);
                    scatter[(i, j)] += self.scatter[(i, j)] * rescale + between;
                }
            }
            self.shift.iter_mut().zip(&step).for_each(|(shift, step)| *shift += step * (new_rows / all));
        }
        (self.scatter, self.scale) = (scatter, scale);
        self.rows += m;
        self.scalar_bytes = self.scalar_bytes.min(size_of::<T>());
        Ok(())
    }
}

impl Accumulate for PcaStream {
    type Model = PcaModel;

    fn rows(&self) -> usize {
        self.rows
    }

    fn push(&mut self, chunk: Admitted<'_>, run: &Run) -> Result<()> {
        on_points!(chunk.input(), x => self.add(x, run))
    }

    fn finish(&self, run: &Run) -> Result<PcaModel> {
        let mean = self.origin.iter().zip(&self.shift).map(|(origin, shift)| origin + shift).collect();
        let shape = Shape {
            rows: self.rows,
            columns: self.origin.len(),
            stored: self.rows * self.origin.len(),
            scalar_bytes: self.scalar_bytes,
            kind: crate::InputKind::Points,
            factor: None,
        };
        Method::check(&self.pca, &shape)?;
        let count = self.pca.leading_count();
        let args = (self.scatter.as_ref(), self.scale, self.rows, mean, count);
        let spectrum = if self.scalar_bytes == 4 {
            spectrum::of_scatter::<f32>(args.0, args.1, args.2, args.3, args.4, run)?
        } else {
            spectrum::of_scatter::<f64>(args.0, args.1, args.2, args.3, args.4, run)?
        };
        PcaModel::new(&self.pca, spectrum)
    }

    fn resume(&mut self, model: &dyn Model) -> Result<()> {
        if self.pca.select != Selection::Leading {
            return Err(no_resumption(Pca::ENTRY.name, "it holds other directions than the leading ones"));
        }
        let known = Known::of(model)?;
        let d = known.mean.len();
        // `Z'Z = (n - 1) (sum of (variance - noise) u u' + noise)`, in units of the largest variance.
        let largest = known.variances.iter().fold(known.noise, |most, v| most.max(*v)).sqrt();
        let (scale, freedom) = (power_of_two_below(largest), (known.rows.max(2) - 1) as f64);
        let (noise, mut directions) = (known.noise * scale * scale, known.components);
        for (mut row, variance) in directions.rows_mut().into_iter().zip(&known.variances) {
            row *= (variance * scale * scale - noise).max(0.0).sqrt();
        }
        let outer = directions.t().dot(&directions);
        self.scatter =
            Mat::from_fn(d, d, |i, j| freedom * (outer[(i, j)] + if i == j { noise } else { 0.0 }));
        (self.rows, self.scale) = (known.rows, scale);
        (self.origin, self.shift) = (known.mean, vec![0.0; d]);
        self.scalar_bytes = if matches!(model.embedding(), Some(AnyMatrix::F32(_))) { 4 } else { 8 };
        Ok(())
    }
}
