//! `lowland plan`: what a fit would cost. The method forecasts its memory; its time is that of samples of the rows, which
//! are fitted, carried on to all of them.

use crate::args::{Common, Plan};
use crate::files;
use crate::outcome::{Failure, Outcome, say, say_json};
use crate::setup;
use crate::source::{Prepared, Source};
use lowland::machine_speed::{SLOWER, copied_per_second, products_per_second};
use lowland::units::{count, count_grouped, human_bytes, human_duration};
use lowland::{AnyInput, Method, Run, Shape, plan};
use serde_json::json;

/// What starting threads and allocating may take, whatever the size.
const START: f64 = 0.02;

pub fn run(args: &Plan, common: &Common) -> Outcome {
    args.input.table.check(args.method.kind)?;
    let source = Source::parse(&args.input, common)?;
    if args.method.method.is_none() {
        return Err(Failure::Usage("no method was named; give one by --method".into()));
    }
    let method = setup::method(&args.method, common)?;
    let source = source.for_method(method.entry(), args.method.kind).for_forecast();
    let run = setup::run(common)?;
    let loaded = source.load(&run)?;
    let prepared = Prepared::new(&loaded.matrix, args.method.kind)?;
    let input = prepared.input();
    let shape = if method.entry().capabilities.missing { input.counted() } else { input.shape() };
    method.check(&shape)?;
    let forecast = method.forecast(&shape);
    let input_bytes = (shape.stored * shape.scalar_bytes) as u64;
    // What does not fit is refused; how long it would take is worth knowing all the same.
    let fits = common.memory.map(|budget| forecast.bytes <= budget);
    let run = if fits == Some(false) { run.with_memory(u64::MAX) } else { run };
    let unknown = method.entry().capabilities.optional_labels;
    let labels = loaded.labels.as_ref().map(|labels| files::numbered(labels, unknown));
    let planned = match plan::plan(&*method, prepared.input(), labels.as_deref(), &run)? {
        Some(planned) => planned,
        None => by_operations(&*method, &shape, &run),
    };
    let name = method.entry().name;
    let factor = factor(&*method, &planned, prepared.input(), labels.as_deref(), &run)?;
    let memory = setup::forecast(&*method, &input, factor);
    if common.json {
        return say_json(&json!({
            "method": name,
            "n": shape.rows,
            "features": shape.columns,
            "input_bytes": input_bytes,
            "memory_bytes": memory,
            "seconds": planned.seconds,
            "seconds_range": [planned.range.0, planned.range.1],
            "stages": planned.stages.iter().cloned().collect::<std::collections::BTreeMap<_, _>>(),
            "samples": planned.samples,
            "fits": fits,
            "remedy": forecast.remedy,
        }));
    }
    let mut stages: Vec<&(String, f64)> = planned.stages.iter().collect();
    stages.sort_by(|a, b| b.1.total_cmp(&a.1));
    let longest = stages.iter().take(3).filter(|stage| stage.1 > 0.05 * planned.seconds);
    let longest: Vec<String> =
        longest.map(|stage| format!("{} {}", stage.0, human_duration(stage.1))).collect();
    let by = match planned.samples.last() {
        Some((rows, seconds)) => {
            format!("a sample of {} took {}", count_grouped(*rows, "row"), human_duration(*seconds))
        }
        None => "from the number of operations, without a sample".to_owned(),
    };
    let mut text = format!(
        "{name} of {}: {}, {}\n  memory  {} beyond the input of {}\n  time    about {}, from {} to {}, \
         on {}\n  by      {by}\n",
        source.name(),
        count_grouped(shape.rows, "row"),
        count_grouped(shape.columns, "column"),
        human_bytes(memory),
        human_bytes(input_bytes),
        human_duration(planned.seconds),
        human_duration(planned.range.0),
        human_duration(planned.range.1),
        count(run.threads(), "thread"),
    );
    if !longest.is_empty() {
        text += &format!("  mostly  {}\n", longest.join(", "));
    }
    if let (Some(false), Some(budget)) = (fits, common.memory) {
        text += &format!("  over the budget of {}: {}\n", human_bytes(budget), forecast.remedy);
    }
    say(text.as_bytes())
}

/// Up to so many seconds are spent on everything before the part that only the data determine.
const MOST_SECONDS: f64 = 20.0;

/// What the fit holds for a sparse factor on these very data; 0 where there is none, or where it takes too long to tell.
fn factor(
    method: &dyn Method,
    planned: &plan::Plan,
    input: AnyInput<'_>,
    labels: Option<&[i64]>,
    run: &Run,
) -> Outcome<u64> {
    // A factorization is preceded by this stage; the numbers come after it.
    let Some(at) = planned.stages.iter().position(|(name, _)| name == "ordering") else {
        return Ok(0);
    };
    let before: f64 = planned.stages[..=at].iter().map(|stage| stage.1).sum();
    if before > MOST_SECONDS {
        return Ok(0);
    }
    match plan::needed(method, input, labels, run) {
        Err(lowland::Error::Canceled) => Err(lowland::Error::Canceled.into()),
        found => Ok(found.unwrap_or(0)),
    }
}

/// Between what matrix products would take and what is usual for the rest: where a sample says nothing.
fn by_operations(method: &dyn Method, shape: &Shape, run: &Run) -> plan::Plan {
    let bytes = (shape.stored * shape.scalar_bytes) as f64;
    let rate = products_per_second() * run.threads() as f64;
    let least = method.forecast(shape).flops / rate + bytes / copied_per_second();
    let most = SLOWER * least + START;
    // The middle, by ratio, of what is possible.
    plan::Plan {
        seconds: (least * most).sqrt(),
        range: (least, most),
        stages: Vec::new(),
        samples: Vec::new(),
    }
}
