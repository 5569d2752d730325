//! `cargo xtask text`: what must hold for the project's own text, file by file.

mod citations;
mod links;
mod tree;
mod words;

use crate::{Failure, flags::Flags, root, say};
use std::collections::BTreeMap;
use std::path::Path;

pub const USAGE: &str = "\
cargo xtask text

Reads every text file that is not ignored by .gitignore, and refuses
  - a path of somebody's machine, a package registry's host or setting
  - a link between Markdown files that leads nowhere
  - Rust code in a Markdown file that no doc test includes (`rust,ignore` is exempt)
  - a citation (`Roweis and Saul 2000`) that is not in docs/bibliography.md
";

/// The text files by their path from the top, with `/` between folders.
type Files = BTreeMap<String, String>;

pub fn run(flags: Flags) -> Result<(), Failure> {
    flags.end()?;
    let files = check(&root()).map_err(Failure::Work)?;
    say(&format!("{files} files read, nothing to object to\n"));
    Ok(())
}

/// The number of files read, or everything that is wrong, a line each.
pub fn check(top: &Path) -> Result<usize, String> {
    let tree = tree::read(top)?;
    let mut wrong = Vec::new();
    for (path, text) in &tree.texts {
        for (number, line) in text.lines().enumerate() {
            let objection = |what: String| format!("{path}:{}: {what}", number + 1);
            wrong.extend(words::objections(path, line).into_iter().map(objection));
        }
    }
    wrong.extend(links::dead(&tree.texts, &tree.paths));
    wrong.extend(links::untested(&tree.texts));
    wrong.extend(citations::unknown(&tree.texts));
    match wrong.len() {
        0 => Ok(tree.texts.len()),
        n => Err(format!("{n} objection{}\n{}", if n == 1 { "" } else { "s" }, wrong.join("\n"))),
    }
}
