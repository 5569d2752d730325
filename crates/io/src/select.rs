//! Which columns a list means: names, numbers from 1, ranges of both, and patterns.

use crate::source::refuse;
use crate::table::abbreviated;
use lowland::Result;
use lowland::names::{edit_distance, simplified};

/// The columns of a table, as they can be named.
#[derive(Clone, Copy)]
pub(crate) struct Columns<'a> {
    pub names: Option<&'a [String]>,
    pub width: usize,
}

impl Columns<'_> {
    /// How a column is called in a message.
    pub fn called(&self, j: usize) -> String {
        match self.names.map(|names| names[j].as_str()) {
            Some("") | None => format!("column {}", j + 1),
            Some(name) => format!("'{name}'"),
        }
    }

    /// How a column is written after a flag.
    pub fn typed(&self, j: usize) -> String {
        match self.names.map(|names| names[j].as_str()) {
            Some("") | None => (j + 1).to_string(),
            Some(name)
                if name.contains([' ', '\'', '$', '(', ')', '&', '*', '?', '"', ';', '|', '<', '>', '#']) =>
            {
                format!("'{}'", name.replace('\'', "'\\''"))
            }
            Some(name) => name.to_owned(),
        }
    }

    fn exact(&self, wanted: &str) -> Option<usize> {
        self.names?.iter().position(|name| name == wanted && !name.is_empty())
    }

    /// The column of this name, or of this number from 1.
    pub fn one(&self, flag: &str, wanted: &str) -> Result<usize> {
        let wanted = wanted.trim();
        let index = || wanted.parse::<usize>().ok().filter(|j| (1..=self.width).contains(j)).map(|j| j - 1);
        let bare = wanted.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')).unwrap_or(wanted);
        self.exact(bare).or_else(index).ok_or_else(|| self.unknown(flag, wanted))
    }

    /// All columns that the lists mean, in the order of the table.
    pub fn all(&self, flag: &str, lists: &[String]) -> Result<Vec<usize>> {
        let mut found = Vec::new();
        for list in lists {
            match self.exact(list) {
                Some(j) => found.push(j),
                None => {
                    for item in items(list) {
                        found.extend(self.item(flag, item)?);
                    }
                }
            }
        }
        found.sort_unstable();
        found.dedup();
        Ok(found)
    }

    fn item(&self, flag: &str, item: &str) -> Result<Vec<usize>> {
        if let Ok(j) = self.one(flag, item) {
            return Ok(vec![j]);
        }
        if item.contains(['*', '?']) {
            let names = self.names.unwrap_or_default().iter().enumerate();
            let found: Vec<usize> = names.filter(|(_, name)| matches(item, name)).map(|(j, _)| j).collect();
            return if found.is_empty() { Err(self.unknown(flag, item)) } else { Ok(found) };
        }
        // A name may hold the sign itself: every place of it is tried.
        for (at, sign) in item.char_indices().filter(|(_, c)| matches!(c, ':' | '-')) {
            let (from, to) = (&item[..at], &item[at + 1..]);
            let number = |end: &str| end.is_empty() || end.parse::<usize>().is_ok();
            if from.is_empty() && to.is_empty() || sign == '-' && !(number(from) && number(to)) {
                continue;
            }
            let first = if from.is_empty() { Some(0) } else { self.one(flag, from).ok() };
            let last = if to.is_empty() { self.width.checked_sub(1) } else { self.one(flag, to).ok() };
            if let (Some(first), Some(last)) = (first, last) {
                return Ok((first.min(last)..=first.max(last)).collect());
            }
        }
        Err(self.unknown(flag, item))
    }

    fn unknown(&self, flag: &str, wanted: &str) -> lowland::Error {
        let count = self.width;
        let problem = format!("{flag}: there is no column '{wanted}' among its {count}");
        let remedy = match self.names {
            None => format!("it has no names: give a number from 1 to {count}, or a range such as 1-{count}"),
            Some(names) => {
                let close = |name: &&String| {
                    let (a, b) = (simplified(name), simplified(wanted));
                    !b.is_empty() && (edit_distance(&a, &b) * 3 <= b.chars().count().max(3) || a.contains(&b))
                };
                match names.iter().find(close) {
                    Some(name) => format!("did you mean '{name}'?"),
                    None if std::path::Path::new(wanted).is_file() && flag.contains("label") => {
                        format!(
                            "embed, compare and evaluate take a file of labels (--labels {wanted}); elsewhere add them to \
                             the table as a column"
                        )
                    }
                    None => format!("name one of: {}", abbreviated(names)),
                }
            }
        };
        refuse("", problem, remedy)
    }
}

/// The parts between commas that are in no quotes.
pub(crate) fn items(list: &str) -> Vec<&str> {
    let (mut inside, mut begin, mut items) = (false, 0, Vec::new());
    for (at, letter) in list.char_indices() {
        match letter {
            '"' => inside = !inside,
            ',' if !inside => {
                items.push(&list[begin..at]);
                begin = at + 1;
            }
            _ => {}
        }
    }
    items.push(&list[begin..]);
    items.into_iter().map(str::trim).filter(|item| !item.is_empty()).collect()
}

/// Whether a name fits a pattern: `*` is anything, `?` one letter.
fn matches(pattern: &str, name: &str) -> bool {
    let (pattern, name): (Vec<char>, Vec<char>) = (pattern.chars().collect(), name.chars().collect());
    let (mut p, mut n, mut star, mut mark) = (0, 0, None, 0);
    while n < name.len() {
        if p < pattern.len() && pattern[p] == '*' {
            (star, mark) = (Some(p), n);
            p += 1;
        } else if p < pattern.len() && (pattern[p] == '?' || pattern[p] == name[n]) {
            (p, n) = (p + 1, n + 1);
        } else if let Some(at) = star {
            mark += 1;
            (p, n) = (at + 1, mark);
        } else {
            return false;
        }
    }
    pattern[p..].iter().all(|c| *c == '*')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_numbers_ranges_and_patterns() {
        let names = ["id", "x_1", "x_2", "y-z", "a:b", "a, b", "2"].map(str::to_owned);
        let columns = Columns { names: Some(&names), width: 7 };
        for (list, expected) in [
            ("id", vec![0]),
            ("x_*", vec![1, 2]),
            ("x_?,id", vec![0, 1, 2]),
            ("2", vec![6]),
            ("3", vec![2]),
            ("3-5", vec![2, 3, 4]),
            ("5-", vec![4, 5, 6]),
            ("id:x_2", vec![0, 1, 2]),
            ("x_2:", vec![2, 3, 4, 5, 6]),
            ("y-z", vec![3]),
            ("a:b", vec![4]),
            ("id:a:b", vec![0, 1, 2, 3, 4]),
            ("a, b", vec![5]),
            ("\"a, b\",id", vec![0, 5]),
            ("x_2:x_1", vec![1, 2]),
        ] {
            assert_eq!(columns.all("--columns", &[list.to_owned()]).unwrap(), expected, "{list}");
        }
        let refused = |list: &str| columns.all("--drop", &[list.to_owned()]).unwrap_err().to_string();
        assert!(refused("x_3").contains("did you mean 'x_1'"), "{}", refused("x_3"));
        for list in ["0", "8", "z*", "1-9", "nothing"] {
            assert!(refused(list).contains(&format!("--drop: there is no column '{list}'")), "{list}");
        }
        let bare = Columns { names: None, width: 3 };
        assert_eq!(bare.all("--drop", &["1,3".to_owned()]).unwrap(), [0, 2]);
        assert!(bare.one("--id", "id").unwrap_err().to_string().contains("from 1 to 3"));
    }

    #[test]
    fn patterns_go_back_where_they_must() {
        assert!(matches("a*b*c", "aXbYbZc") && matches("*", "") && matches("*_x", "a_x_x"));
        assert!(!matches("a*b", "abc") && !matches("?", "") && !matches("x_", "x_1"));
    }
}
