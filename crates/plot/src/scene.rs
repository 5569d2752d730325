//! A picture as a list of shapes, in units of which a PNG has two pixels each.

use crate::color::{DARK, LIGHT, Rgb, Theme};
use crate::style::Style;

/// Where a text begins.
#[derive(Clone, Copy, PartialEq)]
pub enum Anchor {
    Start,
    Middle,
    End,
}

/// The outline of a dot.
#[derive(Clone, Copy, PartialEq)]
pub enum Mark {
    Circle,
    Square,
    Triangle,
    Diamond,
    Wedge,
}

/// One point of the data.
#[derive(Clone, Copy)]
pub struct Dot {
    pub x: f32,
    pub y: f32,
    pub radius: f32,
    pub mark: Mark,
    pub color: Rgb,
    pub alpha: f32,
}

pub enum Item {
    Rect {
        x: f32,
        y: f32,
        width: f32,
        height: f32,
        fill: Rgb,
    },
    Line {
        points: Vec<(f32, f32)>,
        width: f32,
        color: Rgb,
        dashed: bool,
    },
    Polygon {
        points: Vec<(f32, f32)>,
        fill: Rgb,
    },
    /// Many dots: above some number they become pixels even in an SVG.
    Dots(Vec<Dot>),
    /// Gray values from 0 to 255, row after row, in a square or oblong of the picture.
    Image {
        x: f32,
        y: f32,
        width: f32,
        height: f32,
        columns: usize,
        gray: Vec<u8>,
    },
    /// Many thin lines of one color.
    Lines {
        ends: Vec<[(f32, f32); 2]>,
        width: f32,
        color: Rgb,
    },
    Text {
        x: f32,
        y: f32,
        text: String,
        size: f32,
        color: Rgb,
        anchor: Anchor,
        upright: bool,
        halo: bool,
    },
}

pub struct Scene {
    /// What a screen reader reads.
    pub title: String,
    pub width: f32,
    pub height: f32,
    /// Pixels of a unit.
    pub scale: f32,
    pub theme: Theme,
    pub items: Vec<Item>,
}

impl Scene {
    /// An empty one.
    pub fn new(style: &Style<'_>) -> Self {
        let (width, height, scale) = style.units();
        let theme = if style.dark { DARK } else { LIGHT };
        Self { title: String::new(), width, height, scale, theme, items: Vec::new() }
    }

    pub fn rect(&mut self, x: f32, y: f32, width: f32, height: f32, fill: Rgb) {
        self.items.push(Item::Rect { x, y, width, height, fill });
    }

    pub fn line(&mut self, from: (f32, f32), to: (f32, f32), width: f32, color: Rgb) {
        self.items.push(Item::Line { points: vec![from, to], width, color, dashed: false });
    }

    pub fn text(&mut self, x: f32, y: f32, size: f32, color: Rgb, anchor: Anchor, text: impl Into<String>) {
        let (upright, halo) = (false, false);
        self.items.push(Item::Text { x, y, text: text.into(), size, color, anchor, upright, halo });
    }

    /// A text over the dots: a white rim keeps it legible.
    pub fn label(&mut self, x: f32, y: f32, size: f32, color: Rgb, text: impl Into<String>) {
        let (upright, halo, anchor) = (false, true, Anchor::Middle);
        self.items.push(Item::Text { x, y, text: text.into(), size, color, anchor, upright, halo });
    }

    /// A text that reads from bottom to top.
    pub fn upright(&mut self, x: f32, y: f32, size: f32, color: Rgb, text: impl Into<String>) {
        let (upright, halo, anchor) = (true, false, Anchor::Middle);
        self.items.push(Item::Text { x, y, text: text.into(), size, color, anchor, upright, halo });
    }
}
