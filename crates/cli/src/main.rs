//! Lowland at the terminal.

mod allocator;
mod args;
mod cluster;
mod compare;
mod data;
mod density;
mod dimension;
mod embed;
mod evaluate;
mod fields;
mod files;
mod given;
mod interrupt;
mod kernel;
mod known;
mod layouts;
mod methods;
mod orient;
mod outcome;
mod outliers;
mod pages;
mod peers;
mod pictures;
mod plan;
mod progress;
mod reproduce;
mod reuse;
mod setup;
mod source;
mod stability;
mod summary;
mod table;
mod values;

use args::{Cli, Command, program};
use clap::FromArgMatches;
use outcome::{Failure, Outcome, finish, print_message, say};
use std::process::ExitCode;

fn main() -> ExitCode {
    // A fault of ours is reported below in one line, not as a trace.
    std::panic::set_hook(Box::new(|_| {}));
    interrupt::outlive_limits();
    let code = std::panic::catch_unwind(|| finish(parse().and_then(|cli| cli.map_or(Ok(()), run))));
    // What a command that failed had written.
    files::discard();
    ExitCode::from(code.unwrap_or_else(|fault| {
        let words = fault.downcast_ref::<String>().map(String::as_str);
        let words = words.or_else(|| fault.downcast_ref::<&str>().copied()).unwrap_or("unknown");
        print_message("error", &format!("internal fault: {words}; please report it with the command line"));
        1
    }))
}

fn run(cli: Cli) -> Outcome {
    let common = cli.common;
    let fits = matches!(
        cli.command,
        Command::Embed(_) | Command::Cluster(_) | Command::Plan(_) | Command::Stability(_)
    );
    if common.disconnected.is_some() && !fits {
        let message = "--disconnected is of embed, cluster, plan and stability; leave it out";
        return Err(Failure::Usage(message.into()));
    }
    match cli.command {
        Command::Embed(embed) => embed::run(&embed, &common),
        Command::Cluster(cluster) => cluster::run(&cluster, &common),
        Command::Orient(orient) => orient::run(&orient, &common),
        Command::Transform(apply) => reuse::run(&apply, &common, reuse::Direction::There),
        Command::Inverse(apply) => reuse::run(&apply, &common, reuse::Direction::Back),
        Command::Kernel(kernel) => kernel::run(&kernel, &common),
        Command::Complete(complete) => kernel::complete(&complete, &common),
        Command::Assign(apply) => cluster::assign(&apply, &common),
        Command::Sample(sample) => density::sample(&sample, &common),
        Command::Score(score) => density::score(&score, &common),
        Command::Impute(impute) => density::impute(&impute, &common),
        Command::Evaluate(evaluate) => evaluate::run(&evaluate, &common),
        Command::Dimension(dimension) => dimension::run(&dimension, &common),
        Command::Outliers(outliers) => outliers::run(&outliers, &common),
        Command::Compare(compare) => compare::run(&compare, &common),
        Command::Stability(stability) => stability::run(&stability, &common),
        Command::Reproduce(reproduce) => reproduce::run(&reproduce, &common),
        Command::Methods(methods) => methods::run(&methods, &common),
        Command::Plan(plan) => plan::run(&plan, &common),
        Command::Data(data) => data::run(&data, &common),
        Command::Completions { shell } => pages::completions(shell),
        Command::Man { command } => pages::manual(command.as_deref()),
    }
}

/// Whether it is the tip to write a flag that is not known behind two hyphens: then it would be no flag, and not known either.
fn is_hyphens(part: &str) -> bool {
    part.starts_with("tip: to pass")
}

/// The command line; `None` after help or the version was shown.
fn parse() -> Outcome<Option<Cli>> {
    let words = peers::understood(std::env::args_os().collect())?;
    match program().try_get_matches_from(words).and_then(|found| Cli::from_arg_matches(&found)) {
        Ok(cli) => Ok(Some(cli)),
        Err(error) if error.exit_code() == 0 => say(error.render().to_string().as_bytes()).map(|()| None),
        Err(error) => {
            if error.kind() == clap::error::ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand {
                return Err(Failure::Usage("no command was given; see 'lowland --help'".into()));
            }
            // Everything but the usage block, in one line.
            let text = error.render().to_string();
            let parts = text.split("\n\n").map(str::trim);
            let kept: Vec<&str> = parts
                .filter(|part| !part.is_empty() && !part.starts_with("Usage:") && !is_hyphens(part))
                .collect();
            let message = kept.join("; ");
            let message = message.strip_prefix("error: ").unwrap_or(&message);
            Err(Failure::Usage(message.replace("For more information, try '--help'.", "try '--help'")))
        }
    }
}
