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
    }
}

impl ProjectionIndex {
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
