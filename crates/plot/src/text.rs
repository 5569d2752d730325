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

/// The text, with an ellipsis in its middle where it would be wider than this: names often differ at their ends.
pub fn fit(text: &str, size: f32, room: f32) -> String {
    if width(text, size) <= room {
        return text.to_owned();
    }
    let letters: Vec<char> = text.chars().collect();
    let cut = |kept: usize| {
        let (head, tail) = (kept.div_ceil(2), kept / 2);
        let head: String = letters[..head].iter().collect();
        let tail: String = letters[letters.len() - tail..].iter().collect();
        format!("{}…{}", head.trim_end(), tail.trim_start())
    };
    let kept = (0..letters.len()).rev().find(|&kept| width(&cut(kept), size) <= room);
    cut(kept.unwrap_or(0))
}

/// As [`fit`] for several names that are to stay different: where shortening makes them equal, what they begin with in
/// common is left out first.
pub fn told_apart(names: &[&str], size: f32, room: f32) -> Vec<String> {
    let mut short: Vec<String> = names.iter().map(|name| fit(name, size, room)).collect();
    for i in 0..names.len() {
        let same: Vec<usize> = (0..names.len()).filter(|&j| short[j] == short[i]).collect();
        let differ = same.iter().any(|&j| names[j] != names[i]);
        if !differ {
            continue;
        }
        let common = same.iter().fold(usize::MAX, |common, &j| common.min(common_start(names[i], names[j])));
        for j in same {
            let rest: String = names[j].chars().skip(common.saturating_sub(2)).collect();
            let mut kept = format!("…{rest}");
            while width(&kept, size) > room && kept.chars().count() > 4 {
                kept.truncate(kept.trim_end_matches('…').char_indices().next_back().map_or(0, |last| last.0));
                kept.push('…');
            }
            short[j] = kept;
        }
    }
    short
}

/// How many letters two names have in common at their beginnings; all, where they are equal.
fn common_start(a: &str, b: &str) -> usize {
    if a == b { usize::MAX } else { a.chars().zip(b.chars()).take_while(|(a, b)| a == b).count() }
}

/// Those of the characters that the font does not have, each once.
pub fn missing(text: &str) -> Vec<char> {
    let Some(face) = &*FACE else { return Vec::new() };
    let unknown = |c: &char| !c.is_whitespace() && !c.is_control() && face.glyph_index(*c).is_none();
    let mut found: Vec<char> = text.chars().filter(unknown).collect();
    found.sort_unstable();
    found.dedup();
    found
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_names_keep_both_ends_and_stay_different() {
        assert_eq!(fit("short", 12.0, 200.0), "short");
        let cut = fit("Pseudomonas aeruginosa strain PAO1", 12.0, 120.0);
        assert!(cut.starts_with("Pseud") && cut.ends_with("PAO1") && width(&cut, 12.0) <= 120.0, "{cut}");
        let names = [
            "a very long name of the sort x in the middle of it",
            "a very long name of the sort y in the middle of it",
        ];
        let short = told_apart(&names, 12.0, 100.0);
        assert_ne!(short[0], short[1]);
        assert!(short.iter().all(|name| width(name, 12.0) <= 100.0), "{short:?}");
        assert_eq!(told_apart(&["a", "a", "b"], 12.0, 100.0), ["a", "a", "b"]);
    }

    #[test]
    fn characters_without_a_glyph_are_named() {
        assert_eq!(missing("plain text, Zürich"), []);
        assert_eq!(missing("日本 日"), ['日', '本']);
    }
}
