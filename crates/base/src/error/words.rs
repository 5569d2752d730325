//! Parts of the sentences of errors: one is not many, and long lists are cut.

use super::MemoryLimit;
use crate::human_bytes;

/// The words of one or of many around what they are of.
pub(super) fn of(count: usize, one: (&str, &str, &str), many: (&str, &str, &str)) -> String {
    let (noun, what, verb) = if count == 1 { one } else { many };
    format!("{noun} {what} {verb}")
}

/// How many rows, with their verb.
pub(super) fn of_rows(count: usize) -> String {
    if count == 1 { "1 row is".into() } else { format!("{count} rows are") }
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
    if count == 1 { "it" } else { "them" }
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
