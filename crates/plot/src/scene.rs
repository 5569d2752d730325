//! A picture as a list of shapes, in units of which a PNG has two pixels each.

use crate::color::Rgb;

pub const WIDTH: f32 = 960.0;
pub const HEIGHT: f32 = 720.0;

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

#[derive(Default)]
pub struct Scene {
    /// What a reader of the screen is reported.
    pub title: String,
    pub items: Vec<Item>,
}

impl Scene {
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
