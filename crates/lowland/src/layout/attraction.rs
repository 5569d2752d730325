//! The attraction along edges: `sum_j p_ij u_ij (y_i - y_j)`, and the part of the loss that it lowers.

use super::edges::Edges;
use super::kernel::{Kernel, Tail, with_tail};
use lowland_base::parallel::map_rows;
use lowland_base::simd::vectorized;
use lowland_base::{Result, Run, Scalar};

/// Points a chunk.
const CHUNK: usize = 256;
/// Edges at a time.
const LANES: usize = 16;

/// Replaces each point's `force` by `exaggeration * sum_j p_ij u_ij (y_i - y_j) + scale * force`.
pub fn attract<T: Scalar, const D: usize>(
    edges: &Edges<T>,
    kernel: Kernel,
    layout: &[[T; D]],
    exaggeration: f64,
    scale: f64,
    forces: &mut [[T; D]],
    run: &Run,
) -> Result<()> {
    let (exaggeration, scale) = (T::of(exaggeration), T::of(scale));
    with_tail!(kernel, T, |tail| map_rows(run, forces, 1, CHUNK, |range, forces| vectorized(
        #[inline(always)]
        || for (i, force) in range.zip(forces) {
            let pull = pull(edges, tail, layout, i);
            for c in 0..D {
                force[c] = exaggeration * pull[c] + scale * force[c];
            }
        }
    ))
    .map(drop))
}

#[inline(always)]
fn pull<T: Scalar, K: Tail<T>, const D: usize>(
    edges: &Edges<T>,
    tail: K,
    layout: &[[T; D]],
    i: usize,
) -> [T; D] {
    let at = layout[i];
    let (neighbors, weights) = edges.of(i);
    let mut sums = [[T::zero(); LANES]; D];
    let (whole, rest) = neighbors.as_chunks::<LANES>();
    let (whole_weights, rest_weights) = weights.as_chunks::<LANES>();
    for (neighbors, weights) in whole.iter().zip(whole_weights) {
        // The look-ups one by one, the arithmetic in lanes.
        let mut other = [[T::zero(); LANES]; D];
        for lane in 0..LANES {
            let y = layout[neighbors[lane] as usize];
            for c in 0..D {
                other[c][lane] = y[c];
            }
        }
        let mut squared = [T::zero(); LANES];
        for c in 0..D {
            for lane in 0..LANES {
                other[c][lane] = at[c] - other[c][lane];
                squared[lane] += other[c][lane] * other[c][lane];
            }
        }
        let mut factor = [T::zero(); LANES];
        for lane in 0..LANES {
            factor[lane] = weights[lane] * tail.at(squared[lane]).1;
        }
        for c in 0..D {
            for lane in 0..LANES {
                sums[c][lane] += factor[lane] * other[c][lane];
            }
        }
    }
    let mut pull = [T::zero(); D];
    for c in 0..D {
        pull[c] = sums[c].iter().fold(T::zero(), |sum, &x| sum + x);
    }
    for (&neighbor, &weight) in rest.iter().zip(rest_weights) {
        let difference = difference(at, layout[neighbor as usize]);
        let factor = weight * tail.at(squared_norm(difference)).1;
        for c in 0..D {
            pull[c] += factor * difference[c];
        }
    }
    pull
}

#[inline(always)]
pub(super) fn difference<T: Scalar, const D: usize>(a: [T; D], b: [T; D]) -> [T; D] {
    let mut out = a;
    for c in 0..D {
        out[c] -= b[c];
    }
    out
}

#[inline(always)]
pub(super) fn squared_norm<T: Scalar, const D: usize>(a: [T; D]) -> T {
    let mut sum = T::zero();
    for c in 0..D {
        sum += a[c] * a[c];
    }
    sum
}

/// `sum p log(p / w)` over all edges: the divergence but for `log Z`.
pub fn cross_entropy<T: Scalar, const D: usize>(
    edges: &Edges<T>,
    kernel: Kernel,
    layout: &[[T; D]],
    run: &Run,
) -> Result<f64> {
    let (dof, power) = (kernel.dof(), kernel.power());
    let parts = lowland_base::parallel::map_chunks(run, layout.len(), CHUNK, |range| {
        let mut sum = 0.0;
        for i in range {
            let (neighbors, weights) = edges.of(i);
            for (&j, &p) in neighbors.iter().zip(weights) {
                let p = p.wide();
                let squared = squared_norm(difference(layout[i], layout[j as usize])).wide();
                if p > 0.0 {
                    sum += p * (p.ln() + power * (squared / dof).ln_1p());
                }
            }
        }
        sum
    })?;
    Ok(parts.into_iter().sum())
}
