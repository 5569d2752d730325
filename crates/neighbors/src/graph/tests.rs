//! Tests of the graph, its components, and the rules on them.

use super::adaptive::{Contraction, sizes};
use super::*;
use crate::Metric;
use crate::index::{Choice, build};
use faer::Mat;
use lowland_base::Run;
use rand::RngExt;

fn nearest(points: &Mat<f64>, k: usize) -> Table<f64> {
    let run = Run::new();
    build(points.as_ref(), Metric::Euclidean, Choice::Brute, &run).unwrap().k_nearest_of_all(k, &run).unwrap()
}

fn uniform(n: usize, width: usize, seed: u64) -> Mat<f64> {
    let mut rng = Run::new().with_seed(seed).rng("test points");
    Mat::from_fn(n, width, |_, _| rng.random_range(-1.0..1.0))
}

/// Several clusters on a line, in a mixed order.
fn clusters(n: usize, count: usize, seed: u64) -> Mat<f64> {
    let mut points = uniform(n, 2, seed);
    for i in 0..n {
        let cluster = i * 7 % count;
        points[(i, 0)] += 10.0 * (cluster * cluster) as f64;
    }
    points
}

#[test]
fn either_is_the_union_and_both_the_intersection() {
    let table = nearest(&uniform(80, 3, 1), 5);
    let is_neighbor = |i: usize, j: u32| table.row(i).0.contains(&j);
    for (symmetrize, keep) in
        [(Symmetrize::Either, (|a, b| a || b) as fn(bool, bool) -> bool), (Symmetrize::Mutual, |a, b| a && b)]
    {
        let graph = Graph::from_table(&table, symmetrize).unwrap();
        assert!(graph.distances().is_symmetric());
        for i in 0..80 {
            let (columns, lengths) = graph.neighbors(i);
            for j in 0..80 {
                let expected = i != j && keep(is_neighbor(i, j as u32), is_neighbor(j, i as u32));
                assert_eq!(columns.contains(&(j as u32)), expected);
            }
            for (&j, &length) in columns.iter().zip(lengths) {
                let (a, b) = if is_neighbor(i, j) { (i, j) } else { (j as usize, i as u32) };
                let position = table.row(a).0.iter().position(|&x| x == b).unwrap();
                assert_eq!(length, table.row(a).1[position]);
            }
        }
    }
}

#[test]
fn edges_between_duplicates_stay() {
    let points = Mat::from_fn(12, 2, |i, j| ((i / 4) * (j + 1)) as f64);
    let graph = Graph::from_table(&nearest(&points, 3), Symmetrize::Mutual).unwrap();
    assert_eq!(graph.distances().nnz(), 36);
    assert!(graph.distances().values().iter().all(|&length| length == 0.0));
    assert_eq!(graph.connected_components().sizes, [4, 4, 4]);
}

#[test]
fn of_two_directions_the_shorter_counts_and_loops_go() {
    let csr = Csr::from_entries(3, 3, &[(0, 0, 0.0), (0, 1, 2.0), (1, 0, 1.0), (1, 2, 4.0)]).unwrap();
    let graph = Graph::from_csr(csr.clone(), Symmetrize::Either).unwrap();
    assert_eq!(graph.neighbors(1), (&[0u32, 2][..], &[1.0, 4.0][..]));
    assert_eq!(graph.neighbors(0), (&[1u32][..], &[1.0][..]));
    assert_eq!(Graph::from_csr(csr, Symmetrize::Mutual).unwrap().neighbors(2).0.len(), 0);
    for wrong in [-1.0, f64::NAN, f64::INFINITY] {
        let csr = Csr::from_entries(2, 2, &[(0, 1, wrong)]).unwrap();
        assert!(Graph::from_csr(csr, Symmetrize::Either).is_err());
    }
    assert!(Graph::from_csr(Csr::from_entries(2, 3, &[(0, 1, 1.0)]).unwrap(), Symmetrize::Either).is_err());
}

#[test]
fn components_are_numbered_by_first_point() {
    let csr = Csr::from_entries(6, 6, &[(1, 4, 1.0), (4, 5, 0.0), (0, 3, 2.0)]).unwrap();
    let graph = Graph::from_csr(csr, Symmetrize::Either).unwrap();
    let components = graph.connected_components();
    assert_eq!(components, ConnectedComponents { labels: vec![0, 1, 2, 0, 1, 1], sizes: vec![2, 3, 1] });
    assert_eq!((components.largest(), components.members(1)), (1, vec![1, 4, 5]));
}

#[test]
fn the_policies() {
    let run = Run::new();
    let points = clusters(90, 3, 2);
    let graph = Graph::from_table(&nearest(&points, 4), Symmetrize::Either).unwrap();
    let components = graph.connected_components();
    assert!(components.count() >= 3);
    let refused = graph.clone().connected(Policy::Error, None, &run).unwrap_err();
    assert_eq!(refused, Error::disconnected(components.sizes_descending()));
    assert!(matches!(graph.clone().connected(Policy::Join, None, &run), Err(Error::Disconnected { .. })));

    let largest = graph.clone().connected(Policy::Largest, None, &run).unwrap();
    assert_eq!(largest.components[0].rows, components.members(components.largest()));
    let mut everyone = [&largest.components[0].rows[..], &largest.left_out].concat();
    everyone.sort_unstable();
    assert_eq!(everyone, (0..90).collect::<Vec<u32>>());

    let separate = graph.clone().connected(Policy::Separate, None, &run).unwrap();
    assert_eq!(separate.components.len(), components.count());
    for part in separate.components.iter().chain(&largest.components) {
        assert_eq!(part.graph.connected_components().count(), 1);
        for (new, &old) in part.rows.iter().enumerate() {
            let (columns, lengths) = part.graph.neighbors(new);
            let back: Vec<u32> = columns.iter().map(|&c| part.rows[c as usize]).collect();
            assert_eq!((&back[..], lengths), graph.neighbors(old as usize));
        }
    }
}

/// Kruskal's algorithm over all pairs of points, from the components on.
fn kruskal(points: &Mat<f64>, components: &ConnectedComponents) -> Vec<(u32, u32)> {
    let n = points.nrows();
    let row = |i: usize| -> Vec<f64> { (0..points.ncols()).map(|j| points[(i, j)]).collect() };
    let mut pairs = Vec::new();
    for i in 0..n {
        for j in i + 1..n {
            pairs.push((Metric::Euclidean.distance(&row(i), &row(j)), i as u32, j as u32));
        }
    }
    pairs.sort_by(|a, b| a.partial_cmp(b).unwrap());
    let mut union = connected_components::Union::new(components.count());
    let label = |i: u32| components.labels[i as usize];
    pairs.retain(|&(_, i, j)| union.join(label(i), label(j)));
    let mut edges: Vec<(u32, u32)> = pairs.iter().map(|&(_, i, j)| (i, j)).collect();
    edges.sort_unstable();
    edges
}

#[test]
fn joining_adds_the_minimum_spanning_tree_of_the_components() {
    for seed in 0..12 {
        // Random points with one neighbor fall into many components; a grid has ties everywhere.
        let points = match seed % 3 {
            0 => clusters(120, 1 + seed as usize, seed),
            1 => uniform(150, 3, seed),
            _ => Mat::from_fn(100, 2, |i, j| if j == 0 { (i / 10) as f64 } else { (i % 10) as f64 }),
        };
        let run = Run::new();
        let graph = Graph::from_table(&nearest(&points, 1), Symmetrize::Mutual).unwrap();
        let components = graph.connected_components();
        assert!(components.count() > 5);
        let by_points = PointEdges { points: points.as_ref(), metric: Metric::Euclidean };
        let joined = graph.clone().connected(Policy::Join, Some(&by_points), &run).unwrap();
        let all = nearest(&points, points.nrows() - 1);
        let by_calls = DistanceEdges(|i: usize, j: usize| {
            let position = all.row(i).0.iter().position(|&x| x as usize == j);
            position.map_or(0.0, |position| all.row(i).1[position])
        });
        assert_eq!(graph.clone().connected(Policy::Join, Some(&by_calls), &run).unwrap(), joined);
        let joined = &joined.components[0].graph;
        assert_eq!(joined.connected_components().count(), 1);
        let mut new = Vec::new();
        for i in 0..points.nrows() {
            for &j in joined.neighbors(i).0 {
                if (i as u32) < j && !graph.neighbors(i).0.contains(&j) {
                    new.push((i as u32, j));
                }
            }
        }
        assert_eq!(new, kruskal(&points, &components));
    }
}

#[test]
fn what_is_not_related_cannot_be_joined() {
    let graph: Graph<f64> =
        Graph::from_csr(Csr::from_entries(3, 3, &[]).unwrap(), Symmetrize::Either).unwrap();
    let edges = DistanceEdges(|_, _| f64::INFINITY);
    let refused = graph.connected(Policy::Join, Some(&edges), &Run::new());
    assert_eq!(refused, Err(Error::disconnected(vec![1, 1, 1])));
}

#[test]
fn the_smallest_connecting_k_connects_and_one_less_does_not() {
    for seed in 0..6 {
        let table = nearest(&uniform(100, 2, seed), 20);
        let k = smallest_connecting_k(&table).unwrap();
        let count = |k: usize| {
            Graph::from_table(&table.truncated(k), Symmetrize::Either).unwrap().connected_components().count()
        };
        assert!(k > 1 && count(k) == 1 && count(k - 1) > 1);
    }
    assert_eq!(smallest_connecting_k(&nearest(&clusters(60, 2, 1), 3)), None);
}

#[test]
fn flat_neighborhoods_stay_large_and_bent_ones_shrink() {
    let run = Run::new();
    let rule = Contraction { n_components: 2, k_min: 4, tolerance: 0.05 };
    // A plane in five dimensions, far from the origin: all neighbors fit.
    let flat = uniform(150, 2, 3);
    let plane =
        Mat::from_fn(150, 5, |i, j| 1e6 + flat[(i, 0)] * (j + 1) as f64 + flat[(i, 1)] / (j + 1) as f64);
    assert_eq!(sizes(plane.as_ref(), &nearest(&plane, 20), rule, &run).unwrap(), vec![20; 150]);
    // Half a plane, half a ball's worth of noise: the noise is never flat.
    let noise = uniform(150, 5, 4);
    let noisy = Mat::from_fn(150, 5, |i, j| {
        plane[(i, j)] + if i % 2 == 0 { 0.0 } else { 1e4 + 20.0 * noise[(i, j)] }
    });
    let table = nearest(&noisy, 20);
    let found = sizes(noisy.as_ref(), &table, rule, &run).unwrap();
    assert!((0..150).step_by(2).all(|i| found[i] == 20));
    assert!((1..150).step_by(2).filter(|&i| found[i] < 8).count() > 60);
    let graph = Graph::from_sized_table(&table, &found, Symmetrize::Either).unwrap();
    assert!(
        graph.distances().nnz() < Graph::from_table(&table, Symmetrize::Either).unwrap().distances().nnz()
    );
    // On a circle the ratio is that of the arc: it must shrink as the circle does.
    let circle = |radius: f64| {
        Mat::from_fn(200, 2, |i, j| {
            let angle = i as f64 * std::f64::consts::TAU / 200.0;
            radius * if j == 0 { angle.cos() } else { angle.sin() }
        })
    };
    let rule = Contraction { n_components: 1, k_min: 3, tolerance: 0.05 };
    let sized = |points: &Mat<f64>| sizes(points.as_ref(), &nearest(points, 30), rule, &run).unwrap();
    let found = sized(&circle(1.0));
    assert!(found.iter().all(|&k| (4..30).contains(&k)));
    assert_eq!(found, sized(&circle(2.0_f64.powi(40))));
    let wrong = Contraction { k_min: 1, ..rule };
    let points = circle(1.0);
    assert!(sizes(points.as_ref(), &nearest(&points, 5), wrong, &run).is_err());
}

#[test]
fn links_and_parts_that_do_not_fit_are_refused_and_of_several_links_the_shortest_counts() {
    let empty = Graph::from_csr(Csr::<f64>::from_entries(3, 3, &[]).unwrap(), Symmetrize::Either).unwrap();
    let extended = empty.with_edges(&[(0, 2, 5.0), (2, 0, 3.0), (0, 2, 4.0)]).unwrap();
    assert_eq!(extended.neighbors(0), (&[2][..], &[3.0][..]));
    assert_eq!(extended.neighbors(2), (&[0][..], &[3.0][..]));
    assert!(matches!(empty.with_edges(&[(3, 0, 1.0)]), Err(Error::Malformed { .. })));
    for points in [&[0, 3][..], &[1, 0], &[1, 1]] {
        assert!(matches!(extended.subgraph(points), Err(Error::Malformed { .. })), "{points:?}");
    }
    let rule = Contraction { n_components: 1, k_min: 2, tolerance: 0.1 };
    let (points, fewer) = (uniform(20, 3, 1), uniform(19, 3, 1));
    assert!(sizes(fewer.as_ref(), &nearest(&points, 4), rule, &Run::new()).is_err());
}

/// Some edges less, and some more, are the edges of a graph built from them.
#[test]
fn filtered_and_linked_graphs_are_those_of_their_edges() {
    let entries = [(0, 1, 1.0), (1, 2, 2.0), (2, 3, 0.0), (0, 3, 4.0), (3, 4, 5.0)];
    let of = |edges: &[(usize, usize, f64)]| {
        Graph::from_csr(Csr::from_entries(5, 5, edges).unwrap(), Symmetrize::Either).unwrap()
    };
    let whole = of(&entries);
    let stored = |i: u32, j: u32| whole.neighbors(i as usize).0.contains(&j);
    let short = whole.filtered(|i, j, length| stored(i, j) && stored(j, i) && length < 3.0).unwrap();
    assert_eq!(short, of(&entries[..3]));
    assert_eq!(short.with_edges(&[(3, 0, 4.0), (4, 3, 5.0), (2, 2, 1.0), (4, 3, 7.0)]).unwrap(), whole);
    assert_eq!(short.with_edges(&[]).unwrap(), short);
    assert!(short.with_edges(&[(0, 4, f64::NAN)]).is_err() && short.with_edges(&[(0, 4, -1.0)]).is_err());
}
