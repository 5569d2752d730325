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

/// A time as people say it.
pub fn duration(seconds: f64) -> String {
    match seconds {
        s if s < 0.001 => "a millisecond".into(),
        s if s < 1.0 => format!("{:.0} ms", 1000.0 * s),
        s if s < 120.0 => format!("{s:.1} s"),
        s if s < 7200.0 => format!("{:.0} min", s / 60.0),
        s => format!("{:.1} h", s / 3600.0),
    }
}

/// The memory that the system can give now, where it tells.
pub fn available_memory() -> Option<u64> {
    let text = std::fs::read_to_string("/proc/meminfo").ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix("MemAvailable:"))?;
    line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok().map(|kib| kib * 1024)
}
