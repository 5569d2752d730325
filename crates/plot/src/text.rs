//! The embedded font: widths and outlines of glyphs.

use std::sync::LazyLock;
use tiny_skia::{Path, PathBuilder};
use ttf_parser::{Face, OutlineBuilder};

static FONT: &[u8] = include_bytes!("../fonts/sans.ttf");
static FACE: LazyLock<Option<Face<'static>>> = LazyLock::new(|| Face::parse(FONT, 0).ok());

/// The width of a text.
pub fn width(text: &str, size: f32) -> f32 {
    let Some(face) = &*FACE else { return 0.0 };
    let advance = |c| face.glyph_hor_advance(glyph(face, c)).map_or(0.0, f32::from);
    text.chars().map(advance).sum::<f32>() * size / f32::from(face.units_per_em())
}

/// The text, cut with an ellipsis where it would be wider than this.
pub fn fit(text: &str, size: f32, room: f32) -> String {
    if width(text, size) <= room {
        return text.to_owned();
    }
    let mut kept: String = text.to_owned();
    while kept.pop().is_some() && width(&kept, size) + width("…", size) > room {}
    kept.trim_end().to_owned() + "…"
}

/// The outline of a text whose baseline begins at the origin.
pub fn outline(text: &str, size: f32) -> Option<Path> {
    let face = FACE.as_ref()?;
    let scale = size / f32::from(face.units_per_em());
    let mut pen = Pen { path: PathBuilder::new(), x: 0.0, scale };
    for c in text.chars() {
        let id = glyph(face, c);
        face.outline_glyph(id, &mut pen);
        pen.x += face.glyph_hor_advance(id).map_or(0.0, f32::from) * scale;
    }
    pen.path.finish()
}

/// A character that the font does not have becomes the replacement sign.
fn glyph(face: &Face<'_>, c: char) -> ttf_parser::GlyphId {
    face.glyph_index(c).or_else(|| face.glyph_index('\u{FFFD}')).unwrap_or_default()
}

struct Pen {
    path: PathBuilder,
    x: f32,
    scale: f32,
}

impl Pen {
    fn at(&self, x: f32, y: f32) -> (f32, f32) {
        (self.x + x * self.scale, -y * self.scale)
    }
}

impl OutlineBuilder for Pen {
    fn move_to(&mut self, x: f32, y: f32) {
        let (x, y) = self.at(x, y);
        self.path.move_to(x, y);
    }
    fn line_to(&mut self, x: f32, y: f32) {
        let (x, y) = self.at(x, y);
        self.path.line_to(x, y);
    }
    fn quad_to(&mut self, x1: f32, y1: f32, x: f32, y: f32) {
        let ((x1, y1), (x, y)) = (self.at(x1, y1), self.at(x, y));
        self.path.quad_to(x1, y1, x, y);
    }
    fn curve_to(&mut self, x1: f32, y1: f32, x2: f32, y2: f32, x: f32, y: f32) {
        let ((x1, y1), (x2, y2), (x, y)) = (self.at(x1, y1), self.at(x2, y2), self.at(x, y));
        self.path.cubic_to(x1, y1, x2, y2, x, y);
    }
    fn close(&mut self) {
        self.path.close();
    }
}
