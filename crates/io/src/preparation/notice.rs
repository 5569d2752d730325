//! What a reader of the table would notice: columns that only count, and scales that are worlds apart.

use super::Scaling;
use crate::frame::column;
use crate::select::Columns;
use lowland::AnyMatrix;

/// A ratio of standard deviations from which the largest column decides nearly everything.
const APART: f64 = 100.0;
/// So many columns are thought to be of one kind: pixels, genes, words.
const OF_ONE_KIND: usize = 50;

/// Whether the numbers are 0, 1, 2, ... or 1, 2, 3, ... or go on from another whole number.
pub(super) fn counts(values: &[f64]) -> bool {
    let first = values.first().copied().unwrap_or(f64::NAN);
    let steps = values.iter().enumerate().all(|(i, value)| *value == first + i as f64);
    values.len() > 1 && first.fract() == 0.0 && steps
}

/// Whether the numbers only tell rows apart: different whole numbers from 0 on, in any order and with gaps, as the index of a
/// data frame has whose rows were shuffled, drawn or dropped.
pub(super) fn numbers_rows(values: &[f64]) -> bool {
    let whole = values.iter().all(|value| *value >= 0.0 && value.fract() == 0.0);
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    values.len() > 2 && whole && sorted.windows(2).all(|pair| pair[0] < pair[1])
}

/// Whether the name is that of a data frame's index.
pub(super) fn is_index_name(name: &str) -> bool {
    name.is_empty() || name.starts_with("Unnamed: ") || name.starts_with("__index_level_") || name == "..1"
}

/// Whether the name is that of a number that only tells rows apart.
pub(super) fn is_id_name(name: &str) -> bool {
    let lower = name.to_lowercase();
    let words: Vec<&str> = lower.split(|c: char| !c.is_alphanumeric()).collect();
    let plain = [
        "id", "index", "idx", "row", "rowid", "rownum", "rowname", "rownames", "no", "nr", "uid", "key",
        "pk", "record",
    ];
    words.iter().any(|word| plain.contains(word)) || name.ends_with("Id") || name.ends_with("ID")
}

/// A warning for every column that counts under the name of one that does.
pub(super) fn identifiers(columns: Columns<'_>, matrix: &AnyMatrix, origins: &[usize]) -> Vec<String> {
    let Some(names) = columns.names else { return Vec::new() };
    let found = origins.iter().enumerate().filter(|&(_, &j)| is_id_name(&names[j]));
    let found = found.filter(|&(at, _)| matrix.dim().0 > 2 && numbers_rows(&column(matrix, at)));
    let words = |(_, &j): (usize, &usize)| {
        let (called, typed) = (columns.called(j), columns.typed(j));
        format!(
            "1 column only numbers the rows, but is used as a measurement: {called}; set --id {typed}, or --drop {typed}"
        )
    };
    found.map(words).collect()
}

/// A warning where the scales of the columns differ by orders of magnitude.
pub(super) fn scales(names: &[String], matrix: &AnyMatrix, scaling: &Scaling) -> Option<String> {
    // A column that does not vary has no scale; what stands for it is 1.
    let varies = |j: usize| {
        let values = column(matrix, j);
        let first = values.iter().copied().find(|v| !v.is_nan());
        first.is_some_and(|first| values.iter().any(|v| !v.is_nan() && *v != first))
    };
    let mut found: Vec<(f64, usize)> =
        scaling.scale.iter().copied().zip(0..).filter(|&(_, j)| varies(j)).collect();
    found.sort_by(|a, b| a.0.total_cmp(&b.0));
    let (&(least, small), &(most, large)) = (found.first()?, found.last()?);
    let middle = found[(found.len() - 1) / 2].0;
    if most < APART * least || found.len() > OF_ONE_KIND && most < APART * middle {
        return None;
    }
    let name =
        |j: usize| names.get(j).map_or_else(|| format!("column {}", j + 1), |name| format!("'{name}'"));
    let ratio = match most / least {
        ratio if ratio.is_infinite() => "over 1e308".to_owned(),
        ratio if ratio >= 1e6 => format!("{ratio:.1e}"),
        ratio => format!("{ratio:.0}"),
    };
    Some(format!(
        "{ratio} times larger standard deviation in {} ({}) than in {} ({}): distances depend almost only on {}; \
         --standardize gives every column the same weight",
        name(large),
        short(most),
        name(small),
        short(least),
        name(large)
    ))
}

/// A few digits.
fn short(value: f64) -> String {
    if (1e-3..1e6).contains(&value) {
        format!("{}", format!("{value:.3}").parse::<f64>().unwrap_or(value))
    } else {
        format!("{value:.2e}")
    }
}
