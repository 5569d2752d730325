use super::pairs::Partners;
use super::transform::transform;
use super::*;
use crate::layout::start;
use lowland_neighbors::Table;

/// Points on a line, in two pieces, with all their neighbors.
fn line(n: usize) -> (Table<f64>, impl Fn(usize, usize) -> f64 + Send + Sync) {
    let place = move |i: usize| i as f64 + if 2 * i >= n { 1000.0 } else { 0.0 } + (i % 7) as f64 * 0.01;
    let distance = move |i: usize, j: usize| (place(i) - place(j)).abs();
    let k = 30.min(n - 1);
    let mut table = Table { k, indices: Vec::new(), distances: Vec::new() };
    for i in 0..n {
        let mut list: Vec<(f64, u32)> =
            (0..n).filter(|&j| j != i).map(|j| (distance(i, j), j as u32)).collect();
        list.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        table.indices.extend(list[..k].iter().map(|entry| entry.1));
        table.distances.extend(list[..k].iter().map(|entry| entry.0));
    }
    (table, distance)
}

const COUNTS: Counts = Counts { near: 10, middle: 5, far: 20 };

#[test]
fn pairs_are_what_their_names_say() {
    let (table, distance) = line(200);
    let pairs = Pairs::draw(&table, COUNTS, distance, &Run::new()).unwrap();
    let counts = |partners: &Partners| (0..200).map(|i| partners.of(i).len()).sum::<usize>();
    assert_eq!([&pairs.near, &pairs.middle, &pairs.far].map(counts), [4000, 2000, 8000]);
    for i in 0..200 {
        let all = [&pairs.near, &pairs.middle, &pairs.far];
        assert!(all.iter().all(|partners| !partners.of(i).contains(&(i as u32))));
        assert!(pairs.near.of(i).iter().all(|&j| i.abs_diff(j as usize) <= 12));
    }
    // Few points have fewer pairs, and no loop without an end.
    for n in [2, 3, 5] {
        let (table, distance) = line(n);
        assert_eq!(Pairs::draw(&table, COUNTS, distance, &Run::new()).unwrap().len(), n);
    }
}

#[test]
fn the_gradient_is_the_slope_of_the_loss() {
    let (table, distance) = line(60);
    let run = Run::new();
    let pairs = Pairs::draw(&table, COUNTS, distance, &run).unwrap();
    let start = start::random(60, 2, &run);
    let mut layout: Vec<[f32; 2]> = (0..60).map(|i| [0, 1].map(|c| (3e4 * start[(i, c)]) as f32)).collect();
    for iteration in [0, 150, 300] {
        let weights = Phases::default().weights(iteration);
        let mut gradient = vec![[0.0; 2]; 60];
        slopes(&pairs, &layout, weights, &mut gradient, &run).unwrap();
        for i in [0, 31, 59] {
            for c in 0..2 {
                let (at, h) = (layout[i][c], 0.03125);
                layout[i][c] = at + h;
                let above = loss(&pairs, &layout, weights, &run).unwrap();
                layout[i][c] = at - h;
                let below = loss(&pairs, &layout, weights, &run).unwrap();
                layout[i][c] = at;
                let wanted = 60.0 * (above - below) / (2.0 * f64::from(h));
                let found = f64::from(gradient[i][c]);
                assert!((found - wanted).abs() < 2e-3 * wanted.abs().max(1.0), "{found} {wanted}");
            }
        }
    }
}

#[test]
fn components_come_apart_with_the_same_bits_for_every_number_of_threads() {
    let (table, distance) = line(400);
    let fit = |threads: usize| {
        let run = Run::new().with_threads(threads).unwrap();
        let pairs = Pairs::draw(&table, COUNTS, &distance, &run).unwrap();
        let start = start::random(400, 2, &run);
        descend(&pairs, start.as_ref(), &Phases::default(), &run).unwrap()
    };
    let one = fit(1);
    for threads in [2, 3, 8] {
        assert_eq!(one, fit(threads));
    }
    let y = &one.embedding;
    let apart = |i: usize, j: usize| (0..2).map(|c| (y[(i, c)] - y[(j, c)]).powi(2)).sum::<f64>();
    let strangers = (0..400)
        .filter(|&i| {
            let nearest = (0..400).filter(|&j| j != i).min_by(|&a, &b| apart(i, a).total_cmp(&apart(i, b)));
            nearest.is_none_or(|j| j / 200 != i / 200)
        })
        .count();
    assert!(strangers <= 4, "{strangers} points lie nearest to one of the other piece");
    let run = Run::new();
    let mut known = table.clone();
    for i in 0..400 {
        (known.indices[i * 30], known.distances[i * 30]) = (i as u32, 0.0);
    }
    assert_eq!(transform(y.as_ref(), &known.into(), &run).unwrap(), *y);
}
