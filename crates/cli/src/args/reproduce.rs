//! The flags of `reproduce`.

use crate::values::duration;
use clap::{Args, ValueHint};

/// Run the experiment of a paper.
#[derive(Args)]
pub struct Reproduce {
    /// The experiment, or all; without it they are listed
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
    /// Of every range of the grid of maaten2009 only the ends and the middle: a third of the time; what is finished is kept
    /// for the whole grid
    #[arg(long, conflicts_with = "quick")]
    pub coarse: bool,
    /// Seeds of the artificial data [default: 3, or 1 with --quick]
    #[arg(long, value_name = "N")]
    pub seeds: Option<usize>,
    /// Only these data sets of maaten2009, with commas between them [default: all]
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    pub sets: Vec<String>,
    /// Time that one setting of a technique of maaten2009 may take, such as 15min; it is then left out, and the page says so
    #[arg(long, value_name = "TIME", value_parser = duration)]
    pub patience: Option<std::time::Duration>,
}
