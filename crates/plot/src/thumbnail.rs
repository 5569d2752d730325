//! Small pictures for a page with many of them: dots without axes, as SVG that takes its colors from the page, so that it
//! fits light and dark. A dot is a line of no length with round ends: ten bytes.

use crate::classes::{Key, mixed_order};
use crate::color::{self, CLASSES, OTHER, Rgb};
use crate::frame::Area;
use crate::scatter::equal;
use crate::ticks::{padded, range};
use crate::{Coloring, classes, svg};
use std::collections::BTreeMap;
use std::fmt::Write;

/// The steps of a scale.
const STEPS: usize = 16;
/// The steps from harmless to bad.
const ALARMS: usize = 8;
const WIDTH: f32 = 960.0;
const HEIGHT: f32 = 720.0;
/// Dots are drawn in so many layers, each with all colors, so that no class covers the others.
const LAYERS: usize = 6;

/// The style of every dot: a class of the page's style sheet.
#[derive(Debug, Clone)]
pub struct DotStyles {
    each: Vec<u8>,
    kind: Kind,
    /// The names of the classes and their styles, or the ends of the scale.
    pub key: StyleKey,
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Kind {
    Class,
    Scale,
    Alarm,
}

/// What the styles mean.
#[derive(Debug, Clone, PartialEq)]
pub enum StyleKey {
    /// Nothing.
    None,
    /// Names with the classes of the page's style sheet.
    Names(Vec<(String, String)>),
    /// A scale from one number to another, and what it means.
    Scale(f64, f64, String),
}

impl DotStyles {
    /// As a scatter plot colors its dots.
    pub fn of(coloring: &Coloring<'_>, n: usize) -> Self {
        match coloring {
            Coloring::Classes(names) if names.len() == n && n > 0 => {
                let paints = classes::by_class(names);
                let Key::Classes(known) = &paints.key else { return Self::plain(n) };
                let key = known
                    .iter()
                    .enumerate()
                    .map(|(i, class)| (class.name.clone(), format!("k{i}")))
                    .collect();
                let each = paints.class.iter().map(|&class| class as u8).collect();
                Self { each, kind: Kind::Class, key: StyleKey::Names(key) }
            }
            Coloring::Values(values, name) if values.len() == n && n > 0 => {
                let (low, high) = range(values.iter().copied());
                let key = StyleKey::Scale(low, high, (*name).to_owned());
                Self { each: steps(values, low, high, STEPS), kind: Kind::Scale, key }
            }
            _ => Self::plain(n),
        }
    }

    /// From harmless to bad.
    pub fn alarm(values: &[f64], harmless: f64, bad: f64) -> Self {
        let each = steps(values, harmless, bad, ALARMS);
        Self { each, kind: Kind::Alarm, key: StyleKey::None }
    }

    fn plain(n: usize) -> Self {
        Self { each: vec![0; n], kind: Kind::Class, key: StyleKey::None }
    }

    /// The styles of some of the dots.
    pub fn select(&self, rows: &[usize]) -> Self {
        let each = rows.iter().filter_map(|&row| self.each.get(row).copied()).collect();
        Self { each, kind: self.kind, key: self.key.clone() }
    }
}

fn steps(values: &[f64], from: f64, to: f64, count: usize) -> Vec<u8> {
    let step = |value: &f64| {
        let share = ((value - from) / (to - from)).clamp(0.0, 1.0);
        if share.is_finite() { ((share * count as f64) as usize).min(count - 1) as u8 } else { 0 }
    };
    values.iter().map(step).collect()
}

/// The style that the pictures of a page need, once.
pub fn thumbnail_style() -> String {
    let mut light = String::new();
    let mut dark = String::new();
    let mut rules = String::from(
        ".dots{width:100%;height:auto;display:block}.dots path{fill:none;stroke-linecap:round}\
         .bars{width:100%;height:auto;display:block}.bars rect{fill:var(--k0)}.bars line{stroke:var(--soft)}",
    );
    for (i, color) in CLASSES.iter().enumerate() {
        let _ = write!(light, "--k{i}:{color};");
    }
    for i in 0..classes::MOST_CLASSES {
        let (color, round) = (i % CLASSES.len(), i / CLASSES.len());
        let ends = if round % 2 == 1 { ";stroke-linecap:square" } else { "" };
        let pale = ["", "", ";stroke-opacity:.4", ";stroke-opacity:.4", ";stroke-opacity:.65"][round.min(4)];
        let _ = write!(rules, ".dots .k{i},.key .k{i}{{stroke:var(--k{color}){ends}{pale}}}");
    }
    // The last look is that of all rare classes together.
    let _ = write!(light, "--other:{OTHER};");
    let last = classes::MOST_CLASSES - 1;
    let _ = write!(rules, ".dots .k{last},.key .k{last}{{stroke:var(--other);stroke-opacity:1}}");
    for i in 0..STEPS {
        let share = (i as f64 + 0.5) / STEPS as f64;
        let _ = write!(light, "--v{i}:{};", color::map(share));
        // The dark end would drown in a dark page.
        let _ = write!(dark, "--v{i}:{};", color::map(0.28 + 0.72 * share));
        let _ = write!(rules, ".dots .v{i},.key .v{i}{{stroke:var(--v{i})}}");
    }
    for i in 0..ALARMS {
        let share = i as f64 / (ALARMS - 1) as f64;
        let _ = write!(light, "--a{i}:{};", Rgb(0xb7_c3cd).mixed(Rgb(0xb3_0f1e), share));
        let _ = write!(dark, "--a{i}:{};", Rgb(0x43_4e59).mixed(Rgb(0xff_6f5e), share));
        let _ = write!(rules, ".dots .a{i},.key .a{i}{{stroke:var(--a{i})}}");
    }
    format!(":root{{{light}}}@media(prefers-color-scheme:dark){{:root{{{dark}}}}}{rules}")
}

/// The dots at these positions; `label` is what a screen reader reads.
pub fn thumbnail(positions: &[[f64; 2]], styles: &DotStyles, label: &str) -> String {
    let area = Area { left: 18.0, top: 18.0, right: WIDTH - 18.0, bottom: HEIGHT - 18.0 };
    let spans = [0, 1].map(|j| padded(range(positions.iter().map(|position| position[j])), 0.01));
    let [x, y] = equal(spans, &area);
    let (across, up) = (area.across(x), area.up(y));
    let radius = (6.5 * (600.0 / positions.len().max(1) as f32).powf(0.3)).clamp(3.2, 10.0);
    let mut out = format!(
        "<svg class=\"dots\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" role=\"img\" aria-label=\"{}\"><g \
         stroke-width=\"{:.1}\" stroke-opacity=\".8\">",
        svg::escaped(label),
        2.0 * radius
    );
    let letter = match styles.kind {
        Kind::Class => 'k',
        Kind::Scale => 'v',
        Kind::Alarm => 'a',
    };
    let order: Vec<usize> = mixed_order(positions.len()).collect();
    // What is bad lies above all else: it is what the picture is for.
    let layers = if styles.kind == Kind::Alarm { 1 } else { LAYERS };
    for layer in order.chunks(positions.len().div_ceil(layers).max(1)) {
        let mut paths: BTreeMap<u8, String> = BTreeMap::new();
        for &i in layer.iter().filter(|&&i| positions[i].iter().all(|x| x.is_finite())) {
            let (x, y) = (across.at(positions[i][0]), up.at(positions[i][1]));
            let style = styles.each.get(i).copied().unwrap_or(0);
            let _ = write!(paths.entry(style).or_default(), "M{x:.0} {y:.0}h0");
        }
        for (style, path) in paths {
            let _ = write!(out, "<path class=\"{letter}{style}\" d=\"{path}\"/>");
        }
    }
    out + "</g></svg>"
}

/// A spectrum as bars without axes.
pub fn bars(values: &[f64], label: &str) -> String {
    let zero = values.iter().all(|v| *v == 0.0);
    let (low, high) = if zero { (0.0, 1.0) } else { range(values.iter().copied().chain([0.0])) };
    let (width, height) = (240.0, 90.0);
    let at = |value: f64| height - 2.0 - (value - low) / (high - low) * (height - 4.0);
    let step = width / values.len().max(1) as f64;
    let thick = (0.75 * step).min(24.0);
    let mut out = format!(
        "<svg class=\"bars\" viewBox=\"0 0 {width} {height}\" role=\"img\" aria-label=\"{}\">",
        svg::escaped(label)
    );
    for (i, &value) in values.iter().enumerate() {
        let (zero, tip) = (at(0.0), at(value));
        let x = step * (i as f64 + 0.5) - thick / 2.0;
        let (top, tall) = (zero.min(tip), (zero - tip).abs().max(0.7));
        let _ = write!(out, "<rect x=\"{x:.1}\" y=\"{top:.1}\" width=\"{thick:.1}\" height=\"{tall:.1}\"/>");
    }
    let zero = at(0.0);
    let _ = write!(out, "<line x1=\"0\" x2=\"{width}\" y1=\"{zero:.1}\" y2=\"{zero:.1}\"/>");
    out + "</svg>"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_dot_is_drawn_once_and_inside() {
        let positions: Vec<[f64; 2]> =
            (0..1000).map(|i| [f64::from(i % 37), f64::from(i / 37) * 1e-3]).collect();
        let values: Vec<f64> = (0..1000).map(f64::from).collect();
        let names: Vec<String> = (0..1000).map(|i| format!("class {}", i % 4)).collect();
        for styles in [
            DotStyles::of(&Coloring::Plain, 1000),
            DotStyles::of(&Coloring::Classes(&names), 1000),
            DotStyles::of(&Coloring::Values(&values, "value"), 1000),
            DotStyles::alarm(&values, 0.0, 10.0),
        ] {
            let drawn = thumbnail(&positions, &styles, "a \"label\" <b>");
            assert_eq!(drawn.matches("h0").count(), 1000);
            assert!(drawn.contains("a &quot;label&quot; &lt;b&gt;"));
            for position in drawn.split('M').skip(1) {
                let numbers: Vec<f32> =
                    position.split(['h', ' ']).take(2).map(|number| number.parse().unwrap()).collect();
                assert!((0.0..=WIDTH).contains(&numbers[0]) && (0.0..=HEIGHT).contains(&numbers[1]));
            }
        }
        let all = DotStyles::of(&Coloring::Values(&values, "value"), 1000);
        assert_eq!((all.each[0], all.each[999]), (0, STEPS as u8 - 1));
        assert_eq!(all.select(&[999, 0]).each, [STEPS as u8 - 1, 0]);
    }

    #[test]
    fn degenerate_input_is_drawn_too() {
        for positions in [vec![], vec![[1.0, 1.0]], vec![[0.0, f64::NAN]; 3]] {
            let styles = DotStyles::of(&Coloring::Plain, positions.len());
            assert!(thumbnail(&positions, &styles, "").ends_with("</svg>"));
        }
        for values in [vec![], vec![0.0], vec![3.0, -1.0]] {
            assert_eq!(bars(&values, "").matches("<rect").count(), values.len());
        }
        assert!(!thumbnail_style().contains("NaN"));
    }
}
