//! Citations in comments and pages (`Roweis and Saul 2000`) are in the bibliography.

use super::Files;

/// Where every cited work is listed.
const BIBLIOGRAPHY: &str = "docs/bibliography.md";

/// Citations that the bibliography does not have, with file and line.
pub fn unknown(files: &Files) -> Vec<String> {
    let Some(bibliography) = files.get(BIBLIOGRAPHY) else {
        return vec![format!("{BIBLIOGRAPHY} is missing")];
    };
    let mut wrong = Vec::new();
    let cites = |path: &str| {
        path.ends_with(".rs") || path.ends_with(".py") || (path.ends_with(".md") && path != "CHANGELOG.md")
    };
    for (path, text) in files.iter().filter(|(path, _)| cites(path) && path.as_str() != BIBLIOGRAPHY) {
        // A citation may begin at the end of the line before.
        let mut before: Vec<&str> = Vec::new();
        for (number, line) in text.lines().enumerate() {
            let comment =
                if path.ends_with(".rs") { line.trim_start().strip_prefix("//") } else { Some(line) };
            let words: Vec<&str> =
                comment.unwrap_or_default().trim_start_matches(['/', '!']).split_whitespace().collect();
            let alone = if path.ends_with(".rs") { lone(&words) } else { Vec::new() };
            let missing = citations(&before, &words);
            before = words;
            let missing = missing.into_iter().filter(|citation| !bibliography.contains(citation.as_str()));
            let begins = |row: &str, name: &str| {
                let rest = row.strip_prefix("| ").and_then(|row| row.strip_prefix(name));
                rest.is_some_and(|rest| rest.starts_with([' ', ',']))
            };
            let listed = |name: &String| bibliography.lines().any(|row| begins(row, name));
            let missing = missing.chain(alone.into_iter().filter(|name| !listed(name)));
            wrong.extend(missing.map(|c| format!("{path}:{}: `{c}` is not in {BIBLIOGRAPHY}", number + 1)));
        }
    }
    wrong
}

/// A word without what may stand before it.
fn bare(word: &str) -> &str {
    word.trim_start_matches(['(', '`', '"'])
}

/// Names alone in brackets: `(Author)`.
fn lone(words: &[&str]) -> Vec<String> {
    let name = |word: &&str| {
        let name = word.strip_prefix('(')?.trim_end_matches(['.', ',', ';', ':']).strip_suffix(')')?;
        let letter = |(at, c): (usize, char)| if at == 0 { c.is_uppercase() } else { c.is_lowercase() };
        let is_name = name.len() > 1 && name.chars().enumerate().all(letter);
        is_name.then(|| name.to_owned())
    };
    words.iter().filter_map(name).collect()
}

/// The authors and the year of every citation of a line: authors joined by `and`, or followed by `et al.`, then a year.
/// Authors joined by a comma, or followed by `and others`, are found too, and never in the bibliography.
/// A single author and a year look like many other things, and count only in brackets, also as `(van der Author`.
fn citations(before: &[&str], line: &[&str]) -> Vec<String> {
    let words = [&before[before.len().saturating_sub(6)..], line].concat();
    let mut found = Vec::new();
    for at in (words.len() - line.len()).max(1)..words.len() {
        let year: String = words[at].chars().filter(char::is_ascii_digit).collect();
        let plain = words[at].trim_matches(|c: char| "(),.;:|`".contains(c)) == year;
        if !plain || !(year.starts_with("19") || year.starts_with("20")) || year.len() != 4 {
            continue;
        }
        let author = words[at - 1];
        let named = |word: &str| word.chars().next().is_some_and(char::is_uppercase);
        if author == "al." && at >= 3 {
            let first = words[at - 3].trim_start_matches('(');
            found.push(format!("{first} et al. {year}"));
        } else if author == "others" && at >= 3 && words[at - 2] == "and" {
            found.push(format!("{} and others {year}", bare(words[at - 3])));
        } else if at >= 3 && words[at - 2] == "and" && named(author) {
            // `and` may also stand between two citations.
            let more =
                words[..at - 3].iter().rev().take_while(|word| named(bare(word)) && word.ends_with(','));
            let first = if named(bare(words[at - 3])) { at - 3 - more.count() } else { at - 1 };
            found.push(format!("{} {year}", bare(&words[first..at].join(" "))));
        } else if at >= 3 && words[at - 3] == "(van" && words[at - 2] == "der" {
            found.push(format!("van der {author} {year}"));
        } else if at >= 2 && words[at - 2].starts_with('(') && words[at - 2].ends_with(',') && named(author) {
            found.push(format!("{} {author} {year}", bare(words[at - 2])));
        } else if author.starts_with('(') && named(&author[1..]) && author.ends_with(char::is_alphabetic) {
            found.push(format!("{} {year}", &author[1..]));
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn citations_are_found_and_looked_up() {
        let line = "(Roweis and Saul 2000; Bengio 2.6), as Mika et al. 1999 do (Huber 1985), in January 1980";
        let words = |line: &'static str| line.split_whitespace().collect::<Vec<_>>();
        assert_eq!(citations(&[], &words(line)), ["Roweis and Saul 2000", "Mika et al. 1999", "Huber 1985"]);
        assert_eq!(
            citations(&words("after (Fukunaga and"), &words("Olsen 1971)")),
            ["Fukunaga and Olsen 1971"]
        );
        assert_eq!(citations(&[], &words("by He, Cai and Yan 2005")), ["He, Cai and Yan 2005"]);
        assert_eq!(citations(&[], &words("(van der Maaten 2014)")), ["van der Maaten 2014"]);
        assert_eq!(
            citations(&words("(Belkina and"), &words("others 2019), (Roweis, Saul 2000)")),
            ["Belkina and others 2019", "Roweis, Saul 2000"]
        );
        assert_eq!(lone(&words("(Lingoes), f(Canceled) (PCA) (Li).")), ["Lingoes", "Li"]);
        let mut files = Files::new();
        files.insert(BIBLIOGRAPHY.into(), "| Roweis and Saul 2000 | .. |\n| Mika et al. 1999 |".into());
        files.insert("crates/a.rs".into(), format!("// {line}\nlet year = \"(Nobody 1990)\";"));
        files.insert("crates/b.rs".into(), "// (Mika) (Lingoes)".into());
        let wrong = ["crates/a.rs:1: `Huber 1985`", "crates/b.rs:1: `Lingoes`"];
        assert_eq!(unknown(&files), wrong.map(|what| format!("{what} is not in docs/bibliography.md")));
    }
}
