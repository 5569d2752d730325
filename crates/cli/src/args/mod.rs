//! The flags: one list makes the parser, the help, the completions and the manual page. This file has the commands and
//! what is common to all of them; the flags of each command are in the files beside it.

mod data;
mod fit;
mod judge;
mod reproduce;
mod reuse;
mod table;

pub use data::{Data, Methods};
pub use fit::{Beside, Cluster, Embed, Impute, Layout, Method, Orient, Plan, Style};
pub use judge::{Compare, Dimension, Evaluate, Outliers, Stability};
pub use reproduce::Reproduce;
pub use reuse::{Apply, Complete, Kernel, Sample};
pub use table::Input;

use crate::known;
use crate::values::bytes;
use clap::{Args, CommandFactory, Parser, Subcommand};
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

/// The commands that fit a method with a neighbor graph.
const WITH_GRAPHS: [&str; 4] = ["embed", "cluster", "plan", "stability"];

/// The commands and their flags. Of the common ones, the help of a command has those that it takes.
pub fn program() -> clap::Command {
    let cli = Cli::command();
    let of_graphs = cli.get_arguments().find(|arg| arg.get_id() == known::DISCONNECTED).cloned();
    let Some(hidden) = of_graphs.map(|arg| arg.hide(true)) else { return cli };
    // What a command has of its own is not taken over from the program.
    cli.mut_subcommands(|command| match WITH_GRAPHS.contains(&command.get_name()) {
        true => command,
        false => command.arg(hidden.clone()),
    })
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
    /// Most memory for a fit beyond its input, and for a compressed file unpacked, such as 8GiB (powers of 1024, as 8g) or
    /// 8GB (powers of 1000)
    #[arg(long, global = true, value_name = "SIZE", value_parser = bytes)]
    pub memory: Option<u64>,
    /// What to do where the neighbor graph has several connected components: refuse, join them, fit the largest, or fit each
    #[arg(long, global = true, value_name = "POLICY", value_parser = known::policies())]
    pub disconnected: Option<String>,
    /// Overwrite files
    #[arg(long, global = true)]
    pub force: bool,
    /// Print nothing but errors
    #[arg(short, long, global = true)]
    pub quiet: bool,
    /// Print JSON instead of text
    #[arg(long, global = true)]
    pub json: bool,
}

/// What to do.
#[derive(Subcommand)]
pub enum Command {
    /// Fit a method and write the embedding
    #[command(
        after_help = "Without -m, pca is taken, and a table is made ready for it: what was done is said.\n\nExamples:\n  \
                            lowland embed x.csv -m pca -d 2 -o y.csv --plot y.svg\n  lowland embed people.csv \
                            --id name --drop date --color group --encode one-hot --missing ppca --standardize -m \
                            umap -o y.csv\n  \
                            lowland embed 'data:swiss-roll?n=2000' -m pca -d 0.95 --json"
    )]
    Embed(Embed),
    /// Find clusters and write the labels
    #[command(after_help = "Examples:\n  lowland cluster x.csv -n 3 -o labels.csv\n  \
                            lowland cluster 'data:moons?n=500' --set assign_labels=normalized-cut --plot y.svg")]
    Cluster(Cluster),
    /// Fit oriented PCA to a covariance of signals and a correlation of noise that are known, and write the model
    #[command(
        after_help = "Example:\n  lowland orient signal.npy noise.npy -d 3 --model opca.lowland && lowland transform \
                            opca.lowland x.npy -o y.npy"
    )]
    Orient(Orient),
    /// Embed new rows with a saved model
    Transform(Apply),
    /// Map rows of the embedding back to the data's space with a saved model
    Inverse(Apply),
    /// Assign new rows to the clusters of a saved model
    Assign(Apply),
    /// Write the kernel of a saved spectral model: between its training points, or between other rows and these
    Kernel(Kernel),
    /// Fill in a kernel of which some rows are complete, by Nyström's method
    #[command(
        after_help = "The entries between objects without a complete row become B' A^-1 B, where A is the kernel between \
                            those with one and B their rows to the others.\nExample:\n  lowland complete partial.npy -o \
                            gram.npy && lowland embed gram.npy --as kernel -m kernel-pca -o y.npy"
    )]
    Complete(Complete),
    /// Draw new rows from a saved model that is a probability density or a Boltzmann machine
    Sample(Sample),
    /// Score rows with a saved model: the log-likelihood of each, or the free energy of a Boltzmann machine
    Score(Apply),
    /// Fill in missing values
    #[command(
        after_help = "Missing is an empty cell, NaN, NA, n/a, null, none or ?.\nExamples:\n  lowland impute \
                            holes.csv -o full.csv\n  lowland impute holes.csv -m factor-analysis -d 3 -o \
                            full.csv\n  lowland impute new.csv --from model.lowland -o full.csv"
    )]
    Impute(Impute),
    /// Measure how well an embedding preserves neighbors, distances and classes
    #[command(
        after_help = "Examples:\n  lowland evaluate x.npy y.npy -k 12 --labels l.csv\n  lowland evaluate \
                            'data:swiss-roll?n=2000' y.csv --report judgment.json\n  lowland evaluate x.npy y.npy \
                            --model m.lowland --held-out new.npy"
    )]
    Evaluate(Evaluate),
    /// Estimate the intrinsic dimension of data
    Dimension(Dimension),
    /// Find the rows that lie far from all others, and write the table without them
    #[command(
        after_help = "Examples:\n  lowland outliers x.csv\n  lowland outliers people.csv --id name -k 15 -o \
                            kept.csv && lowland embed kept.csv --id name -m isomap -o y.csv"
    )]
    Outliers(Outliers),
    /// Run all suitable methods over their grids, rank them, and write a report on which to trust
    #[command(
        after_help = "Finished settings are kept in a folder beside the report: the same command goes on where it was \
                            stopped.\n\nExamples:\n  lowland compare x.csv --labels l.csv -d 2 -o report.html\n  lowland \
                            compare x.npy --methods pca,isomap,lle --grid n_neighbors=8,12,16\n  lowland compare x.npy \
                            --budget 10min --memory 4GiB --report report.json"
    )]
    Compare(Compare),
    /// Measure whether new rows are placed as well as rows of the fit stay in place when others are exchanged
    #[command(
        after_help = "Examples:\n  lowland stability x.npy -m isomap -k 10 --shares 0.01,0.02,0.05\n  lowland stability \
                            'data:swiss-roll?n=500' -m lle --report stability.json"
    )]
    Stability(Stability),
    /// Run the experiment of a paper and set the result beside what was published
    #[command(
        after_help = "Without a name the experiments are listed. What is finished is kept below DIR: the same command \
                            goes on where it was stopped.\n\nExamples:\n  lowland reproduce maaten2009 --out maaten \
                            --data data\n  lowland reproduce bengio2006 --out bengio --data data --quick\n  lowland \
                            reproduce maaten2009 --out helix --sets helix --seeds 5"
    )]
    Reproduce(Reproduce),
    /// List the methods, or describe one
    Methods(Methods),
    /// Forecast memory and time of a fit; only small samples are fitted
    Plan(Plan),
    /// Generate built-in data, or list their names
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_definitions_hold_together() {
        program().debug_assert();
    }
}
