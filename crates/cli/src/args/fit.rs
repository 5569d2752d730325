//! The flags of the commands that fit a method.

use super::Input;
use crate::interrupt::OnInterrupt;
use crate::known;
use crate::outcome::{Failure, Outcome};
use crate::values::{assignment, shape, size};
use clap::{Args, ValueHint};
use lowland::InputKind;
use lowland_plot::Size;

/// The method and its parameters.
#[derive(Args)]
pub struct Method {
    /// The method, by any of its names
    #[arg(short, long, value_name = "METHOD", value_parser = known::methods(), hide_possible_values = true)]
    pub method: Option<String>,
    /// Dimensions: a count, a share of the variance such as 0.95, mle, or all [default: 2]
    #[arg(short, long = "dims", value_name = "DIMS", allow_hyphen_values = true)]
    pub dims: Option<String>,
    /// Neighbors of a point, where the method has them
    #[arg(short = 'k', long = "neighbors", value_name = "K", allow_hyphen_values = true)]
    pub neighbors: Option<String>,
    /// What the rows are: points, or a square matrix that was computed from them
    #[arg(long = "as", value_name = "KIND", value_parser = known::kinds(&InputKind::ALL), default_value_t = InputKind::Points)]
    pub kind: InputKind,
    /// Set a parameter ('lowland methods METHOD' lists them)
    #[arg(long = "set", value_name = "NAME=VALUE", value_parser = assignment)]
    pub set: Vec<(String, String)>,
}

/// Layouts that are made step by step, and networks that are trained so.
#[derive(Args)]
#[command(next_help_heading = "Options of layouts and networks (t-sne, umap, autoencoder, ...)")]
pub struct Layout {
    /// Begin with these coordinates, one row a row of the data, or go on from a checkpoint
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub start: Option<String>,
    /// Write a checkpoint every 30 seconds and when a result is kept on Ctrl-C; --start goes on from it
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub checkpoint: Option<String>,
    /// What Ctrl-C does while a layout is under way
    #[arg(long, value_name = "WHAT", value_enum, default_value_t = OnInterrupt::Ask)]
    pub on_interrupt: OnInterrupt,
}

/// What pictures look like.
#[derive(Args)]
pub struct Style {
    /// The title of pictures [default: the method, the data and the settings]
    #[arg(long, value_name = "TEXT")]
    pub title: Option<String>,
    /// The size of pictures in pixels, such as 1200x800 [default: 1920x1440]
    #[arg(long, value_name = "WxH", value_parser = size)]
    pub size: Option<Size>,
    /// Draw light on dark
    #[arg(long)]
    pub dark: bool,
}

impl Style {
    /// Refuses what is asked of pictures that are not drawn.
    pub fn check(&self, pictures: &[&Option<String>]) -> Outcome {
        let asked = self.title.is_some() || self.size.is_some() || self.dark;
        if asked && pictures.iter().all(|path| path.is_none()) {
            return Err(Failure::Usage(
                "--title, --size and --dark are about pictures; give --plot FILE".into(),
            ));
        }
        Ok(())
    }
}

/// What is drawn beside the points.
#[derive(Args)]
pub struct Beside {
    /// Draw the neighbor graph into the picture
    #[arg(long, requires = "plot")]
    pub graph: bool,
    /// Draw the rows themselves at their points, as images
    #[arg(long, requires = "plot")]
    pub images: bool,
    /// The height and width of the images that the rows are, such as 28x20 [default: a square]
    #[arg(long, value_name = "HxW", value_parser = shape, requires = "images")]
    pub image_shape: Option<(usize, usize)>,
}

/// Fit a method.
#[derive(Args)]
pub struct Embed {
    #[command(flatten)]
    pub input: Input,
    #[command(flatten)]
    pub method: Method,
    /// Write the embedding; '-' is CSV on standard output
    #[arg(short, long = "output", value_name = "OUT", value_hint = ValueHint::FilePath)]
    pub output: Option<String>,
    /// Write the model, for 'transform' and 'inverse'
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub model: Option<String>,
    /// Write a picture of the embedding (.svg or .png)
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub plot: Option<String>,
    /// Write a picture of the eigenvalues (.svg or .png)
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub plot_spectrum: Option<String>,
    /// Write a Shepard diagram of the distances, for sammon, mds and nonmetric-mds (.svg or .png)
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub plot_shepard: Option<String>,
    /// Write a picture of the embedding colored by the stress of each point, for sammon, mds and nonmetric-mds (.svg or .png)
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub plot_stress: Option<String>,
    #[command(flatten)]
    pub style: Style,
    #[command(flatten)]
    pub beside: Beside,
    /// Read labels or values, one a row: they color the picture, and some methods learn from them
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub labels: Option<String>,
    /// Write a report (JSON)
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub report: Option<String>,
    #[command(flatten)]
    pub layout: Layout,
}

/// Find clusters.
#[derive(Args)]
pub struct Cluster {
    #[command(flatten)]
    pub input: Input,
    /// The number of clusters [default: by the gap of the eigenvalues]
    #[arg(short = 'n', long = "clusters", value_name = "CLUSTERS", allow_hyphen_values = true)]
    pub clusters: Option<String>,
    /// Neighbors of a point
    #[arg(short = 'k', long = "neighbors", value_name = "K", allow_hyphen_values = true)]
    pub neighbors: Option<String>,
    /// What the rows are: points, or a square matrix that was computed from them
    #[arg(long = "as", value_name = "KIND", value_parser = known::kinds(&InputKind::ALL), default_value_t = InputKind::Points)]
    pub kind: InputKind,
    /// Set a parameter
    #[arg(long = "set", value_name = "NAME=VALUE", value_parser = assignment, help = known::clustering_parameters())]
    pub set: Vec<(String, String)>,
    /// Write the labels, one a row
    #[arg(short, long = "output", value_name = "LABELS", value_hint = ValueHint::FilePath)]
    pub output: Option<String>,
    /// Write the model
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub model: Option<String>,
    /// Write a picture of the embedding, colored by cluster (.svg or .png)
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub plot: Option<String>,
    #[command(flatten)]
    pub style: Style,
    /// Write a report (JSON)
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub report: Option<String>,
}

/// Fit oriented PCA to covariances.
#[derive(Args)]
pub struct Orient {
    /// The covariance of the signals, a row for each column of the data
    #[arg(value_hint = ValueHint::FilePath)]
    pub signal: String,
    /// The correlation of the noise
    #[arg(value_hint = ValueHint::FilePath)]
    pub noise: String,
    /// The mean of the signals, in one row or one column [default: 0]
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub mean: Option<String>,
    /// Dimensions: a count, or auto [default: auto]
    #[arg(short, long = "dims", value_name = "DIMS", allow_hyphen_values = true)]
    pub dims: Option<String>,
    /// Set a parameter ('lowland methods oriented-pca' lists them)
    #[arg(long = "set", value_name = "NAME=VALUE", value_parser = assignment)]
    pub set: Vec<(String, String)>,
    /// Write the model
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub model: String,
}

/// Fill in missing values.
#[derive(Args)]
pub struct Impute {
    #[command(flatten)]
    pub input: Input,
    /// The method that is fitted, by any of its names
    #[arg(short, long, value_name = "METHOD", value_parser = known::methods(), hide_possible_values = true)]
    #[arg(default_value = lowland::registry::imputing().name)]
    pub method: String,
    /// Dimensions: a count, or auto [default: auto]
    #[arg(short, long = "dims", value_name = "DIMS", allow_hyphen_values = true)]
    pub dims: Option<String>,
    /// Set a parameter ('lowland methods METHOD' lists them)
    #[arg(long = "set", value_name = "NAME=VALUE", value_parser = assignment)]
    pub set: Vec<(String, String)>,
    /// Take this saved model instead of fitting one
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, conflicts_with_all = ["method", "dims", "set"])]
    pub from: Option<String>,
    /// Write the model
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, conflicts_with = "from")]
    pub model: Option<String>,
    /// Write the rows
    #[arg(short, long = "output", value_name = "OUT", value_hint = ValueHint::FilePath)]
    pub output: String,
}

/// Forecast a fit.
#[derive(Args)]
pub struct Plan {
    #[command(flatten)]
    pub input: Input,
    #[command(flatten)]
    pub method: Method,
}
