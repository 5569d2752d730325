//! What the tests of messages look for.

/// The first place where one is spoken of as many: `1 rows`, `1 row are`, `1 of 6 rows are`.
pub fn one_as_many(message: &str) -> Option<String> {
    let words: Vec<&str> =
        message.split_whitespace().map(|word| word.trim_matches(|c| "(),.;:'".contains(c))).collect();
    let singular = |word: &str| ["is", "was", "has", "does"].contains(&word) || !word.ends_with('s');
    let verb = |word: &&str| ["are", "were", "have", "hold", "count", "share", "look", "lie"].contains(word);
    (0..words.len()).filter(|&at| words[at] == "1").find_map(|at| {
        let verb_at = if words.get(at + 1) == Some(&"of") { at + 4 } else { at + 2 };
        let many_things = words.get(at + 1).is_some_and(|word| !singular(word));
        let many_do = words.get(verb_at).is_some_and(verb);
        (many_things || many_do).then(|| words[at..words.len().min(verb_at + 1)].join(" "))
    })
}

#[test]
fn what_is_wrong_is_found() {
    for wrong in ["after 1 steps; go on", "1 column are", "there: 1 of 6 rows have", "(1 labels)"] {
        assert!(one_as_many(wrong).is_some(), "{wrong}");
    }
    for fine in ["1 step was", "1 of 6 rows has", "2 of 6 rows have", "11 rows are", "at least 1 is", "n = 1"]
    {
        assert_eq!(one_as_many(fine), None);
    }
}
