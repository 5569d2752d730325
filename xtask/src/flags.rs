//! The words after a chore's name: flags, flags with a value, plain words. What is left over is an error
//! that names the nearest flag.

/// A word that the chore does not know, as a message.
#[derive(Debug, PartialEq)]
pub struct Wrong(pub String);

/// The words that nobody has taken yet, and the flags that were asked for.
pub struct Flags {
    words: Vec<String>,
    known: Vec<&'static str>,
}

impl Flags {
    pub fn new(words: Vec<String>) -> Self {
        Flags { words, known: Vec::new() }
    }

    /// Whether the flag was given.
    pub fn has(&mut self, flag: &'static str) -> bool {
        self.known.push(flag);
        let before = self.words.len();
        self.words.retain(|w| w != flag);
        self.words.len() < before
    }

    /// The value of a flag, given as `--flag value` or `--flag=value`.
    pub fn value(&mut self, flag: &'static str) -> Result<Option<String>, Wrong> {
        self.known.push(flag);
        let mut found = None;
        while let Some(at) = self.words.iter().position(|w| value_of(w, flag).is_some()) {
            let word = self.words.remove(at);
            let attached = value_of(&word, flag).flatten().map(str::to_owned);
            let next = || (at < self.words.len() && !self.words[at].starts_with("--")).then_some(at);
            let value = match attached {
                Some(value) => value,
                None => match next() {
                    Some(at) => self.words.remove(at),
                    None => return Err(Wrong(format!("`{flag}` needs a value"))),
                },
            };
            found = Some(value);
        }
        Ok(found)
    }

    /// The value of a flag that is a count of at least 1.
    pub fn count(&mut self, flag: &'static str) -> Result<Option<usize>, Wrong> {
        let Some(value) = self.value(flag)? else { return Ok(None) };
        match value.parse() {
            Ok(count) if count >= 1 => Ok(Some(count)),
            _ => Err(Wrong(format!("`{flag}` is a whole number of at least 1, not `{value}`"))),
        }
    }

    /// The plain words; any flag among them is one that nobody asked for.
    pub fn rest(self) -> Result<Vec<String>, Wrong> {
        match self.words.iter().find(|w| w.starts_with('-')) {
            None => Ok(self.words),
            Some(word) if self.known.is_empty() => Err(Wrong(format!("no flag `{word}`; there are none"))),
            Some(word) => {
                let near = nearest(word, self.known.iter().copied());
                Err(Wrong(format!("no flag `{word}`; the nearest is `{near}`")))
            }
        }
    }

    /// Nothing may be left.
    pub fn end(self) -> Result<(), Wrong> {
        match self.rest()?.first() {
            None => Ok(()),
            Some(word) => Err(Wrong(format!("`{word}` is one word too many"))),
        }
    }
}

/// `Some(None)` for the bare flag, `Some(Some(value))` for `--flag=value`.
fn value_of<'w>(word: &'w str, flag: &str) -> Option<Option<&'w str>> {
    match word.strip_prefix(flag)? {
        "" => Some(None),
        rest => rest.strip_prefix('=').map(Some),
    }
}

/// The name that `word` begins, or else the one with the fewest edits from it; the first of equals, empty
/// when there are no names.
pub fn nearest<'n>(word: &str, names: impl Iterator<Item = &'n str>) -> &'n str {
    names.min_by_key(|name| (!name.starts_with(word), edits(word, name))).unwrap_or_default()
}

/// Levenshtein's distance, one row of the table at a time.
fn edits(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, y) in b.iter().enumerate() {
            let replaced = diagonal + usize::from(x != *y);
            diagonal = row[j + 1];
            row[j + 1] = replaced.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn flags(line: &str) -> Flags {
        Flags::new(line.split_whitespace().map(str::to_owned).collect())
    }

    #[test]
    fn edits_are_levenshteins() {
        assert_eq!(edits("kitten", "sitting"), 3);
        assert_eq!(edits("", "abc"), 3);
        assert_eq!(edits("abc", ""), 3);
        assert_eq!(edits("same", "same"), 0);
    }

    #[test]
    fn both_forms_of_a_value_and_the_words_around_them() {
        let mut given = flags("knn --repeat 3 pca --json=out.json --quick");
        assert_eq!(given.count("--repeat"), Ok(Some(3)));
        assert_eq!(given.value("--json"), Ok(Some("out.json".into())));
        assert!(given.has("--quick"));
        assert!(!given.has("--list"));
        assert_eq!(given.rest(), Ok(vec!["knn".into(), "pca".into()]));
    }

    #[test]
    fn what_nobody_asked_for_is_named_with_its_neighbor() {
        let mut given = flags("--quik");
        given.has("--list");
        given.has("--quick");
        assert!(given.rest().unwrap_err().0.contains("nearest is `--quick`"));
        assert!(flags("word").end().is_err());
    }

    #[test]
    fn a_missing_or_senseless_value_is_refused() {
        for line in ["--repeat", "--repeat --quick", "--repeat 0", "--repeat x", "--repeat=-1"] {
            assert!(flags(line).count("--repeat").is_err(), "{line}");
        }
    }
}
