//! The flags of the commands that fit a method.

use super::Input;
use crate::known;
use crate::values::assignment;
use clap::{Args, ValueHint};
use lowland::InputKind;

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
    /// Read labels or values, one a row: they color the picture, and some methods learn from them
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub labels: Option<String>,
    /// Write a report (JSON)
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub report: Option<String>,
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
    /// Write a report (JSON)
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub report: Option<String>,
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
