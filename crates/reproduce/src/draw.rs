//! Pictures of the experiments, as files.

use crate::Context;
use lowland::Result;
use lowland_plot::{Coloring, Curve, Format, Lines, Panel, Picture, Size, Style};
use ndarray::Array2;

/// Curves that own their numbers.
#[derive(Debug, Clone, Default)]
pub struct Series {
    /// The name in the key.
    pub name: String,
    /// Position and height of each point.
    pub points: Vec<[f64; 2]>,
    /// The interval of each point, or none.
    pub intervals: Vec<[f64; 2]>,
    /// Whether the line is dashed.
    pub dashed: bool,
}

/// Writes a picture; the name of its file.
pub fn keep(context: &Context<'_>, file: &str, picture: &Picture) -> Result<String> {
    context.work.write(file, &picture.encode(Format::of(file)?)?)?;
    Ok(file.to_owned())
}

/// Title and subtitle.
pub fn style<'a>((title, subtitle): (&'a str, &'a str)) -> Style<'a> {
    Style { title, subtitle, size: Size { width: 1600, height: 1200 }, dark: false }
}

/// Embeddings side by side.
pub fn sheet(
    context: &Context<'_>,
    file: &str,
    words: (&str, &str),
    panels: &[(String, Vec<[f64; 2]>)],
    coloring: Coloring<'_>,
) -> Result<String> {
    let matrices: Vec<Array2<f64>> = panels
        .iter()
        .map(|(_, points)| Array2::from_shape_fn((points.len(), 2), |(i, j)| points[i][j]))
        .collect();
    let panels: Vec<Panel<'_>> = panels
        .iter()
        .zip(&matrices)
        .map(|((name, _), matrix)| Panel { name, coordinates: matrix.view() })
        .collect();
    keep(context, file, &lowland_plot::sheet(&panels, coloring, &style(words)))
}

/// Curves over one axis, and a level that is marked.
pub fn curves(
    context: &Context<'_>,
    file: &str,
    words: (&str, &str),
    (across, up): (&str, &str),
    series: &[Series],
    level: Option<f64>,
) -> Result<String> {
    let curves: Vec<Curve<'_>> = series
        .iter()
        .map(|one| Curve {
            name: &one.name,
            points: &one.points,
            intervals: &one.intervals,
            dashed: one.dashed,
        })
        .collect();
    keep(
        context,
        file,
        &lowland_plot::lines(&Lines { curves: &curves, across, up, level, style: style(words) }),
    )
}

/// The first two columns of an embedding.
pub fn flat(embedding: &Array2<f64>) -> Vec<[f64; 2]> {
    let column = |row: ndarray::ArrayView1<'_, f64>, j: usize| row.get(j).copied().unwrap_or(0.0);
    embedding.rows().into_iter().map(|row| [column(row, 0), column(row, 1)]).collect()
}
