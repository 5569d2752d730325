//! The flags of the commands that use a saved model.

use super::Input;
use clap::{Args, ValueHint};

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

/// Write a kernel.
#[derive(Args)]
pub struct Kernel {
    /// The model file
    #[arg(value_hint = ValueHint::FilePath)]
    pub model: String,
    /// The rows whose kernel with the model's points is written; without it, the kernel between these
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub rows: Option<String>,
    /// Which function of the method's matrix M: auto (its own), inverse, exponential (exp(-t M)) or shifted (c I - M)
    #[arg(long, value_name = "NAME", default_value = "auto")]
    pub kernel: String,
    /// The time of the exponential [default: the method's, or 1]
    #[arg(long, value_name = "T")]
    pub time: Option<f64>,
    /// What the shifted matrix is subtracted from [default: its largest eigenvalue]
    #[arg(long, value_name = "C")]
    pub shift: Option<f64>,
    /// Write the kernel
    #[arg(short, long = "output", value_name = "OUT", value_hint = ValueHint::FilePath)]
    pub output: String,
}

/// Complete a kernel.
#[derive(Args)]
pub struct Complete {
    /// The kernel, a row for each object: what is not known is empty or NaN
    #[arg(value_hint = ValueHint::FilePath)]
    pub kernel: String,
    /// Read the whole kernel, and measure how far the completed one is from it: Nyström's error, in the Frobenius norm
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub against: Option<String>,
    /// Write the completed kernel
    #[arg(short, long = "output", value_name = "OUT", value_hint = ValueHint::FilePath)]
    pub output: String,
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
