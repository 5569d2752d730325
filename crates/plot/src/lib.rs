//! The pictures of Lowland: an embedding as a scatter plot, a spectrum as bars. A picture is drawn once, as a
//! list of shapes, and written as SVG or PNG. The font is embedded: nothing of the system is asked for.

mod beyond;
mod classes;
mod color;
mod frame;
mod images;
mod lines;
mod names;
mod png_file;
mod raster;
mod scatter;
mod scene;
mod sheet;
mod shepard;
mod space;
mod spectrum;
mod strip;
mod style;
mod svg;
mod text;
mod thumbnail;
mod ticks;

pub use classes::{MOST_CLASSES, are_classes};
pub use lines::{Curve, Lines, lines};
pub use sheet::Panel;
pub use shepard::shepard;
pub use style::{Size, Style};
pub use svg::escaped;
pub use thumbnail::{DotStyles, StyleKey, bars, thumbnail, thumbnail_style};

use lowland_base::{Error, Result};
use ndarray::ArrayView2;

/// What gives a point its color.
#[derive(Debug, Clone, Copy)]
pub enum Coloring<'a> {
    /// All points look the same.
    Plain,
    /// The class of each point.
    Classes(&'a [String]),
    /// A number for each point, and what it means.
    Values(&'a [f64], &'a str),
}

/// An embedding to be shown.
#[derive(Debug, Clone, Copy)]
pub struct Scatter<'a> {
    /// One point a row. One column becomes a strip, three a view into space, more the first two.
    pub coordinates: ArrayView2<'a, f64>,
    /// What gives a point its color.
    pub coloring: Coloring<'a>,
    /// Edges between points, by their rows: drawn below the points of two dimensions.
    pub edges: &'a [(u32, u32)],
    /// Images of the points, in two dimensions.
    pub images: Option<Images<'a>>,
    /// The names of the two axes where these are no components.
    pub axes: Option<[&'a str; 2]>,
    /// Title, size, paper.
    pub style: Style<'a>,
}

/// Rows that are images.
#[derive(Debug, Clone, Copy)]
pub struct Images<'a> {
    /// One image a row, its own rows one after the other; larger is lighter.
    pub pixels: ArrayView2<'a, f64>,
    /// The height and the width of an image.
    pub shape: (usize, usize),
}

/// A spectrum to be shown.
#[derive(Debug, Clone, Copy)]
pub struct Spectrum<'a> {
    /// The eigenvalues, in the order of the components.
    pub eigenvalues: &'a [f64],
    /// Those after them, which no component has.
    pub further: &'a [f64],
    /// What the eigenvalues are compared with, where they are the smallest of a matrix: below 1e-14 of it they are zero.
    pub norm: f64,
    /// The share of the whole that the eigenvalues of the components explain together, where there is a whole.
    pub share: Option<f64>,
    /// What the first components leave unexplained, where that is known: drawn instead of the share.
    pub residual_variance: &'a [f64],
    /// Title, size, paper.
    pub style: Style<'a>,
}

/// A Shepard diagram to be shown.
#[derive(Debug, Clone, Copy)]
pub struct Shepard<'a> {
    /// One pair a row: dissimilarity, disparity, distance in the layout.
    pub pairs: ArrayView2<'a, f64>,
    /// Title, size, paper.
    pub style: Style<'a>,
}

/// The format of a picture's file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// Shapes and text.
    Svg,
    /// Pixels, two for each unit.
    Png,
}

impl Format {
    /// By the ending of the file's name.
    pub fn of(path: &str) -> Result<Self> {
        let lower = path.to_lowercase();
        if lower.ends_with(".svg") {
            Ok(Self::Svg)
        } else if lower.ends_with(".png") {
            Ok(Self::Png)
        } else {
            Err(Error::parameter("plot", path, "a name that ends in .svg or .png", "choose one of them"))
        }
    }
}

/// A finished drawing.
pub struct Picture(scene::Scene);

impl Picture {
    /// The bytes of its file.
    pub fn encode(&self, format: Format) -> Result<Vec<u8>> {
        match format {
            Format::Svg => svg::encode(&self.0),
            Format::Png => png_file::encode(&raster::draw(&self.0)?),
        }
    }

    /// The characters of its texts that the font of a PNG does not have; an SVG is shown with the viewer's fonts.
    pub fn missing_characters(&self) -> Vec<char> {
        let texts = self.0.items.iter().filter_map(|item| match item {
            scene::Item::Text { text, .. } => Some(text.as_str()),
            _ => None,
        });
        text::missing(&texts.collect::<String>())
    }
}

/// Draws an embedding.
pub fn scatter(plot: &Scatter<'_>) -> Picture {
    Picture(match plot.coordinates.ncols() {
        0 | 1 => strip::draw(plot),
        3 => space::draw(plot),
        _ => scatter::draw(plot),
    })
}

/// Draws a spectrum.
pub fn spectrum(plot: &Spectrum<'_>) -> Picture {
    Picture(spectrum::draw(plot))
}

/// Draws many embeddings of the same points side by side.
pub fn sheet(panels: &[Panel<'_>], coloring: Coloring<'_>, style: &Style<'_>) -> Picture {
    Picture(sheet::draw(panels, coloring, style))
}
