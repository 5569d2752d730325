//! Some rows of a Hadamard matrix, its columns with random signs (Ailon and Chazelle 2009): applied by the fast
//! transform, in `D log D` additions a row instead of `D k` products.

use crate::Input;
use crate::model::Archive;
use lowland_base::parallel::fill_rows;
use lowland_base::simd::vectorized;
use lowland_base::{Error, Result, Run, Scalar};
use ndarray::Array2;

/// Rows transformed at a time.
const CHUNK: usize = 16;

/// The map `y_j = s sum_i H(r_j, i) e_i x_i`, `H` the matrix of the next power of two above the columns.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Hadamard {
    /// `e`: 1 or -1, one a column of the data.
    pub signs: Vec<f64>,
    /// `r`: which row of the matrix each component is.
    pub rows: Vec<usize>,
}

impl Hadamard {
    fn order(&self) -> usize {
        self.signs.len().next_power_of_two()
    }

    /// `s`: squared distances stay as they are on average.
    fn size(&self) -> f64 {
        1.0 / (self.rows.len() as f64).sqrt()
    }

    /// The map as a matrix, columns of the data x components. Row `r` of `H` has the sign of the parity of `r & i`.
    pub fn matrix(&self) -> Array2<f64> {
        Array2::from_shape_fn((self.signs.len(), self.rows.len()), |(i, j)| {
            let even = (i & self.rows[j]).count_ones().is_multiple_of(2);
            self.size() * if even { self.signs[i] } else { -self.signs[i] }
        })
    }

    /// The images of all rows.
    pub fn apply<T: Scalar>(&self, input: Input<'_, T>, run: &Run) -> Result<Array2<T>> {
        let (n, k) = (input.shape().rows, self.rows.len());
        let signs: Vec<T> = self.signs.iter().map(|&sign| T::of(sign)).collect();
        let size = T::of(self.size());
        let mut out = vec![T::zero(); n * k];
        fill_rows(run, &mut out, k, CHUNK, |here, out| {
            let mut work = vec![T::zero(); self.order()];
            for (row, out) in here.zip(out.chunks_exact_mut(k)) {
                work.fill(T::zero());
                match input {
                    Input::Sparse(x) => {
                        let (columns, values) = x.row(row);
                        for (&column, &value) in columns.iter().zip(values) {
                            work[column as usize] = value * signs[column as usize];
                        }
                    }
                    Input::Points(x) => {
                        let values = x.row(row).into_iter().zip(&signs);
                        work.iter_mut().zip(values).for_each(|(work, (&value, &sign))| *work = value * sign);
                    }
                    _ => {}
                }
                transform(&mut work);
                out.iter_mut().zip(&self.rows).for_each(|(out, &row)| *out = work[row] * size);
            }
        })?;
        Array2::from_shape_vec((n, k), out).map_err(|e| Error::shape("embedding", &e))
    }

    /// Into a model file.
    pub fn store(&self, archive: &mut Archive) {
        archive.put_vector("map.signs", &self.signs);
        archive.put_indices("map.rows", &self.rows);
    }

    /// From a model file, of a map with so many columns and components; `None` where it has none.
    pub fn load(archive: &Archive, columns: usize, components: usize) -> Result<Option<Self>> {
        if !archive.has_array("map.signs") {
            return Ok(None);
        }
        let signs = archive.vector("map.signs", columns)?.to_vec();
        let rows = archive.indices("map.rows", columns.next_power_of_two())?;
        if rows.len() != components {
            let problem = format!(
                "{} of a Hadamard matrix for {}",
                lowland_base::units::count(rows.len(), "row"),
                lowland_base::units::count(components, "component")
            );
            return Err(Error::ModelFile { problem });
        }
        Ok(Some(Self { signs, rows }))
    }
}

/// `x` becomes `H x`, in place. The length is a power of two.
fn transform<T: Scalar>(x: &mut [T]) {
    vectorized(
        #[inline(always)]
        || {
            let mut half = 1;
            // The three shortest strides within registers.
            if x.len() >= 8 {
                let (eights, _) = x.as_chunks_mut::<8>();
                for v in eights {
                    for stride in [1, 2, 4] {
                        for at in 0..8 {
                            if at & stride == 0 {
                                (v[at], v[at + stride]) = (v[at] + v[at + stride], v[at] - v[at + stride]);
                            }
                        }
                    }
                }
                half = 8;
            }
            while half < x.len() {
                for pair in x.chunks_exact_mut(2 * half) {
                    let (a, b) = pair.split_at_mut(half);
                    a.iter_mut().zip(b).for_each(|(a, b)| (*a, *b) = (*a + *b, *a - *b));
                }
                half *= 2;
            }
        },
    );
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::RngExt;

    #[test]
    fn the_fast_transform_is_the_matrix() {
        let run = Run::new();
        let mut rng = run.rng("hadamard");
        for d in [1_usize, 2, 3, 4, 5, 7, 8, 9, 31, 64, 100] {
            let order = d.next_power_of_two();
            let signs = (0..d).map(|_| if rng.random::<bool>() { 1.0 } else { -1.0 }).collect();
            let map = Hadamard { signs, rows: (0..order).rev().collect() };
            let x = Array2::from_shape_fn((5, d), |_| rng.random::<f64>() - 0.5);
            let fast = map.apply(Input::Points(x.view()), &run).unwrap();
            let plain = x.dot(&map.matrix());
            assert!((&fast - &plain).iter().all(|v| v.abs() < 1e-13), "{d}");
            // All rows of the matrix together are a rotation.
            for (x, y) in x.rows().into_iter().zip(fast.rows()) {
                assert!((x.dot(&x) - y.dot(&y)).abs() < 1e-13);
            }
        }
    }
}
