//! From the cells of a table to rows: the matrix of what is taken, the rows that are kept, the labels.

use super::encode::How;
use super::{Taken, fill};
use crate::csv::{LABELED, labels_of};
use crate::frame::{Frame, TableFile, Texts, chosen, column, is_missing};
use crate::source::refuse;
use crate::{AnyMatrix, Labels};
use lowland::Result;
use lowland::units::{count_grouped, grouped};
use ndarray::Array2;
use std::collections::BTreeMap;

/// The matrix of what is taken from these columns of the file.
pub(super) fn assemble(
    frame: &mut Frame,
    taken: &[Taken],
    indexes: &[usize],
    refused: &dyn Fn(&Taken, BTreeMap<String, usize>) -> lowland::Error,
) -> Result<(AnyMatrix, Vec<usize>)> {
    let numbers: Vec<usize> = (0..taken.len()).filter(|&t| taken[t].how == How::Number).collect();
    // The columns of numbers lie in the order of the file.
    let mut by_file: Vec<usize> = numbers.iter().map(|&t| indexes[t]).collect();
    by_file.sort_unstable();
    let at = |j: usize| by_file.binary_search(&j).unwrap_or_default();
    if numbers.len() == taken.len() {
        let order: Vec<usize> = indexes.iter().map(|&j| at(j)).collect();
        let whole = order.iter().enumerate().all(|(i, &at)| i == at) && order.len() == frame.matrix.dim().1;
        let empty = AnyMatrix::F64(Array2::zeros((0, 0)));
        let matrix =
            if whole { std::mem::replace(&mut frame.matrix, empty) } else { chosen(&frame.matrix, &order) };
        return Ok((matrix, indexes.to_vec()));
    }
    let mut columns: Vec<Vec<f64>> = Vec::new();
    let mut origins = Vec::new();
    for (taken, &j) in taken.iter().zip(indexes) {
        if taken.how == How::Number {
            columns.push(column(&frame.matrix, at(j)));
        } else {
            let words = frame.words.get(&j).map_or(&[][..], Vec::as_slice);
            columns.extend(taken.how.numbers(words).map_err(|unknown| refused(taken, unknown))?);
        }
        origins.resize(columns.len(), j);
    }
    let shape = (frame.matrix.dim().0, columns.len());
    Ok((AnyMatrix::F64(Array2::from_shape_fn(shape, |(i, j)| columns[j][i])), origins))
}

/// Without the rows that miss a value or a label; those that are kept, and what is said about the others.
pub(super) fn kept_rows(
    matrix: AnyMatrix,
    labels: Option<&[String]>,
) -> Result<(AnyMatrix, Option<Vec<usize>>, Option<String>)> {
    let mut whole = fill::whole_rows(&matrix);
    if let Some(labels) = labels {
        whole.iter_mut().zip(labels).for_each(|(whole, label)| *whole &= !is_missing(label));
    }
    let rows: Vec<usize> = (0..whole.len()).filter(|&i| whole[i]).collect();
    let (total, kept) = (whole.len(), rows.len());
    if kept == total {
        return Ok((matrix, None, None));
    }
    if kept == 0 {
        let problem = format!("0 of {} are without a missing value", count_grouped(total, "row"));
        return Err(refuse(
            "",
            problem,
            "take --missing ppca or mean, or drop the columns with most of them",
        ));
    }
    let left = total - kept;
    let note = format!(
        "{} of {} rows left out, for a missing value (--missing drop-rows)",
        grouped(left),
        grouped(total)
    );
    Ok((fill::chosen_rows(&matrix, &rows), Some(rows), Some(note)))
}

/// The values of a label column.
pub(super) fn label_values(
    words: Vec<String>,
    file: &TableFile<'_>,
    rows: Option<&[usize]>,
    missing: bool,
) -> Result<Labels> {
    let position = |row: usize| file.position(rows.map_or(row, |rows| rows[row]));
    if file.is_array() {
        let numbers = words.iter().map(|word| word.parse().unwrap_or(f64::NAN)).collect();
        return crate::distinguishable(numbers, missing);
    }
    let words: Vec<String> =
        words.into_iter().map(|word| if word.trim().is_empty() { String::new() } else { word }).collect();
    if let Some(row) = words.iter().position(String::is_empty).filter(|_| !missing) {
        return Err(refuse(position(row), "a label is missing", LABELED));
    }
    labels_of(|| words.iter().map(String::as_str), position, (missing, LABELED))
}

/// The cells of the matrix's columns as the file has them; none of columns that were encoded.
pub(super) fn texts(
    file: &mut TableFile<'static>,
    taken: &[Taken],
    origins: &[usize],
    rows: Option<&[usize]>,
) -> Result<Texts> {
    let plain = taken.iter().flat_map(|taken| {
        let columns = taken.how.columns(&taken.column.name).len();
        std::iter::repeat_n(taken.how == How::Number, columns)
    });
    let texts = file.texts(origins, rows)?;
    Ok(texts.into_iter().zip(plain).map(|(texts, plain)| texts.filter(|_| plain)).collect())
}
