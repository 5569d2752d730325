//! PCA.

use crate::npy::{self, Array, Element};
use crate::protocol::{Arguments, Figure, Outcome, serve};
use lowland::{Method, methods::Pca, parameters::Components};
use ndarray::ArrayView2;

/// Fit and transform in one.
pub fn pca(arguments: &Arguments) -> Outcome {
    match &*npy::descr(&arguments.file("")?)? {
        "<f4" => pca_of::<f32>(arguments),
        _ => pca_of::<f64>(arguments),
    }
}

fn pca_of<T: Element + lowland::Element>(arguments: &Arguments) -> Outcome {
    let data: Array<T> = arguments.load("")?;
    let x = ArrayView2::from_shape(data.rows_columns()?, &data.values)?;
    let (k, run) = (arguments.number("components")?, arguments.run()?);
    let method = Pca { n_components: Components::Count(k), ..Pca::default() };
    // The model holds the embedding of the rows it was fitted to.
    serve(|| Ok(method.fit_model(x, &run)?), |model| subspace_error(arguments, model.directions()))
}

/// ||C - C V'V||_F / ||C||_F: how much of the found axes (rows of C) lies outside the true ones (of V).
fn subspace_error(arguments: &Arguments, axes: ArrayView2<'_, f64>) -> Outcome<Vec<Figure>> {
    let truth: Array<f64> = arguments.load(&format!(".components-{}", arguments.number("components")?))?;
    let truth = ArrayView2::from_shape(truth.rows_columns()?, &truth.values)?;
    let rest = &axes - &axes.dot(&truth.t()).dot(&truth);
    let squares = |values: ArrayView2<'_, f64>| values.iter().map(|v| v * v).sum::<f64>();
    Ok(vec![("subspace_error", (squares(rest.view()) / squares(axes)).sqrt())])
}
