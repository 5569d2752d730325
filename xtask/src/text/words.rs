//! Words that no line may contain: paths of one machine, hosts and settings of package registries.

/// Folders at the top of a file system under which only one machine's files live.
const MACHINE: &[&str] = &["home", "root", "Users", "work", "tmp", "mnt", "media", "opt", "private"];

const REGISTRIES: &[&str] = &[
    "crates.io",
    "pypi.org",
    "pythonhosted.org",
    "npmjs.org",
    "npmjs.com",
    "yarnpkg.com",
    "anaconda.org",
    "jfrog.io",
];

/// Settings whose value is a registry. Split, so that this file passes its own check.
const SETTINGS: &[&str] = &[
    concat!("index", "-url"),
    concat!("index", "_url"),
    concat!("find", "-links"),
    concat!("replace", "-with"),
    concat!("trusted", "-host"),
];

const LOCKED: &str = "source = \"registry+https://github.com/rust-lang/crates.io-index\"";

/// What is wrong with one line.
pub fn objections(path: &str, line: &str) -> Vec<String> {
    let mut found = Vec::new();
    found.extend(machine_path(line).map(|p| format!("`{p}` is a path of one machine")));
    found.extend(registry_host(line).map(|h| format!("`{h}` is a package registry")));
    found.extend(SETTINGS.iter().find(|s| line.contains(**s)).map(|s| format!("`{s}` names a registry")));
    if path.ends_with("Cargo.lock") && line.starts_with("source = ") && line != LOCKED {
        found.push("the lock file names a registry of its own".into());
    }
    found
}

/// A folder of `MACHINE` where a path begins, not in the middle of one or of an address.
fn machine_path(line: &str) -> Option<&str> {
    let begins = |at: usize| {
        let before = line[..at].chars().next_back();
        !before.is_some_and(|c| c.is_alphanumeric() || "._-~/})]>*\\".contains(c))
    };
    let unix = MACHINE.iter().find_map(|folder| {
        let pattern = format!("/{folder}/");
        line.match_indices(&pattern).find(|(at, _)| begins(*at)).map(|(at, _)| word(&line[at..]))
    });
    unix.or_else(|| line.find(":\\Users\\").map(|at| word(&line[at..])))
}

fn registry_host(line: &str) -> Option<&str> {
    line.match_indices("://").find_map(|(at, _)| {
        let address = word(&line[at + 3..]);
        let host = address.split(['/', '?', '#']).next()?;
        let host = host.rsplit('@').next()?.split(':').next()?;
        let known = REGISTRIES.iter().any(|r| host == *r || host.strip_suffix(r).is_some_and(ends_in_dot));
        (known || address.contains("artifactory")).then_some(host)
    })
}

fn ends_in_dot(text: &str) -> bool {
    text.ends_with('.')
}

/// Up to the end of the path or address.
fn word(text: &str) -> &str {
    let end = text.find(|c: char| c.is_whitespace() || "\"'`<>()[]{},;".contains(c)).unwrap_or(text.len());
    &text[..end]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_of_a_machine_are_found_where_they_begin() {
        let slash = '/';
        let path = format!("see \"{slash}home/ann/data.npy\" there");
        assert_eq!(machine_path(&path), Some(&path[5..23]));
        for fine in ["../work/x", "https://example.org/home/x", "target/tmp/x", "/usr/bin/env", "a /work"] {
            assert_eq!(machine_path(fine), None, "{fine}");
        }
    }

    #[test]
    fn registries_are_found_behind_ports_users_and_sub_domains() {
        let scheme = "https:";
        for (rest, host) in [
            ("//pypi.org/simple", "pypi.org"),
            ("//static.crates.io:443/a", "static.crates.io"),
            ("//me:secret@registry.npmjs.org", "registry.npmjs.org"),
        ] {
            assert_eq!(registry_host(&format!("x {scheme}{rest}")), Some(host));
        }
        for fine in ["https://docs.rs/faer", "https://notpypi.org/x", "publish to crates.io"] {
            assert_eq!(registry_host(fine), None, "{fine}");
        }
    }

    #[test]
    fn the_lock_file_has_one_source() {
        assert!(objections("Cargo.lock", LOCKED).is_empty());
        let mirror = "source = \"sparse+https://mirror.example/index/\"";
        assert_eq!(objections("Cargo.lock", mirror).len(), 1);
    }
}
