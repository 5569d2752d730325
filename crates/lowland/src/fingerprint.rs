//! A hash of the numbers of an input, by which a fit says what it was made from. It tells inputs apart; it is not meant to
//! withstand someone who looks for two of the same hash.

use crate::matrix::Element;
use crate::{AnyInput, Input, check};
use lowland_base::simd::vectorized;
use lowland_base::{Csr, Error, Result, Run, parallel};
use ndarray::ArrayView2;
use std::ops::Range;

/// Rows that one task looks at.
const ROWS: usize = 1024;

/// The sum of a hash of each row, its place included, which is a sum over its cells in which a zero adds nothing: so threads,
/// chunks and sparse rows give the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Fingerprint {
    sums: [u64; 2],
    rows: u64,
    columns: u64,
}

impl Fingerprint {
    /// With more rows below the others, whose values are checked on the way. Rows that are refused leave it as it was.
    pub fn add(&mut self, input: AnyInput<'_>, missing: bool, run: &Run) -> Result<()> {
        let together = match input {
            AnyInput::F32(Input::Points(x)) => Some(dense(x, self.rows, true, run)),
            AnyInput::F64(Input::Points(x)) => Some(dense(x, self.rows, true, run)),
            _ => None,
        };
        match together {
            Some(Err(Error::NotFinite { .. })) if missing => {}
            Some(sums) => {
                self.append(input, sums?);
                return Ok(());
            }
            None => {}
        }
        input.check_as("data", missing, run)?;
        self.add_checked(input, run)
    }

    /// The same for values that have been checked.
    pub fn add_checked(&mut self, input: AnyInput<'_>, run: &Run) -> Result<()> {
        let start = self.rows;
        let sums = match input {
            AnyInput::F32(Input::Points(x) | Input::Distances(x) | Input::Kernel(x)) => {
                dense(x, start, false, run)?
            }
            AnyInput::F64(Input::Points(x) | Input::Distances(x) | Input::Kernel(x)) => {
                dense(x, start, false, run)?
            }
            AnyInput::F32(Input::Sparse(x) | Input::Graph(x)) => sparse(x, start, run)?,
            AnyInput::F64(Input::Sparse(x) | Input::Graph(x)) => sparse(x, start, run)?,
        };
        self.append(input, sums);
        Ok(())
    }

    fn append(&mut self, input: AnyInput<'_>, sums: [u64; 2]) {
        let shape = input.shape();
        self.sums = plus(self.sums, sums);
        self.rows += shape.rows as u64;
        self.columns = shape.columns as u64;
    }

    /// In hexadecimal digits.
    pub fn hex(self) -> String {
        let shape = self.shape();
        format!("{:016x}{:016x}", mix(self.sums[0] ^ shape), mix(self.sums[1].wrapping_add(shape)))
    }

    /// From these digits, to go on with more rows.
    pub fn from_hex(hex: &str, (rows, columns): (usize, usize)) -> Option<Self> {
        let half = |range: Range<usize>| u64::from_str_radix(hex.get(range)?, 16).ok().map(unmix);
        let (first, second) = (half(0..16)?, half(16..32)?);
        let empty = Self { sums: [0; 2], rows: rows as u64, columns: columns as u64 };
        let shape = empty.shape();
        (hex.len() == 32).then_some(Self { sums: [first ^ shape, second.wrapping_sub(shape)], ..empty })
    }

    fn shape(self) -> u64 {
        mix(self.rows.wrapping_mul(ODD[0]) ^ mix(self.columns))
    }
}

const ODD: [u64; 3] = [0x9e37_79b9_7f4a_7c15, 0xc2b2_ae3d_27d4_eb4f, 0x1656_67b1_9e37_79f9];

/// The finalizer of splitmix64: every bit depends on all others.
fn mix(mut x: u64) -> u64 {
    x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ (x >> 31)
}

/// The inverse of [`mix`].
fn unmix(mut x: u64) -> u64 {
    x = (x ^ (x >> 31) ^ (x >> 62)).wrapping_mul(0x3196_42b2_d24d_8ec3);
    x = (x ^ (x >> 27) ^ (x >> 54)).wrapping_mul(0x96de_1b17_3f11_9089);
    x ^ (x >> 30) ^ (x >> 60)
}

/// The lower half of the bits.
const LOW: u64 = 0xffff_ffff;

/// What a column adds to the two halves of its numbers, for each of the two sums.
fn keys_of(column: u64) -> [u64; 4] {
    let first = mix(column.wrapping_mul(ODD[1]).wrapping_add(ODD[2]));
    let second = mix(first ^ ODD[0]);
    [first & LOW, first >> 32, second & LOW, second >> 32]
}

/// One multiplication of 32 bits for each of the two sums (the hash NH of Black, Halevi, Krawczyk, Krovetz and Rogaway 1999):
/// nearly at the speed of memory.
#[inline(always)]
fn products(value: f64, [a, b, c, d]: [u64; 4]) -> [u64; 2] {
    // Both zeros are the same, and so are all NaNs.
    let bits = (value + 0.0).to_bits() | if value.is_nan() { u64::MAX } else { 0 };
    let high = bits >> 32;
    // The lower half of small whole numbers is 0.
    let low = bits.wrapping_add(high) & LOW;
    [((low + a) & LOW) * ((high + b) & LOW), ((low + c) & LOW) * ((high + d) & LOW)]
}

/// The keys of all columns: one list for each of the four numbers, as vector code wants them.
struct Keys([Vec<u64>; 4]);

impl Keys {
    fn new(columns: usize) -> Self {
        let mut lists = [0; 4].map(|_| Vec::with_capacity(columns));
        for column in 0..columns as u64 {
            lists.iter_mut().zip(keys_of(column)).for_each(|(list, key)| list.push(key));
        }
        Self(lists)
    }

    /// The sums over the cells of a row, and whether all are within the bound.
    #[inline(always)]
    fn of_cells<'a, T: Element>(&self, row: impl Iterator<Item = &'a T>, bound: T) -> ([u64; 2], bool) {
        let [a, b, c, d] = &self.0;
        let (mut sums, mut inside) = ([0; 2], 1);
        for ((((value, &a), &b), &c), &d) in row.zip(a).zip(b).zip(c).zip(d) {
            // A NaN fails every comparison. As wide as the sums, so that the compiler makes vector code of all.
            inside &= u64::from(value.abs() <= bound);
            sums = plus(sums, products(value.wide(), [a, b, c, d]));
        }
        (sums, inside == 1)
    }
}

/// The hash of a row with these sums.
fn of_row(row: u64, sums: [u64; 2]) -> [u64; 2] {
    let place = mix(row.wrapping_mul(ODD[0]).wrapping_add(ODD[1]));
    [mix(sums[0].wrapping_add(place)), mix(sums[1] ^ place)]
}

#[inline(always)]
fn plus(a: [u64; 2], b: [u64; 2]) -> [u64; 2] {
    [a[0].wrapping_add(b[0]), a[1].wrapping_add(b[1])]
}

fn minus(a: [u64; 2], b: [u64; 2]) -> [u64; 2] {
    [a[0].wrapping_sub(b[0]), a[1].wrapping_sub(b[1])]
}

/// The sum of the hashes of all rows, whose values are checked on the way where that is wanted.
fn dense<T: Element>(x: ArrayView2<'_, T>, start: u64, check: bool, run: &Run) -> Result<[u64; 2]> {
    let keys = Keys::new(x.ncols());
    let of_zeros = keys.of_cells(vec![T::zero(); x.ncols()].iter(), T::zero()).0;
    let of_rows = |rows: Range<usize>, bound: T| {
        let (mut sums, mut clean) = ([0; 2], true);
        for i in rows {
            let row = x.row(i);
            let (all, within) = match row.as_slice() {
                Some(row) => vectorized(
                    #[inline(always)]
                    || keys.of_cells(row.iter(), bound),
                ),
                None => keys.of_cells(row.iter(), bound),
            };
            clean &= within;
            sums = plus(sums, of_row(start + i as u64, minus(all, of_zeros)));
        }
        (sums, clean)
    };
    let parts = if check {
        let clean = |rows, bound| Some(of_rows(rows, bound)).filter(|(_, clean)| *clean);
        check::dense_while("data", x, clean, run)?
    } else {
        parallel::map_chunks(run, x.nrows(), ROWS, |rows| of_rows(rows, T::infinity()))?
    };
    Ok(parts.into_iter().map(|part| part.0).fold([0; 2], plus))
}

fn sparse<T: Element>(x: &Csr<T>, start: u64, run: &Run) -> Result<[u64; 2]> {
    let parts = parallel::map_chunks(run, x.nrows(), ROWS, |range| {
        let mut sums = [0; 2];
        for i in range {
            let (columns, values) = x.row(i);
            let cells = columns.iter().zip(values).fold([0; 2], |sums, (&j, value)| {
                let keys = keys_of(u64::from(j));
                plus(sums, minus(products(value.wide(), keys), products(0.0, keys)))
            });
            sums = plus(sums, of_row(start + i as u64, cells));
        }
        sums
    })?;
    Ok(parts.into_iter().fold([0; 2], plus))
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::{Array2, ShapeBuilder, s};

    fn hash<'a>(input: impl Into<AnyInput<'a>>) -> String {
        let mut hash = Fingerprint::default();
        hash.add_checked(input.into(), &Run::new()).unwrap();
        hash.hex()
    }

    #[test]
    fn the_same_numbers_have_the_same_hash_and_others_another() {
        let x = Array2::from_shape_fn(
            (2500, 4),
            |(i, j)| if (i + j) % 3 == 0 { 0.0 } else { (i * 7 + j) as f64 },
        );
        let plain = hash(&x);
        let mut columns = Array2::zeros((2500, 4).f());
        columns.assign(&x);
        assert_eq!(plain, hash(&columns));
        assert_eq!(plain, hash(&x.mapv(|v| v as f32)));
        let entries: Vec<(usize, usize, f64)> =
            x.indexed_iter().filter(|(_, v)| **v != 0.0).map(|((i, j), &v)| (i, j, v)).collect();
        let sparse = Csr::from_entries(2500, 4, &entries).unwrap();
        assert_eq!(plain, hash(Input::Sparse(&sparse)));
        let mut chunks = Fingerprint::default();
        for rows in [0..7, 7..1800, 1800..2500] {
            chunks.add(x.slice(s![rows, ..]).into(), false, &Run::new()).unwrap();
        }
        assert_eq!(plain, chunks.hex());
        // It goes on from what is written of it.
        let mut begun = Fingerprint::default();
        begun.add(x.slice(s![..700, ..]).into(), false, &Run::new()).unwrap();
        let mut again = Fingerprint::from_hex(&begun.hex(), (700, 4)).unwrap();
        assert_eq!(again, begun);
        again.add(x.slice(s![700.., ..]).into(), false, &Run::new()).unwrap();
        assert_eq!(plain, again.hex());
        assert_eq!(Fingerprint::from_hex("no hash", (700, 4)), None);
        // Checked on the way or before, along rows or columns; what is refused adds nothing.
        for x in [x.view(), columns.view()] {
            let mut checked = Fingerprint::default();
            checked.add(x.into(), false, &Run::new()).unwrap();
            assert_eq!(plain, checked.hex());
            let mut broken = x.to_owned();
            broken[(1900, 2)] = f64::INFINITY;
            let refused = checked.add(broken.view().into(), false, &Run::new());
            assert!(matches!(refused, Err(Error::NotFinite { row: 1900, column: 2, .. })));
            assert_eq!(plain, checked.hex());
        }
        let mut others = vec![hash(x.slice(s![..2499, ..])), hash(&x.t().to_owned())];
        for (i, j, v) in [(0, 0, 1e-300), (2499, 3, -1.0), (1, 0, f64::NAN)] {
            let mut y = x.clone();
            y[(i, j)] = v;
            others.push(hash(&y));
        }
        let mut swapped = x.clone();
        swapped.swap((0, 1), (1, 0));
        others.push(hash(&swapped));
        others.push(plain);
        let count = others.len();
        others.sort();
        others.dedup();
        assert_eq!(others.len(), count);
    }
}
