//! The files of the repository, found without git: what the top `.gitignore` names is left out.

use super::Files;
use std::collections::BTreeSet;
use std::path::Path;

pub struct Tree {
    /// The text files.
    pub texts: Files,
    /// Every file and folder.
    pub paths: BTreeSet<String>,
}

pub fn read(top: &Path) -> Result<Tree, String> {
    let ignore = std::fs::read_to_string(top.join(".gitignore")).unwrap_or_default();
    let ignored: Vec<&str> =
        ignore.lines().map(str::trim).filter(|l| !l.is_empty() && !l.starts_with('#')).collect();
    if let Some(line) = ignored.iter().find(|l| l.starts_with('!') || l.contains("**")) {
        return Err(format!(".gitignore: `{line}` is a form that this check does not understand"));
    }
    let mut tree = Tree { texts: Files::new(), paths: BTreeSet::new() };
    walk(top, "", &ignored, &mut tree).map_err(|e| format!("cannot read the repository: {e}"))?;
    Ok(tree)
}

fn walk(folder: &Path, prefix: &str, ignored: &[&str], tree: &mut Tree) -> std::io::Result<()> {
    for entry in std::fs::read_dir(folder)? {
        let entry = entry?;
        let name = entry.file_name().to_string_lossy().into_owned();
        let path = format!("{prefix}{name}");
        let kind = entry.file_type()?;
        if name == ".git" || ignored.iter().any(|pattern| matches(pattern, &path, &name, kind.is_dir())) {
            continue;
        }
        tree.paths.insert(path.clone());
        if kind.is_dir() {
            walk(&entry.path(), &format!("{path}/"), ignored, tree)?;
        } else if kind.is_file() {
            let bytes = std::fs::read(entry.path())?;
            if let (false, Ok(text)) = (bytes.contains(&0), String::from_utf8(bytes)) {
                tree.texts.insert(path, text);
            }
        }
    }
    Ok(())
}

/// The part of git's rules that a small project needs: `/anchored`, `folder/`, `*` within a name.
fn matches(pattern: &str, path: &str, name: &str, is_folder: bool) -> bool {
    let bare = pattern.strip_suffix('/');
    if bare.is_some() && !is_folder {
        return false;
    }
    let bare = bare.unwrap_or(pattern);
    if bare.contains('/') { glob(bare.trim_start_matches('/'), path) } else { glob(bare, name) }
}

fn glob(pattern: &str, word: &str) -> bool {
    match pattern.split_once('*') {
        None => pattern == word,
        Some((head, tail)) => word.strip_prefix(head).is_some_and(|rest| {
            let ends = rest.char_indices().map(|(i, _)| i).chain([rest.len()]);
            ends.take_while(|&i| !rest[..i].contains('/')).any(|i| glob(tail, &rest[i..]))
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ignored_as_git_does() {
        assert!(matches("/target", "target", "target", true));
        assert!(!matches("/target", "crates/target", "target", true));
        assert!(matches("__pycache__/", "a/__pycache__", "__pycache__", true));
        assert!(!matches("__pycache__/", "a/__pycache__", "__pycache__", false));
        assert!(matches("*.so", "a/b.so", "b.so", false));
        assert!(!matches("*.so", "a/b.sort", "b.sort", false));
        assert!(matches("/.venv*", ".venv-3", ".venv-3", true));
        assert!(!matches("/a*c", "a/c", "c", false));
    }
}
