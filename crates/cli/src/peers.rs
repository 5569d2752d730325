//! Flags as users of other programs write them: understood where there is one meaning, and else named.

use crate::args::Cli;
use crate::outcome::{Failure, Outcome};
use clap::CommandFactory;
use lowland::methods::OrientedPca;
use lowland::names;
use lowland::parameters::{Kind, Value};
use lowland::{Entry, Fit, registry};
use std::ffi::OsString;

/// Other names of our flags, without the dashes; underscores count as hyphens.
const SYNONYMS: &[(&str, &str)] = &[
    ("n-components", "-d"),
    ("components", "-d"),
    ("dim", "-d"),
    ("dimensions", "-d"),
    ("ndim", "-d"),
    ("n-dims", "-d"),
    ("n-neighbors", "-k"),
    ("n-neighbours", "-k"),
    ("neighbours", "-k"),
    ("knn", "-k"),
    ("k", "-k"),
    ("n-clusters", "-n"),
    ("algorithm", "--method"),
    ("algo", "--method"),
    ("random-state", "--seed"),
    ("random-seed", "--seed"),
    ("n-jobs", "--threads"),
    ("jobs", "--threads"),
    ("colour", "--label-column"),
    ("hue", "--label-column"),
    ("label", "--label-column"),
    ("target", "--label-column"),
    ("target-column", "--label-column"),
    ("class-column", "--label-column"),
    ("color-by", "--label-column"),
    ("id-column", "--id"),
    ("index-col", "--id"),
    ("index-column", "--id"),
    ("usecols", "--columns"),
    ("cols", "--columns"),
    ("features", "--columns"),
    ("select", "--columns"),
    ("drop-columns", "--drop"),
    ("exclude", "--drop"),
    ("ignore", "--drop"),
    ("standardise", "--standardize"),
    ("out", "--output"),
    ("save-model", "--model"),
];

/// Flags of others that are close to one of ours, which the error names.
const NAMED: &[(&str, &str)] = &[
    ("scale", "--standardize"),
    ("scaling", "--standardize"),
    ("normalize", "--standardize"),
    ("zscore", "--standardize"),
    ("impute", "--missing ppca, --missing mean, or the command 'lowland impute'"),
    ("fillna", "--missing mean or --missing ppca"),
    ("na", "--missing drop-rows, mean or ppca"),
    ("dropna", "--missing drop-rows"),
    ("one-hot", "--encode one-hot"),
    ("dummies", "--encode one-hot"),
    ("categorical", "--encode one-hot"),
    ("no-header", "--header no"),
    ("sep", "a file ending in .csv or .tsv: the separator is found by itself"),
    ("delimiter", "a file ending in .csv or .tsv: the separator is found by itself"),
    ("verbose", "nothing: what is under way is shown at a terminal"),
    ("n-iter", "--set max_iter=N or --set n_epochs=N, as the method has it"),
    ("epochs", "--set n_epochs=N or --set max_iter=N, as the method has it"),
];

/// The command line in our own words: other names of flags are replaced, and a flag with the name of a parameter
/// becomes `--set`.
pub fn understood(words: Vec<OsString>) -> Outcome<Vec<OsString>> {
    let mut program = Cli::command();
    program.build();
    let command = words.iter().skip(1).filter_map(|word| word.to_str());
    let command =
        command.filter(|word| !word.starts_with('-')).find_map(|word| program.find_subcommand(word));
    let Some(command) = command.filter(|command| has(command, "input") || has(command, "model")) else {
        return Ok(words);
    };
    let method = named(command, &words).filter(|_| has(command, "set"));
    let known = method.map(|entry| (entry.parameters)()).unwrap_or_default();
    let mut given = words.into_iter();
    let mut rest: Vec<OsString> = given.next().into_iter().collect();
    while let Some(word) = given.next() {
        if word == "--" {
            // What follows are names of files.
            rest.push(word);
            rest.extend(given);
            break;
        }
        let flag = word.to_str().and_then(|text| text.strip_prefix("--")).filter(|text| !text.is_empty());
        let Some(flag) = flag else {
            rest.push(word);
            continue;
        };
        let (name, value) =
            flag.split_once('=').map_or((flag, None), |(name, value)| (name, Some(value.to_owned())));
        let (name, parameter) = (name.replace('_', "-"), name.replace('-', "_"));
        // A parameter of the method that is named comes before the names that others give to our flags.
        let its = known.iter().find(|its| its.name == parameter).map(|its| &its.kind);
        // So it does before a flag of ours that takes no value, where it has one.
        let next = || given.as_slice().first().and_then(|word| word.to_str());
        let has_value = || value.is_some() || next().is_some_and(|next| admits(method, &parameter, next));
        let is_its = its.is_some_and(|kind| *kind != Kind::Bool && is_switch(command, &name) && has_value());
        if is_ours(command, &name) && !is_its {
            rest.push(word);
        } else if let Some(ours) = synonym(command, &name).filter(|_| its.is_none()) {
            rest.push(ours.into());
            rest.extend(value.map(OsString::from));
        } else if let Some(kind) = its.cloned().or_else(|| of_any(&parameter)).filter(|_| has(command, "set"))
        {
            let value = match (value, kind) {
                (Some(value), _) => value,
                (None, Kind::Bool) => switch(&mut given, &parameter, &mut rest),
                (None, _) => match given.next() {
                    Some(value) => value.to_string_lossy().into_owned(),
                    None => {
                        return Err(Failure::Usage(format!("--{name} has no value; write --{name} VALUE")));
                    }
                },
            };
            if !value.is_empty() {
                rest.extend(["--set".into(), format!("{parameter}={value}").into()]);
            }
        } else if name == "labels" && has(command, "label_column") {
            let message = format!(
                "there is no flag --labels of {}: a file of labels is for embed, compare and evaluate; add the labels to \
                 the table and name their column by --label-column COLUMN",
                command.get_name()
            );
            return Err(Failure::Usage(message));
        } else if let Some((_, ours)) = NAMED.iter().find(|(theirs, _)| *theirs == name) {
            return Err(Failure::Usage(format!("there is no flag --{name}; write {ours}")));
        } else if let Some(meant) = meant(command, &name) {
            return Err(Failure::Usage(format!("there is no flag --{name}; did you mean {meant}?")));
        } else {
            rest.push(word);
        }
    }
    Ok(rest)
}

/// The method that the command is about: the one that is named, or the only one that it takes.
fn named(command: &clap::Command, words: &[OsString]) -> Option<&'static Entry> {
    let words =
        || words.iter().take_while(|word| *word != "--").map(|word| word.to_str().unwrap_or_default());
    let after = |flags: &[&str]| {
        let mut pairs = words().zip(words().skip(1).chain([""]));
        pairs.find_map(|(word, next)| {
            let is = |flag: &&str| word == *flag;
            let glued = |flag: &&str| word.strip_prefix(*flag)?.strip_prefix('=');
            match word.strip_prefix("-m") {
                Some(glued) if !glued.is_empty() && flags.contains(&"-m") => Some(glued),
                _ if flags.iter().any(is) => Some(next),
                _ => flags.iter().find_map(glued),
            }
        })
    };
    let found = |flags: &[&str]| after(flags).and_then(|name| registry::find(name).ok());
    if has(command, "method") {
        found(&["-m", "--method"]).or_else(|| found(&["--algo"])).or_else(|| found(&["--algorithm"]))
    } else {
        let own = [("cluster", registry::clustering()), ("orient", OrientedPca::ENTRY)];
        own.into_iter().find(|(name, _)| *name == command.get_name()).map(|(_, entry)| entry)
    }
}

/// Whether the parameter of the method can be this.
fn admits(method: Option<&Entry>, parameter: &str, value: &str) -> bool {
    method.is_some_and(|entry| (entry.create)().set(parameter, &Value::parse(value)).is_ok())
}

/// Whether the command has a flag of this name that takes no value.
fn is_switch(command: &clap::Command, name: &str) -> bool {
    let mut all = command.get_arguments().filter(|arg| arg.get_long() == Some(name));
    all.any(|arg| !arg.get_action().takes_values())
}

/// The value of a flag that may stand alone. What follows it and is no value stays a word of its own.
fn switch(given: &mut std::vec::IntoIter<OsString>, parameter: &str, rest: &mut Vec<OsString>) -> String {
    let follows = given.as_slice().first().and_then(|word| word.to_str());
    match follows.map(str::to_ascii_lowercase).as_deref() {
        Some("true" | "false" | "yes" | "no") => {
            given.next().map_or_else(String::new, |word| word.to_string_lossy().into_owned())
        }
        _ => {
            rest.extend(["--set".into(), format!("{parameter}=true").into()]);
            String::new()
        }
    }
}

fn has(command: &clap::Command, id: &str) -> bool {
    command.get_arguments().any(|arg| arg.get_id() == id)
}

/// Whether the command, or all of them, has a flag of this name.
fn is_ours(command: &clap::Command, name: &str) -> bool {
    let named = |arg: &clap::Arg| arg.get_long_and_visible_aliases().is_some_and(|all| all.contains(&name));
    command.get_arguments().any(named) || ["help", "version"].contains(&name)
}

/// Our flag of that meaning, where the command has it.
fn synonym(command: &clap::Command, name: &str) -> Option<&'static str> {
    let (_, ours) = SYNONYMS.iter().find(|(theirs, _)| *theirs == name)?;
    let here = |arg: &clap::Arg| match ours.strip_prefix("--") {
        Some(long) => arg.get_long() == Some(long),
        None => arg.get_short() == ours.chars().nth(1),
    };
    command.get_arguments().any(here).then_some(*ours)
}

/// The flag that is nearly this one: of the command, one that others write, or the name of a parameter.
fn meant(command: &clap::Command, name: &str) -> Option<String> {
    let mut letters = name.chars();
    if let (Some(letter), None) = (letters.next(), letters.next()) {
        return command
            .get_arguments()
            .any(|arg| arg.get_short() == Some(letter))
            .then(|| format!("-{letter}"));
    }
    let own = command.get_arguments().filter_map(|arg| arg.get_long_and_visible_aliases()).flatten();
    let others =
        SYNONYMS.iter().map(|(theirs, _)| *theirs).filter(|theirs| synonym(command, theirs).is_some());
    let parameters = registry::all().iter().flat_map(|entry| (entry.parameters)());
    let parameters = parameters.map(|parameter| parameter.name).filter(|_| has(command, "set"));
    let known: Vec<&str> = own.chain(others).chain(parameters).collect();
    names::meant(name, known.into_iter()).map(|meant| format!("--{}", meant.replace('_', "-")))
}

/// What a parameter takes, if any method has one of this name.
fn of_any(name: &str) -> Option<Kind> {
    let mut all = registry::all().iter().flat_map(|entry| (entry.parameters)());
    all.find(|parameter| parameter.name == name).map(|parameter| parameter.kind)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::known::DISCONNECTED;

    fn of(line: &str) -> String {
        let words = line.split_whitespace().map(OsString::from).collect();
        match understood(words) {
            Ok(words) => words.iter().map(|word| word.to_string_lossy()).collect::<Vec<_>>().join(" "),
            Err(Failure::Usage(message)) => message,
            Err(_) => "failed".into(),
        }
    }

    #[test]
    fn flags_of_peers_become_ours() {
        for (theirs, ours) in [
            (
                "lowland embed x.csv -m tsne --perplexity 30",
                "lowland embed x.csv -m tsne --set perplexity=30",
            ),
            ("lowland embed x --min_dist=0.3", "lowland embed x --set min_dist=0.3"),
            ("lowland embed x --n-neighbors 9 --n_components 3", "lowland embed x -k 9 -d 3"),
            ("lowland embed x --whiten -o y", "lowland embed x --set whiten=true -o y"),
            ("lowland embed x --whiten no", "lowland embed x --set whiten=no"),
            ("lowland embed x --random-state 3", "lowland embed x --seed 3"),
            ("lowland embed x --hue kind", "lowland embed x --label-column kind"),
            ("lowland embed x --color kind --plot p.svg", "lowland embed x --color kind --plot p.svg"),
            ("lowland embed x --nonsense 3", "lowland embed x --nonsense 3"),
            ("lowland embed x --algorithm pca", "lowland embed x --method pca"),
            (
                "lowland embed x --algorithm infomax -m fast-ica",
                "lowland embed x --set algorithm=infomax -m fast-ica",
            ),
            ("lowland embed x -mpca --select=minor", "lowland embed x -mpca --set select=minor"),
            ("lowland embed x -m isomap --select a,b", "lowland embed x -m isomap --columns a,b"),
            ("lowland embed x -m isomap --graph mst", "lowland embed x -m isomap --set graph=mst"),
            ("lowland embed x -m isomap --graph --plot y", "lowland embed x -m isomap --graph --plot y"),
            ("lowland cluster x --gamma 2", "lowland cluster x --set gamma=2"),
            ("lowland embed -m pca -- --features.csv", "lowland embed -m pca -- --features.csv"),
            ("lowland embed --_ x", "lowland embed --_ x"),
            ("lowland methods pca", "lowland methods pca"),
        ] {
            assert_eq!(of(theirs), ours);
        }
        assert!(of("lowland embed x --scale").contains("--standardize"));
        for (typed, meant) in [
            ("--perplexty 30", "did you mean --perplexity?"),
            ("--n-neighbrs 5", "did you mean --n-neighbors?"),
            ("--labelcolumn kind", "did you mean --label-column?"),
            ("--standardise=no --min-dits 0.1", "did you mean --min-dist?"),
            ("--d 2", "did you mean -d?"),
        ] {
            let message = of(&format!("lowland embed x {typed}"));
            assert!(message.ends_with(meant), "{typed}: {message}");
        }
        assert!(of("lowland embed x --perplexity").contains("has no value"));
    }

    #[test]
    fn no_parameter_of_the_named_method_is_shadowed() {
        for entry in registry::all() {
            for parameter in (entry.parameters)() {
                let (name, value) = (parameter.name, parameter.default.to_string().replace(' ', ""));
                let typed = of(&format!("lowland embed x -m {} --{name}={value}", entry.name));
                let set = format!("lowland embed x -m {} --set {name}={value}", entry.name);
                // The flag of that name is the parameter itself.
                let same = name == DISCONNECTED && typed.ends_with(&format!(" --{name}={value}"));
                assert!(typed == set || same, "{typed}");
            }
        }
    }

    #[test]
    fn no_other_name_hides_a_flag_of_ours() {
        let mut program = Cli::command();
        program.build();
        for command in program.get_subcommands() {
            for (theirs, _) in SYNONYMS.iter().chain(NAMED) {
                let ours =
                    SYNONYMS.iter().any(|(name, ours)| name == theirs && *ours == format!("--{theirs}"));
                assert!(!ours, "{theirs} in {}", command.get_name());
            }
        }
    }
}
