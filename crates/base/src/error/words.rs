//! Parts of the sentences of errors: one is not many, and long lists are cut.

use super::MemoryLimit;
use crate::human_bytes;

/// The words of one or of many around what they are of.
pub(super) fn of(count: usize, one: (&str, &str, &str), many: (&str, &str, &str)) -> String {
    let (noun, what, verb) = if count == 1 { one } else { many };
    format!("{noun} {what} {verb}")
}

/// An input, as a sentence names it.
pub(super) fn named(what: &'static str) -> &'static str {
    if what == "distance" { "distance matrix" } else { what }
}

/// How an input is brought to a better scale. Distances have one for all columns: `together` says what to do.
pub(super) fn rescaled(what: &str, together: &'static str) -> &'static str {
    match what {
        "distance" | "graph" | "kernel" | "symmetric matrix" => together,
        _ => "standardize the columns",
    }
}

/// What is said of an input before its size, where this is too small.
pub(super) fn small(what: &str) -> String {
    match what {
        "distance" => "distances are at most".into(),
        "graph" => "lengths of the graph are at most".into(),
        _ => format!("{what} vary by"),
    }
}

impl MemoryLimit {
    /// The part of the sentence that compares.
    pub(super) fn words(self, bytes: u64) -> String {
        let size = human_bytes(bytes);
        match self {
            Self::Budget => format!("over the memory budget of {size}"),
            Self::Free => format!("and {size} are free"),
            Self::Machine => format!("and the machine has {size} in all"),
            Self::Allocator => format!("and the system gives at most {size}"),
        }
    }
}

/// The pronoun of one or of many.
pub(super) fn them(count: usize) -> &'static str {
    crate::units::one_or_many(count, "it", "them")
}

/// The sizes of the first connected components: a graph can have thousands.
pub(super) fn abbreviated(sizes: &[usize]) -> String {
    let shown: Vec<String> = sizes.iter().take(8).map(usize::to_string).collect();
    let rest = sizes.len().saturating_sub(8);
    let tail = if rest > 0 { format!(" and {rest} more") } else { String::new() };
    format!("{}{tail}", shown.join(", "))
}

#[cfg(test)]
mod tests {
    use super::super::plurals::one_as_many;
    use crate::{Error, MemoryLimit};

    #[test]
    fn memory_is_compared_with_a_budget_only_where_one_was_given() {
        let words = |limit| {
            let (what, needed, budget) = ("fitting isomap".into(), 40 << 30, 8 << 30);
            Error::Memory { what, needed, budget, limit, remedy: "use landmarks".into() }.to_string()
        };
        assert_eq!(
            words(MemoryLimit::Budget),
            "fitting isomap needs 40.0 GiB, over the memory budget of 8.0 GiB; use landmarks"
        );
        assert_eq!(
            words(MemoryLimit::Free),
            "fitting isomap needs 40.0 GiB, and 8.0 GiB are free; use landmarks"
        );
    }

    /// Every error, its counts all 1 (bytes are no count).
    fn ones() -> Vec<Error> {
        let (what, words) = ("data", || "a word".to_owned());
        let (name, method, problem, remedy, value) = (words, words, words, words, words);
        let all = vec![
            Error::Parameter { name: name(), value: value(), bound: words(), remedy: remedy() },
            Error::Conflict { name: name(), problem: problem(), remedy: remedy() },
            Error::UnknownMethod { name: name(), remedy: remedy() },
            Error::UnknownParameter { method: method(), name: name(), remedy: remedy() },
            Error::Empty { what, axis: "rows" },
            Error::TooFewRows { rows: 1, needed: 1, what: words() },
            Error::NotFinite { what, row: 1, column: 1, value: f64::NAN, count: 1 },
            Error::AllMissing { what, axis: "column", index: 1, count: 1 },
            Error::NoLabels { method: method() },
            Error::LabelCount { labels: 1, rows: 1 },
            Error::TooLarge { what, row: 1, column: 1, value: 1e300, bound: 1e150, count: 1 },
            Error::TooSmall { what, spread: 1.0, bound: 1.0 },
            Error::Constant { what },
            Error::Width { what, expected: 1, found: 1 },
            Error::NotSquare { what, rows: 1, columns: 1 },
            Error::NotSymmetric { what, row: 1, column: 1, value: 1.0, mirror: 1.5 },
            Error::NotADistance { row: 1, column: 1, value: -1.0, bound: "0 or more" },
            Error::Indefinite { what, smallest: -1.0, largest: 1.0, remedy: remedy() },
            Error::Malformed { what, problem: problem(), remedy: remedy() },
            Error::disconnected(vec![1]),
            Error::Contradictory { violated: 1, count: 1, row: 1, column: 1, length: 1.5, found: 1.5 },
            Error::Memory { what: words(), needed: 9, budget: 8, limit: MemoryLimit::Free, remedy: remedy() },
            Error::Canceled,
            Error::NotConverged {
                what: words(),
                residual: 1.0,
                tolerance: 1.0,
                steps: 1,
                remedy: remedy(),
                found: None,
            },
            Error::NoEmbedding { method: method(), count: 1 },
            Error::Unsupported { method: method(), what: words(), remedy: remedy() },
            Error::ModelFile { problem: problem() },
            Error::File { path: words(), position: words(), problem: problem(), remedy: remedy() },
            Error::Io { path: words(), problem: problem() },
        ];
        // Who adds one here adds it above.
        for error in &all {
            match error {
                Error::Parameter { .. } | Error::Conflict { .. } | Error::UnknownMethod { .. } => {}
                Error::UnknownParameter { .. } | Error::Empty { .. } | Error::TooFewRows { .. } => {}
                Error::NotFinite { .. } | Error::AllMissing { .. } | Error::NoLabels { .. } => {}
                Error::LabelCount { .. } | Error::TooLarge { .. } | Error::TooSmall { .. } => {}
                Error::Constant { .. } | Error::Width { .. } | Error::NotSquare { .. } => {}
                Error::NotSymmetric { .. } | Error::NotADistance { .. } | Error::Indefinite { .. } => {}
                Error::Malformed { .. } | Error::Disconnected { .. } | Error::Contradictory { .. } => {}
                Error::Memory { .. } | Error::Canceled | Error::NotConverged { .. } => {}
                Error::NoEmbedding { .. } | Error::Unsupported { .. } | Error::ModelFile { .. } => {}
                Error::File { .. } | Error::Io { .. } => {}
            }
        }
        all
    }

    #[test]
    fn no_error_speaks_of_one_as_of_many() {
        for error in ones() {
            assert_eq!(one_as_many(&error.to_string()), None, "{error}");
        }
        let labels = Error::LabelCount { labels: 1, rows: 5 }.to_string();
        assert_eq!(labels, "1 label for 5 rows; give one label a row");
        let width = Error::Width { what: "data", expected: 3, found: 1 }.to_string();
        assert!(width.starts_with("1 column in the data, but 3 are expected"), "{width}");
    }

    #[test]
    fn distances_are_not_standardized() {
        let large =
            |what| Error::TooLarge { what, row: 0, column: 1, value: 4.9e199, bound: 5.5e151, count: 2 };
        assert_eq!(
            large("distance").to_string(),
            "2 values of the distance matrix are too large to square and sum without overflow, the first at row 0, \
             column 1: 4.900e199 (at most 5.500e151); divide all by the same power of ten, or correct them"
        );
        assert!(large("graph").to_string().starts_with("2 values of the graph are too large"));
        assert!(large("data").to_string().ends_with("standardize the columns, or correct them"));
        let small = |what| Error::TooSmall { what, spread: 1e-200, bound: 1e-152 }.to_string();
        assert_eq!(
            small("distance"),
            "the distances are at most 1.000e-200, whose square vanishes (at least 1.000e-152 is needed); multiply \
             all by the same power of ten"
        );
        assert!(small("graph").starts_with("the lengths of the graph are at most 1.000e-200"));
        assert!(small("data").starts_with("the data vary by 1.000e-200"));
        assert!(small("data").ends_with("standardize the columns"));
    }

    #[test]
    fn one_is_not_many() {
        let not_finite =
            |count| Error::NotFinite { what: "data", row: 3, column: 2, value: f64::NAN, count }.to_string();
        assert_eq!(
            not_finite(1),
            "1 value of the data is not finite, the first at row 3, column 2: NaN; remove or impute it first"
        );
        assert!(
            not_finite(4).starts_with("4 values of the data are not finite")
                && not_finite(4).ends_with("impute them first")
        );
        let few = |rows| Error::TooFewRows { rows, needed: 3, what: "a layout".into() }.to_string();
        assert_eq!(few(1), "1 row is too few for a layout; give at least 3");
        assert_eq!(few(2), "2 rows are too few for a layout; give at least 3");
        let missing = |count| Error::AllMissing { what: "data", axis: "row", index: 1, count }.to_string();
        assert_eq!(
            missing(1),
            "1 row of the data holds missing values only, the first is row 1; remove it first"
        );
        assert!(missing(2).starts_with("2 rows of the data hold missing values only"));
    }
}
