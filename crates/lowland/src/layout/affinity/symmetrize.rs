//! A directed matrix of affinities and its mirror image, made one.

use lowland_base::parallel::map_chunks;
use lowland_base::{Csr, Result, Run};
use std::cmp::Ordering;

/// Points a chunk.
const CHUNK: usize = 256;

/// The symmetric matrix with `combine(a_ij, a_ji)` where either is there; the other is then 0. `combine` must not mind
/// the order of its arguments.
pub fn symmetrize(
    directed: &Csr<f64>,
    combine: impl Fn(f64, f64) -> f64 + Send + Sync,
    run: &Run,
) -> Result<Csr<f64>> {
    let n = directed.nrows();
    let mirrored = directed.transpose();
    let parts = map_chunks(run, n, CHUNK, |range| {
        let (mut indices, mut values, mut lengths) = (Vec::new(), Vec::new(), Vec::new());
        for i in range {
            let begin = indices.len();
            let ((a, va), (b, vb)) = (directed.row(i), mirrored.row(i));
            let (mut x, mut y) = (0, 0);
            while x < a.len() || y < b.len() {
                let order = match (a.get(x), b.get(y)) {
                    (Some(p), Some(q)) => p.cmp(q),
                    (Some(_), None) => Ordering::Less,
                    _ => Ordering::Greater,
                };
                let (column, value) = match order {
                    Ordering::Less => (a[x], combine(va[x], 0.0)),
                    Ordering::Greater => (b[y], combine(0.0, vb[y])),
                    Ordering::Equal => (a[x], combine(va[x], vb[y])),
                };
                x += usize::from(order != Ordering::Greater);
                y += usize::from(order != Ordering::Less);
                indices.push(column);
                values.push(value);
            }
            lengths.push(indices.len() - begin);
        }
        (indices, values, lengths)
    })?;
    drop(mirrored);
    let entries = parts.iter().map(|part| part.0.len()).sum();
    let mut offsets = Vec::with_capacity(n + 1);
    let (mut indices, mut values) = (Vec::with_capacity(entries), Vec::with_capacity(entries));
    let mut end = 0;
    offsets.push(end);
    for (columns, weights, lengths) in parts {
        for length in lengths {
            end += length;
            offsets.push(end);
        }
        indices.extend(columns);
        values.extend(weights);
    }
    Csr::new(n, n, offsets, indices, values)
}
