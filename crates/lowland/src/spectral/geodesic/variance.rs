//! How well the embedding explains the geodesics.

use lowland_base::parallel::map_chunks;
use lowland_base::{Result, Run};
use lowland_linalg::operator::Packed;
use ndarray::Array2;

/// `1 - R^2` between the distances of a centered kernel, `g_ij^2 = k_ii + k_jj - 2 k_ij`, and those of the first 1, 2, ..
/// coordinates (Tenenbaum et al. 2000), over all pairs.
pub(crate) fn residual_variance(
    kernel: &Packed<f64>,
    coordinates: &Array2<f64>,
    run: &Run,
) -> Result<Vec<f64>> {
    let (n, count) = coordinates.dim();
    let lengths = kernel.diagonal();
    let parts = map_chunks(run, n, 16, |range| {
        // For each number of components: sums of y, y^2 and g y; then of g and g^2.
        let mut sums = vec![[0.0; 3]; count];
        let (mut plain, mut squared, mut pairs) = (0.0, 0.0, 0.0);
        for i in range {
            for j in 0..i {
                let g = (lengths[i] + lengths[j] - 2.0 * kernel.get(i, j)).max(0.0).sqrt();
                plain += g;
                squared += g * g;
                pairs += 1.0;
                let mut y2 = 0.0;
                for (c, sums) in sums.iter_mut().enumerate() {
                    let difference = coordinates[(i, c)] - coordinates[(j, c)];
                    y2 += difference * difference;
                    let y = y2.sqrt();
                    sums[0] += y;
                    sums[1] += y2;
                    sums[2] += g * y;
                }
            }
        }
        (sums, plain, squared, pairs)
    })?;
    let (mut sums, mut plain, mut squared, mut pairs) = (vec![[0.0; 3]; count], 0.0, 0.0, 0.0);
    for (part, p, s, c) in parts {
        (plain, squared, pairs) = (plain + p, squared + s, pairs + c);
        for (total, part) in sums.iter_mut().zip(part) {
            total.iter_mut().zip(part).for_each(|(total, part)| *total += part);
        }
    }
    let pairs = f64::max(pairs, 1.0);
    let spread = squared - plain * plain / pairs;
    let unexplained = |[y, y2, gy]: &[f64; 3]| {
        let (covariance, variance) = (gy - plain * y / pairs, y2 - y * y / pairs);
        if variance > 0.0 && spread > 0.0 {
            (1.0 - covariance * covariance / (variance * spread)).max(0.0)
        } else {
            0.0
        }
    };
    Ok(sums.iter().map(unexplained).collect())
}
