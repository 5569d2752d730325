//! `lowland plan`: what a fit would cost. Nothing of the data is fitted: the method forecasts its memory and its
//! operations, and a small matrix product and a copy tell how fast this machine is.

use crate::args::{Common, Plan};
use crate::outcome::{Outcome, say, say_json};
use crate::setup;
use crate::source::{Source, edges, given};
use crate::summary::grouped;
use lowland::human_bytes;
use ndarray::Array2;
use serde_json::json;
use std::time::Instant;

/// By how much the work of a method may be slower than matrix products and copies, which nothing outruns.
const SLOWER: f64 = 30.0;
/// What starting threads and allocating may take, whatever the size.
const START: f64 = 0.02;

pub fn run(args: &Plan, common: &Common) -> Outcome {
    let source = Source::parse(&args.input, common.seed, common.memory)?;
    let method = setup::method(&args.method, common)?;
    let source = source.for_method(method.entry());
    let run = setup::run(common)?;
    let loaded = source.load()?;
    let edges = edges(&loaded.matrix, args.method.rows)?;
    let shape = given(&loaded.matrix, edges.as_ref(), args.method.rows).shape();
    method.check(&shape)?;
    let forecast = method.forecast(&shape);
    let input_bytes = (shape.stored * shape.scalar_bytes) as u64;
    let rate = products_per_second() * run.threads() as f64;
    let least = forecast.flops / rate + input_bytes as f64 / copied_per_second();
    let most = SLOWER * least + START;
    // The middle, by ratio, of what is possible.
    let seconds = (least * most).sqrt();
    let fits = common.memory.map(|budget| forecast.bytes <= budget);
    let name = method.entry().name;
    if common.json {
        return say_json(&json!({
            "method": name,
            "n": shape.rows,
            "features": shape.columns,
            "input_bytes": input_bytes,
            "memory_bytes": forecast.bytes,
            "operations": forecast.flops,
            "operations_per_second": rate,
            "seconds": seconds,
            "seconds_range": [least, most],
            "fits": fits,
            "remedy": forecast.remedy,
        }));
    }
    let mut text = format!(
        "{name} of {}: {} rows, {} columns\n  memory  {} beyond the input of {}\n  time    from {} to {} ({:.1e} \
         operations, of which a matrix product does {:.1e} a second here on {} thread(s), and a fit fewer)\n",
        source.name(),
        grouped(shape.rows),
        grouped(shape.columns),
        human_bytes(forecast.bytes),
        human_bytes(input_bytes),
        duration(least),
        duration(most),
        forecast.flops,
        rate,
        run.threads(),
    );
    if let (Some(false), Some(budget)) = (fits, common.memory) {
        text += &format!("  over the budget of {}: {}\n", human_bytes(budget), forecast.remedy);
    }
    say(text.as_bytes())
}

/// Operations of one thread in the best of a few small matrix products.
fn products_per_second() -> f64 {
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
fn copied_per_second() -> f64 {
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
fn duration(seconds: f64) -> String {
    match seconds {
        s if s < 0.001 => "a millisecond".into(),
        s if s < 1.0 => format!("{:.0} ms", 1000.0 * s),
        s if s < 120.0 => format!("{s:.1} s"),
        s if s < 7200.0 => format!("{:.0} min", s / 60.0),
        s => format!("{:.1} h", s / 3600.0),
    }
}
