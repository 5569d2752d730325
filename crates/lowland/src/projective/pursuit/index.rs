//! Projection indexes: how interesting the projections on a direction are.

use crate::choices;

choices! {
    /// What makes a projection interesting.
    pub enum ProjectionIndex {
        /// An approximation of the negentropy that outliers do not rule: for all purposes.
        Negentropy = "negentropy",
        /// How far the kurtosis is from a Gaussian's, by its logarithm: outliers, and clusters of equal size.
        Kurtosis = "kurtosis",
        /// The integral of the squared density (Friedman and Tukey): clusters and other dense regions.
        FriedmanTukey = "friedman-tukey" | "friedman_tukey",
        /// Few points in the middle (Cook, Buja and Cabrera).
        Holes = "holes",
        /// Mardia's skewness and kurtosis of a plane: two directions are looked for at a time. Outliers, clusters, rings.
        Mardia = "mardia",
        /// Few points in the middle of a plane: two directions are looked for at a time.
        PlaneHoles = "plane-holes" | "plane_holes",
    }
}

choices! {
    /// How the next projection is kept apart from those before.
    pub enum Deflation {
        /// Its direction is orthogonal to theirs, in the whitened space.
        Orthogonal = "orthogonal",
        /// What they showed is made Gaussian (Friedman's structure removal), and all directions are searched again.
        StructureRemoval = "structure-removal" | "structure_removal",
    }
}

/// The derivatives of an index with respect to both coordinates of every point.
pub(super) type PlaneSlope = [Vec<f64>; 2];

impl ProjectionIndex {
    /// How many directions it judges together.
    pub fn width(self) -> usize {
        if matches!(self, Self::Mardia | Self::PlaneHoles) { 2 } else { 1 }
    }

    /// The index of a plane, of points with mean 0 and covariance 1: the same however the plane is turned.
    pub fn of_plane(self, [a, b]: [&[f64]; 2]) -> (f64, PlaneSlope) {
        let n = a.len() as f64;
        let points = || a.iter().zip(b);
        if self == Self::PlaneHoles {
            let unit = 1.0 - (-1f64).exp();
            let bump: Vec<f64> = points().map(|(a, b)| (-0.5 * (a * a + b * b)).exp()).collect();
            let value = (1.0 - bump.iter().sum::<f64>() / n) / unit;
            let slope = |y: &[f64]| y.iter().zip(&bump).map(|(y, e)| y * e / n / unit).collect();
            return (value, [slope(a), slope(b)]);
        }
        // Mardia 1970. Of Gaussian points, n times each term has the distribution of chi squared.
        let mean = |of: &dyn Fn(f64, f64) -> f64| points().map(|(&a, &b)| of(a, b)).sum::<f64>() / n;
        let (aaa, aab) = (mean(&|a, _| a * a * a), mean(&|a, b| a * a * b));
        let (abb, bbb) = (mean(&|a, b| a * b * b), mean(&|_, b| b * b * b));
        let skewness = aaa * aaa + 3.0 * (aab * aab + abb * abb) + bbb * bbb;
        let apart = mean(&|a, b| (a * a + b * b).powi(2)) - 8.0;
        let along = |[own, mixed, other]: [f64; 3]| {
            move |(y, x): (&f64, &f64)| {
                let skew = (own * y * y + 2.0 * mixed * y * x + other * x * x) / n;
                skew + apart / 8.0 * (y * y + x * x) * y / n
            }
        };
        let slopes = [
            a.iter().zip(b).map(along([aaa, aab, abb])).collect(),
            b.iter().zip(a).map(along([bbb, abb, aab])).collect(),
        ];
        (skewness / 6.0 + apart * apart / 64.0, slopes)
    }

    /// The index of projections with mean 0 and variance 1, and its derivative with respect to each.
    pub fn of(self, y: &[f64]) -> (f64, Vec<f64>) {
        let n = y.len() as f64;
        match self {
            Self::Kurtosis => {
                // The logarithm, as kurtosis is bounded by 1 below and not at all above: a few outliers of noise would
                // exceed any clusters.
                let kurtosis = (y.iter().map(|y| y.powi(4)).sum::<f64>() / n).max(f64::MIN_POSITIVE);
                let apart = (kurtosis / 3.0).ln();
                let slope = |y: &f64| 8.0 * apart / kurtosis * y.powi(3) / n;
                (apart * apart, y.iter().map(slope).collect())
            }
            Self::Negentropy => {
                // Hyvärinen 1998: an odd and an even part.
                let root3 = 3f64.sqrt();
                let (odd_weight, even_weight) = (36.0 / (8.0 * root3 - 9.0), 24.0 / (16.0 * root3 - 27.0));
                let bump: Vec<f64> = y.iter().map(|y| (-0.5 * y * y).exp()).collect();
                let odd = y.iter().zip(&bump).map(|(y, e)| y * e).sum::<f64>() / n;
                let even = bump.iter().sum::<f64>() / n - std::f64::consts::FRAC_1_SQRT_2;
                let slope = |(y, e): (&f64, &f64)| {
                    2.0 * (odd_weight * odd * (1.0 - y * y) - even_weight * even * y) * e / n
                };
                (odd_weight * odd * odd + even_weight * even * even, y.iter().zip(&bump).map(slope).collect())
            }
            Self::Holes => {
                let unit = 1.0 - (-0.5f64).exp();
                let bump: Vec<f64> = y.iter().map(|y| (-0.5 * y * y).exp()).collect();
                let value = (1.0 - bump.iter().sum::<f64>() / n) / unit;
                (value, y.iter().zip(&bump).map(|(y, e)| y * e / n / unit).collect())
            }
            Self::FriedmanTukey => squared_density(y),
            // The plane of these projections and of nothing else.
            Self::Mardia | Self::PlaneHoles => {
                let (value, [slope, _]) = self.of_plane([y, &vec![0.0; y.len()]]);
                (value, slope)
            }
        }
    }
}

/// The integral of the squared density of the points, each spread by a Gaussian of Silverman's width. The points are
/// shared out over a fine grid, so that the cost grows with their number and not with its square.
fn squared_density(y: &[f64]) -> (f64, Vec<f64>) {
    const REACH: f64 = 8.0;
    let n = y.len() as f64;
    let width = 1.06 * n.powf(-0.2);
    let step = width / 4.0;
    let size = (2.0 * REACH / step).ceil() as usize + 3;
    // The nearest cell, and the offset from its middle: a point is shared by three cells, smoothly as it moves.
    let cell_of = |y: f64| {
        let at = ((y + REACH) / step + 1.0).clamp(1.0, (size - 2) as f64);
        (at.round() as usize, at - at.round())
    };
    let mut mass = vec![0.0; size];
    for &y in y {
        let (cell, f) = cell_of(y);
        mass[cell - 1] += 0.5 * (0.5 - f).powi(2) / n;
        mass[cell] += (0.75 - f * f) / n;
        mass[cell + 1] += 0.5 * (0.5 + f).powi(2) / n;
    }
    // Two Gaussians of this width differ by one of sqrt 2 times the width.
    let spread = std::f64::consts::SQRT_2 * width;
    let reach = (5.0 * spread / step).ceil() as usize;
    let kernel: Vec<f64> = (0..=reach)
        .map(|at| {
            let z = at as f64 * step / spread;
            (-0.5 * z * z).exp() / spread / (2.0 * std::f64::consts::PI).sqrt()
        })
        .collect();
    let smooth: Vec<f64> = (0..size)
        .map(|cell| {
            let near = cell.saturating_sub(reach)..(cell + reach + 1).min(size);
            near.map(|other| mass[other] * kernel[cell.abs_diff(other)]).sum()
        })
        .collect();
    let value = mass.iter().zip(&smooth).map(|(mass, smooth)| mass * smooth).sum();
    let slope = |&y: &f64| {
        let (cell, f) = cell_of(y);
        let rise = (0.5 + f) * smooth[cell + 1] - 2.0 * f * smooth[cell] - (0.5 - f) * smooth[cell - 1];
        if y.abs() < REACH { 2.0 * rise / step / n } else { 0.0 }
    };
    (value, y.iter().map(slope).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use lowland_base::Run;
    use rand::RngExt;

    #[test]
    fn indexes_of_planes_are_their_definitions_and_slopes_are_differences() {
        let mut rng = Run::new().rng("planes");
        let [a, b] = [0, 1].map(|_| (0..40).map(|_| rng.random::<f64>() * 4.0 - 1.5).collect::<Vec<f64>>());
        // Mardia's own formulas: means over pairs and over points.
        let n = a.len() as f64;
        let pairs = || (0..a.len()).flat_map(|i| (0..a.len()).map(move |j| (i, j)));
        let skewness = pairs().map(|(i, j)| (a[i] * a[j] + b[i] * b[j]).powi(3)).sum::<f64>() / (n * n);
        let kurtosis = (0..a.len()).map(|i| (a[i] * a[i] + b[i] * b[i]).powi(2)).sum::<f64>() / n;
        let expected = skewness / 6.0 + (kurtosis - 8.0).powi(2) / 64.0;
        let found = ProjectionIndex::Mardia.of_plane([&a, &b]).0;
        assert!((found - expected).abs() < 1e-12 * expected, "{found} {expected}");
        for index in [ProjectionIndex::Mardia, ProjectionIndex::PlaneHoles] {
            let (value, slopes) = index.of_plane([&a, &b]);
            let (c, s) = (0.6, 0.8);
            let turned: Vec<(f64, f64)> =
                a.iter().zip(&b).map(|(a, b)| (c * a - s * b, s * a + c * b)).collect();
            let (ta, tb): (Vec<f64>, Vec<f64>) = turned.into_iter().unzip();
            assert!((index.of_plane([&ta, &tb]).0 - value).abs() < 1e-12 * value.abs());
            for (axis, slope) in slopes.iter().enumerate() {
                for i in [0, 7, 39] {
                    let at = |step: f64| {
                        let mut moved = [a.clone(), b.clone()];
                        moved[axis][i] += step;
                        index.of_plane([&moved[0], &moved[1]]).0
                    };
                    let difference = (at(1e-5) - at(-1e-5)) / 2e-5;
                    assert!((difference - slope[i]).abs() < 1e-7, "{index:?} {axis} {i}");
                }
            }
        }
    }
}
