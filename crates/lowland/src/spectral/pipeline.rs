//! The straight way through the pipeline for a dense kernel, with all points or with landmarks: what kernel PCA
//! and classical scaling have in common (Ham section 2, Bengio 2.1-2.2).

use super::anchors::at_no_distance;
use super::geodesic::{GeodesicAnchors, GeodesicSource, half_squared, residual_variance};
use super::nystrom::{self, Variant, product};
use super::{Anchors, ComponentModel, Formula, Negative, Normalizer, Pairs, Spectrum, decompose, resolution};
use crate::matrix::{faer_view, to_array};
use crate::model::{Quantity, Report, Warning};
use lowland_base::parallel::fill_rows;
use lowland_base::{Result, Run};
use lowland_linalg::operator::Packed;
use lowland_linalg::{Operator, Request, Which, eigen};
use ndarray::{Array2, ArrayView2, s};
use std::ops::Range;

/// The settings of kernel PCA and of classical scaling.
pub(crate) struct KernelPipeline {
    pub count: usize,
    pub center: bool,
    /// General centering (Burges 2.2.1); `None` is the plain mean.
    pub weights: Option<Vec<f64>>,
    pub negative: Negative,
    pub variant: Variant,
}

impl KernelPipeline {
    /// From the kernel between the anchors to a model, the embedding of all rows, and the report. `rows` are the
    /// training rows as new points would come, needed where the anchors are not all of them.
    pub fn fit(
        &self,
        anchors: Box<dyn Anchors>,
        mut inner: Packed<f64>,
        landmarks: &[usize],
        rows: ArrayView2<'_, f64>,
        run: &Run,
    ) -> Result<(ComponentModel, Array2<f64>, Report)> {
        let all = rows.nrows().max(landmarks.len());
        // In the span of the landmarks no eigenvalue is negative: only the plain extension has those.
        let positive = matches!(self.negative, Negative::Drop | Negative::Clip);
        if landmarks.len() < all && self.variant == Variant::Orthogonal && positive {
            let (model, embedding, mut report) = self.orthogonal(anchors, inner, rows, run)?;
            report.landmarks = landmarks.to_vec();
            return Ok((model, embedding, report));
        }
        let largest = largest_diagonal(&inner);
        let normalizer = if self.center {
            Normalizer::center(&mut inner, self.weights.as_deref(), run)?
        } else {
            Normalizer::None
        };
        let spectrum = decompose(&inner, self.request(largest.max(normalizer.largest_mean())), run)?;
        let mut report = self.report(&spectrum, &inner, run)?;
        report.further_eigenvalues = spectrum.further.clone();
        let model = ComponentModel::whole(anchors, normalizer, &spectrum);
        if landmarks.len() == all {
            return Ok((model, spectrum.coordinates, report));
        }
        among_landmarks(&mut report);
        report.landmarks = landmarks.to_vec();
        let _stage = run.stage("extend", None);
        let model = ComponentModel { members: (0..all).collect(), ..model };
        let embedding = model.extend(rows, run)?;
        Ok((model, embedding, report))
    }

    /// As [`Self::fit`] for geodesics, of which all from the anchors are known: with the residual variance of the
    /// first component, the first two, and so on.
    pub fn fit_geodesic(
        &self,
        anchors: Box<GeodesicAnchors>,
        mut inner: Packed<f64>,
        whole: bool,
        run: &Run,
    ) -> Result<(ComponentModel, Array2<f64>, Report, Vec<f64>)> {
        let normalizer = Normalizer::center(&mut inner, None, run)?;
        let spectrum = decompose(&inner, self.request(normalizer.largest_mean()), run)?;
        let variance = residual_variance(&inner, &spectrum.coordinates, run)?;
        let mut report = self.report(&spectrum, &inner, run)?;
        report.further_eigenvalues = spectrum.further.clone();
        drop(inner);
        report.objective.extend(
            variance.last().map(|&value| Quantity { name: "geodesic residual variance".into(), value }),
        );
        if whole {
            return Ok((
                ComponentModel::whole(anchors, normalizer, &spectrum),
                spectrum.coordinates,
                report,
                variance,
            ));
        }
        among_landmarks(&mut report);
        let _stage = run.stage("extend", None);
        let embedding = match &anchors.geodesics {
            GeodesicSource::Table(table) => extend_table(table, &normalizer, &spectrum, run)?,
            GeodesicSource::Graph(_) => spectrum.coordinates.clone(),
        };
        Ok((ComponentModel::whole(anchors, normalizer, &spectrum), embedding, report, variance))
    }

    /// What the components explain of a kernel.
    fn report(&self, spectrum: &Spectrum, kernel: &Packed<f64>, run: &Run) -> Result<Report> {
        let (trace, squares) = (trace(kernel), kernel.squared_norm(run)?);
        let mut negative = 0.0;
        if matches!(self.negative, Negative::Drop | Negative::Clip) {
            // The eigenvalues left out add up to `sum`, their squares to `rest`. None of the positive ones is above the last
            // that was kept, so that without negative ones `rest` would be at most `last sum`.
            let kept = |power: i32| spectrum.values.iter().map(|value| value.powi(power)).sum::<f64>();
            let (sum, rest) = (trace - kept(1), squares - kept(2));
            let last = spectrum.values.last().copied().unwrap_or(0.0);
            let beyond = rest - last * sum.max(0.0);
            if beyond > 1e-6 * squares {
                let request = Request { tolerance: Some(1e-3), ..Request::new(1, Which::Smallest) };
                // No negative one is farther out than the least that was found and what it may be off by.
                let found = eigen::solve(kernel, &request, run)?;
                let least = found.residuals[0] - found.values[0];
                negative = if least > 0.0 { (rest - last * sum) / (last + least) } else { 0.0 };
            }
        }
        Ok(self.summarize(spectrum, kernel.order(), (trace, Some(squares)), negative))
    }

    /// The same of a kernel of order `n` with this trace and sum of squares, whose negative eigenvalues amount to
    /// `negative` at least.
    fn summarize(
        &self,
        spectrum: &Spectrum,
        n: usize,
        (trace, squares): (f64, Option<f64>),
        negative: f64,
    ) -> Report {
        // What was added to the eigenvalues, all or all but that of the constant vector.
        let lifted = spectrum.shift * (n - usize::from(self.is_plainly_centered() && n > 0)) as f64;
        let squares = squares.map(|squares| squares + 2.0 * spectrum.shift * trace + spectrum.shift * lifted);
        let trace = trace + lifted;
        let kept: f64 = spectrum.values.iter().map(|value| value.abs()).sum();
        let kept_squares: f64 = spectrum.values.iter().map(|value| value * value).sum();
        let share = |part: f64, whole: f64| if whole > 0.0 { (1.0 - part / whole).max(0.0) } else { 0.0 };
        let quantity = |name: &str, value: f64| Quantity { name: name.into(), value };
        let mut objective = vec![quantity("sum of kept eigenvalues", kept)];
        let mut warnings = spectrum.warnings.clone();
        // Positive eigenvalues cannot add up to more than all together, unless others are negative.
        let beyond = (kept - trace).max(negative);
        if beyond <= 1e-9 * kept {
            // The summed squared residual is the sum of the eigenvalues left out (Burges eq. 1.29).
            objective.push(quantity("unexplained share", share(kept, trace)));
        } else if matches!(self.negative, Negative::Drop | Negative::Clip) {
            // The share of all: the positive ones are the trace and what the negative ones take off it. Where even the
            // trace is negative it falls to a half as more positive ones become known.
            let share = (beyond / (trace + 2.0 * beyond)).min(0.5);
            objective.push(quantity("negative share, at least", share));
            if self.negative == Negative::Drop && share > NEGATIVE && warnings.is_empty() {
                warnings.push(Warning::Indefinite { share });
            }
        }
        if let Some(squares) = squares {
            objective.push(quantity("unexplained share of squares", share(kept_squares, squares)));
        }
        Report {
            objective,
            eigenvalues: spectrum.values.clone(),
            residuals: spectrum.residuals.clone(),
            warnings,
            ..Report::default()
        }
    }

    fn request(&self, entries: f64) -> Pairs {
        Pairs { count: self.count, negative: self.negative, centered: self.is_plainly_centered(), entries }
    }

    fn is_plainly_centered(&self) -> bool {
        self.center && self.weights.is_none()
    }

    /// Principal components in the space that the landmarks span: the eigenvectors of `C W^+ C'`, centered by
    /// all points.
    fn orthogonal(
        &self,
        anchors: Box<dyn Anchors>,
        inner: Packed<f64>,
        rows: ArrayView2<'_, f64>,
        run: &Run,
    ) -> Result<(ComponentModel, Array2<f64>, Report)> {
        let n = rows.nrows();
        let features = nystrom::features(&inner, run)?;
        let part =
            |range: Range<usize>| Ok(anchors.rows(rows.slice(s![range, ..]), run)?.dense(anchors.len()));
        let mut gathered = nystrom::gather(&features, n, &part, run)?;
        let r = features.ncols();
        // The part of all points' features that the landmarks do not span: the trace of the Schur complement.
        let whole: Option<f64> = anchors.diagonal(rows).map(|diagonal| diagonal.iter().sum());
        let spanned: f64 = (0..r).map(|j| gathered.scatter[(j, j)]).sum();
        let mean = if self.center { gathered.mean.clone() } else { vec![0.0; r] };
        for j in 0..r {
            for i in 0..r {
                gathered.scatter[(i, j)] -= n as f64 * mean[i] * mean[j];
            }
        }
        let trace: f64 = (0..r).map(|j| gathered.scatter[(j, j)]).sum();
        let outside = whole.map_or(0.0, |whole| (whole - spanned).max(0.0));
        let kept = self.count.min(r);
        let pairs = nystrom::directions(&gathered.scatter, kept, run)?;
        let floor = resolution(&pairs.values, largest_diagonal(&inner), n);
        let rank = pairs.values.iter().take_while(|&&value| value > floor).count();
        let turned: Array2<f64> = to_array(pairs.vectors.as_ref().subcols(0, rank));
        let mut map = Array2::zeros((inner.order(), self.count));
        map.slice_mut(s![.., ..rank]).assign(&product(features.view(), faer_view(turned.view()), run));
        let mut offset = vec![0.0; self.count];
        for (j, direction) in turned.columns().into_iter().enumerate() {
            offset[j] = -mean.iter().zip(direction).map(|(mean, d)| mean * d).sum::<f64>();
        }
        // The mean feature as a combination of landmarks: the centering weights over them.
        let weights = features.dot(&ndarray::Array1::from(mean));
        let normalizer = if self.center {
            Normalizer::center(&mut inner.clone(), weights.as_slice(), run)?
        } else {
            Normalizer::None
        };
        let mut coordinates: Array2<f64> = to_array(inner.times(faer_view(map.view()), run)?.as_ref());
        for mut row in coordinates.rows_mut() {
            row.iter_mut().zip(&offset).for_each(|(value, offset)| *value += offset);
        }
        let spread = |values: &[f64]| -> Vec<f64> {
            (0..self.count).map(|j| if j < rank { values[j] } else { 0.0 }).collect()
        };
        let mut warnings = Vec::new();
        if rank < self.count {
            warnings.push(Warning::RankDeficient { asked: self.count, rank, remedy: String::new() });
        }
        let spectrum = Spectrum {
            values: spread(&pairs.values),
            residuals: spread(&pairs.residuals),
            weights: (0..self.count).map(|j| f64::from(j < rank)).collect(),
            coordinates,
            map,
            further: Vec::new(),
            shift: 0.0,
            warnings,
        };
        let mut report = self.summarize(&spectrum, r, (trace + outside, None), 0.0);
        match whole.filter(|&whole| whole > 0.0) {
            Some(whole) => report
                .objective
                .push(Quantity { name: "outside the span of the landmarks".into(), value: outside / whole }),
            None => among_landmarks(&mut report),
        }
        let formula = Formula::Landmarks { anchors, normalizer, map: spectrum.map.clone(), offset };
        let model = ComponentModel { members: (0..n).collect(), ..ComponentModel::with(&spectrum, formula) };
        let _stage = run.stage("extend", None);
        let embedding = model.extend(rows, run)?;
        Ok((model, embedding, report))
    }
}

/// The shares are those of a kernel between landmarks, which is more easily explained than that of all points.
fn among_landmarks(report: &mut Report) {
    for quantity in report.objective.iter_mut().filter(|quantity| quantity.name.contains("share")) {
        quantity.name += ", of the landmarks";
    }
}

/// The coordinates of all points from their geodesics to the landmarks.
fn extend_table(
    table: &Array2<f64>,
    normalizer: &Normalizer,
    spectrum: &Spectrum,
    run: &Run,
) -> Result<Array2<f64>> {
    let (n, count) = (table.nrows(), spectrum.map.ncols());
    let mut out = vec![0.0; n * count];
    fill_rows(run, &mut out, count, 64, |rows, out| {
        for (point, out) in rows.zip(out.chunks_exact_mut(count.max(1))) {
            let mut row: Vec<f64> = table.row(point).iter().map(|&way| half_squared(way)).collect();
            let same = if spectrum.shift > 0.0 { at_no_distance(&row) } else { None };
            normalizer.row(&mut row);
            if let Some(same) = same {
                row[same] += spectrum.shift;
            }
            for (value, map) in row.iter().zip(spectrum.map.rows()) {
                out.iter_mut().zip(map).for_each(|(out, map)| *out += value * map);
            }
        }
    })?;
    Ok(Array2::from_shape_fn((n, count), |(i, j)| out[i * count + j]))
}

/// The share of negative eigenvalues that is worth a warning: geodesics are hardly ever exactly Euclidean.
const NEGATIVE: f64 = 0.01;

/// The largest entry of the diagonal, which is the largest of all where the kernel is one.
fn largest_diagonal(matrix: &Packed<f64>) -> f64 {
    matrix.diagonal().iter().fold(0.0, |largest: f64, value| largest.max(value.abs()))
}

fn trace(matrix: &Packed<f64>) -> f64 {
    matrix.diagonal().iter().sum()
}

/// `f` of some rows and the same columns of a symmetric matrix.
pub(crate) fn packed(
    matrix: &Array2<f64>,
    chosen: &[usize],
    f: impl Fn(f64) -> f64 + Sync,
    run: &Run,
) -> Result<Packed<f64>> {
    Packed::filled(chosen.len(), run, |rows, columns, out| {
        for (i, out) in rows.zip(out.chunks_exact_mut(columns)) {
            let row = matrix.row(chosen[i]);
            out.iter_mut().zip(chosen).for_each(|(out, &j)| *out = f(row[j]));
        }
    })
}
