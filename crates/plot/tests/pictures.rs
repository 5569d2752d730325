//! Every kind of picture is drawn for every kind of data, however odd, and holds what it should.

use lowland_plot::{Coloring, Format, Picture, Scatter, Spectrum, scatter, spectrum};
use ndarray::{Array2, ArrayView2};

fn svg(picture: &Picture) -> String {
    String::from_utf8(picture.encode(Format::Svg).unwrap()).unwrap()
}

fn plot(coordinates: ArrayView2<'_, f64>, coloring: Coloring<'_>) -> Picture {
    scatter(&Scatter { coordinates, coloring, title: "a <title> & more", subtitle: "of tests" })
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
            let text = svg(&spectrum(&Spectrum { eigenvalues: values, share, title: "t", subtitle: "s" }));
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
