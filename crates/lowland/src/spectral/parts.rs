//! A graph in several pieces: each is fitted by itself, and what is left out is placed as new points are. Written
//! once for all methods with a graph.

use super::neighborhood::Connected;
use super::{Near, Neighborhood, Piece, Source};
use crate::model::{Report, Warning};
use crate::parameters::Field;
use lowland_base::{Error, Result, Run};
use lowland_neighbors::graph::Part;
use ndarray::{Array2, Axis};

/// All parts of a model.
pub(crate) struct Whole {
    pub pieces: Vec<Piece>,
    pub embedding: Array2<f64>,
    pub report: Report,
}

/// Fits every part. A part with fewer points than components fills the rest with zeros.
pub(crate) fn fit(
    connected: Connected,
    source: &Source,
    neighborhood: &Neighborhood,
    components: usize,
    run: &Run,
    mut fit_part: impl FnMut(Part<f64>) -> Result<(Piece, Array2<f64>, Report)>,
) -> Result<Whole> {
    let Connected { parts, left_out, sizes } = connected;
    let several = parts.len() > 1;
    let mut embedding = Array2::zeros((source.len(), components));
    let (mut pieces, mut report) = (Vec::new(), Report::default());
    let (mut edge, mut widest): (Option<f64>, f64) = (None, 0.0);
    for part in parts {
        run.check()?;
        let rows: Vec<usize> = part.rows.iter().map(|&row| row as usize).collect();
        let (mut piece, own, of_part) = fit_part(part)?;
        let (mut own, mut of_part) = (widened(&own, components), of_part);
        widen(&mut piece, components);
        if several {
            // Side by side along the first axis, a gap of a tenth of the widest so far between.
            let first = own.column(0);
            let (low, high) =
                first.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), &x| (l.min(x), h.max(x)));
            widest = widest.max(high - low);
            let gap = if widest > 0.0 { 0.1 * widest } else { 1.0 };
            piece.place[0] = edge.map_or(0.0, |edge| edge + gap) - low;
            edge = Some(piece.place[0] + high);
            own.column_mut(0).mapv_inplace(|x| x + piece.place[0]);
        }
        for (&row, values) in rows.iter().zip(own.rows()) {
            embedding.row_mut(row).assign(&values);
        }
        piece.members = rows;
        if pieces.is_empty() {
            report = of_part;
        } else {
            report.eigenvalues.append(&mut of_part.eigenvalues);
            report.residuals.append(&mut of_part.residuals);
            report.warnings.append(&mut of_part.warnings);
        }
        pieces.push(piece);
    }
    if !left_out.is_empty() {
        let rows: Vec<usize> = left_out.iter().map(|&row| row as usize).collect();
        let queries = match source {
            Source::Points(x) | Source::Distances(x) | Source::Kernel(x) => x.select(Axis(0), &rows),
            Source::Graph(_) => {
                return Err(Error::Unsupported {
                    method: "the policy largest".into(),
                    what: "place the points of other pieces of a graph: nothing is known but its edges"
                        .into(),
                    remedy: "choose disconnected = separate, or give points or distances".into(),
                });
            }
        };
        let placed = pieces[0].extend(queries.view(), run)?;
        for (&row, values) in rows.iter().zip(placed.rows()) {
            embedding.row_mut(row).assign(&values);
        }
    }
    report_components(&mut report, sizes, neighborhood);
    Ok(Whole { pieces, embedding, report })
}

/// Into how many pieces the graph fell, and what was done about it.
pub(crate) fn report_components(report: &mut Report, sizes: Vec<usize>, neighborhood: &Neighborhood) {
    if sizes.len() > 1 {
        let policy = neighborhood.policy.to_value().to_string();
        report.warnings.insert(0, Warning::Disconnected { sizes: sizes.clone(), policy });
    }
    report.component_sizes = sizes;
}

fn widened(matrix: &Array2<f64>, columns: usize) -> Array2<f64> {
    let mut wide = Array2::zeros((matrix.nrows(), columns));
    wide.slice_mut(ndarray::s![.., ..matrix.ncols()]).assign(matrix);
    wide
}

fn widen(piece: &mut Piece, columns: usize) {
    piece.map = widened(&piece.map, columns);
    piece.coordinates = widened(&piece.coordinates, columns);
    piece.offset.resize(columns, 0.0);
    piece.place.resize(columns, 0.0);
    piece.weights.resize(columns, 0.0);
}

/// Where new points find their neighbors among the points of a part.
pub(crate) fn near(source: &Source, rows: &[u32]) -> Near {
    let rows: Vec<usize> = rows.iter().map(|&row| row as usize).collect();
    match source {
        Source::Points(points) if rows.len() == points.nrows() => Near::Points(points.clone()),
        Source::Points(points) => Near::Points(points.select(Axis(0), &rows)),
        Source::Graph(_) => Near::Edges(rows),
        _ => Near::Columns(rows),
    }
}
