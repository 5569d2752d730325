//! Colors and marks for the points, and the key that explains them.

use crate::color::{CLASSES, OTHER, Rgb, Theme};
use crate::frame::Area;
use crate::scene::{Anchor, Dot, Item, Mark, Scene};
use crate::ticks::{Axis, range};
use crate::{Coloring, Scatter, names, text};
use std::collections::{BTreeSet, HashMap};

/// More classes than this, and the rarest share one color.
pub const MOST_CLASSES: usize = COLORS * MARKS.len();
/// Up to this many classes, colors alone tell them apart.
pub const COLORS: usize = CLASSES.len();
const KEY_TEXT: f32 = 12.0;
/// The most room for a name in the key.
const KEY_NAME: f32 = 170.0;
/// The least and the usual height of a line of the key.
const KEY_LINES: (f32, f32) = (15.0, 21.0);
pub const MARKS: [Mark; 5] = [Mark::Circle, Mark::Square, Mark::Triangle, Mark::Diamond, Mark::Wedge];

/// Whether labels that are numbers are classes and not quantities: whole, with at most [`MOST_CLASSES`] different values.
/// NaN is a label that is missing.
pub fn are_classes(labels: &[f64]) -> bool {
    let mut seen = BTreeSet::new();
    labels.iter().filter(|label| !label.is_nan()).all(|&label| {
        label.fract() == 0.0 && {
            seen.insert(label as i64);
            seen.len() <= MOST_CLASSES
        }
    })
}

/// A line of the key.
pub struct Class {
    pub name: String,
    pub color: Rgb,
    pub mark: Mark,
}

/// What the colors mean.
pub enum Key {
    None,
    Classes(Vec<Class>),
    Bar { low: f64, high: f64, name: String },
}

/// The color and mark of every point.
pub struct Paints {
    pub each: Vec<(Rgb, Mark)>,
    /// The position of each point's class in the key.
    pub class: Vec<usize>,
    pub key: Key,
}

impl Paints {
    pub fn of(plot: &Scatter<'_>, theme: &Theme) -> Self {
        let n = plot.coordinates.nrows();
        match plot.coloring {
            Coloring::Classes(names) if names.len() == n && n > 0 => {
                let mut paints = by_class(names);
                let of_rare = |color: &mut Rgb| *color = if *color == OTHER { theme.other } else { *color };
                paints.each.iter_mut().for_each(|paint| of_rare(&mut paint.0));
                if let Key::Classes(classes) = &mut paints.key {
                    classes.iter_mut().for_each(|class| of_rare(&mut class.color));
                }
                paints
            }
            Coloring::Values(values, name) if values.len() == n && n > 0 => by_value(values, name, theme),
            _ => Self { each: vec![(CLASSES[0], Mark::Circle); n], class: vec![0; n], key: Key::None },
        }
    }

    /// The width of the key beside data of this height.
    pub fn key_width(&self, height: f32) -> f32 {
        match &self.key {
            Key::None => 0.0,
            Key::Bar { .. } => 92.0,
            Key::Classes(classes) => {
                let (columns, width) = columns(classes, height);
                columns as f32 * width + 24.0
            }
        }
    }

    /// Draws the key at the right of the data.
    pub fn draw_key(&self, scene: &mut Scene, area: &Area) {
        let x = area.right + 24.0;
        let (ink, soft) = (scene.theme.ink, scene.theme.soft);
        match &self.key {
            Key::None => {}
            Key::Classes(classes) => {
                let (columns, width) = columns(classes, area.height());
                let lines = classes.len().div_ceil(columns);
                let step = (area.height() / lines as f32).min(KEY_LINES.1);
                let size = KEY_TEXT.min(0.8 * step);
                let names: Vec<&str> = classes.iter().map(|class| class.name.as_str()).collect();
                let names = text::told_apart(&names, size, width - 24.0);
                let mut dots = Vec::new();
                for (i, (class, name)) in classes.iter().zip(names).enumerate() {
                    let x = x + width * (i / lines) as f32;
                    let y = area.top + 8.0 + step * (i % lines) as f32;
                    let (color, mark) = (class.color, class.mark);
                    dots.push(Dot {
                        x: x + 6.0,
                        y,
                        radius: 5.0_f32.min(0.33 * step),
                        mark,
                        color,
                        alpha: 1.0,
                    });
                    scene.text(x + 20.0, y + 0.35 * size, size, ink, Anchor::Start, name);
                }
                scene.items.push(Item::Dots(dots));
            }
            Key::Bar { low, high, name } => {
                let (top, bottom) = (area.top + 26.0, area.top + 26.0 + area.height() * 0.6);
                scene.text(x, area.top + 10.0, KEY_TEXT, ink, Anchor::Start, text::fit(name, KEY_TEXT, 90.0));
                const STEPS: usize = 128;
                let height = (bottom - top) / STEPS as f32;
                for i in 0..STEPS {
                    let share = (i as f64 + 0.5) / STEPS as f64;
                    // Each step reaches under the next: no seams.
                    let y = bottom - height * (i + 1) as f32;
                    let reach = if i == 0 { height } else { 2.0 * height };
                    scene.rect(x, y, 16.0, reach, scene.theme.map(share));
                }
                let axis = Axis { low: *low, high: *high, start: bottom, end: top };
                for (value, label) in axis.ticks(60.0) {
                    let y = axis.at(value);
                    scene.line((x + 16.0, y), (x + 20.0, y), 1.0, soft);
                    scene.text(x + 25.0, y + 4.0, KEY_TEXT, soft, Anchor::Start, label);
                }
            }
        }
    }

    /// Names in the picture itself, where the key alone is not enough.
    pub fn draw_names(&self, scene: &mut Scene, positions: &[(f32, f32)], area: &Area) {
        if let Key::Classes(classes) = &self.key {
            names::draw(scene, classes, &self.class, positions, area);
        }
    }
}

/// How many columns the lines of a key need, and the width of one.
fn columns(classes: &[Class], height: f32) -> (usize, f32) {
    let columns = (classes.len() as f32 * KEY_LINES.0 / height.max(1.0)).ceil().max(1.0);
    let widest = classes.iter().map(|c| text::width(&c.name, KEY_TEXT)).fold(0.0, f32::max);
    (columns as usize, widest.min(KEY_NAME / columns.sqrt()) + 26.0)
}

pub fn by_class(names: &[String]) -> Paints {
    let mut counts: HashMap<&str, usize> = HashMap::new();
    for name in names {
        *counts.entry(name).or_default() += 1;
    }
    let mut known: Vec<(&str, usize)> = counts.into_iter().collect();
    let in_order = |a: &(&str, usize), b: &(&str, usize)| names::in_order(a.0, b.0);
    known.sort_by(in_order);
    let total = known.len();
    if total > MOST_CLASSES {
        known.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| in_order(a, b)));
        known.truncate(MOST_CLASSES - 1);
        known.sort_by(in_order);
    }
    let mut classes: Vec<Class> = known
        .iter()
        .enumerate()
        .map(|(i, (name, _))| Class {
            name: if name.is_empty() { "(no label)".into() } else { (*name).to_owned() },
            color: CLASSES[i % COLORS],
            mark: MARKS[i / COLORS % MARKS.len()],
        })
        .collect();
    if total > MOST_CLASSES {
        let name = lowland_base::units::count(total - classes.len(), "other");
        classes.push(Class { name, color: OTHER, mark: Mark::Circle });
    }
    let positions: HashMap<&str, usize> = known.iter().enumerate().map(|(i, (name, _))| (*name, i)).collect();
    let last = classes.len() - 1;
    let class: Vec<usize> =
        names.iter().map(|name| positions.get(name.as_str()).copied().unwrap_or(last)).collect();
    let each = class.iter().map(|&i| (classes[i].color, classes[i].mark)).collect();
    Paints { each, class, key: Key::Classes(classes) }
}

fn by_value(values: &[f64], name: &str, theme: &Theme) -> Paints {
    let (low, high) = range(values.iter().copied());
    let color_of = |value: &f64| {
        let color = if value.is_finite() { theme.map((value - low) / (high - low)) } else { theme.other };
        (color, Mark::Circle)
    };
    let each = values.iter().map(color_of).collect();
    Paints { each, class: vec![0; values.len()], key: Key::Bar { low, high, name: name.to_owned() } }
}

/// How large and how opaque dots at these positions are. Where many cover each other they let more light through,
/// so that a hundred thousand still show where they are dense.
pub fn dot_style(positions: &[(f32, f32)]) -> (f32, f32) {
    let radius = (3.6 * (600.0 / positions.len().max(1) as f32).powf(0.24)).clamp(0.75, 4.0);
    // The number of dots in the cell of a typical dot, a cell having about its size.
    let mut cells: HashMap<(i32, i32), usize> = HashMap::new();
    let cell = |&(x, y): &(f32, f32)| ((x / (1.8 * radius)) as i32, (y / (1.8 * radius)) as i32);
    for position in positions {
        *cells.entry(cell(position)).or_default() += 1;
    }
    let mut crowds: Vec<usize> = positions.iter().map(|position| cells[&cell(position)]).collect();
    crowds.sort_unstable();
    let crowd = crowds.get(crowds.len() / 2).copied().unwrap_or(1).max(1);
    (radius, (1.0 - 0.12_f32.powf(1.0 / crowd as f32)).clamp(0.16, 0.85))
}

/// All positions of 0..n in an order that mixes them, so that no class covers the others.
pub fn mixed_order(n: usize) -> impl Iterator<Item = usize> {
    let mut stride = ((n as f64 * 0.618) as usize).max(1);
    while gcd(stride, n) > 1 {
        stride += 1;
    }
    (0..n).map(move |i| (i as u128 * stride as u128 % n as u128) as usize)
}

fn gcd(a: usize, b: usize) -> usize {
    if b == 0 { a } else { gcd(b, a % b) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_mixed_order_visits_each_place_once() {
        for n in [0, 1, 2, 3, 10, 997, 1000] {
            let mut seen: Vec<usize> = mixed_order(n).collect();
            seen.sort_unstable();
            assert!(seen.into_iter().eq(0..n));
        }
    }

    #[test]
    fn many_classes_share_the_last_color_and_numbers_keep_their_order() {
        let names: Vec<String> = (0..280).map(|i| (i % 70).to_string()).collect();
        let paints = by_class(&names);
        let Key::Classes(classes) = &paints.key else { panic!("no key") };
        assert_eq!(classes.len(), MOST_CLASSES);
        assert_eq!(classes[2].name, "2");
        assert_eq!(classes[10].name, "10");
        assert_eq!(classes[MOST_CLASSES - 1].name, "21 others");
        let styles: std::collections::HashSet<_> =
            classes.iter().map(|c| (c.color.0, c.mark as u8)).collect();
        assert_eq!(styles.len(), MOST_CLASSES, "every class has a look of its own");
    }
}
