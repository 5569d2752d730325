//! Names that were typed, and the known ones nearest to them.

/// The known name with the fewest changes from the wanted one, which is [`simplified`].
pub fn nearest<'n>(wanted: &str, known: impl Iterator<Item = &'n str>) -> &'n str {
    known.min_by_key(|known| (edit_distance(&simplified(known), wanted), *known)).unwrap_or_default()
}

/// The known name that was meant, if one is nearly the wanted one: one change in three letters, two in six, and so on.
pub fn meant<'n>(wanted: &str, known: impl Iterator<Item = &'n str>) -> Option<&'n str> {
    let wanted = simplified(wanted);
    let nearest = nearest(&wanted, known);
    // Of one or two letters nothing can be said.
    let most = wanted.chars().count() / 3;
    (most > 0 && !nearest.is_empty() && edit_distance(&simplified(nearest), &wanted) <= most)
        .then_some(nearest)
}

/// A name as names are compared.
pub fn simplified(name: &str) -> String {
    name.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

/// The number of changes from one word to the other: a character put in, left out or replaced, or two neighbors
/// exchanged.
pub fn edit_distance(a: &str, b: &str) -> usize {
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    let mut before: Vec<usize> = Vec::new();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.iter().enumerate() {
        let mut next = vec![i + 1];
        for (j, y) in b.iter().enumerate() {
            let mut least = (row[j] + usize::from(x != y)).min(next[j] + 1).min(row[j + 1] + 1);
            if i > 0 && j > 0 && a[i - 1] == *y && *x == b[j - 1] {
                least = least.min(before[j - 1] + 1);
            }
            next.push(least);
        }
        (before, row) = (row, next);
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changes_are_counted() {
        assert_eq!(nearest("pac", ["fa", "pca"].into_iter()), "pca");
        assert_eq!(edit_distance("isoamp", "isomap"), 1);
        assert_eq!(edit_distance("kitten", "sitting"), 3);
        assert_eq!(edit_distance("", "abc"), 3);
    }
}
