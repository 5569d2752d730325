//! The flags: one list makes the parser, the help, the completions and the manual page.

use crate::known;
use crate::values::{assignment, bytes, time};
use clap::{Args, Parser, Subcommand, ValueEnum, ValueHint};
use clap_complete::Shell;

/// Turns high-dimensional data into few dimensions.
#[derive(Parser)]
#[command(name = "lowland", version, arg_required_else_help = true, propagate_version = true)]
#[command(after_help = "Data: a file, or data:NAME?n=1000&noise=0&seed=0 for built-in data ('lowland data' \
                        lists the names).\nExit codes: 0 done, 1 failed, 2 wrong usage, 130 interrupted, 143 \
                        terminated.")]
pub struct Cli {
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
    /// Options of every command.
    #[command(flatten)]
    pub common: Common,
}

/// Options of every command.
#[derive(Args)]
#[command(next_help_heading = "Common options")]
pub struct Common {
    /// Seed of every random choice
    #[arg(long, global = true, value_name = "N", default_value_t = 0)]
    pub seed: u64,
    /// Threads; 0 means all. The result does not depend on it
    #[arg(long, global = true, value_name = "N", default_value_t = 0)]
    pub threads: usize,
    /// Memory that a fit may take beyond its input, or a compressed file unfold to, as 8GiB or 500MB
    #[arg(long, global = true, value_name = "SIZE", value_parser = bytes)]
    pub memory: Option<u64>,
    /// A neighbor graph in several pieces, where the method has one: refuse it, join them, fit the largest, or each by itself
    #[arg(long, global = true, value_name = "POLICY")]
    pub components: Option<Policy>,
    /// Overwrite files
    #[arg(long, global = true)]
    pub force: bool,
    /// Say nothing but errors
    #[arg(short, long, global = true)]
    pub quiet: bool,
    /// Print JSON instead of text
    #[arg(long, global = true)]
    pub json: bool,
}

/// What to do with a graph in several pieces.
#[derive(Clone, Copy, ValueEnum)]
pub enum Policy {
    // Words without help of their own keep the help of all commands short.
    Error,
    Join,
    Largest,
    Separate,
}

/// What to do.
#[derive(Subcommand)]
pub enum Command {
    /// Fit a method and write the embedding
    #[command(after_help = "Examples:\n  lowland embed x.csv -m pca -d 2 -o y.csv --plot y.svg\n  \
                            lowland embed 'data:swiss-roll?n=2000' -m pca -d 0.95 --json")]
    Embed(Embed),
    /// Find clusters and write the labels
    #[command(after_help = "Examples:\n  lowland cluster x.csv -n 3 -o labels.csv\n  \
                            lowland cluster 'data:moons?n=500' --set assign_labels=normalized-cut --plot y.svg")]
    Cluster(Cluster),
    /// Embed new rows with a saved model
    Transform(Apply),
    /// Go back from the embedding with a saved model
    Inverse(Apply),
    /// Assign new rows to the clusters of a saved model
    Assign(Apply),
    /// Draw rows from a saved model that is a density
    Sample(Sample),
    /// Fill in missing values
    #[command(
        after_help = "Missing is an empty cell, NaN, NA, n/a, null, none or ?.\nExamples:\n  lowland impute \
                            holes.csv -o full.csv\n  lowland impute holes.csv -m factor-analysis -d 3 -o \
                            full.csv\n  lowland impute new.csv --from model.lowland -o full.csv"
    )]
    Impute(Impute),
    /// Judge an embedding: do neighbors, distances and classes stay?
    #[command(
        after_help = "Examples:\n  lowland evaluate x.npy y.npy -k 12 --labels l.csv\n  lowland evaluate \
                            'data:swiss-roll?n=2000' y.csv --report judgement.json\n  lowland evaluate x.npy y.npy \
                            --model m.lowland --held-out new.npy"
    )]
    Evaluate(Evaluate),
    /// Estimate how many dimensions data really have
    Dimension(Dimension),
    /// Which method to trust: run all that fit over their grids, judge them, write a report
    #[command(
        after_help = "Finished settings are kept in a folder beside the report: the same command goes on where it was \
                            stopped.\n\nExamples:\n  lowland compare x.csv --labels l.csv -d 2 -o report.html\n  lowland \
                            compare x.npy --methods pca,isomap,lle --grid n_neighbors=8,12,16\n  lowland compare x.npy \
                            --budget 10min --memory 4GiB --report report.json"
    )]
    Compare(Compare),
    /// List the methods, or describe one
    Methods(Methods),
    /// Forecast memory and time of a fit; nothing is fitted
    Plan(Plan),
    /// Make built-in data, or list them
    Data(Data),
    /// Print the completions of a shell
    Completions {
        /// The shell
        shell: Shell,
    },
    /// Print the manual page, of the program or of a command
    Man {
        /// The command
        command: Option<String>,
    },
}

/// The data.
#[derive(Args)]
pub struct Input {
    /// The data: a file or data:NAME?n=1000&noise=0&density=1&seed=0
    #[arg(value_hint = ValueHint::FilePath)]
    pub input: String,
    /// The column that holds labels, by its name; it is not part of the data
    #[arg(long, value_name = "NAME")]
    pub label_column: Option<String>,
    /// Whether the first line of a text file holds names [default: by its looks]
    #[arg(long, value_name = "BOOL")]
    pub header: Option<bool>,
}

/// What the rows of the data are.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Rows {
    /// One point a row
    Points,
    /// The distances between all objects
    Distances,
    /// The inner products of all objects
    Kernel,
    /// The lengths of edges; 0 where there is none
    Graph,
}

/// The method and its parameters.
#[derive(Args)]
pub struct Method {
    /// The method, by any of its names
    #[arg(short, long, value_name = "METHOD", value_parser = known::methods(), hide_possible_values = true)]
    pub method: String,
    /// Dimensions: a count, a share of the variance such as 0.95, mle, or all
    #[arg(short, long = "dims", value_name = "DIMS", default_value = "2")]
    pub dims: String,
    /// Neighbors of a point, where the method has them
    #[arg(short = 'k', long = "neighbors", value_name = "K")]
    pub neighbors: Option<usize>,
    /// What the rows are: points, or a square matrix that was computed from them
    #[arg(long = "as", value_name = "KIND", value_enum, default_value_t = Rows::Points)]
    pub rows: Rows,
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
    /// Write the embedding
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
    #[arg(short = 'n', long = "clusters", value_name = "CLUSTERS")]
    pub clusters: Option<usize>,
    /// Neighbors of a point
    #[arg(short = 'k', long = "neighbors", value_name = "K")]
    pub neighbors: Option<usize>,
    /// What the rows are: points, or a square matrix that was computed from them
    #[arg(long = "as", value_name = "KIND", value_enum, default_value_t = Rows::Points)]
    pub rows: Rows,
    /// Set a parameter ('lowland methods spectral-clustering' lists them)
    #[arg(long = "set", value_name = "NAME=VALUE", value_parser = assignment)]
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

/// Use a saved model.
#[derive(Args)]
pub struct Apply {
    /// The model file
    #[arg(value_hint = ValueHint::FilePath)]
    pub model: String,
    #[command(flatten)]
    pub input: Input,
    /// Write the rows
    #[arg(short, long = "output", value_name = "OUT", value_hint = ValueHint::FilePath)]
    pub output: String,
}

/// What an embedding is compared with.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Side {
    /// One point a row
    Points,
    /// The distances between all objects
    Distances,
}

/// Draw rows.
#[derive(Args)]
pub struct Sample {
    /// The model file
    #[arg(value_hint = ValueHint::FilePath)]
    pub model: String,
    /// The number of rows
    #[arg(short = 'n', long = "rows", value_name = "N", default_value_t = 1000)]
    pub rows: usize,
    /// Write the rows
    #[arg(short, long = "output", value_name = "OUT", value_hint = ValueHint::FilePath)]
    pub output: String,
}

/// Fill in missing values.
#[derive(Args)]
pub struct Impute {
    #[command(flatten)]
    pub input: Input,
    /// The method that is fitted, by any of its names
    #[arg(short, long, value_name = "METHOD", value_parser = known::methods(), hide_possible_values = true)]
    #[arg(default_value = "ppca")]
    pub method: String,
    /// Dimensions: a count, or auto
    #[arg(short, long = "dims", value_name = "DIMS", default_value = "auto")]
    pub dims: String,
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

/// Judge an embedding.
#[derive(Args)]
pub struct Evaluate {
    #[command(flatten)]
    pub input: Input,
    /// The embedding: a file with a row for each row of the data
    #[arg(value_hint = ValueHint::FilePath)]
    pub embedding: String,
    /// What the rows of the data are
    #[arg(long = "as", value_name = "KIND", value_enum, default_value_t = Side::Points)]
    pub rows: Side,
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
    /// Write everything, with the curves and the measures of every point (JSON)
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub report: Option<String>,
}

/// Estimate a dimension.
#[derive(Args)]
pub struct Dimension {
    #[command(flatten)]
    pub input: Input,
    /// Only this estimator; may be given several times [default: all]
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
    /// Values to try in place of the grid's: for one method, or for all with this parameter; may be given several times
    #[arg(long, value_name = "[METHOD.]NAME=V1,V2")]
    pub grid: Vec<String>,
    /// Neighbors of a point in the judgement [default: 12, or all others where they are fewer]
    #[arg(short = 'k', long = "neighbors", value_name = "K")]
    pub neighbors: Option<usize>,
    /// The measure that ranks [default: the mean of trustworthiness and continuity]
    #[arg(long, value_name = "MEASURE")]
    pub rank_by: Option<String>,
    /// Time that it may take, as 90s, 10min or 2h; what has not ended then is left out
    #[arg(long, value_name = "TIME", value_parser = time)]
    pub budget: Option<std::time::Duration>,
    /// Of how many of the best methods the stability is measured
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

/// Describe methods.
#[derive(Args)]
pub struct Methods {
    /// The method, by any of its names
    #[arg(value_parser = known::methods(), hide_possible_values = true)]
    pub name: Option<String>,
}

/// Forecast a fit.
#[derive(Args)]
pub struct Plan {
    #[command(flatten)]
    pub input: Input,
    #[command(flatten)]
    pub method: Method,
}

/// Make data.
#[derive(Args)]
pub struct Data {
    /// The name; without it, all names are listed
    #[arg(requires = "output", value_parser = known::data(), hide_possible_values = true)]
    pub name: Option<String>,
    /// The number of points
    #[arg(short = 'n', long = "rows", value_name = "N", default_value_t = 1000)]
    pub rows: usize,
    /// The standard deviation of Gaussian noise on every coordinate
    #[arg(long, value_name = "S", default_value_t = 0.0)]
    pub noise: f64,
    /// How uneven the points are: the first parameter follows u^G, with u even from 0 to 1; 1 is even, 2 crowds points
    /// at one end
    #[arg(long, value_name = "G", default_value_t = 1.0)]
    pub density: f64,
    /// Write the points
    #[arg(short, long = "output", value_name = "OUT", value_hint = ValueHint::FilePath)]
    pub output: Option<String>,
    /// Write the labels
    #[arg(long, value_name = "OUT", value_hint = ValueHint::FilePath)]
    pub labels: Option<String>,
    /// Write the true parameters behind the points
    #[arg(long, value_name = "OUT", value_hint = ValueHint::FilePath)]
    pub truth: Option<String>,
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_definitions_hold_together() {
        Cli::command().debug_assert();
    }
}
