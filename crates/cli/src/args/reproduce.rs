//! The flags of `reproduce`.

use clap::{Args, ValueHint};

/// Run the experiment of a paper.
#[derive(Args)]
pub struct Reproduce {
    /// The experiment; without it they are listed
    pub name: Option<String>,
    /// The folder for results, page, pictures and finished parts; the same command goes on from there
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub out: Option<String>,
    /// The folder of real data [default: the one that LOWLAND_DATA names]
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub data: Option<String>,
    /// The small run: 500 rows and thin grids, in a minute
    #[arg(long)]
    pub quick: bool,
    /// Seeds of the artificial data [default: 3, or 2 with --quick]
    #[arg(long, value_name = "N")]
    pub seeds: Option<usize>,
    /// Only these data sets of maaten2009, with commas between them [default: all]
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    pub sets: Vec<String>,
}
