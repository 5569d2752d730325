//! The flags of this call that say which data: for a command that another command recommends.

use crate::args::Cli;
use crate::peers::understood;
use clap::parser::ValueSource;
use clap::{ArgAction, ArgMatches, Command, CommandFactory};
use lowland::compare::quoted;
use std::ffi::OsString;

/// Flags that both commands have and that are of one call, not of the data.
const OF_THE_CALL: [&str; 13] = [
    "output",
    "report",
    "method",
    "methods",
    "dims",
    "neighbors",
    "force",
    "quiet",
    "json",
    "threads",
    "disconnected",
    "help",
    "version",
];

/// The data of a comparison and the flags that say how it is read, as `embed` takes them, each quoted for a shell.
pub fn words(input: &str) -> String {
    of(std::env::args_os().collect(), input)
}

fn of(line: Vec<OsString>, input: &str) -> String {
    let mut cli = Cli::command();
    cli.build();
    // As the call itself was read, which may have had other spellings of the flags.
    let own = understood(line).ok().and_then(|line| cli.clone().try_get_matches_from(line).ok());
    let own = own.as_ref().and_then(|matches| matches.subcommand_matches("compare"));
    let both = (cli.find_subcommand("compare"), cli.find_subcommand("embed"));
    let (Some(own), (Some(compare), Some(embed))) = (own, both) else { return data(input) };
    let mut words = vec![data(input)];
    for arg in compare.get_arguments().filter(|arg| !arg.is_positional()) {
        let id = arg.get_id().as_str();
        let Some(long) = arg.get_long().filter(|_| !OF_THE_CALL.contains(&id)) else { continue };
        if has(embed, long) && own.value_source(id) == Some(ValueSource::CommandLine) {
            match arg.get_action() {
                ArgAction::SetTrue | ArgAction::SetFalse | ArgAction::Count => {
                    words.push(format!("--{long}"))
                }
                _ => words.extend(values(own, id).iter().map(|value| flag(long, value))),
            }
        }
    }
    words.join(" ")
}

/// What begins with a hyphen would be taken for a flag.
fn data(input: &str) -> String {
    if input.starts_with('-') && input != "-" { quoted(&format!("./{input}")) } else { quoted(input) }
}

fn has(command: &Command, long: &str) -> bool {
    command.get_arguments().any(|arg| arg.get_long() == Some(long))
}

fn values(matches: &ArgMatches, id: &str) -> Vec<String> {
    let raw = matches.get_raw(id).into_iter().flatten();
    raw.map(|value| value.to_string_lossy().into_owned()).collect()
}

fn flag(long: &str, value: &str) -> String {
    if value.starts_with('-') {
        format!("--{long}={}", quoted(value))
    } else {
        format!("--{long} {}", quoted(value))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_says_which_data_goes_along_and_the_rest_does_not() {
        let line = |words: &str| {
            of(format!("lowland compare {words}").split(' ').map(OsString::from).collect(), "x.csv")
        };
        assert_eq!(line("x.csv -m pca -d 3 --force --threads 2 -o r.html"), "x.csv");
        assert_eq!(
            line("x.csv --label-column a&b --header true --seed 7 --stability 0"),
            "x.csv --label-column 'a&b' --header true --seed 7"
        );
        assert_eq!(
            line("x.csv --label a --id b --missing ppca"),
            "x.csv --id b --label-column a --missing ppca"
        );
        assert_eq!(line("x.csv --labels=-l.csv"), "x.csv --labels=-l.csv");
        assert_eq!(line("--no-such-flag"), "x.csv");
    }
}
