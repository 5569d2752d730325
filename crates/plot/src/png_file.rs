//! Pixels as a PNG file.

use lowland_base::{Error, Result};
use tiny_skia::Pixmap;

pub fn encode(map: &Pixmap) -> Result<Vec<u8>> {
    let failed = |e: png::EncodingError| Error::bug("picture", format!("the picture is no PNG: {e}"));
    let mut bytes = Vec::new();
    let mut encoder = png::Encoder::new(&mut bytes, map.width(), map.height());
    encoder.set_color(png::ColorType::Rgba);
    encoder.set_depth(png::BitDepth::Eight);
    let colors: Vec<u8> = map
        .pixels()
        .iter()
        .flat_map(|pixel| {
            let plain = pixel.demultiply();
            [plain.red(), plain.green(), plain.blue(), plain.alpha()]
        })
        .collect();
    let mut writer = encoder.write_header().map_err(failed)?;
    writer.write_image_data(&colors).map_err(failed)?;
    writer.finish().map_err(failed)?;
    Ok(bytes)
}

/// Gray values, row after row.
pub fn gray(levels: &[u8], columns: usize) -> Result<Vec<u8>> {
    let failed = |e: png::EncodingError| Error::bug("picture", format!("the picture is no PNG: {e}"));
    let rows = levels.len() / columns.max(1);
    let mut bytes = Vec::new();
    let mut encoder = png::Encoder::new(&mut bytes, columns as u32, rows as u32);
    encoder.set_color(png::ColorType::Grayscale);
    encoder.set_depth(png::BitDepth::Eight);
    let mut writer = encoder.write_header().map_err(failed)?;
    writer.write_image_data(levels).map_err(failed)?;
    writer.finish().map_err(failed)?;
    Ok(bytes)
}
