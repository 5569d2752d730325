//! Completions and manual pages, out of the definitions of the flags.

use crate::args::program;
use crate::outcome::{Failure, Outcome, say};
use clap_complete::Shell;
use clap_mangen::Man;
use lowland::Error;

pub fn completions(shell: Shell) -> Outcome {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut program(), "lowland", &mut script);
    say(&script)
}

pub fn manual(command: Option<&str>) -> Outcome {
    let mut program = program();
    program.build();
    let page = match command {
        None => program,
        Some(name) => {
            let known: Vec<&str> = program.get_subcommands().map(clap::Command::get_name).collect();
            let known = known.join(", ");
            let found = program.find_subcommand(name).cloned();
            let found =
                found.ok_or_else(|| Failure::Usage(format!("no command '{name}'; there are {known}")))?;
            found.display_name(format!("lowland-{name}"))
        }
    };
    let mut text = Vec::new();
    let failed = |e: std::io::Error| Error::io("the manual page", &e);
    Man::new(page).render(&mut text).map_err(failed)?;
    say(&text)
}
