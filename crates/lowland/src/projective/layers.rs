//! Layers of oriented PCA over windows of a signal (Burges, Platt and Jana 2003).

use super::oriented::{self, Oriented};
use crate::model::{Quantity, Report, Warning};
use crate::parameters::Field;
use lowland_base::{Result, Run};
use ndarray::{Array2, ArrayView1, Axis, s};

/// How a layer cuts its input: windows of `length` values, beginning `stride` apart, the last one at the end.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Cut {
    pub length: usize,
    pub stride: usize,
}

impl Cut {
    /// Where the windows of a row of this width begin.
    pub fn starts(self, width: usize) -> Vec<usize> {
        let last = width - self.length;
        let mut starts: Vec<usize> = (0..=last).step_by(self.stride).collect();
        if starts.last() != Some(&last) {
            starts.push(last);
        }
        starts
    }

    /// All windows of all rows, one below the other.
    fn windows(self, rows: &Array2<f64>) -> Array2<f64> {
        let starts = self.starts(rows.ncols());
        let mut all = Array2::zeros((rows.nrows() * starts.len(), self.length));
        for (i, row) in rows.rows().into_iter().enumerate() {
            for (at, &start) in starts.iter().enumerate() {
                all.row_mut(i * starts.len() + at).assign(&row.slice(s![start..start + self.length]));
            }
        }
        all
    }

    /// The filters of one window as one matrix over the whole width.
    fn spread(self, filters: &Array2<f64>, width: usize) -> Array2<f64> {
        let (starts, k) = (self.starts(width), filters.ncols());
        let mut wide = Array2::zeros((width, starts.len() * k));
        for (at, &start) in starts.iter().enumerate() {
            wide.slice_mut(s![start..start + self.length, at * k..(at + 1) * k]).assign(filters);
        }
        wide
    }
}

/// The layers so far. All are linear: together they are one matrix.
pub(crate) struct Layers {
    /// The signals as the next layer sees them.
    signals: Array2<f64>,
    /// The differences of the versions from their signals, in the columns of the data.
    noise: Array2<f64>,
    /// All layers as one matrix, columns of the data x features.
    pub total: Array2<f64>,
    /// The features of a window.
    pub channels: usize,
    /// Of the unit noise of each channel, the part that was added, and is not that of the versions.
    carried: Vec<f64>,
    /// The filters of the first layer, one a row.
    pub first_layer: Option<Array2<f64>>,
    /// What each layer added to the diagonal of its noise.
    ridges: Vec<f64>,
    warnings: Vec<Warning>,
    last: Option<Oriented>,
}

impl Layers {
    /// No layer yet.
    pub fn new(signals: Array2<f64>, noise: Array2<f64>) -> Self {
        let total = Array2::eye(signals.ncols());
        Self {
            signals,
            noise,
            total,
            channels: 1,
            carried: Vec::new(),
            first_layer: None,
            ridges: Vec::new(),
            warnings: Vec::new(),
            last: None,
        }
    }

    /// The quotients of the last layer, the warnings of all, and what was added to the noise where it is the same in all.
    pub fn report(&self) -> Report {
        let last = self.last.as_ref();
        let (quotients, further_eigenvalues, residuals) = last
            .map(|last| (last.quotients.clone(), last.further.clone(), last.residuals.clone()))
            .unwrap_or_default();
        let name = "largest ratio of signal to noise".into();
        let objective = vec![Quantity { name, value: quotients.first().copied().unwrap_or(0.0) }];
        let mut warnings = self.warnings.clone();
        warnings.dedup();
        let same = self.ridges.first().filter(|first| self.ridges.iter().all(|ridge| ridge == *first));
        let resolved = same.map(|ridge| ("regularization".to_owned(), ridge.to_value()));
        Report {
            objective,
            eigenvalues: quotients,
            further_eigenvalues,
            residuals,
            warnings,
            resolved: resolved.into_iter().collect(),
            ..Report::default()
        }
    }

    /// Adds a layer that learns from these versions and gives `count` features a window.
    pub fn add(
        &mut self,
        cut: Cut,
        versions: &[usize],
        count: usize,
        regularization: Option<f64>,
        run: &Run,
    ) -> Result<()> {
        let (width, channels) = (self.total.ncols(), self.channels);
        // The noise goes through the layers so far as the rows do: all is linear.
        let noise = oriented::times(&self.noise.select(Axis(0), versions), &self.total, run)?;
        let c = oriented::covariance(cut.windows(&self.signals).view(), run)?;
        let mut r = oriented::correlation(cut.windows(&noise).view(), run)?;
        // What was added to the noise goes through the layers too.
        if self.carried.iter().any(|&own| own > 0.0) {
            r.add_own(|feature| self.carried[feature % channels]);
        }
        let mut found = oriented::solve(&c, &r, count, regularization, run)?;
        // Unit noise in every feature, so that the next layer sees all on one scale. Without any noise of the versions,
        // the unit is what was added to it: dividing by rounding would blow the feature up.
        for (mut direction, size) in found.directions.columns_mut().into_iter().zip(&found.noise) {
            if *size > 0.0 {
                direction.mapv_inplace(|x| x / size);
            }
        }
        let carried = &self.carried;
        let before = |direction: ArrayView1<'_, f64>| -> f64 {
            let own = |feature: usize| if carried.is_empty() { 0.0 } else { carried[feature % channels] };
            direction.iter().enumerate().map(|(feature, w)| w * w * own(feature)).sum()
        };
        let added = found.noise.iter().map(|size| found.added / (size * size));
        self.carried = added.zip(found.directions.columns()).map(|(own, w)| own + before(w)).collect();
        let wide = cut.spread(&found.directions, width);
        self.signals = oriented::times(&self.signals, &wide, run)?;
        self.total = oriented::times(&self.total, &wide, run)?;
        self.channels = count;
        self.first_layer.get_or_insert_with(|| found.directions.t().to_owned());
        self.ridges.extend(found.ridge);
        self.warnings.append(&mut found.warnings);
        self.last = Some(found);
        Ok(())
    }
}
