//! The distances between vectors.

/// How far apart two vectors are.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub enum Metric {
    /// The straight line.
    #[default]
    Euclidean,
    /// The square of the straight line: no metric, but the same order of neighbours.
    SquaredEuclidean,
    /// The sum of absolute differences.
    Manhattan,
    /// The largest absolute difference.
    Chebyshev,
    /// The p-norm of the difference, `p >= 1`.
    Minkowski(f64),
    /// 1 - cosine of the angle.
    Cosine,
    /// 1 - Pearson correlation of the entries.
    Correlation,
    /// The share of entries that differ.
    Hamming,
    /// 1 - intersection / union, of the sets of non-zero entries.
    Jaccard,
}
