//! Citations as BibTeX: `A. Author, B. Other, The title, with commas, 2000`.

/// One work.
pub(super) fn entry(work: &str) -> String {
    let parts: Vec<&str> = work.split(", ").map(str::trim).collect();
    let (year, parts) = parts.split_last().map_or(("", &parts[..]), |(year, rest)| (*year, rest));
    // Authors begin with an initial.
    let initial =
        |part: &&&str| part.split(' ').next().is_some_and(|word| word.ends_with('.') && word.len() <= 6);
    let authors: Vec<&str> = parts.iter().take_while(initial).copied().collect();
    let title = parts[authors.len()..].join(", ");
    let surname = authors.first().and_then(|author| author.split(' ').next_back()).unwrap_or("lowland");
    let key: String = surname.to_lowercase().chars().filter_map(plain).collect();
    let word = title.split(' ').find(|word| word.len() > 3).unwrap_or("");
    let word: String = word.to_lowercase().chars().filter(char::is_ascii_alphabetic).collect();
    format!(
        "@misc{{{key}{year}{word},\n  author = {{{}}},\n  title = {{{{{title}}}}},\n  year = {{{year}}}\n}}",
        authors.join(" and ")
    )
}

/// A letter of a key, without its accent.
fn plain(letter: char) -> Option<char> {
    match letter {
        'ä' | 'á' | 'à' => Some('a'),
        'é' | 'è' => Some('e'),
        'ö' | 'ó' | 'ø' => Some('o'),
        'ü' => Some('u'),
        letter if letter.is_ascii_alphanumeric() => Some(letter),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::entry;

    #[test]
    fn authors_title_and_year_are_told_apart() {
        let found = entry("K.-R. Müller, J. de Leeuw, FastMap, MetricMap, and others, 2005");
        assert!(found.starts_with("@misc{muller2005fastmap,"), "{found}");
        assert!(found.contains("author = {K.-R. Müller and J. de Leeuw}"), "{found}");
        assert!(
            found.contains("title = {{FastMap, MetricMap, and others}}") && found.contains("year = {2005}")
        );
    }

    #[test]
    fn every_method_can_be_cited() {
        for method in crate::registry::all() {
            for work in method.citation.split(';') {
                let found = entry(work.trim());
                let year = work.trim().rsplit(' ').next().unwrap_or_default();
                assert!(year.len() == 4 && year.parse::<u32>().is_ok(), "{}: {work}", method.name);
                assert!(
                    !found.contains("author = {}") && !found.contains("{{}}"),
                    "{}: {found}",
                    method.name
                );
            }
        }
    }
}
