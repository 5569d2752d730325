//! Laplacian eigenmaps, spectral clustering, diffusion maps.

use crate::npy::{self, Array, Element};
use crate::protocol::{Arguments, Figure, Outcome, serve};
use lowland::methods::{DiffusionMaps, LaplacianEigenmaps, SpectralClustering};
use lowland::spectral::{Affinity, SpectralModel};
use lowland::{Method, Model, Run};
use ndarray::ArrayView2;

/// Fit and embedding, binary weights.
pub fn eigenmaps(arguments: &Arguments) -> Outcome {
    let (k, count) = (arguments.number("k")?, arguments.number("components")?);
    let method = LaplacianEigenmaps {
        n_components: count,
        n_neighbors: k,
        affinity: Affinity::Binary,
        ..LaplacianEigenmaps::default()
    };
    match &*npy::descr(&arguments.file("")?)? {
        "<f4" => fit::<f32>(arguments, |x, run| Ok(method.fit_model(x, run)?)),
        _ => fit::<f64>(arguments, |x, run| Ok(method.fit_model(x, run)?)),
    }
}

/// Labels of as many clusters as there are components, binary weights.
pub fn clusters(arguments: &Arguments) -> Outcome {
    let (k, count) = (arguments.number("k")?, arguments.number("components")?);
    let method = SpectralClustering {
        n_clusters: Some(count),
        n_neighbors: k,
        affinity: Affinity::Binary,
        ..SpectralClustering::default()
    };
    fit::<f64>(arguments, |x, run| Ok(method.fit_model(x, run)?))
}

/// An edge between all pairs of points, alpha = 1, a given width.
pub fn diffusion(arguments: &Arguments) -> Outcome {
    let count = arguments.number("components")?;
    let width = Some(arguments.number("width")? as f64);
    let method = DiffusionMaps { n_components: count, width, ..DiffusionMaps::default() };
    fit::<f64>(arguments, |x, run| Ok(method.fit_model(x, run)?))
}

fn fit<T: Element + lowland::Element>(
    arguments: &Arguments,
    fit: impl Fn(ArrayView2<'_, T>, &Run) -> Outcome<SpectralModel>,
) -> Outcome {
    let data: Array<T> = arguments.load("")?;
    let x = ArrayView2::from_shape(data.rows_columns()?, &data.values)?;
    let run = arguments.run()?;
    serve(|| fit(x, &run), |model| Ok(figures(&model)))
}

/// The residual of the worst pair of a matrix of norm 1 or 2, and the sum of the values, which shows that both
/// sides have found the same.
fn figures(model: &SpectralModel) -> Vec<Figure> {
    let report = model.report();
    let worst = report.residuals.iter().fold(0.0f64, |worst, &residual| worst.max(residual));
    vec![("residual", worst), ("eigenvalue_sum", report.eigenvalues.iter().sum())]
}
