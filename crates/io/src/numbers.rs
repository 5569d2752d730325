//! Binary numbers of every kind, made a matrix of the precision that holds them exactly.

use crate::source::{DAMAGED, Source, refuse};
use half::f16;
use lowland::{AnyMatrix, Result};
use ndarray::{Array2, Axis};

/// A kind of number in a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Bool,
    I8,
    U8,
    I16,
    U16,
    I32,
    U32,
    I64,
    U64,
    F16,
    F32,
    F64,
}

/// How a dense array lies in a file.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Layout<'a> {
    pub kind: Kind,
    pub big_endian: bool,
    /// Beyond two dimensions, everything but the first is one row.
    pub shape: &'a [usize],
    /// First index fastest.
    pub by_column: bool,
    /// Double precision even where single would do.
    pub wide: bool,
}

impl Layout<'_> {
    /// Reads the numbers. Single precision where every number of the kind is exact in it.
    pub fn read(self, source: &mut Source<'_>) -> Result<AnyMatrix> {
        macro_rules! as_f32 {
            ($t:ty) => {
                if self.wide {
                    self.collect(source, |b| f64::from(<$t>::from_le_bytes(b)))?.into()
                } else {
                    self.collect(source, |b| f32::from(<$t>::from_le_bytes(b)))?.into()
                }
            };
        }
        // Integers beyond 2^53 are rounded to the nearest double.
        macro_rules! as_f64 {
            ($t:ty) => {
                self.collect(source, |b| <$t>::from_le_bytes(b) as f64)?.into()
            };
        }
        Ok(match self.kind {
            Kind::Bool => self.collect(source, |[b]: [u8; 1]| if b == 0 { 0f32 } else { 1.0 })?.into(),
            Kind::I8 => as_f32!(i8),
            Kind::U8 => as_f32!(u8),
            Kind::I16 => as_f32!(i16),
            Kind::U16 => as_f32!(u16),
            Kind::F16 => as_f32!(f16),
            Kind::F32 => as_f32!(f32),
            Kind::I32 => as_f64!(i32),
            Kind::U32 => as_f64!(u32),
            Kind::I64 => as_f64!(i64),
            Kind::U64 => as_f64!(u64),
            Kind::F64 => as_f64!(f64),
        })
    }

    /// Reads the bits of integers of 64 bits.
    pub fn read_bits(self, source: &mut Source<'_>) -> Result<Vec<u64>> {
        Ok(self.collect(source, u64::from_le_bytes)?.into_raw_vec_and_offset().0)
    }

    fn collect<T: Copy + Default, const N: usize>(
        self,
        source: &mut Source<'_>,
        decode: impl Fn([u8; N]) -> T,
    ) -> Result<Array2<T>> {
        let too_large = || refuse("in its header", "the claimed shape is beyond any memory", DAMAGED);
        let (rows, columns) = flattened(self.shape)?;
        let count = rows.checked_mul(columns).ok_or_else(too_large)?;
        let bytes =
            count.checked_mul(N).filter(|&bytes| isize::try_from(bytes).is_ok()).ok_or_else(too_large)?;
        source.check(bytes as u64)?;
        let mut values: Vec<T> = Vec::new();
        // Inside a compressed stream nothing vouches for the claim: there the vector grows with what comes.
        if source.left().is_some() {
            values.try_reserve_exact(count).map_err(|_| too_large())?;
        }
        let strided = self.by_column && rows > 1 && columns > 1;
        if strided {
            if source.left().is_none() {
                return Err(refuse("", "a compressed array lies column by column", "store it uncompressed"));
            }
            values.resize(count, T::default());
        }
        let mut block = vec![0u8; N * (8192usize).min(count)];
        let mut done = 0;
        while done < count {
            let now = (count - done).min(8192);
            let block = &mut block[..now * N];
            source.fill(block)?;
            let numbers = block.as_chunks_mut::<N>().0.iter_mut().map(|bytes| {
                if self.big_endian {
                    bytes.reverse();
                }
                decode(*bytes)
            });
            if strided {
                let (mut row, mut column) = (done % rows, done / rows);
                for number in numbers {
                    values[row * columns + column] = number;
                    row += 1;
                    if row == rows {
                        (row, column) = (0, column + 1);
                    }
                }
            } else {
                values.extend(numbers);
            }
            done += now;
        }
        let matrix = Array2::from_shape_vec((rows, columns), values).map_err(|_| too_large())?;
        if self.by_column && self.shape.len() > 2 && count > 0 {
            return Ok(matrix.select(Axis(1), &row_order(&self.shape[1..])));
        }
        Ok(matrix)
    }
}

/// For an image stored first index fastest: where each of its values, last index fastest, lies.
fn row_order(shape: &[usize]) -> Vec<usize> {
    let mut order = vec![0];
    let mut stride = 1;
    for &n in shape {
        order = order.iter().flat_map(|&at| (0..n).map(move |i| at + i * stride)).collect();
        stride *= n;
    }
    order
}

/// Rows and columns of an array of any shape: all dimensions but the first, flattened.
pub(crate) fn flattened(shape: &[usize]) -> Result<(usize, usize)> {
    let (rows, rest) = match shape {
        [] => (1, &[][..]),
        [rows, rest @ ..] => (*rows, rest),
    };
    let columns = rest.iter().try_fold(1usize, |product, &n| product.checked_mul(n));
    match columns {
        Some(columns) => Ok((rows, columns)),
        None => Err(refuse("in its header", "the claimed shape is beyond any memory", DAMAGED)),
    }
}

/// The bytes of a matrix, row by row, least significant first.
pub(crate) fn write_rows(matrix: &AnyMatrix, out: &mut dyn std::io::Write) -> std::io::Result<()> {
    match matrix {
        AnyMatrix::F32(m) => m.iter().try_for_each(|v| out.write_all(&v.to_le_bytes())),
        AnyMatrix::F64(m) => m.iter().try_for_each(|v| out.write_all(&v.to_le_bytes())),
    }
}
