use super::*;
use rand::Rng;

/// Points in a few clumps of different widths.
fn clumps<const D: usize>(n: usize, width: f64) -> Vec<[f64; D]> {
    let mut rng = Run::new().with_seed(7).rng("clumps");
    let mut uniform = || (rng.next_u64() >> 11) as f64 / (1_u64 << 53) as f64 - 0.5;
    (0..n)
        .map(|i| std::array::from_fn(|c| width * (((i * (c + 3)) % 5) as f64 / 5.0 - 0.5 + 0.3 * uniform())))
        .collect()
}

fn forces<T: Scalar, const D: usize>(
    approach: Approach,
    dof: f64,
    layout: &[[T; D]],
) -> (Vec<[f64; D]>, f64) {
    let kernel = Kernel::new(dof).unwrap();
    let mut repulsion = approach.build::<T, D>(layout.len(), kernel).unwrap();
    let mut forces = vec![[T::zero(); D]; layout.len()];
    let z = repulsion.forces(layout, &mut forces, &Run::new()).unwrap();
    (forces.into_iter().map(|f| f.map(|x| x.wide())).collect(), z)
}

/// The error of the forces relative to their norm, and that of `Z`.
fn errors<const D: usize>(found: &(Vec<[f64; D]>, f64), exact: &(Vec<[f64; D]>, f64)) -> (f64, f64) {
    let square = |f: &[[f64; D]]| f.iter().flatten().map(|x| x * x).sum::<f64>();
    let apart: Vec<[f64; D]> =
        found.0.iter().zip(&exact.0).map(|(a, b)| std::array::from_fn(|c| a[c] - b[c])).collect();
    ((square(&apart) / square(&exact.0)).sqrt(), (found.1 / exact.1 - 1.0).abs())
}

fn plain<const D: usize>(dof: f64, layout: &[[f64; D]]) -> (Vec<[f64; D]>, f64) {
    let (mut forces, mut z) = (vec![[0.0; D]; layout.len()], 0.0);
    for (i, a) in layout.iter().enumerate() {
        for (j, b) in layout.iter().enumerate() {
            if i != j {
                let squared: f64 = (0..D).map(|c| (a[c] - b[c]).powi(2)).sum();
                let u = 1.0 / (1.0 + squared / dof);
                let w = u.powf((dof + 1.0) / 2.0);
                z += w;
                (0..D).for_each(|c| forces[i][c] += w * u * (a[c] - b[c]));
            }
        }
    }
    (forces, z)
}

fn every_approach_is_exact_in_its_limit<const D: usize>() {
    for dof in [1.0, 0.5, 3.0] {
        for width in [1e-4, 1.0, 12.0] {
            let layout = clumps::<D>(300, width);
            let exact = plain(dof, &layout);
            let summed = errors(&forces(Approach::Exact, dof, &layout), &exact);
            assert!(summed.0 < 1e-12 && summed.1 < 1e-12, "exact: {D} {dof} {width} {summed:?}");
            let tree = errors(&forces(Approach::BarnesHut { theta: 0.0 }, dof, &layout), &exact);
            assert!(tree.0 < 1e-10 && tree.1 < 1e-10, "tree: {D} {dof} {width} {tree:?}");
            let usual = errors(&forces(Approach::BarnesHut { theta: 0.5 }, dof, &layout), &exact);
            assert!(usual.0 < 0.03 && usual.1 < 0.01, "usual tree: {D} {dof} {width} {usual:?}");
            if D < 3 {
                let fine = Approach::Interpolation { spacing: 0.01 };
                let fine = errors(&forces(fine, dof, &layout), &exact);
                assert!(fine.0 < 1e-6 && fine.1 < 1e-6, "fine grid: {D} {dof} {width} {fine:?}");
                let usual = Approach::Interpolation { spacing: interpolation::SPACING };
                let usual_errors = errors(&forces(usual, dof, &layout), &exact);
                assert!(
                    usual_errors.0 < 0.01 && usual_errors.1 < 2e-4,
                    "usual grid: {D} {dof} {width} {usual_errors:?}"
                );
                // Single precision loses little more, at any width.
                let narrow: Vec<[f32; D]> = layout.iter().map(|y| y.map(|x| x as f32)).collect();
                let narrow = errors(&forces(usual, dof, &narrow), &exact);
                assert!(narrow.0 < 0.01 && narrow.1 < 2e-4, "single: {D} {dof} {width} {narrow:?}");
            }
        }
    }
}

#[test]
fn on_a_line_every_approach_is_exact_in_its_limit() {
    every_approach_is_exact_in_its_limit::<1>();
}

#[test]
fn on_a_plane_every_approach_is_exact_in_its_limit() {
    every_approach_is_exact_in_its_limit::<2>();
}

#[test]
fn in_space_every_approach_is_exact_in_its_limit() {
    every_approach_is_exact_in_its_limit::<3>();
}

#[test]
fn points_in_one_place_do_not_push() {
    for approach in
        [Approach::Exact, Approach::BarnesHut { theta: 0.5 }, Approach::Interpolation { spacing: 0.5 }]
    {
        for n in [1, 2, 500] {
            let (forces, z) = forces(approach, 1.0, &vec![[3.0_f32, -2.0]; n]);
            assert!(
                forces.iter().flatten().all(|f| f.abs() < 1e-3 * n as f64),
                "{approach:?} {n} {forces:?}"
            );
            let pairs = (n * (n - 1)) as f64;
            assert!((z - pairs).abs() <= 1e-3 * pairs.max(1.0), "{approach:?}: {z} of {pairs}");
        }
    }
}

#[test]
fn outliers_and_duplicates_are_no_trouble() {
    let mut layout = clumps::<2>(200, 10.0);
    layout.extend(vec![[0.25, 0.25]; 100]);
    layout.push([1e5, -1e5]);
    let exact = plain(1.0, &layout);
    let tree = errors(&forces(Approach::BarnesHut { theta: 0.0 }, 1.0, &layout), &exact);
    assert!(tree.0 < 1e-9 && tree.1 < 1e-9, "{tree:?}");
    let grid = forces(Approach::Interpolation { spacing: 0.5 }, 1.0, &layout);
    assert!(grid.0.iter().flatten().all(|f| f.is_finite()) && grid.1.is_finite());
}

#[test]
fn what_an_approach_cannot_do_is_refused() {
    assert!(Approach::BarnesHut { theta: 0.5 }.resolve(100, 4).is_err());
    assert!(Approach::BarnesHut { theta: 1.5 }.resolve(100, 2).is_err());
    assert!(Approach::Interpolation { spacing: 0.5 }.resolve(100, 3).is_err());
    assert_eq!(Approach::Auto.resolve(100_000, 5), Ok(Approach::Exact));
}
