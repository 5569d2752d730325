//! What a fit has to say: one set of facts, as JSON for a program and as text for a reader.

pub use lowland::compare::Significant;
pub use lowland::units::{count_grouped, grouped};

use crate::args::Common;
use crate::pictures::attribute;
use lowland::{Datum, Model, human_bytes};
use serde_json::{Map, Value, json};
use std::fmt::Write;

/// What the model does not know.
pub struct Facts {
    pub input: String,
    pub n: usize,
    pub features: usize,
    pub seconds: f64,
    pub stages: Vec<(String, f64)>,
    /// What was noticed about the table, and done to it.
    pub table: Vec<String>,
    /// What the fit was forecast to take, and what it took.
    pub memory: Memory,
}

/// The stages of a fit, without those that came before it: filling in what was missing has some of the same names.
pub fn stages_since(before: &[(String, f64)], all: Vec<(String, f64)>) -> Vec<(String, f64)> {
    let earlier = |name: &str| before.iter().find(|stage| stage.0 == name).map_or(0.0, |stage| stage.1);
    let own = all.into_iter().map(|(name, seconds)| (seconds - earlier(&name), name));
    own.filter(|(seconds, _)| *seconds > 0.0).map(|(seconds, name)| (name, seconds)).collect()
}

/// The resident set from before a fit on.
pub struct Memory {
    forecast: u64,
    before: Option<u64>,
    /// The peak until then.
    earlier: Option<u64>,
    peak: Option<u64>,
}

impl Memory {
    /// Before a fit.
    pub fn before_fit() -> Self {
        let earlier = resident("VmHWM:");
        // The system counts the peak anew.
        let _ = std::fs::write("/proc/self/clear_refs", "5");
        Self { forecast: 0, before: resident("VmRSS:"), earlier, peak: None }
    }

    /// After the fit, of which this was forecast as soon as the ordering of a sparse factor was known.
    pub fn after(mut self, forecast: u64) -> Self {
        (self.forecast, self.peak) = (forecast, resident("VmHWM:"));
        self
    }

    /// How far the fit has raised the resident set.
    fn grown(&self) -> Option<u64> {
        Some(self.peak?.saturating_sub(self.before?))
    }
}

/// The summary of a fit.
pub struct Summary<'a> {
    pub model: &'a dyn Model,
    pub facts: Facts,
    seed: u64,
    threads: usize,
    peak: Option<u64>,
}

impl<'a> Summary<'a> {
    pub fn new(model: &'a dyn Model, facts: Facts, common: &Common, threads: usize) -> Self {
        let peak = facts.memory.earlier.max(resident("VmHWM:"));
        Self { model, facts, seed: common.seed, threads, peak }
    }

    pub fn warnings(&self) -> Vec<String> {
        self.model.report().warnings.iter().map(ToString::to_string).collect()
    }

    /// With what was said about the table when it was read.
    fn all_warnings(&self) -> Vec<String> {
        self.facts.table.iter().cloned().chain(self.warnings()).collect()
    }

    pub fn json(&self) -> Value {
        let report = self.model.report();
        let parameters: Map<String, Value> = self
            .model
            .parameters()
            .into_iter()
            .map(|(name, value)| (name.to_owned(), json!(value)))
            .collect();
        let mut seconds: Map<String, Value> =
            self.facts.stages.iter().map(|(name, seconds)| (name.clone(), json!(seconds))).collect();
        seconds.insert("total".into(), json!(self.facts.seconds));
        let mut all = json!({
            "lowland": env!("CARGO_PKG_VERSION"),
            "method": self.model.entry().name,
            "parameters": parameters,
            "input": self.facts.input,
            "n": self.facts.n,
            "features": self.facts.features,
            "dims": self.model.components(),
            "seed": self.seed,
            "threads": self.threads,
            "seconds": seconds,
            "peak_memory_bytes": self.peak,
            "fit_memory_bytes": self.facts.memory.grown(),
            "forecast_memory_bytes": self.facts.memory.forecast,
            "eigenvalues": report.eigenvalues,
            "further_eigenvalues": report.further_eigenvalues,
            "residuals": report.residuals,
            "connected_component_sizes": report.connected_component_sizes,
            "objective": report.objective,
            "losses": report.losses,
            "resolved": report.resolved,
            "landmarks": report.landmarks,
            "provenance": report.provenance,
            "warnings": self.all_warnings(),
        });
        // What layouts by stress report about their points and pairs.
        for name in ["stress_per_point", "shepard"] {
            if let Some(value) = attribute(self.model, name) {
                all[name] = match value {
                    Datum::Matrix(rows) => rows.rows().into_iter().map(|row| json!(row.to_vec())).collect(),
                    value => json!(value.numbers()),
                };
            }
        }
        all
    }

    /// `2,000 points, from 3 dimensions to 2`.
    pub fn sizes(&self) -> String {
        let Facts { n, features, .. } = self.facts;
        let (points, from) = (count_grouped(n, "point"), count_grouped(features, "dimension"));
        format!("{points}, from {from} to {}", self.model.components())
    }

    pub fn text(&self, written: &[&String]) -> String {
        let report = self.model.report();
        let mut out = format!("{} of {}: {}\n", self.model.entry().name, self.facts.input, self.sizes());
        let width = report.objective.iter().map(|q| q.name.len()).max().unwrap_or(0).max(8);
        let mut line = |name: &str, value: String| {
            let _ = writeln!(out, "  {name:<width$}  {value}");
        };
        for quantity in &report.objective {
            line(&quantity.name, format!("{:.6}", Significant(quantity.value)));
        }
        if report.connected_component_sizes.len() > 1 {
            let sizes: Vec<String> =
                report.connected_component_sizes.iter().take(8).map(ToString::to_string).collect();
            let more = if report.connected_component_sizes.len() > 8 { ", ..." } else { "" };
            line(
                "graph",
                format!(
                    "{} connected components, of {}{more} points",
                    report.connected_component_sizes.len(),
                    sizes.join(", ")
                ),
            );
        }
        let stages: Vec<String> =
            self.facts.stages.iter().map(|(name, seconds)| format!("{name} {seconds:.3}")).collect();
        line("seconds", format!("{:.3} ({})", self.facts.seconds, stages.join(", ")));
        if let Some(peak) = self.peak {
            line("memory", format!("{} at the peak", human_bytes(peak)));
        }
        for path in written {
            line("written", (*path).clone());
        }
        out
    }
}

/// The resident set of this process (`VmRSS:`) or its largest (`VmHWM:`), where the system says so.
fn resident(which: &str) -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix(which))?;
    line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok().map(|kib| kib * 1024)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_read_well() {
        let summary = |value: f64| format!("{:.6}", Significant(value));
        assert_eq!(summary(0.125), "0.125");
        assert_eq!(summary(123_456.789), "123457");
        assert_eq!(summary(-2.5), "-2.5");
        assert_eq!(summary(1e-9), "1.00000e-9");
        assert_eq!(summary(100.0), "100");
    }
}
