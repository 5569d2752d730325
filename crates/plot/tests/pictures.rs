//! Every kind of picture is drawn for every kind of data, however odd, and holds what it should.

use lowland_plot::{Coloring, Format, Images, Picture, Scatter, Size, Spectrum, Style, scatter, spectrum};
use ndarray::{Array2, ArrayView2};

fn svg(picture: &Picture) -> String {
    String::from_utf8(picture.encode(Format::Svg).unwrap()).unwrap()
}

fn plot(coordinates: ArrayView2<'_, f64>, coloring: Coloring<'_>) -> Picture {
    scatter(&Scatter { coordinates, coloring, edges: &[], images: None, axes: None, style: STYLE })
}

const STYLE: Style<'static> = Style {
    title: "a <title> & more",
    subtitle: "of tests",
    size: Size { width: 1920, height: 1440 },
    dark: false,
};

fn bars<'a>(eigenvalues: &'a [f64], share: Option<f64>) -> Spectrum<'a> {
    Spectrum { eigenvalues, further: &[], norm: 0.0, share, residual_variance: &[], style: STYLE }
}

/// The red, green and blue of every pixel.
fn pixels(picture: &Picture) -> Vec<[u8; 3]> {
    let bytes = picture.encode(Format::Png).unwrap();
    let mut reader = png::Decoder::new(std::io::Cursor::new(bytes)).read_info().unwrap();
    let mut pixels = vec![0; reader.output_buffer_size().unwrap()];
    let info = reader.next_frame(&mut pixels).unwrap();
    assert_eq!((info.width, info.height), (1920, 1440));
    pixels.as_chunks::<4>().0.iter().map(|&[r, g, b, _]| [r, g, b]).collect()
}

#[test]
fn odd_data_give_clean_pictures() {
    let tricks: [fn(usize, usize) -> f64; 5] = [
        |_, _| 0.0,
        |i, j| (i * 7 + j * 3) as f64,
        |i, _| if i == 0 { f64::NAN } else { i as f64 },
        |i, j| 1e150 * (i as f64 - j as f64),
        |i, _| 1e9 + 1e-9 * i as f64,
    ];
    for trick in tricks {
        for (rows, columns) in [(0, 2), (1, 1), (1, 2), (1, 3), (2, 0), (3, 1), (40, 2), (40, 3), (40, 6)] {
            let points = Array2::from_shape_fn((rows, columns), |(i, j)| trick(i, j));
            let names: Vec<String> = (0..rows).map(|i| format!("class {i}")).collect();
            let values: Vec<f64> = (0..rows).map(|i| trick(i, 1)).collect();
            for coloring in [Coloring::Plain, Coloring::Classes(&names), Coloring::Values(&values, "height")]
            {
                let text = svg(&plot(points.view(), coloring));
                assert!(!text.contains("NaN") && !text.contains("inf"), "{rows} x {columns}: {text}");
                assert!(text.contains("a &lt;title&gt; &amp; more"));
            }
        }
    }
    for values in
        [&[][..], &[0.0], &[1.0], &[3.0, 1.0, -2.0], &[0.0, 0.0], &[f64::NAN, 1.0], &[1e-300, 1e-301]]
    {
        for share in [None, Some(0.5), Some(f64::NAN)] {
            let text = svg(&spectrum(&bars(values, share)));
            assert!(!text.contains("NaN") && !text.contains("inf"), "{values:?}: {text}");
        }
    }
}

#[test]
fn every_point_is_drawn_in_its_color() {
    let points = Array2::from_shape_fn((50, 2), |(i, j)| if j == 0 { i as f64 } else { (i * i % 17) as f64 });
    let names: Vec<String> = (0..50).map(|i| ["even", "odd"][i % 2].to_owned()).collect();
    let text = svg(&plot(points.view(), Coloring::Classes(&names)));
    // One more of each in the key.
    assert_eq!(text.matches("<circle ").count(), 52);
    assert_eq!(text.matches("fill=\"#3f90da\"").count(), 26);
    assert!(text.contains(">even</text>") && text.contains(">odd</text>"));
}

#[test]
fn six_dimensions_show_two_and_say_so() {
    let points = Array2::from_shape_fn((10, 6), |(i, j)| (i * j) as f64);
    assert!(svg(&plot(points.view(), Coloring::Plain)).contains("components 1 and 2 of 6 are shown"));
}

#[test]
fn both_formats_show_the_same_marks() {
    let points = Array2::from_shape_fn((3, 2), |(i, j)| [[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]][i][j]);
    let picture = plot(points.view(), Coloring::Plain);
    let text = svg(&picture);
    let pixels = pixels(&picture);
    let mut seen = 0;
    for circle in text.split("<circle ").skip(1) {
        let number = |key: &str| -> f64 {
            let rest = circle.split(&format!("{key}=\"")).nth(1).unwrap();
            rest.split('"').next().unwrap().parse().unwrap()
        };
        let (x, y) = ((2.0 * number("cx")) as usize, (2.0 * number("cy")) as usize);
        let [r, g, b] = pixels[1920 * y + x];
        assert!(b > 200 && r < 140 && g > 130 && g < 200, "blue at ({x}, {y}): {r} {g} {b}");
        seen += 1;
    }
    assert_eq!(seen, 3);
}

#[test]
fn a_hundred_thousand_points_stay_a_small_file() {
    let points = Array2::from_shape_fn((100_000, 2), |(i, j)| (i as f64 * [0.618, 0.414][j]).fract());
    let text = svg(&plot(points.view(), Coloring::Plain));
    assert!(text.contains("data:image/png;base64,") && text.matches("<circle ").count() == 0);
    assert!(text.len() < 4 << 20, "{}", text.len());
}

#[test]
fn the_ending_tells_the_format() {
    assert_eq!(Format::of("a.SVG").unwrap(), Format::Svg);
    assert_eq!(Format::of("x/y.png").unwrap(), Format::Png);
    assert!(Format::of("a.jpg").is_err() && Format::of("png").is_err());
}

/// Heights of the bars: the rectangles after the paper.
fn heights(picture: &Picture) -> Vec<f64> {
    let text = svg(picture);
    let rects = text.split("<rect x=").skip(1);
    rects
        .map(|rect| rect.split("height=\"").nth(1).unwrap().split('"').next().unwrap().parse().unwrap())
        .collect()
}

#[test]
fn a_value_that_is_rounding_is_no_bar() {
    let tiny = [-5e-17, 3e-18];
    let of_size = Spectrum { norm: 1.0, ..bars(&tiny, None) };
    assert!(heights(&spectrum(&of_size)).iter().all(|height| *height < 1.0));
    // Without anything to compare with they are what they are.
    assert!(heights(&spectrum(&bars(&tiny, None)))[0] > 100.0);
}

#[test]
fn what_is_beyond_the_kept_components_is_drawn_and_told_apart() {
    let more = Spectrum { further: &[0.5, 0.25, 0.1], ..bars(&[4.0, 2.0], Some(0.8)) };
    let text = svg(&spectrum(&more));
    assert_eq!(heights(&spectrum(&more)).len(), 5);
    assert!(text.contains(">kept</text>") && text.contains(">further</text>") && text.contains("80.0 %"));
    let curve = Spectrum { residual_variance: &[0.4, 0.02, 0.01, 0.01, 0.01], ..more };
    let text = svg(&spectrum(&curve));
    assert!(text.contains("residual variance, percent") && text.contains("2.0 %"));
}

#[test]
fn an_outlier_is_drawn_at_the_border_and_said() {
    for columns in [1, 2, 3] {
        let far = |i: usize| if i == 7 { 1e6 } else { (i % 23) as f64 };
        let points =
            Array2::from_shape_fn((200, columns), |(i, j)| if j == 0 { far(i) } else { (i % 19) as f64 });
        let text = svg(&plot(points.view(), Coloring::Plain));
        assert!(text.contains("1 point far out is drawn at the border"), "{columns}");
        assert_eq!(text.matches("<circle ").count(), 200);
        let across: Vec<f64> =
            text.split("cx=\"").skip(1).map(|x| x.split('"').next().unwrap().parse().unwrap()).collect();
        assert!(across.iter().all(|x| (0.0..=960.0).contains(x)));
        let (low, high) =
            (across.iter().copied().fold(1e9, f64::min), across.iter().copied().fold(0.0, f64::max));
        let middle =
            across.iter().filter(|x| **x > low + 0.2 * (high - low) && **x < low + 0.8 * (high - low));
        assert!(middle.count() > 80, "{columns}: the others fill the picture");
    }
}

#[test]
fn size_paper_edges_and_images_are_as_asked() {
    let points = Array2::from_shape_fn((30, 2), |(i, j)| ((i * (j + 3)) % 11) as f64);
    let pixels = Array2::from_shape_fn((30, 6), |(i, j)| (i + j) as f64);
    let style = Style { size: Size { width: 800, height: 500 }, dark: true, ..STYLE };
    let images = Some(Images { pixels: pixels.view(), shape: (2, 3) });
    let edges = [(0, 1), (1, 2), (2, 29)];
    let picture = scatter(&Scatter {
        coordinates: points.view(),
        coloring: Coloring::Plain,
        edges: &edges,
        images,
        axes: None,
        style,
    });
    let text = svg(&picture);
    assert!(text.contains("fill=\"#14191f\"") && text.contains("data:image/png;base64,"));
    assert_eq!(text.split(" d=\"").nth(1).unwrap().split('"').next().unwrap().matches('M').count(), 3);
    let bytes = picture.encode(Format::Png).unwrap();
    let reader = png::Decoder::new(std::io::Cursor::new(bytes)).read_info().unwrap();
    assert_eq!((reader.info().width, reader.info().height), (800, 500));
}

#[test]
fn forty_classes_have_looks_and_most_of_them_names() {
    let points = Array2::from_shape_fn((400, 2), |(i, j)| {
        let center = [(i % 40 % 8) as f64, (i % 40 / 8) as f64][j];
        center + 0.02 * ((i / 40 * (j + 7)) % 10) as f64
    });
    let names: Vec<String> = (0..400).map(|i| format!("class {}", i % 40)).collect();
    let text = svg(&plot(points.view(), Coloring::Classes(&names)));
    // In the key, and in the picture.
    let twice = (0..40).filter(|i| text.matches(&format!(">class {i}</text>")).count() == 2).count();
    assert!(twice > 30, "{twice}");
    assert!((0..40).all(|i| text.contains(&format!(">class {i}</text>"))));
}

#[test]
fn characters_that_cannot_be_drawn_are_named() {
    let style = Style { title: "日本 and plain", ..STYLE };
    let points = Array2::zeros((3, 2));
    let shown = Scatter {
        coordinates: points.view(),
        coloring: Coloring::Plain,
        edges: &[],
        images: None,
        axes: None,
        style,
    };
    assert_eq!(scatter(&shown).missing_characters(), ['日', '本']);
    assert!(plot(points.view(), Coloring::Plain).missing_characters().is_empty());
}
