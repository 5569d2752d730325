//! What a model keeps of the data: the error of going there and back, and that of the kernel its components explain.

use super::{Estimate, Evaluation, Evaluator, SampleSizes, sampled_rows};
use crate::input::{AnyInput, Input};
use crate::method::Method;
use crate::model::Model;
use lowland_base::{Error, Result, Run, Scalar};
use ndarray::{Array2, ArrayView2, Axis};
use rand::seq::index;

/// Rows at a time.
const CHUNK: usize = 1024;

/// The share of the rows that [`kernel_error_by_refit`] leaves out of the fit.
const LEFT_OUT: usize = 10;

impl Evaluator<'_> {
    /// As [`Evaluator::evaluate`], and what is measured with the model that made the embedding: the reconstruction error
    /// where it has an inverse, the kernel error where it is spectral, and that of rows that were not in the fit where
    /// they are given.
    pub fn evaluate_model(
        &self,
        model: &dyn Model,
        (data, embedding): (AnyInput<'_>, AnyInput<'_>),
        held_out: Option<AnyInput<'_>>,
        run: &Run,
    ) -> Result<Evaluation> {
        let mut found = self.evaluate(data, embedding, run)?;
        let sample_sizes = self.sample_sizes;
        found.add_error(
            "reconstruction_error",
            reconstruction_error(model, data, embedding, sample_sizes, run)?,
        );
        found.add_error("kernel_error", kernel_error(model, data, sample_sizes, run)?);
        if let Some(rows) = held_out {
            rows.check_as("held-out rows", false, run)?;
            let error = kernel_error(model, rows, sample_sizes, run)?.ok_or_else(|| Error::Unsupported {
                method: model.entry().name.into(),
                what: "compare its kernel with held-out rows, between which it has none".into(),
                remedy: "leave out the held-out rows".into(),
            })?;
            found.add_error("kernel_error_held_out", Some(error));
        }
        Ok(found)
    }
}

/// The squared distance between the rows of the data and what the model's inverse makes of their embedding, as a share
/// of the squared distance to their mean: 0 at best, 1 where the mean says as much, more where it says more. `None`
/// where the model has no inverse or the data are not points.
pub fn reconstruction_error(
    model: &dyn Model,
    data: AnyInput<'_>,
    embedding: AnyInput<'_>,
    sample_sizes: SampleSizes,
    run: &Run,
) -> Result<Option<Estimate>> {
    if !matches!(data, AnyInput::F32(Input::Points(_)) | AnyInput::F64(Input::Points(_))) {
        return Ok(None);
    }
    let (Some(points), Some(images)) = (Table::of(&data), Table::of(&embedding)) else { return Ok(None) };
    let (expected, found) = (model.features(), data.shape().columns);
    if expected != found {
        return Err(Error::Width { what: "data", expected, found });
    }
    let mean = points.mean();
    let chosen = sampled_rows(points.rows(), sample_sizes, run);
    let (mut errors, mut wholes) = (Vec::new(), Vec::new());
    for rows in chosen.chunks(CHUNK) {
        run.check()?;
        let own = points.select(rows);
        let back = match model.inverse((&images.select(rows)).into(), run) {
            Ok(back) => back.to_f64(),
            Err(Error::Unsupported { .. }) => return Ok(None),
            Err(error) => return Err(error),
        };
        for (own, back) in own.rows().into_iter().zip(back.rows()) {
            errors.push(own.iter().zip(back).map(|(own, back)| (own - back).powi(2)).sum());
            wholes.push(own.iter().zip(&mean).map(|(own, mean)| (own - mean).powi(2)).sum());
        }
    }
    Ok(Some(Estimate::of_ratio(&errors, &wholes, points.rows())))
}

/// The squared error with which the components of a spectral model reconstruct its normalized kernel between these rows
/// and its anchors, as a share of the kernel's squares (Bengio section 4): 0 at best, 1 where no component says as much.
/// `None` where the model is not spectral, and where its kernel is a function of a matrix of all training points: there it
/// is no function of two rows that could be reconstructed.
pub fn kernel_error(
    model: &dyn Model,
    rows: AnyInput<'_>,
    sample_sizes: SampleSizes,
    run: &Run,
) -> Result<Option<Estimate>> {
    let spectral = model.spectral().filter(|spectral| !spectral.kernel_is_of_training_points());
    let (Some(spectral), Some(table)) = (spectral, Table::of(&rows)) else { return Ok(None) };
    let few = SampleSizes { rows: sample_sizes.ranked_rows, ..sample_sizes };
    let chosen = sampled_rows(table.rows(), few, run);
    let (mut errors, mut wholes) = (Vec::new(), Vec::new());
    for some in chosen.chunks(CHUNK) {
        for pairs in spectral.kernel_errors((&table.select(some)).into(), run)? {
            errors.push(pairs.error);
            wholes.push(pairs.whole);
        }
    }
    Ok(Some(Estimate::of_ratio(&errors, &wholes, table.rows())))
}

/// As [`kernel_error`], of rows that the model has not seen: a tenth of the rows is left out, and the method is fitted
/// to the others. `None` where it is not spectral.
pub fn kernel_error_by_refit(
    method: &dyn Method,
    data: AnyInput<'_>,
    labels: Option<&[i64]>,
    sample_sizes: SampleSizes,
    run: &Run,
) -> Result<Option<Estimate>> {
    let Some(table) = Table::of(&data) else { return Ok(None) };
    let n = table.rows();
    let mut left_out = index::sample(&mut run.rng("held-out rows"), n, (n / LEFT_OUT).max(1)).into_vec();
    left_out.sort_unstable();
    let kept: Vec<u32> =
        (0..n as u32).filter(|&row| left_out.binary_search(&(row as usize)).is_err()).collect();
    let left_out: Vec<u32> = left_out.into_iter().map(|row| row as u32).collect();
    let (kept_rows, new) = (table.select(&kept), table.select(&left_out));
    let model = match labels {
        Some(labels) => {
            let labels: Vec<i64> = kept.iter().map(|&row| labels[row as usize]).collect();
            method.fit_labeled((&kept_rows).into(), &labels, run)?
        }
        None => method.fit((&kept_rows).into(), run)?,
    };
    kernel_error(&*model, (&new).into(), sample_sizes, run)
}

/// The rows of a dense matrix, whatever its precision and its meaning.
pub(super) enum Table<'a> {
    Single(ArrayView2<'a, f32>),
    Double(ArrayView2<'a, f64>),
}

impl<'a> Table<'a> {
    pub(super) fn of(input: &AnyInput<'a>) -> Option<Self> {
        match *input {
            AnyInput::F32(Input::Points(x) | Input::Distances(x) | Input::Kernel(x)) => Some(Self::Single(x)),
            AnyInput::F64(Input::Points(x) | Input::Distances(x) | Input::Kernel(x)) => Some(Self::Double(x)),
            _ => None,
        }
    }

    pub(super) fn rows(&self) -> usize {
        match self {
            Self::Single(x) => x.nrows(),
            Self::Double(x) => x.nrows(),
        }
    }

    pub(super) fn select(&self, rows: &[u32]) -> Array2<f64> {
        let rows: Vec<usize> = rows.iter().map(|&row| row as usize).collect();
        match self {
            Self::Single(x) => x.select(Axis(0), &rows).mapv(f64::from),
            Self::Double(x) => x.select(Axis(0), &rows),
        }
    }

    fn mean(&self) -> Vec<f64> {
        // Differences to the first row, so that an offset costs no digits.
        fn of<T: Scalar>(x: ArrayView2<'_, T>) -> Vec<f64> {
            let n = x.nrows().max(1) as f64;
            let first: Vec<f64> = x.row(0).iter().map(|x| x.wide()).collect();
            let mut sums = vec![0.0; x.ncols()];
            for row in x.rows() {
                sums.iter_mut().zip(row).zip(&first).for_each(|((sum, x), first)| *sum += x.wide() - first);
            }
            sums.iter().zip(first).map(|(sum, first)| first + sum / n).collect()
        }
        match self {
            Self::Single(x) => of(*x),
            Self::Double(x) => of(*x),
        }
    }
}
