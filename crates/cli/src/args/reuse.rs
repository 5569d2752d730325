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
