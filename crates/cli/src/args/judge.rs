//! The flags of the commands that judge data and embeddings.

use super::{Input, Method};
use crate::known;
use crate::values::duration;
use clap::{Args, ValueHint};
use lowland::InputKind;

/// What an embedding can be compared with.
const JUDGED: [InputKind; 2] = [InputKind::Points, InputKind::Distances];

/// Judge an embedding.
#[derive(Args)]
pub struct Evaluate {
    #[command(flatten)]
    pub input: Input,
    /// The embedding: a file with a row for each row of the data
    #[arg(value_hint = ValueHint::FilePath)]
    pub embedding: String,
    /// What the rows of the data are
    #[arg(long = "as", value_name = "KIND", value_parser = known::kinds(&JUDGED), default_value_t = InputKind::Points)]
    pub kind: InputKind,
    /// Neighbors of a point [default: 12, or all others where they are fewer]
    #[arg(short = 'k', long = "neighbors", value_name = "K")]
    pub neighbors: Option<usize>,
    /// Read labels, one a row
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub labels: Option<String>,
    /// Read the true parameters behind the points, one row each
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub truth: Option<String>,
    /// Read the model that made the embedding: its reconstruction error and its kernel error are measured too
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub model: Option<String>,
    /// Read rows that were not in the fit: the kernel error of the model is measured on them too
    #[arg(long, value_name = "FILE", requires = "model", value_hint = ValueHint::FilePath)]
    pub held_out: Option<String>,
    /// Measure the entropy of the embedding in bits, as that of a Gaussian: also its mutual information with the data
    #[arg(long)]
    pub entropy: bool,
    /// Write everything, with the curves and the measures of every point (JSON)
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub report: Option<String>,
}

/// Estimate a dimension.
#[derive(Args)]
pub struct Dimension {
    #[command(flatten)]
    pub input: Input,
    /// Only this estimator; may be repeated [default: all]
    #[arg(short, long, value_name = "NAME", value_parser = known::estimators())]
    pub estimator: Vec<String>,
    /// The smallest neighborhood looked at
    #[arg(long, value_name = "K", default_value_t = 10)]
    pub k1: usize,
    /// The largest neighborhood looked at
    #[arg(long, value_name = "K", default_value_t = 20)]
    pub k2: usize,
    /// Write everything, with the estimates around every point (JSON)
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub report: Option<String>,
}

/// Find outliers.
#[derive(Args)]
pub struct Outliers {
    #[command(flatten)]
    pub input: Input,
    /// Neighbors of a point: groups of fewer points may be outliers [default: 20, or all other different rows where they are
    /// fewer]
    #[arg(short = 'k', long = "neighbors", value_name = "K")]
    pub neighbors: Option<usize>,
    /// The local outlier factor above which a row is one: 1 amid others, 2 in half their density
    #[arg(long, value_name = "FACTOR", default_value_t = 1.5)]
    pub threshold: f64,
    /// Write the table without the outliers
    #[arg(short, long = "output", value_name = "OUT", value_hint = ValueHint::FilePath)]
    pub output: Option<String>,
    /// Write everything, with the factor of every row (JSON)
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub report: Option<String>,
}

/// Compare methods.
#[derive(Args)]
pub struct Compare {
    #[command(flatten)]
    pub input: Input,
    /// Only these methods, with commas between them [default: all that fit]
    #[arg(short, long, value_name = "METHODS", value_delimiter = ',', value_parser = known::methods(), hide_possible_values = true)]
    pub methods: Vec<String>,
    /// Dimensions of the embeddings [default: estimated by maximum likelihood]
    #[arg(short, long = "dims", value_name = "DIMS")]
    pub dims: Option<usize>,
    /// Values to try instead of the grid's, for one method or for all with this parameter; may be repeated
    #[arg(long, value_name = "[METHOD.]NAME=V1,V2")]
    pub grid: Vec<String>,
    /// Neighbors of a point in the judgment [default: 12, fewer of fewer than 720 points, down to 5]
    #[arg(short = 'k', long = "neighbors", value_name = "K")]
    pub neighbors: Option<usize>,
    /// The measure that ranks [default: the mean of trustworthiness and continuity]
    #[arg(long, value_name = "MEASURE")]
    pub rank_by: Option<String>,
    /// Time that it may take, such as 90s, 10min or 2h; what has not ended by then is left out
    #[arg(long, value_name = "TIME", value_parser = duration)]
    pub budget: Option<std::time::Duration>,
    /// Measure the stability of the N best methods
    #[arg(long, value_name = "N", default_value_t = 5)]
    pub stability: usize,
    /// Read labels or values, one a row: they color the pictures, and classes are judged by them
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub labels: Option<String>,
    /// Write the report (HTML) [default: INPUT-comparison.html]
    #[arg(short, long = "output", value_name = "OUT", value_hint = ValueHint::FilePath)]
    pub output: Option<String>,
    /// Write everything as JSON
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub report: Option<String>,
    /// The folder for finished settings [default: OUT.cells]
    #[arg(long, value_name = "FOLDER", value_hint = ValueHint::DirPath)]
    pub work: Option<String>,
}

/// Measure the stability of a method.
#[derive(Args)]
pub struct Stability {
    #[command(flatten)]
    pub input: Input,
    #[command(flatten)]
    pub method: Method,
    /// The shares of the rows that are exchanged, each above 0 and at most 0.4, with commas between them
    #[arg(long, value_name = "LIST", value_delimiter = ',', default_value = "0.01,0.02,0.05,0.1")]
    pub shares: Vec<f64>,
    /// How often the rows are split, at least 2
    #[arg(long, value_name = "N", default_value_t = 10)]
    pub splits: usize,
    /// How many points are held out at once and embedded as new ones
    #[arg(long, alias = "left-out", value_name = "N", default_value_t = 5)]
    pub held_out: usize,
    /// Write a report (JSON)
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub report: Option<String>,
}
