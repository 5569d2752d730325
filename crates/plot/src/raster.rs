//! Shapes as pixels.

use crate::classes::MARKS;
use crate::scene::{Anchor, Dot, Item, Mark, Scene};
use crate::{color::Rgb, text};
use lowland_base::{Error, Result};
use tiny_skia::{
    Color, FillRule, LineCap, LineJoin, Paint, Path, PathBuilder, Pixmap, Rect, Stroke, StrokeDash, Transform,
};

/// The whole scene on its paper.
pub fn draw(scene: &Scene) -> Result<Pixmap> {
    let mut map = blank(scene)?;
    let [r, g, b] = scene.theme.paper.bytes();
    map.fill(Color::from_rgba8(r, g, b, 255));
    let zoom = Transform::from_scale(scene.scale, scene.scale);
    for item in &scene.items {
        match item {
            Item::Rect { x, y, width, height, fill } => {
                if let Some(rect) = Rect::from_xywh(*x, *y, *width, *height) {
                    map.fill_rect(rect, &paint(*fill, 1.0), zoom, None);
                }
            }
            Item::Polygon { points, fill } => {
                if let Some(path) = polyline(points, true) {
                    map.fill_path(&path, &paint(*fill, 1.0), FillRule::Winding, zoom, None);
                }
            }
            Item::Line { points, width, color, dashed } => {
                if let Some(path) = polyline(points, false) {
                    let dash = if *dashed { StrokeDash::new(vec![4.0, 4.0], 0.0) } else { None };
                    let stroke =
                        Stroke { width: *width, line_join: LineJoin::Round, dash, ..Stroke::default() };
                    map.stroke_path(&path, &paint(*color, 1.0), &stroke, zoom, None);
                }
            }
            Item::Dots(dots) => draw_dots(&mut map, dots, zoom),
            Item::Image { x, y, width, height, columns, gray } => {
                let rows = gray.len() / (*columns).max(1);
                let cell = (width / *columns as f32, height / rows as f32);
                for (i, &level) in gray.iter().enumerate() {
                    let (row, column) = ((i / columns) as f32, (i % columns) as f32);
                    // Each cell reaches under the next: no seams.
                    let reach = (cell.0 * 1.05, cell.1 * 1.05);
                    let at = (x + cell.0 * column, y + cell.1 * row);
                    if let Some(rect) = Rect::from_xywh(at.0, at.1, reach.0, reach.1) {
                        let level = u32::from(level);
                        map.fill_rect(rect, &paint(Rgb(level << 16 | level << 8 | level), 1.0), zoom, None);
                    }
                }
            }
            Item::Lines { ends, width, color } => {
                let mut path = PathBuilder::new();
                for [from, to] in ends {
                    path.move_to(from.0, from.1);
                    path.line_to(to.0, to.1);
                }
                if let Some(path) = path.finish() {
                    let stroke = Stroke { width: *width, ..Stroke::default() };
                    map.stroke_path(&path, &paint(*color, 1.0), &stroke, zoom, None);
                }
            }
            Item::Text { x, y, text: words, size, color, anchor, upright, halo } => {
                let shift = match anchor {
                    Anchor::Start => 0.0,
                    Anchor::Middle => -text::width(words, *size) / 2.0,
                    Anchor::End => -text::width(words, *size),
                };
                let turn = if *upright { Transform::from_rotate(-90.0) } else { Transform::identity() };
                let position = turn.pre_translate(shift, 0.0).post_translate(*x, *y).post_concat(zoom);
                if let Some(path) = text::outline(words, *size) {
                    if *halo {
                        let stroke = Stroke {
                            width: 4.0,
                            line_join: LineJoin::Round,
                            line_cap: LineCap::Round,
                            ..Stroke::default()
                        };
                        map.stroke_path(&path, &paint(scene.theme.paper, 0.9), &stroke, position, None);
                    }
                    map.fill_path(&path, &paint(*color, 1.0), FillRule::Winding, position, None);
                }
            }
        }
    }
    Ok(map)
}

/// Dots alone, on nothing, for the inside of an SVG.
pub fn draw_layer(dots: &[Dot], scene: &Scene) -> Result<Pixmap> {
    let mut map = blank(scene)?;
    draw_dots(&mut map, dots, Transform::from_scale(scene.scale, scene.scale));
    Ok(map)
}

fn blank(scene: &Scene) -> Result<Pixmap> {
    let pixels = |units: f32| (units * scene.scale).round() as u32;
    Pixmap::new(pixels(scene.width), pixels(scene.height)).ok_or_else(|| {
        Error::malformed("picture", "the picture has no size", "give a width and a height above 0")
    })
}

fn draw_dots(map: &mut Pixmap, dots: &[Dot], zoom: Transform) {
    let shapes = MARKS.map(|mark| (mark, unit(mark)));
    for dot in dots {
        if let Some((_, Some(path))) = shapes.iter().find(|(mark, _)| *mark == dot.mark) {
            let position =
                Transform::from_scale(dot.radius, dot.radius).post_translate(dot.x, dot.y).post_concat(zoom);
            map.fill_path(path, &paint(dot.color, dot.alpha), FillRule::Winding, position, None);
        }
    }
}

/// The outline of a mark of radius 1.
fn unit(mark: Mark) -> Option<Path> {
    match mark {
        Mark::Circle => PathBuilder::from_circle(0.0, 0.0, 1.0),
        _ => polyline(corners(mark), true),
    }
}

/// The corners of a mark that has the area of a circle of radius 1.
pub fn corners(mark: Mark) -> &'static [(f32, f32)] {
    match mark {
        Mark::Circle => &[],
        Mark::Square => &[(-0.886, -0.886), (0.886, -0.886), (0.886, 0.886), (-0.886, 0.886)],
        Mark::Triangle => &[(0.0, -1.555), (1.347, 0.778), (-1.347, 0.778)],
        Mark::Diamond => &[(0.0, -1.253), (1.253, 0.0), (0.0, 1.253), (-1.253, 0.0)],
        Mark::Wedge => &[(0.0, 1.555), (1.347, -0.778), (-1.347, -0.778)],
    }
}

fn polyline(points: &[(f32, f32)], close: bool) -> Option<Path> {
    let mut path = PathBuilder::new();
    let (first, rest) = points.split_first()?;
    path.move_to(first.0, first.1);
    for point in rest {
        path.line_to(point.0, point.1);
    }
    if close {
        path.close();
    }
    path.finish()
}

fn paint(color: Rgb, alpha: f32) -> Paint<'static> {
    let [r, g, b] = color.bytes();
    let mut paint = Paint { anti_alias: true, ..Paint::default() };
    paint.set_color_rgba8(r, g, b, (255.0 * alpha.clamp(0.0, 1.0)).round() as u8);
    paint
}
