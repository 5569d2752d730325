//! A graph in several connected components: each is fitted by itself, and points that are left out are embedded as new
//! ones. Written once for all methods with a graph.

use super::neighborhood::Connected;
use super::{ComponentModel, Neighborhood, Source};
use crate::model::{Report, Warning};
use crate::parameters::Field;
use lowland_base::{Error, Result, Run};
use lowland_neighbors::graph::ConnectedComponent;
use ndarray::{Array2, Axis};

/// All components of a model together.
pub(crate) struct Whole {
    pub connected_components: Vec<ComponentModel>,
    pub embedding: Array2<f64>,
    pub report: Report,
}

/// Fits every connected component. One with fewer points than there are dimensions has zeros in the others.
pub(crate) fn fit(
    connected: Connected,
    source: &Source,
    neighborhood: &Neighborhood,
    components: usize,
    run: &Run,
    mut fit_component: impl FnMut(ConnectedComponent<f64>) -> Result<(ComponentModel, Array2<f64>, Report)>,
) -> Result<Whole> {
    let Connected { connected_components, left_out, sizes } = connected;
    let several = connected_components.len() > 1;
    let mut embedding = Array2::zeros((source.len(), components));
    let (mut fitted, mut report) = (Vec::new(), Report::default());
    let (mut edge, mut widest): (Option<f64>, f64) = (None, 0.0);
    for part in connected_components {
        run.check()?;
        let rows: Vec<usize> = part.rows.iter().map(|&row| row as usize).collect();
        let (mut model, found, mut of_component) = fit_component(part)?;
        model.resize(components);
        let mut coordinates = Array2::zeros((found.nrows(), components));
        coordinates.slice_mut(ndarray::s![.., ..found.ncols()]).assign(&found);
        if several {
            // Side by side along the first axis, a gap of a tenth of the widest so far between.
            let first = coordinates.column(0);
            let (low, high) =
                first.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), &x| (l.min(x), h.max(x)));
            widest = widest.max(high - low);
            let gap = if widest > 0.0 { 0.1 * widest } else { 1.0 };
            let translation = edge.map_or(0.0, |edge| edge + gap) - low;
            model.translation[0] = translation;
            edge = Some(translation + high);
            coordinates.column_mut(0).mapv_inplace(|x| x + translation);
        }
        for (&row, values) in rows.iter().zip(coordinates.rows()) {
            embedding.row_mut(row).assign(&values);
        }
        if several && rows.len() <= components {
            // So few points cannot vary in as many directions.
            of_component.warnings.retain(|warning| !matches!(warning, Warning::RankDeficient { .. }));
        }
        of_component.warnings.retain(|warning| !report.warnings.contains(warning));
        model.members = rows;
        if fitted.is_empty() {
            report = of_component;
        } else {
            report.eigenvalues.append(&mut of_component.eigenvalues);
            // What follows the eigenvalues of one component does not follow those of another.
            report.further_eigenvalues.clear();
            report.residuals.append(&mut of_component.residuals);
            report.landmarks.append(&mut of_component.landmarks);
            report.warnings.append(&mut of_component.warnings);
        }
        fitted.push(model);
    }
    if !left_out.is_empty() {
        let rows: Vec<usize> = left_out.iter().map(|&row| row as usize).collect();
        let queries = match source {
            Source::Points(x) | Source::Distances(x) => x.select(Axis(0), &rows),
            // Nothing relates the other components to the largest.
            Source::Kernel(_) | Source::Graph { .. } => return Err(Error::disconnected(sizes)),
        };
        let extended = fitted[0].extend(queries.view(), run)?;
        for (&row, values) in rows.iter().zip(extended.rows()) {
            embedding.row_mut(row).assign(&values);
        }
    }
    report_components(&mut report, sizes, neighborhood);
    Ok(Whole { connected_components: fitted, embedding, report })
}

/// The sizes of the connected components, and what was done about several.
pub(crate) fn report_components(report: &mut Report, sizes: Vec<usize>, neighborhood: &Neighborhood) {
    if sizes.len() > 1 {
        let policy = neighborhood.policy.to_value().to_string();
        report
            .warnings
            .insert(0, Warning::Disconnected { sizes: sizes.clone(), policy, remedy: String::new() });
    }
    report.connected_component_sizes = sizes;
}
