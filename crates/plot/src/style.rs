//! What a picture looks like beside its data: one struct for all pictures.

use lowland_base::{Error, Result};

/// Title, size and paper of a picture.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Style<'a> {
    /// The line above.
    pub title: &'a str,
    /// The smaller line below it.
    pub subtitle: &'a str,
    /// Width and height of a PNG in pixels; an SVG has the same shape.
    pub size: Size,
    /// Light on dark.
    pub dark: bool,
}

/// Width and height in pixels.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Size {
    /// From left to right.
    pub width: u32,
    /// From top to bottom.
    pub height: u32,
}

impl Default for Size {
    fn default() -> Self {
        Self { width: 1920, height: 1440 }
    }
}

/// The smallest and the largest side of a picture.
const SIDES: (u32, u32) = (300, 10_000);

impl std::str::FromStr for Size {
    type Err = Error;

    /// Reads `1200x800`.
    fn from_str(text: &str) -> Result<Self> {
        let refused = || {
            let bound = format!("two numbers from {} to {} such as 1200x800", SIDES.0, SIDES.1);
            Error::parameter("size", text, bound, "give width and height in pixels")
        };
        let (width, height) = text.split_once(['x', 'X', '\u{d7}']).ok_or_else(refused)?;
        let side = |word: &str| word.trim().parse().ok().filter(|side| (SIDES.0..=SIDES.1).contains(side));
        match (side(width), side(height)) {
            (Some(width), Some(height)) => Ok(Self { width, height }),
            _ => Err(refused()),
        }
    }
}

impl Style<'_> {
    /// Width and height in units, and the pixels of a unit: letters shrink with the picture, but not as much.
    pub(crate) fn units(&self) -> (f32, f32, f32) {
        let (width, height) = (self.size.width as f32, self.size.height as f32);
        let scale = 2.0 * (width * height / (1920.0 * 1440.0)).powf(0.25);
        (width / scale, height / scale, scale)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_read_and_bounded() {
        assert_eq!("1200x800".parse::<Size>().unwrap(), Size { width: 1200, height: 800 });
        assert_eq!(" 400 X 300".parse::<Size>().unwrap(), Size { width: 400, height: 300 });
        for wrong in ["", "800", "800x", "x600", "10x10", "99999x300", "-800x600", "800x600x2", "1e3x1e3"] {
            assert!(wrong.parse::<Size>().is_err(), "{wrong}");
        }
        assert_eq!(Style::default().units(), (960.0, 720.0, 2.0));
    }
}
