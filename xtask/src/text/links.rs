//! Links of the Markdown files, and whether their Rust code is tested.

use super::Files;
use std::collections::{BTreeMap, BTreeSet};

/// The links that lead to no file, folder or heading of the repository.
pub fn dead(files: &Files, paths: &BTreeSet<String>) -> Vec<String> {
    let pages: BTreeMap<&str, Page> =
        files.iter().filter(|(path, _)| path.ends_with(".md")).map(|(p, t)| (&**p, page(t))).collect();
    let mut dead = Vec::new();
    for (path, page) in &pages {
        for (line, target) in &page.links {
            let (file, anchor) = target.split_once('#').unwrap_or((target, ""));
            let found = if file.is_empty() { Some((*path).to_owned()) } else { resolve(path, file) };
            let there = found.as_ref().is_some_and(|f| f.is_empty() || paths.contains(f));
            let heading = match found.as_ref().and_then(|f| pages.get(&**f)) {
                Some(page) if !anchor.is_empty() => page.anchors.contains(anchor),
                _ => true,
            };
            if !there {
                dead.push(format!("{path}:{line}: `{target}` is not in the repository"));
            } else if !heading {
                dead.push(format!("{path}:{line}: `{target}`: no such heading"));
            }
        }
    }
    dead
}

/// The Markdown files whose Rust code no source file includes, so that no doc test runs it.
pub fn untested(files: &Files) -> Vec<String> {
    let included: BTreeSet<String> = files
        .iter()
        .filter(|(path, _)| path.ends_with(".rs"))
        .flat_map(|(path, text)| {
            let parts = text.split("include_str!(\"").skip(1);
            parts.filter_map(move |part| resolve(path, part.split('"').next()?))
        })
        .collect();
    let untested = files.iter().filter(|(path, text)| {
        path.ends_with(".md") && !included.contains(*path) && fences(text).any(|(_, info)| is_tested(&info))
    });
    let message = |path: &String| format!("{path}: has Rust code, but no `include_str!` makes it a doc test");
    untested.map(|(path, _)| message(path)).collect()
}

/// Whether rustdoc would take a fence with this info string for a test.
fn is_tested(info: &str) -> bool {
    let mut words = info.split([',', ' ']).map(str::trim);
    words.clone().any(|w| w == "rust") && !words.any(|w| w == "ignore")
}

struct Page {
    links: Vec<(usize, String)>,
    anchors: BTreeSet<String>,
}

/// The path from the top that `target` means in the file `from`; `None` when it leaves the repository.
fn resolve(from: &str, target: &str) -> Option<String> {
    let (folder, target) = match target.strip_prefix('/') {
        Some(target) => ("", target),
        None => (from.rsplit_once('/').map_or("", |(folder, _)| folder), target),
    };
    let mut parts: Vec<&str> = folder.split('/').filter(|p| !p.is_empty()).collect();
    for part in target.split('/') {
        match part {
            "" | "." => {}
            ".." => drop(parts.pop()?),
            _ => parts.push(part),
        }
    }
    Some(parts.join("/"))
}

/// The lines that begin a fenced block, with their info strings.
fn fences(text: &str) -> impl Iterator<Item = (usize, String)> {
    blocks(text).filter_map(|(number, line, part)| match part {
        Part::Opening => Some((number, line.trim_start().trim_start_matches(['`', '~']).trim().to_owned())),
        _ => None,
    })
}

#[derive(Clone, Copy, PartialEq)]
enum Part {
    Prose,
    Opening,
    Code,
}

/// Every line with its number from 1 and what it belongs to.
fn blocks(text: &str) -> impl Iterator<Item = (usize, &str, Part)> {
    let mut open: Option<(char, usize)> = None;
    text.lines().enumerate().map(move |(number, line)| {
        let bare = line.trim_start();
        let mark = bare.chars().next().filter(|c| "`~".contains(*c));
        let length = mark.map_or(0, |m| bare.chars().take_while(|c| *c == m).count());
        let part = match (open, mark) {
            (None, Some(mark)) if length >= 3 => {
                open = Some((mark, length));
                Part::Opening
            }
            (None, _) => Part::Prose,
            (Some((opened, least)), Some(mark)) if mark == opened && length >= least => {
                open = None;
                Part::Code
            }
            (Some(_), _) => Part::Code,
        };
        (number + 1, line, part)
    })
}

fn page(text: &str) -> Page {
    let mut page = Page { links: Vec::new(), anchors: BTreeSet::new() };
    for (number, line, part) in blocks(text) {
        if part != Part::Prose {
            continue;
        }
        if let Some(title) = line.strip_prefix('#').map(|l| l.trim_start_matches('#')) {
            let slug = slug(title);
            let same = (1..).map(|i| format!("{slug}-{i}"));
            let free = std::iter::once(slug.clone()).chain(same).find(|s| !page.anchors.contains(s));
            page.anchors.extend(free);
        }
        let prose = without_code(line);
        for mark in ["id=\"", "name=\""] {
            page.anchors.extend(after(&prose, mark, '"').map(str::to_owned));
        }
        let inline = prose.split("](").skip(1).map(destination);
        let html = ["href=\"", "src=\""].into_iter().flat_map(|mark| after(&prose, mark, '"'));
        let defined = prose.trim_start().strip_prefix('[').and_then(|l| l.split_once("]: "));
        let targets = inline.chain(html).chain(defined.map(|(_, target)| destination(target)));
        let local = targets.filter(|t| !t.is_empty() && !is_address(t));
        page.links.extend(local.map(|t| (number, t.to_owned())));
    }
    page
}

/// What stands between `mark` and the next `end`, each time.
fn after<'t>(text: &'t str, mark: &'t str, end: char) -> impl Iterator<Item = &'t str> {
    text.split(mark).skip(1).filter_map(move |rest| rest.split(end).next())
}

/// The target at the beginning of `text`, without its title.
fn destination(text: &str) -> &str {
    match text.strip_prefix('<') {
        Some(text) => text.split('>').next().unwrap_or_default(),
        None => text.split([')', ' ', '\t']).next().unwrap_or_default(),
    }
}

/// Whether a target has a scheme (`https:`, `mailto:`), so that it is not a file of ours.
fn is_address(target: &str) -> bool {
    target.starts_with("//")
        || target.split_once(':').is_some_and(|(scheme, _)| {
            scheme.len() > 1 && scheme.chars().all(|c| c.is_ascii_alphanumeric() || "+-.".contains(c))
        })
}

/// The line with its code spans blanked.
fn without_code(line: &str) -> String {
    let parts: Vec<&str> = line.split('`').collect();
    // An odd backtick at the end opens nothing.
    let closed = parts.len() - usize::from(parts.len().is_multiple_of(2));
    let keep =
        |(i, part): (usize, &&str)| if i % 2 == 1 && i < closed { String::new() } else { part.to_string() };
    parts.iter().enumerate().map(keep).collect()
}

/// The anchor that GitHub gives to a heading.
fn slug(title: &str) -> String {
    let mut text = String::new();
    let mut rest = title.trim();
    // Of a link in a heading only the text counts.
    while let Some((head, (inside, tail))) =
        rest.split_once('[').and_then(|(head, tail)| Some((head, tail.split_once("](")?)))
    {
        text.push_str(head);
        text.push_str(inside);
        rest = tail.split_once(')').map_or("", |(_, tail)| tail);
    }
    text.push_str(rest);
    let kept = text.to_lowercase();
    kept.chars()
        .filter(|c| c.is_alphanumeric() || " -_".contains(*c))
        .map(|c| if c == ' ' { '-' } else { c })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn files(list: &[(&str, &str)]) -> (Files, BTreeSet<String>) {
        let files: Files = list.iter().map(|(p, t)| (p.to_string(), t.to_string())).collect();
        let mut paths: BTreeSet<String> = files.keys().cloned().collect();
        paths.extend(files.keys().filter_map(|p| Some(p.rsplit_once('/')?.0.to_owned())));
        (files, paths)
    }

    #[test]
    fn links_that_resolve() {
        let (files, paths) = files(&[
            (
                "README.md",
                "# Top\n[a](docs/a.md#two-words) [top](#top) ![x](/docs/x.svg \"title\")\n[r]: <docs/a.md>\n\
                 [w](https://example.org/none) `[not](a/link)`\n```\n[nor](this)\n```\n<img src=\"docs/x.svg\">",
            ),
            (
                "docs/a.md",
                "## Two `words`\n## Two words\n[up](../README.md) [d](../docs/) [again](#two-words-1)",
            ),
            ("docs/x.svg", ""),
        ]);
        assert_eq!(dead(&files, &paths), Vec::<String>::new());
    }

    #[test]
    fn links_that_do_not() {
        let (files, paths) = files(&[(
            "docs/a.md",
            "# A\n[x](b.md)\n[y](#b)\n[z](../../outside.md)\n[w]: gone.md\n<a href=\"no.md\">",
        )]);
        let lines: Vec<String> =
            dead(&files, &paths).iter().map(|d| d.split(": ").next().unwrap().into()).collect();
        assert_eq!(lines, ["docs/a.md:2", "docs/a.md:3", "docs/a.md:4", "docs/a.md:5", "docs/a.md:6"]);
    }

    #[test]
    fn rust_code_must_be_included_somewhere() {
        let code = "```rust\nlet a = 1;\n```";
        let (alone, _) = files(&[("GUIDE.md", code)]);
        assert_eq!(untested(&alone).len(), 1);
        let include = concat!("#![doc = include_", "str!(\"../../../GUIDE.md\")]");
        let (both, _) = files(&[("GUIDE.md", code), ("crates/a/src/lib.rs", include)]);
        assert!(untested(&both).is_empty());
        let (exempt, _) =
            files(&[("a.md", "```rust,ignore\n```\n```toml\n```\n````text\n```rust\n```\n````")]);
        assert!(untested(&exempt).is_empty());
    }
}
