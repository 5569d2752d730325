//! Text in two columns, the second wrapped.

use std::fmt::Write;

const WIDTH: usize = 100;

/// `name  text`, the text wrapped to the width of a page and kept in its column.
pub fn field(out: &mut String, name: &str, column: usize, text: &str) {
    let _ = write!(out, "{name:<column$}");
    if name.len() >= column {
        let _ = write!(out, "\n{:column$}", "");
    }
    let mut used = column;
    for (i, word) in text.split_whitespace().enumerate() {
        if i > 0 && used + 1 + word.chars().count() > WIDTH {
            let _ = write!(out, "\n{:column$}", "");
            used = column;
        } else if i > 0 {
            out.push(' ');
            used += 1;
        }
        out.push_str(word);
        used += word.chars().count();
    }
    out.push('\n');
}
