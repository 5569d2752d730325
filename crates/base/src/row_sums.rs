//! A sparse matrix that is summed up row by row, on all threads.

use crate::{Csr, Result, Run, Scalar, parallel};

/// Rows that one task makes.
const ROWS: usize = 2048;

/// One sparse row under way.
pub struct RowSums<T> {
    /// Zero where there is no entry.
    values: Vec<T>,
    /// A bit for each entry that there is: the entries come out in order without being sorted.
    entries: Vec<u64>,
    /// A bit for each word of `entries` that has any.
    words: Vec<u64>,
}

impl<T: Scalar> RowSums<T> {
    fn new(n: usize) -> Self {
        let words = n.div_ceil(64);
        Self { values: vec![T::zero(); n], entries: vec![0; words], words: vec![0; words.div_ceil(64)] }
    }

    /// Adds to an entry.
    #[inline(always)]
    pub fn add(&mut self, column: u32, value: T) {
        let (at, word) = (column as usize, column as usize / 64);
        self.values[at] += value;
        self.entries[word] |= 1 << (at % 64);
        self.words[word / 64] |= 1 << (word % 64);
    }

    fn drain(&mut self, indices: &mut Vec<u32>, values: &mut Vec<T>) {
        for (group, words) in self.words.iter_mut().enumerate() {
            for word in Bits(std::mem::take(words)).map(|bit| 64 * group + bit) {
                for column in Bits(std::mem::take(&mut self.entries[word])).map(|bit| 64 * word + bit) {
                    indices.push(column as u32);
                    values.push(std::mem::replace(&mut self.values[column], T::zero()));
                }
            }
        }
    }
}

/// The bits of a word that are set, the lowest first.
struct Bits(u64);

impl Iterator for Bits {
    type Item = usize;

    #[inline(always)]
    fn next(&mut self) -> Option<usize> {
        let bit = self.0.trailing_zeros() as usize;
        self.0 &= self.0.checked_sub(1)?;
        Some(bit)
    }
}

impl<T: Scalar> Csr<T> {
    /// The square matrix of order `n` to each row of which `sum` adds its entries.
    pub fn from_sums(
        n: usize,
        sum: impl Fn(usize, &mut RowSums<T>) + Send + Sync,
        run: &Run,
    ) -> Result<Self> {
        let (mut offsets, mut indices, mut values) = (vec![0], Vec::new(), Vec::new());
        let work = |c: usize, sums: &mut RowSums<T>| {
            let (mut ends, mut indices, mut values) = (Vec::new(), Vec::new(), Vec::new());
            for row in c * ROWS..((c + 1) * ROWS).min(n) {
                sum(row, sums);
                sums.drain(&mut indices, &mut values);
                ends.push(indices.len());
            }
            (ends, indices, values)
        };
        parallel::fold_in_order(
            run,
            n.div_ceil(ROWS),
            || RowSums::new(n),
            work,
            |_, (ends, columns, entries), _| {
                let start = indices.len();
                offsets.extend(ends.into_iter().map(|end| start + end));
                indices.extend(columns);
                values.extend(entries);
            },
        )?;
        Self::new(n, n, offsets, indices, values)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    #[test]
    fn rows_are_the_sums_of_their_entries_in_order() {
        for (n, most) in [(1, 3), (64, 40), (65, 90), (4096, 70), (4097, 70), (5000, 70)] {
            // Many entries twice, those at the ends of words among them, and some that add up to zero.
            let terms = |row: usize| {
                // Some rows have none.
                (0..if row % 7 == 3 { 0 } else { most }).map(move |i| {
                    let column = match i % 4 {
                        0 => (64 * i + 63) % n,
                        1 => (64 * (i - 1) + 64) % n,
                        _ => (row * 7919 + (i / 2) * 104_729) % n,
                    };
                    (column as u32, if i % 8 < 4 { 1.5 + row as f64 } else { -0.5 - i as f64 })
                })
            };
            let sum = |row: usize, sums: &mut RowSums<f64>| {
                terms(row).for_each(|(column, value)| sums.add(column, value));
            };
            let matrix = Csr::from_sums(n, sum, &Run::new()).unwrap();
            for row in 0..n {
                let mut expected = BTreeMap::new();
                terms(row).for_each(|(column, value)| *expected.entry(column).or_insert(0.0) += value);
                let (columns, values) = matrix.row(row);
                assert!(columns.iter().zip(values).eq(expected.iter()), "{n}, row {row}");
            }
        }
    }
}
