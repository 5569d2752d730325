//! How fast this machine multiplies: what turns operations into the seconds that somebody waits.

use faer::linalg::matmul::matmul;
use faer::{Accum, Mat, Par};
use std::sync::OnceLock;
use std::time::Instant;

/// Operations a second of one thread, in the best of a few small matrix products; measured once.
pub fn products_per_second() -> f64 {
    const ORDER: usize = 192;
    static RATE: OnceLock<f64> = OnceLock::new();
    *RATE.get_or_init(|| {
        let matrix = Mat::from_fn(ORDER, ORDER, |i, j| 1.0 / (1 + i + j) as f64);
        let mut product = Mat::zeros(ORDER, ORDER);
        let mut once = |_| {
            let begun = Instant::now();
            matmul(product.as_mut(), Accum::Replace, matrix.as_ref(), matrix.as_ref(), 1.0, Par::Seq);
            std::hint::black_box(&product);
            begun.elapsed().as_secs_f64()
        };
        let best = (0..8).map(&mut once).fold(f64::INFINITY, f64::min);
        2.0 * (ORDER as f64).powi(3) / best.max(1e-9)
    })
}

/// About how long a decomposition takes on so many threads, at this share of the rate of products.
pub(crate) fn seconds(operations: f64, threads: usize, share: f64) -> f64 {
    operations / (products_per_second() * threads.max(1) as f64 * share)
}
