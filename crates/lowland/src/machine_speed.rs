//! How fast this machine is, measured in a moment: what turns a forecast of operations into one of time.

pub use lowland_linalg::products_per_second;
use std::time::Instant;

/// By how much the work of a method may be slower than matrix products and copies, which nothing outruns.
pub const SLOWER: f64 = 30.0;

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
