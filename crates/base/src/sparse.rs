//! Compressed sparse rows: the one sparse matrix type of Lowland.

use crate::units::count;
use crate::{Error, Result, Scalar};

/// A sparse matrix in compressed rows. Columns are strictly ascending within a row, so that equal matrices
/// have equal arrays.
#[derive(Debug, Clone, PartialEq)]
pub struct Csr<T> {
    rows: usize,
    columns: usize,
    offsets: Vec<usize>,
    indices: Vec<u32>,
    values: Vec<T>,
}

impl<T: Scalar> Csr<T> {
    /// Takes the three arrays after checking that they fit together.
    pub fn new(
        rows: usize,
        columns: usize,
        offsets: Vec<usize>,
        indices: Vec<u32>,
        values: Vec<T>,
    ) -> Result<Self> {
        let wrong = |problem: String, remedy: &str| {
            let problem = format!("{problem} in the sparse matrix");
            Err(Error::malformed("sparse matrix", problem, remedy))
        };
        check_shape(rows, columns)?;
        if offsets.len() != rows + 1 || offsets[0] != 0 {
            let problem = format!(
                "{} for {}, or a first one that is not 0",
                count(offsets.len(), "row offset"),
                count(rows, "row")
            );
            return wrong(problem, "give 0 and the end of each row");
        }
        if indices.len() != values.len() || offsets[rows] != indices.len() {
            let problem = format!(
                "{} of columns, {} and a last offset of {}",
                count(indices.len(), "number"),
                count(values.len(), "value"),
                offsets[rows]
            );
            return wrong(problem, "give as many of each as there are entries");
        }
        for row in 0..rows {
            if offsets[row] > offsets[row + 1] || offsets[row + 1] > indices.len() {
                return wrong(
                    format!("offsets of row {row} that run backward"),
                    "give them in ascending order",
                );
            }
            let columns_here = &indices[offsets[row]..offsets[row + 1]];
            if let Some(pair) = columns_here.windows(2).find(|pair| pair[0] >= pair[1]) {
                let problem = format!("column {} before column {} of row {row}", pair[0], pair[1]);
                return wrong(problem, "sort the entries of each row, and sum those of one column");
            }
            if let Some(&last) = columns_here.last().filter(|&&last| last as usize >= columns) {
                let problem =
                    format!("an entry of row {row} in column {last}, of {}", count(columns, "column"));
                return wrong(problem, "give columns below their number");
            }
        }
        Ok(Self { rows, columns, offsets, indices, values })
    }

    /// From entries in any order; entries of the same position are summed in the order given.
    pub fn from_entries(rows: usize, columns: usize, entries: &[(usize, usize, T)]) -> Result<Self> {
        check_shape(rows, columns)?;
        if let Some(&(row, column, _)) = entries.iter().find(|e| e.0 >= rows || e.1 >= columns) {
            let problem =
                format!("entry ({row}, {column}) is outside the sparse matrix of {rows} x {columns}");
            return Err(Error::malformed("sparse matrix", problem, "give entries inside it"));
        }
        let mut order: Vec<usize> = (0..entries.len()).collect();
        order.sort_by_key(|&e| (entries[e].0, entries[e].1));
        let mut offsets = vec![0; rows + 1];
        let (mut indices, mut values): (Vec<u32>, Vec<T>) = (Vec::new(), Vec::new());
        let mut last = None;
        for e in order {
            let (row, column, value) = entries[e];
            if last == Some((row, column)) {
                *values.last_mut().expect("a repeated position has a first entry") += value;
            } else {
                indices.push(column as u32);
                values.push(value);
                offsets[row + 1] += 1;
                last = Some((row, column));
            }
        }
        for row in 0..rows {
            offsets[row + 1] += offsets[row];
        }
        Ok(Self { rows, columns, offsets, indices, values })
    }

    /// The number of rows.
    pub fn nrows(&self) -> usize {
        self.rows
    }

    /// The number of columns.
    pub fn ncols(&self) -> usize {
        self.columns
    }

    /// The number of stored entries.
    pub fn nnz(&self) -> usize {
        self.values.len()
    }

    /// The columns and values of a row.
    pub fn row(&self, row: usize) -> (&[u32], &[T]) {
        let range = self.offsets[row]..self.offsets[row + 1];
        (&self.indices[range.clone()], &self.values[range])
    }

    /// Where each row begins in [`Self::indices`] and [`Self::values`].
    pub fn offsets(&self) -> &[usize] {
        &self.offsets
    }

    /// The column of every entry.
    pub fn indices(&self) -> &[u32] {
        &self.indices
    }

    /// The value of every entry.
    pub fn values(&self) -> &[T] {
        &self.values
    }

    /// The values, to change in place.
    pub fn values_mut(&mut self) -> &mut [T] {
        &mut self.values
    }

    /// The same in double precision.
    pub fn widened(&self) -> Csr<f64> {
        Csr {
            rows: self.rows,
            columns: self.columns,
            offsets: self.offsets.clone(),
            indices: self.indices.clone(),
            values: self.values.iter().map(|value| value.wide()).collect(),
        }
    }

    /// Some of the rows, in this order.
    pub fn select(&self, rows: &[usize]) -> Self {
        let (mut offsets, mut indices, mut values) = (vec![0], Vec::new(), Vec::new());
        for &row in rows {
            let (columns, entries) = self.row(row);
            indices.extend_from_slice(columns);
            values.extend_from_slice(entries);
            offsets.push(indices.len());
        }
        Self { rows: rows.len(), columns: self.columns, offsets, indices, values }
    }

    /// The transpose.
    pub fn transpose(&self) -> Self {
        let mut offsets = vec![0; self.columns + 1];
        for &column in &self.indices {
            offsets[column as usize + 1] += 1;
        }
        for column in 0..self.columns {
            offsets[column + 1] += offsets[column];
        }
        let mut next = offsets.clone();
        let (mut indices, mut values) = (vec![0; self.nnz()], vec![T::default(); self.nnz()]);
        for row in 0..self.rows {
            let (columns, entries) = self.row(row);
            for (&column, &value) in columns.iter().zip(entries) {
                let position = &mut next[column as usize];
                (indices[*position], values[*position]) = (row as u32, value);
                *position += 1;
            }
        }
        Self { rows: self.columns, columns: self.rows, offsets, indices, values }
    }

    /// Whether the matrix equals its transpose, to the bit.
    pub fn is_symmetric(&self) -> bool {
        if self.rows != self.columns {
            return false;
        }
        // The rows come in order, and each finds the mirror images of its entries beyond the diagonal next in theirs. Those
        // before the diagonal are the images that the earlier rows have found.
        let mut next = self.offsets[..self.rows].to_vec();
        (0..self.rows).all(|row| {
            (next[row]..self.offsets[row + 1]).all(|entry| {
                let column = self.indices[entry] as usize;
                let position = next[column];
                next[column] += 1;
                column >= row
                    && position < self.offsets[column + 1]
                    && self.indices[position] == row as u32
                    && self.values[position] == self.values[entry]
            })
        })
    }
}

/// Rows and columns are numbered by `u32`, in the matrix or in its transpose.
fn check_shape(rows: usize, columns: usize) -> Result<()> {
    if rows.max(columns) as u64 > 1 << 32 {
        let problem = format!("the sparse matrix is {rows} x {columns}, over 4294967296 rows or columns");
        return Err(Error::malformed("sparse matrix", problem, "leave some out"));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn malformed_arrays_are_refused() {
        assert!(Csr::new(2, 2, vec![0, 1], vec![0], vec![1.0]).is_err());
        assert!(Csr::new(2, 2, vec![0, 2, 1], vec![0], vec![1.0]).is_err());
        assert!(Csr::new(1, 2, vec![0, 1], vec![2], vec![1.0]).is_err());
        assert!(Csr::new(1, 2, vec![0, 2], vec![1, 0], vec![1.0, 1.0]).is_err());
        assert!(Csr::new(1, 2, vec![0, 2], vec![0, 0], vec![1.0, 1.0]).is_err());
        assert!(Csr::new(1, 2, vec![0, 2], vec![0, 1], vec![1.0, 1.0]).is_ok());
        assert!(Csr::<f64>::new(usize::MAX, 1, vec![], vec![], vec![]).is_err());
        // A number beyond u32 must not come out as another one.
        assert!(Csr::from_entries(1, 1 << 33, &[(0, (1 << 32) + 5, 1.0)]).is_err());
    }

    #[test]
    fn symmetric_is_equal_to_its_transpose() {
        // Every pattern of a 3 x 3 matrix, with equal entries and with one that differs.
        for bits in 0..1 << 9 {
            for odd in 0..10 {
                let positions = (0..9).filter(|position| bits >> position & 1 == 1);
                let entries: Vec<_> =
                    positions.map(|p| (p / 3, p % 3, if p == odd { 2.0 } else { 1.0 })).collect();
                let matrix = Csr::from_entries(3, 3, &entries).unwrap();
                assert_eq!(matrix.is_symmetric(), matrix == matrix.transpose(), "{bits:b}, {odd}");
            }
        }
    }

    #[test]
    fn rows_are_selected_and_widened() {
        let m = Csr::from_entries(3, 3, &[(0, 1, 2.0_f32), (2, 0, 1.0), (2, 2, 3.0)]).unwrap();
        let expected =
            Csr::from_entries(3, 3, &[(0, 0, 1.0), (0, 2, 3.0), (1, 1, 2.0), (2, 0, 1.0), (2, 2, 3.0)]);
        assert_eq!(m.select(&[2, 0, 2]).widened(), expected.unwrap());
    }

    #[test]
    fn transposing_twice_is_nothing_and_entries_are_summed() {
        let m = Csr::from_entries(2, 3, &[(1, 2, 1.0), (0, 1, 2.0), (1, 2, 3.0)]).unwrap();
        assert_eq!(m.row(1), (&[2u32][..], &[4.0][..]));
        assert_eq!(m.transpose().transpose(), m);
        assert!(!m.is_symmetric());
    }
}
