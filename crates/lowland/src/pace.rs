//! How fast this machine is, measured in a moment: what turns a forecast of operations into one of time.

use ndarray::Array2;
use std::time::Instant;

/// By how much the work of a method may be slower than matrix products and copies, which nothing outruns.
pub const SLOWER: f64 = 30.0;

/// Operations of one thread in the best of a few small matrix products.
pub fn products_per_second() -> f64 {
    const ORDER: usize = 192;
    let matrix = Array2::from_shape_fn((ORDER, ORDER), |(i, j)| 1.0 / (1 + i + j) as f64);
    let once = |_| {
        let begun = Instant::now();
        std::hint::black_box(matrix.dot(std::hint::black_box(&matrix)));
        begun.elapsed().as_secs_f64()
    };
    let best = (0..8).map(once).fold(f64::INFINITY, f64::min);
    2.0 * (ORDER as f64).powi(3) / best.max(1e-9)
}

/// Bytes that one thread copies.
pub fn copied_per_second() -> f64 {
    let block = vec![1u8; 8 << 20];
    let mut copy = vec![0u8; block.len()];
    let mut once = |_| {
        let begun = Instant::now();
        copy.copy_from_slice(std::hint::black_box(&block));
        std::hint::black_box(&copy);
        begun.elapsed().as_secs_f64()
    };
    let best = (0..4).map(&mut once).fold(f64::INFINITY, f64::min);
    block.len() as f64 / best.max(1e-9)
}
