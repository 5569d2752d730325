use super::*;
use std::f64::consts::PI;

fn sample(name: &str, n: usize, noise: f64, seed: u64) -> Sample {
    find(name).unwrap().sample(n, noise, seed).unwrap()
}

/// The angle that belongs to an arc length of the spiral, by Newton's method.
fn angle(arc: f64) -> f64 {
    let mut t = (2.0 * arc).sqrt();
    for _ in 0..20 {
        t -= (0.5 * (t * t.hypot(1.0) + t.asinh()) - arc) / t.hypot(1.0);
    }
    t
}

/// The drawn angles of a roll.
fn angles(sample: &Sample) -> ndarray::Array1<f64> {
    sample.truth.column(0).mapv(angle)
}

/// The largest magnitude of `f` over the points without noise.
fn worst(name: &str, f: impl Fn(&[f64], &[f64]) -> f64) -> f64 {
    let s = sample(name, 2000, 0.0, 1);
    let rows = s.points.rows().into_iter().zip(s.truth.rows());
    rows.map(|(x, t)| f(x.as_slice().unwrap(), t.as_slice().unwrap()).abs()).fold(0.0, f64::max)
}

#[test]
fn the_truth_recovers_the_point_and_the_noise_has_its_size() {
    for generator in all() {
        let clean = generator.sample(4000, 0.0, 7).unwrap();
        let noisy = generator.sample(4000, 0.1, 7).unwrap();
        assert_eq!(clean.truth, noisy.truth, "{}: noise must not move the truth", generator.name);
        assert_eq!(clean.points.dim(), (4000, generator.features));
        let mut point = vec![0.0; generator.features];
        for (x, t) in clean.points.rows().into_iter().zip(clean.truth.rows()) {
            let mut drawn = t.to_vec();
            if generator.unrolled.is_some() {
                drawn[0] = angle(drawn[0]);
            }
            (generator.point)(&drawn, &mut point);
            let close = |(x, y): (&f64, &f64)| {
                (x - y).abs() <= if generator.unrolled.is_some() { 1e-12 } else { 0.0 }
            };
            assert!(x.iter().zip(&point).all(close), "{}", generator.name);
        }
        let last = generator.features - 1;
        for j in [0, last] {
            let difference = &noisy.points.column(j) - &clean.points.column(j);
            let sd = difference.std(0.0);
            let expected = 0.1 * if j == last { generator.noise_scale.1 } else { 1.0 };
            // The standard deviation of 4000 normals is known to 1.1 %: five of those.
            assert!((sd / expected - 1.0).abs() < 0.06, "{} column {j}: {sd}", generator.name);
        }
    }
}

#[test]
fn the_same_seed_gives_the_same_bits_and_another_one_does_not() {
    for generator in all() {
        let [a, b, c] = [3, 3, 4].map(|seed| generator.sample(100, 0.05, seed).unwrap());
        assert_eq!(a, b);
        assert_ne!(a.points, c.points, "{}", generator.name);
    }
}

#[test]
fn points_lie_on_their_manifolds() {
    let close = 1e-12;
    for roll in ["swiss-roll", "broken-swiss-roll", "swiss-hole"] {
        // The distance from the axis is the angle.
        assert!(
            worst(roll, |x, _| x[0].hypot(x[1]) - (x[1] / x[0]).atan().rem_euclid(PI) - {
                let r = x[0].hypot(x[1]);
                let angle = (x[1] / x[0]).atan().rem_euclid(PI);
                ((r - angle) / PI).round() * PI
            }) < 1e-10
        );
    }
    for helix in ["helix", "toroidal-helix"] {
        // On the torus of radii 2 and 1.
        assert!(worst(helix, |x, _| (x[0].hypot(x[1]) - 2.0).powi(2) + x[2] * x[2] - 1.0) < close);
    }
    assert!(worst("twin-peaks", |x, _| x[2] - 10.0 * (PI * x[0]).sin() * (3.0 * x[1]).tanh()) < close);
    assert!(worst("hd", |x, _| x[0] - x[9].cos()) < close);
    assert!(worst("hd", |x, _| x[1] - (3.0 * x[7]).tanh()) < close);
    // Two unit circles that touch.
    assert!(worst("s-curve", |x, t| x[0] * x[0] + (x[2] + t[0].signum()).powi(2) - 1.0) < close);
    assert!(worst("two-clusters", |x, t| x[0] * x[0] + (x[1] + t[0].signum()).powi(2) - 1.0) < close);
    assert!(worst("severed-sphere", |x, _| x.iter().map(|v| v * v).sum::<f64>() - 1.0) < close);
    // Gerono's lemniscate: y^2 = x^2 - x^4.
    assert!(worst("intersecting", |x, _| x[1] * x[1] - x[0] * x[0] + x[0].powi(4)) < close);
    assert!(worst("rings", |x, t| x[0].hypot(x[1]) - if t[0] == 0.0 { 1.0 } else { 0.5 }) < close);
    assert!(
        worst("moons", |x, t| if t[0] == 0.0 {
            x[0].hypot(x[1]) - 1.0
        } else {
            (x[0] - 1.0).hypot(x[1] - 0.5) - 1.0
        }) < close
    );
}

#[test]
fn steps_of_the_truth_are_steps_along_a_roll() {
    for roll in ["swiss-roll", "broken-swiss-roll", "swiss-hole"] {
        let s = sample(roll, 2000, 0.0, 5);
        let mut order: Vec<usize> = (0..2000).collect();
        order.sort_by(|&a, &b| s.truth[(a, 0)].total_cmp(&s.truth[(b, 0)]));
        let mut short = 0;
        for pair in order.windows(2) {
            let (a, b) = (s.points.row(pair[0]), s.points.row(pair[1]));
            let step = s.truth[(pair[1], 0)] - s.truth[(pair[0], 0)];
            // A chord of the spiral is shorter than its arc by a cube.
            if step < 0.2 {
                short += 1;
                assert!(
                    (step - (a[0] - b[0]).hypot(a[1] - b[1])).abs() < step.powi(3) + 1e-12,
                    "{roll}: {step}"
                );
            }
        }
        assert!(short > 1900, "{roll}: {short}");
    }
}

#[test]
fn parameters_fill_their_ranges_and_leave_the_gaps() {
    let span = |name: &str, j: usize| {
        let s = sample(name, 20_000, 0.0, 2);
        let column = s.truth.column(j).to_vec();
        (column.iter().copied().fold(f64::MAX, f64::min), column.iter().copied().fold(f64::MIN, f64::max))
    };
    let near = |(a, b): (f64, f64), (c, d): (f64, f64)| (a - c).abs() + (b - d).abs() < 2e-3 * (d - c);
    let (low, high) = span("swiss-roll", 0);
    assert!(
        near((angle(low), angle(high)), (1.5 * PI, 4.5 * PI)) && near(span("swiss-roll", 1), (0.0, 30.0))
    );
    assert!(near(span("twin-peaks", 0), (-1.0, 1.0)) && near(span("hd", 4), (0.0, 1.0)));
    assert!(near(span("severed-sphere", 0), (0.0, 2.0 * PI - 0.55)));
    assert!(near(span("severed-sphere", 1), (PI / 8.0, 7.0 * PI / 8.0)));
    assert!(near(span("two-clusters", 0), (-1.5 * PI, 1.5 * PI)));

    let broken = sample("broken-swiss-roll", 20_000, 0.0, 2);
    let turns = angles(&broken).mapv(|t| (t / (1.5 * PI) - 1.0) / 2.0);
    assert!(turns.iter().all(|p| !(0.4 + 1e-9..0.6 - 1e-9).contains(p)));
    let near_gap = turns.iter().filter(|p| (0.38..0.62).contains(*p)).count();
    assert!((900..1100).contains(&near_gap), "0.04 of 0.8 is a twentieth: {near_gap}");

    let holed = sample("swiss-hole", 20_000, 0.0, 2);
    assert!(holed.truth.rows().into_iter().all(|t| !shapes::in_hole(&[angle(t[0]), t[1]])));
    let boxes = sample("clusters-3d", 1000, 0.0, 2);
    let outside =
        boxes.truth.rows().into_iter().filter(|t| t.iter().skip(1).any(|d| d.abs() > shapes::BOX_REACH));
    assert!((20..=36).contains(&outside.count()), "four bridges of nine points, their ends inside the boxes");
}

#[test]
fn density_crowds_points_at_one_end_and_one_changes_no_bit() {
    for generator in all() {
        let even = generator.sample(500, 0.05, 3).unwrap();
        assert_eq!(generator.sample_uneven(500, 0.05, 1.0, 3).unwrap(), even, "{}", generator.name);
        let crowded = generator.sample_uneven(500, 0.05, 2.0, 3);
        assert_eq!(crowded.is_ok(), generator.density, "{}", generator.name);
        if let Ok(crowded) = crowded {
            assert_ne!(crowded.truth, even.truth, "{}", generator.name);
        }
    }
    // The share of the points in the first part p of the range is p^(1 / density).
    let roll = find("swiss-roll").unwrap();
    for density in [0.5, 2.0, 4.0] {
        let s = roll.sample_uneven(20_000, 0.0, density, 1).unwrap();
        for part in [0.1_f64, 0.5, 0.9] {
            let share = part.powf(1.0 / density);
            let below = angles(&s).iter().filter(|t| **t < 1.5 * PI * (1.0 + 2.0 * part)).count();
            // Five standard deviations of a binomial.
            let sd = (share * (1.0 - share) / 20_000.0).sqrt();
            assert!((below as f64 / 20_000.0 - share).abs() < 5.0 * sd, "{density} {part}: {below}");
        }
        let heights = s.truth.column(1).mean().unwrap();
        assert!((heights - 15.0).abs() < 0.4, "the second parameter stays even: {heights}");
    }
}

#[test]
fn labels_follow_the_papers() {
    // By hand: t = 9, h = 20: round(4.5) + round(1.67) = 5 + 2, odd.
    assert_eq!(shapes::roll_label(&[9.0, 20.0]), 1);
    assert_eq!(shapes::roll_label(&[7.9, 20.0]), 0);
    assert_eq!(shapes::helix_label(&[1.0]), 0);
    assert_eq!(shapes::helix_label(&[0.5]), 1);
    assert_eq!(shapes::hd_label(&[0.6, 0.7, 0.2, 0.1, 0.9]), 1);
    // Least values -1, -1, -10: the bands of the third column are round((z - 10) / 10), here -2, -1, 0.
    let points = ndarray::array![[-1.0, -1.0, -10.0], [0.0, 0.0, 0.0], [1.0, 1.0, 10.0]];
    assert_eq!(shapes::twin_peaks_labels(points.view()), [0, 1, 0]);
    let share = |name: &str| {
        let s = sample(name, 5000, 0.0, 1);
        s.labels.iter().filter(|label| **label == 0).count() as f64 / 5000.0
    };
    assert_eq!(share("two-clusters"), 0.2);
    assert_eq!(share("blobs"), 0.25);
    assert_eq!(share("moons"), 0.5);
    assert!((share("swiss-roll") - 0.5).abs() < 0.1);
}

#[test]
fn wrong_options_are_refused() {
    let roll = find("Swiss_Roll").unwrap();
    assert!(roll.sample(0, 0.0, 0).is_err());
    assert!(roll.sample(10, -0.1, 0).is_err());
    assert!(roll.sample(10, f64::NAN, 0).is_err());
    for density in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        assert!(roll.sample_uneven(10, 0.0, density, 0).is_err(), "{density}");
    }
    let blobs = find("blobs").unwrap().sample_uneven(10, 0.0, 2.0, 0).unwrap_err().to_string();
    assert!(blobs.contains("leave density out") && blobs.contains("swiss-roll"), "{blobs}");
    assert!(find("swis-roll").unwrap_err().to_string().contains("nearest name is 'swiss-roll'"));
    assert_eq!(roll.sample(1, 0.0, 0).unwrap().points.nrows(), 1);
}

/// Points of given parameters are those of the sample with these parameters.
#[test]
fn a_sample_at_its_own_parameters_is_itself() {
    for generator in all().iter().filter(|generator| generator.unrolled.is_none()) {
        let sample = generator.sample(40, 0.1, 3).unwrap();
        assert_eq!(generator.sample_at(sample.truth.view(), 0.1, 3).unwrap(), sample, "{}", generator.name);
    }
    let hd = find("hd").unwrap();
    let message = hd.sample_at(Array2::zeros((3, 2)).view(), 0.0, 0).unwrap_err().to_string();
    assert!(message.contains("2 columns for the 5 parameters of hd"), "{message}");
    assert!(hd.sample_at(Array2::zeros((0, 5)).view(), 0.0, 0).is_err());
}
