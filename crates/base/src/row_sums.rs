//! A sparse matrix that is summed up row by row, on all threads.

use crate::{Csr, Result, Run, Scalar, parallel};

/// Rows that one task makes.
const ROWS: usize = 2048;

/// One sparse row under way.
pub struct RowSums<T> {
    values: Vec<T>,
    seen: Vec<bool>,
    touched: Vec<u32>,
}

impl<T: Scalar> RowSums<T> {
    /// Adds to an entry.
    #[inline(always)]
    pub fn add(&mut self, column: u32, value: T) {
        let at = column as usize;
        if self.seen[at] {
            self.values[at] += value;
        } else {
            self.seen[at] = true;
            self.values[at] = value;
            self.touched.push(column);
        }
    }

    fn drain(&mut self, indices: &mut Vec<u32>, values: &mut Vec<T>) {
        self.touched.sort_unstable();
        indices.extend_from_slice(&self.touched);
        for &column in &self.touched {
            values.push(self.values[column as usize]);
            self.seen[column as usize] = false;
        }
        self.touched.clear();
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
        let scratch = || RowSums { values: vec![T::zero(); n], seen: vec![false; n], touched: Vec::new() };
        let work = |c: usize, sums: &mut RowSums<T>| {
            let (mut ends, mut indices, mut values) = (Vec::new(), Vec::new(), Vec::new());
            for row in c * ROWS..((c + 1) * ROWS).min(n) {
                sum(row, sums);
                sums.drain(&mut indices, &mut values);
                ends.push(indices.len());
            }
            (ends, indices, values)
        };
        parallel::fold_in_order(run, n.div_ceil(ROWS), scratch, work, |_, (ends, columns, entries), _| {
            let start = indices.len();
            offsets.extend(ends.into_iter().map(|end| start + end));
            indices.extend(columns);
            values.extend(entries);
        })?;
        Self::new(n, n, offsets, indices, values)
    }
}
