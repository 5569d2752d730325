//! The outcomes as a table and as JSON.

use super::contest::{Outcome, Score};
use super::entries::{Benchmark, Demand, Rival};
use super::machine;
use serde_json::{Value, json};

/// What is the same for the whole run.
pub struct Header {
    pub versions: Value,
    pub machine: Value,
    pub load: Option<Vec<f64>>,
    pub threads: usize,
    pub repeat: usize,
    pub quick: bool,
}

/// A benchmark and what came of it, or why nothing did.
pub type Measured = (Benchmark, Result<Outcome, String>);

/// The middle value, or the mean of the two in the middle.
fn median(values: &[f64]) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let half = sorted.len() / 2;
    match sorted.len() {
        0 => f64::NAN,
        n if n % 2 == 1 => sorted[half],
        _ => (sorted[half - 1] + sorted[half]) / 2.0,
    }
}

fn least(values: &[f64]) -> f64 {
    values.iter().copied().fold(f64::INFINITY, f64::min)
}

/// Whether the target is reached, at the quality demanded; `None` where there is no target.
fn met(benchmark: &Benchmark, rival: &Rival, ours: &Score, theirs: &Score) -> Option<bool> {
    let fast = median(&theirs.seconds) / median(&ours.seconds) >= rival.target?;
    Some(fast && benchmark.demands.iter().all(|demand| holds(demand, ours, theirs)))
}

fn figure(score: &Score, name: &str) -> Option<f64> {
    score.quality.iter().find(|(figure, _)| figure == name).map(|(_, value)| *value)
}

fn holds(demand: &Demand, ours: &Score, theirs: &Score) -> bool {
    match demand {
        Demand::AtLeast { figure: name, bound } => figure(ours, name).is_some_and(|value| value >= *bound),
        Demand::AtMost { figure: name, bound } => figure(ours, name).is_some_and(|value| value <= *bound),
        Demand::Within { figure: name, factor } => match (figure(ours, name), figure(theirs, name)) {
            (Some(ours), Some(theirs)) => ours <= factor * theirs,
            _ => false,
        },
        Demand::AtLeastShare { figure: name, share } => match (figure(ours, name), figure(theirs, name)) {
            (Some(ours), Some(theirs)) => ours >= share * theirs,
            _ => false,
        },
        Demand::NoWorse { figure: name, floor } => match (figure(ours, name), figure(theirs, name)) {
            (Some(ours), Some(theirs)) => ours <= (2.0 * theirs).max(*floor),
            // A rival without this figure does other work: only our time is compared with it.
            (Some(ours), None) => ours.is_finite(),
            (None, _) => false,
        },
    }
}

/// The seconds of the median with three digits, and of the least in brackets.
fn seconds(score: &Score) -> String {
    let digits = |s: f64| match s {
        s if s < 0.1 => format!("{:.2} ms", s * 1e3),
        s if s < 10.0 => format!("{s:.3} s"),
        s => format!("{s:.1} s"),
    };
    format!("{} ({})", digits(median(&score.seconds)), digits(least(&score.seconds)))
}

fn memory(score: &Score) -> String {
    let mib = |bytes: u64| bytes as f64 / (1 << 20) as f64;
    match (score.peak_bytes, score.resident_bytes) {
        (Some(peak), Some(before)) => format!("{:.0} (+{:.0})", mib(peak), mib(peak.saturating_sub(before))),
        _ => "unknown".into(),
    }
}

fn quality(score: &Score) -> String {
    let value = |v: f64| match v.abs() {
        0.0 => "0".into(),
        1e-3..1e4 => format!("{v:.4}"),
        _ => format!("{v:.1e}"),
    };
    let figures: Vec<String> =
        score.quality.iter().map(|(name, v)| format!("{} {}", name.replace('_', " "), value(*v))).collect();
    if figures.is_empty() { "-".into() } else { figures.join(", ") }
}

fn target(benchmark: &Benchmark, rival: &Rival) -> String {
    let Some(target) = rival.target else { return "-".into() };
    let demands = benchmark.demands.iter().map(|demand| match demand {
        Demand::AtLeast { figure, bound } => format!(", {} ≥ {bound}", figure.replace('_', " ")),
        Demand::AtMost { figure, bound } => format!(", {} ≤ {bound}", figure.replace('_', " ")),
        Demand::Within { figure, factor } => format!(", {} ≤ {factor} x theirs", figure.replace('_', " ")),
        Demand::AtLeastShare { figure, share } => {
            format!(", {} ≥ {share} x theirs", figure.replace('_', " "))
        }
        Demand::NoWorse { figure, .. } => format!(", {} no worse", figure.replace('_', " ")),
    });
    format!("≥ {:.2}x{}", target, demands.collect::<String>())
}

/// The header as a list, and the table.
pub fn markdown(header: &Header, all: &[Measured]) -> String {
    let text = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    let pairs = |object: &Value| {
        let list = object.as_object().into_iter().flatten();
        list.map(|(k, v)| format!("{} {}", k.replace('_', " "), text(v))).collect::<Vec<_>>().join(", ")
    };
    let load = header.load.as_ref().map_or("unknown".into(), |l| format!("{l:?}"));
    let mut page = format!(
        "- command: `{}`, {}{}\n- machine: {}; load averages at the start {load}\n- versions: {}\n\
         - {} threads and {} counted repetitions for each contestant, in turns; times are the median (the least)\n\
         - memory in MiB: the peak of the resident set (its growth since the data were read)\n\n",
        command(),
        machine::date(),
        if header.quick { "; quick: small sizes, nothing is judged" } else { "" },
        pairs(&header.machine),
        pairs(&header.versions),
        header.threads,
        header.repeat,
    );
    page.push_str(
        "| work | ours | peer | ratio (median) | target | met? | peak memory ours / peer | quality ours / peer |\n\
         |---|---|---|---|---|---|---|---|\n",
    );
    for (benchmark, result) in all {
        match result {
            Err(why) => {
                let why = why.replace(['|', '\n'], " ");
                page.push_str(&format!("| `{}` | failed: {why} | | | | | | |\n", benchmark.name));
            }
            Ok(outcome) => page.extend(rows(header, benchmark, outcome)),
        }
    }
    page.push('\n');
    for (benchmark, result) in all {
        if let Some(others) = result.as_ref().ok().and_then(|outcome| outcome.others) {
            page.push_str(&format!("- `{}`: others kept {others:.2} processors busy\n", benchmark.name));
        }
    }
    page
}

fn rows(header: &Header, benchmark: &Benchmark, outcome: &Outcome) -> Vec<String> {
    let Some((ours, theirs)) = outcome.scores.split_first() else { return Vec::new() };
    let row = |(rival, score): (&Rival, &Score)| {
        let met = match met(benchmark, rival, ours, score) {
            None => "-",
            Some(_) if header.quick => "not judged",
            Some(true) => "yes",
            Some(false) => "no",
        };
        format!(
            "| `{}`: {} ({}) | {} | {}: {} | {:.2}x | {} | {met} | {} / {} | {} / {} |\n",
            benchmark.name,
            benchmark.work,
            benchmark.data,
            seconds(ours),
            rival.label,
            seconds(score),
            median(&score.seconds) / median(&ours.seconds),
            target(benchmark, rival),
            memory(ours),
            memory(score),
            quality(ours),
            quality(score),
        )
    };
    if benchmark.rivals.is_empty() {
        let (name, work, data) = (&benchmark.name, &benchmark.work, &benchmark.data);
        let (time, memory, quality) = (seconds(ours), memory(ours), quality(ours));
        return vec![format!(
            "| `{name}`: {work} ({data}) | {time} | nobody | | | | {memory} | {quality} |\n"
        )];
    }
    benchmark.rivals.iter().zip(theirs).map(row).collect()
}

/// Every figure.
pub fn json(header: &Header, all: &[Measured]) -> Value {
    let results = all.iter().map(|(benchmark, result)| match result {
        Err(why) => json!({ "name": benchmark.name, "work": benchmark.work, "failed": why }),
        Ok(outcome) => contest(header, benchmark, outcome),
    });
    json!({
        "command": command(),
        "date": machine::date(),
        "machine": header.machine,
        "load_average": header.load,
        "versions": header.versions,
        "threads": header.threads,
        "repeat": header.repeat,
        "quick": header.quick,
        "results": results.collect::<Vec<_>>(),
    })
}

fn contest(header: &Header, benchmark: &Benchmark, outcome: &Outcome) -> Value {
    let labels = std::iter::once("ours").chain(benchmark.rivals.iter().map(|rival| rival.label));
    let contestants = labels.zip(&outcome.scores).map(|(label, score)| {
        json!({
            "label": label,
            "seconds": score.seconds,
            "median": median(&score.seconds),
            "least": least(&score.seconds),
            "resident_bytes": score.resident_bytes,
            "peak_bytes": score.peak_bytes,
            "quality": score.quality.iter().cloned().map(|(k, v)| (k, v.into())).collect::<serde_json::Map<_, _>>(),
        })
    });
    let ours = &outcome.scores[0];
    let comparisons = benchmark.rivals.iter().zip(&outcome.scores[1..]).map(|(rival, score)| {
        json!({
            "with": rival.label,
            "ratio_of_medians": median(&score.seconds) / median(&ours.seconds),
            "ratio_of_least": least(&score.seconds) / least(&ours.seconds),
            "target": rival.target,
            "met": met(benchmark, rival, ours, score).filter(|_| !header.quick),
        })
    });
    json!({
        "name": benchmark.name,
        "work": benchmark.work,
        "data": benchmark.data,
        "load_average": outcome.load,
        "processors_kept_busy_by_others": outcome.others,
        "contestants": contestants.collect::<Vec<_>>(),
        "comparisons": comparisons.collect::<Vec<_>>(),
    })
}

/// The line that this program was started with, as one would type it.
fn command() -> String {
    let words: Vec<String> = std::env::args().skip(1).collect();
    format!("cargo xtask {}", words.join(" "))
}

#[cfg(test)]
mod tests {
    use super::super::entries::Program;
    use super::*;

    fn score(seconds: &[f64], quality: &[(&str, f64)]) -> Score {
        Score {
            seconds: seconds.to_vec(),
            resident_bytes: Some(100 << 20),
            peak_bytes: Some(150 << 20),
            quality: quality.iter().map(|(name, value)| (name.to_string(), *value)).collect(),
        }
    }

    fn benchmark(target: Option<f64>, demands: Vec<Demand>) -> Benchmark {
        Benchmark {
            name: "a-b".into(),
            work: "some work".into(),
            data: "set-1".into(),
            reference: None,
            arguments: vec![],
            ours: "work",
            rivals: vec![Rival { label: "Peer", program: Program::Ours("x"), target }],
            demands,
        }
    }

    fn header(quick: bool) -> Header {
        let machine = json!({ "processor": "P" });
        Header { versions: json!({ "numpy": "2" }), machine, load: None, threads: 2, repeat: 3, quick }
    }

    fn outcome(ours: Score, theirs: Score) -> Result<Outcome, String> {
        Ok(Outcome { scores: vec![ours, theirs], others: Some(0.25), load: None })
    }

    #[test]
    fn medians() {
        assert_eq!(median(&[3.0, 1.0, 2.0]), 2.0);
        assert_eq!(median(&[4.0, 1.0, 2.0, 8.0]), 3.0);
        assert!(median(&[]).is_nan());
    }

    #[test]
    fn a_row_has_every_figure() {
        let entry = benchmark(Some(2.0), vec![Demand::AtLeast { figure: "recall", bound: 0.98 }]);
        let ours = score(&[0.2, 0.1, 0.3], &[("recall", 0.99)]);
        let page =
            markdown(&header(false), &[(entry, outcome(ours, score(&[0.5, 0.4, 0.6], &[("recall", 1.0)])))]);
        let row = "| `a-b`: some work (set-1) | 0.200 s (0.100 s) | Peer: 0.500 s (0.400 s) | 2.50x | ≥ 2.00x, recall ≥ 0.98 \
                   | yes | 150 (+50) / 150 (+50) | recall 0.9900 / recall 1.0000 |";
        assert!(page.contains(row), "{page}");
        assert!(page.contains("others kept 0.25 processors busy"));
    }

    #[test]
    fn every_row_has_as_many_cells_as_the_head() {
        let held = vec![
            (benchmark(None, vec![]), outcome(score(&[1.0], &[]), score(&[1.0], &[]))),
            (benchmark(None, vec![]), Err("a | b\nc".into())),
        ];
        let page = markdown(&header(false), &held);
        let cells: Vec<usize> =
            page.lines().filter(|l| l.starts_with('|')).map(|l| l.matches('|').count()).collect();
        assert_eq!(cells, [9, 9, 9, 9]);
    }

    #[test]
    fn a_target_is_met_by_speed_and_quality_together() {
        let judge = |demand: Demand, ours: f64, theirs: f64, our_seconds: f64| {
            let entry = benchmark(Some(2.0), vec![demand]);
            let ours = score(&[our_seconds], &[("residual", ours)]);
            met(&entry, &entry.rivals[0], &ours, &score(&[1.0], &[("residual", theirs)]))
        };
        let no_worse = || Demand::NoWorse { figure: "residual", floor: 1e-15 };
        assert_eq!(judge(no_worse(), 1e-12, 1e-12, 0.5), Some(true));
        assert_eq!(judge(no_worse(), 1e-12, 1e-12, 0.51), Some(false));
        assert_eq!(judge(no_worse(), 3e-12, 1e-12, 0.1), Some(false));
        assert_eq!(judge(no_worse(), 9e-16, 1e-17, 0.1), Some(true));
        assert_eq!(judge(no_worse(), f64::NAN, 1e-12, 0.1), Some(false));
        let missing = Demand::AtLeast { figure: "recall", bound: 0.5 };
        assert_eq!(judge(missing, 1.0, 1.0, 0.1), Some(false));
    }

    #[test]
    fn a_quick_run_judges_nothing() {
        let held = [(benchmark(Some(2.0), vec![]), outcome(score(&[0.1], &[]), score(&[1.0], &[])))];
        assert!(markdown(&header(true), &held).contains("| not judged |"));
        assert_eq!(json(&header(true), &held)["results"][0]["comparisons"][0]["met"], Value::Null);
        assert_eq!(json(&header(false), &held)["results"][0]["comparisons"][0]["met"], true);
    }

    #[test]
    fn nan_becomes_null() {
        let held = [(
            benchmark(None, vec![]),
            outcome(score(&[0.1], &[("residual", f64::NAN)]), score(&[1.0], &[])),
        )];
        let text = json(&header(false), &held).to_string();
        assert!(text.contains("\"residual\":null"), "{text}");
    }
}
