//! Affinities: how strongly each point is bound to its neighbors, as a sparse symmetric matrix. From neighbor lists only:
//! nothing here knows points or metrics.

mod fuzzy;
mod perplexity;
pub mod supervised;
mod symmetrize;
#[cfg(test)]
mod tests;

use crate::choices;
use lowland_base::parallel::map_chunks;
use lowland_base::{Csr, Error, Result, Run, Scalar};
use lowland_neighbors::Table;

pub use fuzzy::{Fuzzy, Membership};
pub use perplexity::conditional_row;
pub use symmetrize::symmetrize;

/// How the affinities of a point to its neighbors follow from their distances.
#[derive(Debug, Clone, PartialEq)]
pub enum Affinity {
    /// Gaussians whose widths give each point the same number of effective neighbors (Hinton and Roweis 2002). With
    /// several perplexities the mean of them: near and far structure at once.
    Perplexity(Vec<f64>),
    /// All neighbors alike.
    Uniform,
}

choices! {
    /// How the affinities of a point to its neighbors are made.
    pub enum TsneAffinities {
        /// Gaussian, of the given perplexity, or of the mean of two.
        Perplexity = "perplexity" | "gaussian",
        /// All neighbors alike.
        Uniform = "uniform",
    }
}

/// The perplexity unless given.
pub(crate) const PERPLEXITY: f64 = 30.0;

impl TsneAffinities {
    /// The affinities of so many rows, with these perplexities where they are of one.
    pub(crate) fn of(self, first: Option<f64>, second: Option<f64>, rows: usize) -> Affinity {
        match self {
            Self::Uniform => Affinity::Uniform,
            Self::Perplexity => {
                let usual = PERPLEXITY.min((rows.saturating_sub(1) as f64 / 3.0).max(1.0));
                Affinity::Perplexity(std::iter::once(first.unwrap_or(usual)).chain(second).collect())
            }
        }
    }
}

/// Points a chunk.
const CHUNK: usize = 256;

impl Affinity {
    /// The first perplexity.
    pub fn perplexity(&self) -> Option<f64> {
        match self {
            Self::Perplexity(perplexities) => perplexities.first().copied(),
            Self::Uniform => None,
        }
    }

    /// How many neighbors are wanted: three times the largest perplexity, as far as there are so many.
    pub fn neighbors_wanted(&self, points: usize) -> Option<usize> {
        match self {
            Self::Perplexity(perplexities) => {
                let largest = perplexities.iter().fold(0.0_f64, |a, &b| a.max(b));
                Some(((3.0 * largest).ceil() as usize).clamp(1, points.saturating_sub(1).max(1)))
            }
            Self::Uniform => None,
        }
    }

    /// The affinities `p_{j|i}` of one point to its neighbors; their sum is 1.
    pub fn row<T: Scalar>(&self, distances: &[T]) -> Vec<f64> {
        match self {
            Self::Uniform => vec![1.0 / distances.len().max(1) as f64; distances.len()],
            Self::Perplexity(perplexities) => {
                let mut out = vec![0.0; distances.len()];
                let share = 1.0 / perplexities.len().max(1) as f64;
                for &perplexity in perplexities {
                    let row = conditional_row(distances, perplexity);
                    out.iter_mut().zip(row).for_each(|(o, p)| *o += share * p);
                }
                out
            }
        }
    }

    /// The same, with no perplexity above the number of neighbors.
    pub fn at_most(self, k: usize) -> Self {
        match self {
            Self::Perplexity(perplexities) => Self::Perplexity(
                perplexities.into_iter().map(|perplexity| perplexity.min(k as f64)).collect(),
            ),
            Self::Uniform => Self::Uniform,
        }
    }

    /// Refuses what `k` neighbors cannot give.
    pub fn check(&self, k: usize) -> Result<()> {
        self.check_of(k, k)
    }

    /// The same, where there could be `most` neighbors.
    pub fn check_of(&self, k: usize, most: usize) -> Result<()> {
        let Self::Perplexity(perplexities) = self else { return Ok(()) };
        if perplexities.is_empty() {
            return Err(Error::conflict("perplexity", "0 perplexities are given", "give one, such as 30"));
        }
        for &perplexity in perplexities {
            if perplexity.is_nan() || perplexity < 1.0 || perplexity > k as f64 {
                let bound = format!("1 to {k}, the number of neighbors");
                let remedy = if (1.0..=most as f64).contains(&perplexity) {
                    "raise n_neighbors, or lower perplexity"
                } else {
                    "lower it, or give more points"
                };
                return Err(Error::parameter("perplexity", perplexity, bound, remedy));
            }
        }
        Ok(())
    }

    /// The conditional affinities `p_{j|i}`: each row sums to 1.
    pub fn conditional<T: Scalar>(
        &self,
        neighbors: &Table<T>,
        columns: usize,
        run: &Run,
    ) -> Result<Csr<f64>> {
        self.check(neighbors.k)?;
        rows_of(neighbors, columns, run, |i| self.row(neighbors.row(i).1))
    }

    /// The joint affinities `p_ij = (p_{j|i} + p_{i|j}) / 2n` of van der Maaten and Hinton 2008: symmetric, with sum 1.
    /// Uniform ones are 1 along every edge of either direction before they are divided.
    pub fn joint<T: Scalar>(&self, neighbors: &Table<T>, run: &Run) -> Result<Csr<f64>> {
        let conditional = self.conditional(neighbors, neighbors.len(), run)?;
        let mut joint = match self {
            Self::Perplexity(_) => symmetrize(&conditional, |a, b| 0.5 * (a + b), run)?,
            Self::Uniform => symmetrize(&conditional, |_, _| 1.0, run)?,
        };
        normalize(&mut joint);
        Ok(joint)
    }
}

/// Divides by the sum, so that it becomes 1.
fn normalize(joint: &mut Csr<f64>) {
    let sum: f64 = joint.values().chunks(4096).map(|part| part.iter().sum::<f64>()).sum();
    if sum > 0.0 {
        joint.values_mut().iter_mut().for_each(|p| *p /= sum);
    }
}

/// A sparse matrix with `row(i)` at the neighbors of `i`.
fn rows_of<T: Scalar>(
    neighbors: &Table<T>,
    columns: usize,
    run: &Run,
    row: impl Fn(usize) -> Vec<f64> + Send + Sync,
) -> Result<Csr<f64>> {
    let (n, k) = (neighbors.len(), neighbors.k);
    let parts = map_chunks(run, n, CHUNK, |range| {
        let mut entries: Vec<(u32, f64)> = Vec::with_capacity(range.len() * k);
        for i in range {
            let begin = entries.len();
            entries.extend(neighbors.row(i).0.iter().copied().zip(row(i)));
            entries[begin..].sort_unstable_by_key(|entry| entry.0);
        }
        entries
    })?;
    let (mut indices, mut values) = (Vec::with_capacity(n * k), Vec::with_capacity(n * k));
    for (index, value) in parts.into_iter().flatten() {
        indices.push(index);
        values.push(value);
    }
    Csr::new(n, columns, (0..=n).map(|i| i * k).collect(), indices, values)
}
