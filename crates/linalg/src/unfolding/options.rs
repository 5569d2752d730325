//! What is asked of the low-rank solver.

use faer::Mat;

/// How the low-rank solver goes to work.
#[derive(Debug, Clone)]
pub struct Options {
    /// With how many columns of `Y` it begins.
    pub rank: usize,
    /// The most columns: where the certificate asks for more, what was found is returned as not converged.
    pub most_rank: usize,
    /// The largest relative violation of an edge that is a success.
    pub tolerance: f64,
    /// The largest gap, relative to the bound, that is a success.
    pub gap: f64,
    /// The most updates of the multipliers.
    pub steps: usize,
    /// Where to begin, one point a row; smooth vectors on the graph where there is nothing better.
    pub start: Option<Mat<f64>>,
    /// Vectors that the columns of `Y` are combinations of; all vectors where there are none.
    pub basis: Option<Mat<f64>>,
}

impl Default for Options {
    fn default() -> Self {
        Self { rank: 4, most_rank: 50, tolerance: 1e-6, gap: 1e-5, steps: 60, start: None, basis: None }
    }
}
