//! `lowland plan`: what a fit would cost. Nothing of the data is fitted: the method forecasts its memory and its
//! operations, and a small matrix product and a copy measure how fast this machine is.

use crate::args::{Common, Plan};
use crate::outcome::{Failure, Outcome, say, say_json};
use crate::setup;
use crate::source::{Prepared, Source};
use crate::summary::grouped;
use lowland::pace::{SLOWER, copied_per_second, products_per_second};
use lowland::units::{count, human_bytes, human_duration};
use serde_json::json;

/// What starting threads and allocating may take, whatever the size.
const START: f64 = 0.02;

pub fn run(args: &Plan, common: &Common) -> Outcome {
    let source = Source::parse(&args.input, common)?;
    if args.method.method.is_none() {
        return Err(Failure::Usage("no method was named; give one by --method".into()));
    }
    let method = setup::method(&args.method, common)?;
    let source = source.for_method(method.entry(), args.method.kind).for_forecast();
    let run = setup::run(common)?;
    let loaded = source.load(&run)?;
    let shape = Prepared::new(&loaded.matrix, args.method.kind)?.input().shape();
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
         operations; matrix products do {:.1e} a second on {}, and the rest of a fit is slower)\n",
        source.name(),
        grouped(shape.rows),
        grouped(shape.columns),
        human_bytes(forecast.bytes),
        human_bytes(input_bytes),
        human_duration(least),
        human_duration(most),
        forecast.flops,
        rate,
        count(run.threads(), "thread"),
    );
    if let (Some(false), Some(budget)) = (fits, common.memory) {
        text += &format!("  over the budget of {}: {}\n", human_bytes(budget), forecast.remedy);
    }
    say(text.as_bytes())
}
