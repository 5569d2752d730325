//! MNIST's idx: two zeros, the type, the number of dimensions, the sizes, the numbers; big-endian, often gzipped.

use crate::numbers::{Kind, Layout};
use crate::source::{Source, refuse};
use lowland::{AnyMatrix, Result};
use std::io::Write;

/// Reads an array of any shape as rows. A gzipped one may hold exactly what its inner header claims.
pub(crate) fn read(mut source: Source<'_>, most: u64) -> Result<AnyMatrix> {
    if source.peek()?.starts_with(b"\x1f\x8b") {
        source = source.gunzip(most);
    }
    let [zero, also_zero, code, dimensions] = source.array()?;
    let kind = match code {
        0x08 => Kind::U8,
        0x09 => Kind::I8,
        0x0b => Kind::I16,
        0x0c => Kind::I32,
        0x0d => Kind::F32,
        0x0e => Kind::F64,
        _ => {
            return Err(refuse(
                "byte 2",
                format!("its type {code:#04x} is unknown"),
                "check that it is an idx file",
            ));
        }
    };
    if (zero, also_zero) != (0, 0) || !(1..=8).contains(&dimensions) {
        return Err(refuse("byte 0", "it does not begin as an idx file", "check that it is one"));
    }
    let shape: Vec<usize> =
        (0..dimensions).map(|_| Ok(u32::from_be_bytes(source.array()?) as usize)).collect::<Result<_>>()?;
    let layout = Layout { kind, big_endian: true, shape: &shape, by_column: false, wide: false };
    let matrix = layout.read(&mut source)?;
    source.end()?;
    Ok(matrix)
}

/// Writes a matrix of floats.
pub(crate) fn write(matrix: &AnyMatrix, out: &mut dyn Write) -> Result<()> {
    let (rows, columns) = matrix.dim();
    let (Ok(rows), Ok(columns)) = (u32::try_from(rows), u32::try_from(columns)) else {
        return Err(refuse("", "idx counts rows in 32 bits", "write another format"));
    };
    let code = if matches!(matrix, AnyMatrix::F32(_)) { 0x0d } else { 0x0e };
    let mut head = vec![0, 0, code, 2];
    head.extend(rows.to_be_bytes());
    head.extend(columns.to_be_bytes());
    out.write_all(&head)
        .and_then(|()| match matrix {
            AnyMatrix::F32(m) => m.iter().try_for_each(|v| out.write_all(&v.to_be_bytes())),
            AnyMatrix::F64(m) => m.iter().try_for_each(|v| out.write_all(&v.to_be_bytes())),
        })
        .map_err(crate::source::io)
}
