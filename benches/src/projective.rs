//! The linear methods beside PCA.

use crate::npy::Array;
use crate::protocol::{Arguments, Figure, Outcome, serve};
use lowland::methods::{Dimension, FactorAnalysis, FastIca, Lda, Ppca, RandomProjection};
use lowland::{LinearModel, Method, Model};
use ndarray::{Array2, ArrayView2, Axis};

fn matrix(data: &Array<f64>) -> Outcome<ArrayView2<'_, f64>> {
    Ok(ArrayView2::from_shape(data.rows_columns()?, &data.values)?)
}

fn embedding(model: &LinearModel) -> Outcome<Array2<f64>> {
    Ok(model.embedding().ok_or("no embedding")?.to_f64())
}

/// Factor analysis.
pub fn factors(arguments: &Arguments) -> Outcome {
    let data = arguments.load("")?;
    let (x, run) = (matrix(&data)?, arguments.run()?);
    let method =
        FactorAnalysis { n_components: Some(arguments.number("components")?), ..FactorAnalysis::default() };
    serve(
        || Ok(method.fit_model(x, &run)?),
        |model| {
            let density = model.log_density(x.into(), &run)?;
            Ok(vec![("loss", -density.sum() / density.len() as f64)])
        },
    )
}

/// Independent components.
pub fn ica(arguments: &Arguments) -> Outcome {
    let (data, mixing) = (arguments.load("")?, arguments.load(".mixing")?);
    let (x, run) = (matrix(&data)?, arguments.run()?);
    // scikit-learn's tolerance, of the same change of directions.
    let method = FastIca { tol: 1e-4, ..FastIca::default() };
    let judge = |model: LinearModel| {
        let unmixing = model.matrix("components").ok_or("no components")?.to_owned();
        let p = unmixing.dot(&matrix(&mixing)?).mapv(f64::abs);
        let over: f64 = [0, 1]
            .map(|axis| {
                p.lanes(Axis(axis))
                    .into_iter()
                    .map(|l| l.sum() / l.fold(0.0, |m: f64, &v| m.max(v)) - 1.0)
                    .sum()
            })
            .iter()
            .sum();
        Ok(vec![("amari_error", over / (2 * p.nrows() * (p.nrows() - 1)) as f64)])
    };
    serve(|| Ok(method.fit_model(x, &run)?), judge)
}

/// A Gaussian random projection.
pub fn random(arguments: &Arguments) -> Outcome {
    let data = arguments.load("")?;
    let (x, run) = (matrix(&data)?, arguments.run()?);
    let method = RandomProjection {
        n_components: Some(arguments.number("components")?),
        ..RandomProjection::default()
    };
    let judge = |model: LinearModel| {
        let y = embedding(&model)?;
        let pairs = x.nrows() - 1;
        let step = |m: ArrayView2<'_, f64>, i: usize| -> f64 {
            m.row(i).iter().zip(m.row(i + 1)).map(|(a, b)| (a - b).powi(2)).sum()
        };
        let apart = |i: usize| (step(y.view(), i) / step(x, i) - 1.0).abs();
        Ok(vec![("distortion", (0..pairs).map(apart).sum::<f64>() / pairs as f64)])
    };
    serve(|| Ok(method.fit_model(x, &run)?), judge)
}

/// Linear discriminants.
pub fn lda(arguments: &Arguments) -> Outcome {
    let data = arguments.load("")?;
    let labels: Array<i64> = arguments.load(".labels")?;
    let (x, run) = (matrix(&data)?, arguments.run()?);
    let method = Lda::default();
    let judge = |model: LinearModel| {
        // What the method maximizes: the trace of W^-1 B, in the embedding's own units.
        let y = embedding(&model)?;
        let (k, n) = (y.ncols(), y.nrows());
        let classes = labels.values.iter().max().map_or(0, |&most| most as usize + 1);
        let mean = y.mean_axis(Axis(0)).ok_or("no rows")?;
        let (mut within, mut between) = (Array2::<f64>::zeros((k, k)), Array2::<f64>::zeros((k, k)));
        for class in 0..classes {
            let rows: Vec<usize> = (0..n).filter(|&i| labels.values[i] as usize == class).collect();
            let Some(own) = y.select(Axis(0), &rows).mean_axis(Axis(0)) else { continue };
            let centered = y.select(Axis(0), &rows) - &own;
            within = within + centered.t().dot(&centered);
            let step = (&own - &mean).insert_axis(Axis(1));
            between = between + step.dot(&step.t()) * rows.len() as f64;
        }
        // The embedding makes the spread within classes a sphere.
        let trace: f64 = (0..k).map(|j| between[(j, j)] / within[(j, j)]).sum();
        Ok::<Vec<Figure>, Box<dyn std::error::Error>>(vec![("within_over_between", 1.0 / trace)])
    };
    serve(|| Ok(method.fit_model_labeled(x, &labels.values, &run)?), judge)
}

/// Probabilistic PCA of incomplete rows.
pub fn missing(arguments: &Arguments) -> Outcome {
    incomplete(arguments, false)
}

/// The same after the means were put in the gaps.
pub fn mean_imputed(arguments: &Arguments) -> Outcome {
    incomplete(arguments, true)
}

fn incomplete(arguments: &Arguments, by_means: bool) -> Outcome {
    let (data, truth) = (arguments.load("")?, arguments.load(".truth")?);
    let (x, truth, run) = (matrix(&data)?, matrix(&truth)?, arguments.run()?);
    let method = Ppca { n_components: Dimension::Count(arguments.number("components")?), ..Ppca::default() };
    let timed = || {
        let mut filled = x.to_owned();
        if by_means {
            for mut column in filled.columns_mut() {
                let seen: Vec<f64> = column.iter().copied().filter(|v| !v.is_nan()).collect();
                let mean = seen.iter().sum::<f64>() / seen.len() as f64;
                column.iter_mut().filter(|v| v.is_nan()).for_each(|v| *v = mean);
            }
        }
        Ok(method.fit_model(&filled, &run)?)
    };
    let judge = |model: LinearModel| {
        let full = model.impute(x.into(), &run)?.to_f64();
        let (mut error, mut count) = (0.0, 0.0);
        for ((full, truth), _) in full.iter().zip(truth).zip(x).filter(|(_, x)| x.is_nan()) {
            error += (full - truth).powi(2);
            count += 1.0;
        }
        Ok(vec![("imputation_error", f64::sqrt(error / count))])
    };
    serve(timed, judge)
}
