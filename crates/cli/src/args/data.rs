//! The flags that say which data, and those of the commands that list and generate.

use crate::known;
use clap::{Args, ValueHint};

/// Describe methods.
#[derive(Args)]
pub struct Methods {
    /// The method, by any of its names
    #[arg(value_parser = known::methods(), hide_possible_values = true)]
    pub name: Option<String>,
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
    /// How uneven the points are: the first parameter follows u^G, with u uniform in [0, 1]; 1 is uniform, 2 crowds points
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
