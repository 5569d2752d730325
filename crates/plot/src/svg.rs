//! Shapes as SVG.

use crate::raster::{self, corners};
use crate::scene::{Anchor, Dot, Item, Mark, Scene};
use lowland_base::Result;
use std::fmt::Write;

/// More dots than this become one embedded image: the file stays small and a browser quick.
const MOST_DOTS: usize = 20_000;

pub fn encode(scene: &Scene) -> Result<Vec<u8>> {
    let (width, height, paper) = (scene.width, scene.height, scene.theme.paper);
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" width=\"{width}\" \
         height=\"{height}\" font-family=\"'DejaVu Sans', Verdana, sans-serif\">\n<title>{}</title>\n\
         <rect width=\"{width}\" height=\"{height}\" fill=\"{paper}\"/>\n",
        escaped(&scene.title)
    );
    for item in &scene.items {
        write_item(&mut out, item, scene)?;
    }
    out.push_str("</svg>\n");
    Ok(out.into_bytes())
}

fn write_item(out: &mut String, item: &Item, scene: &Scene) -> Result<()> {
    let (wide, high) = (scene.width, scene.height);
    match item {
        Item::Rect { x, y, width, height, fill } => {
            let _ = writeln!(
                out,
                "<rect x=\"{x:.2}\" y=\"{y:.2}\" width=\"{width:.2}\" height=\"{height:.2}\" fill=\"{fill}\"/>"
            );
        }
        Item::Polygon { points, fill } => {
            let _ = writeln!(out, "<polygon points=\"{}\" fill=\"{fill}\"/>", listed(points));
        }
        Item::Line { points, width, color, dashed } => {
            let dash = if *dashed { " stroke-dasharray=\"4 4\"" } else { "" };
            let _ = writeln!(
                out,
                "<polyline points=\"{}\" fill=\"none\" stroke=\"{color}\" stroke-width=\"{width}\" \
                 stroke-linejoin=\"round\"{dash}/>",
                listed(points)
            );
        }
        Item::Dots(dots) if dots.len() > MOST_DOTS => {
            let image = base64(&crate::png_file::encode(&raster::draw_layer(dots, scene)?)?);
            let _ = writeln!(
                out,
                "<image width=\"{wide}\" height=\"{high}\" href=\"data:image/png;base64,{image}\"/>"
            );
        }
        Item::Dots(dots) => {
            for dot in dots {
                write_dot(out, dot);
            }
        }
        Item::Image { x, y, width, height, columns, gray } => {
            let image = base64(&crate::png_file::gray(gray, *columns)?);
            let _ = writeln!(
                out,
                "<image x=\"{x:.2}\" y=\"{y:.2}\" width=\"{width:.2}\" height=\"{height:.2}\" \
                 preserveAspectRatio=\"none\" href=\"data:image/png;base64,{image}\"/>"
            );
        }
        Item::Lines { ends, width, color } => {
            let _ = write!(out, "<path fill=\"none\" stroke=\"{color}\" stroke-width=\"{width}\" d=\"");
            for [(x0, y0), (x1, y1)] in ends {
                let _ = write!(out, "M{x0:.1} {y0:.1}L{x1:.1} {y1:.1}");
            }
            out.push_str("\"/>\n");
        }
        Item::Text { x, y, text, size, color, anchor, upright, halo } => {
            let anchor = match anchor {
                Anchor::Start => "start",
                Anchor::Middle => "middle",
                Anchor::End => "end",
            };
            let turn =
                if *upright { format!(" transform=\"rotate(-90 {x:.2} {y:.2})\"") } else { String::new() };
            let rim = if *halo {
                format!(
                    " stroke=\"{}\" stroke-width=\"4\" stroke-opacity=\"0.9\" stroke-linejoin=\"round\" \
                     paint-order=\"stroke\"",
                    scene.theme.paper
                )
            } else {
                String::new()
            };
            let _ = writeln!(
                out,
                "<text x=\"{x:.2}\" y=\"{y:.2}\" font-size=\"{size}\" fill=\"{color}\" \
                 text-anchor=\"{anchor}\"{turn}{rim}>{}</text>",
                escaped(text)
            );
        }
    }
    Ok(())
}

fn write_dot(out: &mut String, dot: &Dot) {
    let Dot { x, y, radius, color, alpha, mark } = dot;
    let _ = match mark {
        Mark::Circle => write!(out, "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"{radius:.2}\""),
        _ => {
            let moved: Vec<_> =
                corners(*mark).iter().map(|(a, b)| (x + radius * a, y + radius * b)).collect();
            write!(out, "<polygon points=\"{}\"", listed(&moved))
        }
    };
    let _ = writeln!(out, " fill=\"{color}\" fill-opacity=\"{alpha:.2}\"/>");
}

fn listed(points: &[(f32, f32)]) -> String {
    points.iter().map(|(x, y)| format!("{x:.2},{y:.2}")).collect::<Vec<_>>().join(" ")
}

/// Text that is safe between tags and in attributes, of SVG and of HTML; what XML does not allow at all is left out.
pub fn escaped(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => safe.push_str("&amp;"),
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            '"' => safe.push_str("&quot;"),
            '\'' => safe.push_str("&#39;"),
            c if c.is_control() => safe.push(' '),
            '\u{FFFE}' | '\u{FFFF}' => {}
            c => safe.push(c),
        }
    }
    safe
}

fn base64(bytes: &[u8]) -> String {
    const SIGNS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut out = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for chunk in bytes.chunks(3) {
        let word =
            chunk.iter().fold(0_u32, |word, byte| word << 8 | u32::from(*byte)) << (8 * (3 - chunk.len()));
        for position in 0..4 {
            let sign = SIGNS[(word >> (18 - 6 * position) & 63) as usize];
            out.push(if position <= chunk.len() { char::from(sign) } else { '=' });
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn base64_is_that_of_rfc_4648() {
        let pairs = [("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foobar", "Zm9vYmFy")];
        for (plain, coded) in pairs {
            assert_eq!(base64(plain.as_bytes()), coded);
        }
    }

    #[test]
    fn text_cannot_leave_its_element() {
        assert_eq!(escaped("</text><script>&\0"), "&lt;/text&gt;&lt;script&gt;&amp; ");
        assert_eq!(escaped("<a href=\"x\">'&\n\u{FFFE}"), "&lt;a href=&quot;x&quot;&gt;&#39;&amp; ");
    }
}
