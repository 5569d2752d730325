//! Any method of the registry: its numbers are the arguments of the work.

use crate::npy::Array;
use crate::protocol::{Arguments, Figure, Outcome, serve};
use lowland::parameters::Value;
use lowland::{Entry, Method, Model};
use ndarray::{ArrayView1, ArrayView2, Axis, s};

/// Fit and embedding in one, in double precision.
pub fn fit(entry: &'static Entry, arguments: &Arguments) -> Outcome {
    let data: Array<f64> = arguments.load("")?;
    let x = ArrayView2::from_shape(data.rows_columns()?, &data.values)?;
    let run = arguments.run()?;
    let method = configured(entry, arguments)?;
    serve(|| Ok(method.fit(x.into(), &run)?), |model| figures(model.as_ref(), x))
}

/// New rows to their coordinates, all at once: the model is fitted to the first of them, outside the time taken.
pub fn transform(method: &str, arguments: &Arguments) -> Outcome {
    let data: Array<f64> = arguments.load("")?;
    let x = ArrayView2::from_shape(data.rows_columns()?, &data.values)?;
    let run = arguments.run()?;
    let entry = lowland::registry::find(method)?;
    let training = x.slice(s![..arguments.number("training")?, ..]);
    let model = configured(entry, arguments)?.fit(training.into(), &run)?;
    serve(
        || Ok(model.transform(x.into(), &run)?.to_f64()),
        |y| Ok(if y.ncols() == 2 { vec![("recovered", recovered(y.view(), x))] } else { vec![] }),
    )
}

/// The method with those of its parameters that are arguments of the work.
pub fn configured(entry: &'static Entry, arguments: &Arguments) -> Outcome<Box<dyn Method>> {
    let mut method = (entry.create)();
    for parameter in (entry.parameters)() {
        if let Ok(number) = arguments.number(parameter.name) {
            method.set(parameter.name, &Value::Integer(i64::try_from(number)?))?;
        }
        if let Ok(thousandths) = arguments.number(&format!("{}_thousandths", parameter.name)) {
            method.set(parameter.name, &Value::Real(thousandths as f64 / 1000.0))?;
        }
    }
    Ok(method)
}

/// The worst residual of the eigenpairs relative to the norm of their matrix (the largest eigenvalue, where that is it), the sum of squares of the first
/// coordinate (the largest eigenvalue, where that is its scale), and on rolls how well the strip is recovered.
fn figures(model: &dyn Model, x: ArrayView2<'_, f64>) -> Outcome<Vec<Figure>> {
    let report = model.report();
    let most = |values: &[f64]| values.iter().fold(0.0f64, |most, value| most.max(value.abs()));
    let mut figures = Vec::new();
    let norm = report.norm.max(most(&report.eigenvalues));
    if norm > 0.0 {
        figures.push(("residual", most(&report.residuals) / norm));
    }
    if let Some(y) = model.embedding().map(lowland::AnyMatrix::to_f64) {
        figures.push(("first", y.column(0).dot(&y.column(0))));
        if x.ncols() == 3 && y.ncols() == 2 {
            figures.push(("recovered", recovered(y.view(), x)));
        }
    }
    Ok(figures)
}

/// The lesser of the correlations of a Swiss roll's arc length and height with their best linear fits.
fn recovered(y: ArrayView2<'_, f64>, x: ArrayView2<'_, f64>) -> f64 {
    let arc = x.map_axis(Axis(1), |p| {
        let t: f64 = p[0].hypot(p[2]);
        0.5 * (t * t.hypot(1.0) + t.asinh())
    });
    let y = &y - &y.mean_axis(Axis(0)).unwrap_or_default();
    let (a, b) = (y.column(0), y.column(1));
    let fit = |truth: ArrayView1<'_, f64>| {
        let truth = &truth - truth.mean().unwrap_or_default();
        // Two normal equations.
        let (aa, ab, bb, at, bt) = (a.dot(&a), a.dot(&b), b.dot(&b), a.dot(&truth), b.dot(&truth));
        let det = aa * bb - ab * ab;
        let fitted = &a * ((at * bb - bt * ab) / det) + &b * ((bt * aa - at * ab) / det);
        fitted.dot(&truth) / (fitted.dot(&fitted) * truth.dot(&truth)).sqrt()
    };
    fit(arc.view()).min(fit(x.column(1)))
}
