//! Tables and labels as text.

use crate::Labels;
use crate::output::{Part, Sheet};
use crate::source::io;
use lowland::{AnyMatrix, Result};
use std::io::Write;

/// Writes a matrix, each number as the shortest text that reads back to it.
pub(crate) fn write(
    matrix: &AnyMatrix,
    columns: Option<&[String]>,
    separator: u8,
    out: &mut dyn Write,
) -> Result<()> {
    let mut line = Vec::new();
    if let Some(columns) = columns {
        join(columns, separator, &mut line, |name, line| quote(name, separator, line));
        out.write_all(&line).map_err(io)?;
    }
    macro_rules! rows {
        ($m:expr) => {
            for row in $m.rows() {
                line.clear();
                join(row, separator, &mut line, |&v, line| {
                    line.extend(zmij::Buffer::new().format(v).as_bytes())
                });
                out.write_all(&line).map_err(io)?;
            }
        };
    }
    match matrix {
        AnyMatrix::F32(m) => rows!(m),
        AnyMatrix::F64(m) => rows!(m),
    }
    Ok(())
}

/// Writes one label a line, without a header.
pub(crate) fn write_labels(labels: &Labels, separator: u8, out: &mut dyn Write) -> Result<()> {
    let mut text = Vec::new();
    match labels {
        // `{}` writes whole numbers without a point.
        Labels::Numbers(numbers) => numbers.iter().for_each(|v| text.extend(format!("{v}\n").bytes())),
        Labels::Words(words) => {
            words.iter().for_each(|word| join([word], separator, &mut text, |w, t| quote(w, separator, t)));
        }
    }
    out.write_all(&text).map_err(io)
}

fn join<T>(
    fields: impl IntoIterator<Item = T>,
    separator: u8,
    line: &mut Vec<u8>,
    write: impl Fn(T, &mut Vec<u8>),
) {
    for (j, field) in fields.into_iter().enumerate() {
        if j > 0 {
            line.push(separator);
        }
        write(field, line);
    }
    line.push(b'\n');
}

/// A name, in quotes if it needs them; a line break in it becomes a blank.
fn quote(name: &str, separator: u8, line: &mut Vec<u8>) {
    let special = |b: u8| matches!(b, b'"' | b'\n' | b'\r' | b' ' | b',' | b';' | b'\t') || b == separator;
    if name.bytes().any(special) {
        let name = name.replace(['\n', '\r'], " ").replace('"', "\"\"");
        line.extend(format!("\"{name}\"").bytes());
    } else {
        line.extend(name.bytes());
    }
}

/// Writes the columns of a sheet in their order, below their names.
pub(crate) fn write_sheet(sheet: &Sheet<'_>, separator: u8, out: &mut dyn Write) -> Result<()> {
    let mut line = Vec::new();
    if sheet.header {
        join(&sheet.columns, separator, &mut line, |(name, _), line| quote(name, separator, line));
        out.write_all(&line).map_err(io)?;
    }
    for row in 0..sheet.matrix.dim().0 {
        line.clear();
        join(&sheet.columns, separator, &mut line, |(_, part), line| match (part, sheet.matrix) {
            (Part::Number(j), AnyMatrix::F32(m)) => {
                line.extend(zmij::Buffer::new().format(m[(row, *j)]).as_bytes());
            }
            (Part::Number(j), AnyMatrix::F64(m)) => {
                line.extend(zmij::Buffer::new().format(m[(row, *j)]).as_bytes());
            }
            (Part::Other(Labels::Numbers(numbers)), _) => line.extend(format!("{}", numbers[row]).bytes()),
            (Part::Other(Labels::Words(words)), _) => quote(&words[row], separator, line),
        });
        out.write_all(&line).map_err(io)?;
    }
    Ok(())
}
