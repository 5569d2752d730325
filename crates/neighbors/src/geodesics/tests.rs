use super::*;
use crate::graph::Symmetrize;
use lowland_base::Csr;
use rand::RngExt;

fn random_graph<T: Scalar>(n: usize, edges: usize, seed: u64) -> Graph<T> {
    let mut rng = Run::new().with_seed(seed).rng("test graph");
    let mut seen = std::collections::HashMap::new();
    for _ in 0..edges {
        let (i, j) = (rng.random_range(0..n), rng.random_range(0..n));
        // A third of the edges have no length; halves make ties.
        let length = [0.0, 0.5, rng.random_range(0.0..2.0)][rng.random_range(0..3)];
        seen.insert((i, j), T::of(length));
    }
    let entries: Vec<_> = seen.into_iter().map(|((i, j), length)| (i, j, length)).collect();
    Graph::from_csr(Csr::from_entries(n, n, &entries).unwrap(), Symmetrize::Either).unwrap()
}

fn floyd_warshall(graph: &Graph<f64>) -> Vec<f64> {
    let n = graph.len();
    let mut d = vec![f64::INFINITY; n * n];
    for i in 0..n {
        d[i * n + i] = 0.0;
        let (columns, lengths) = graph.neighbors(i);
        columns.iter().zip(lengths).for_each(|(&j, &length)| d[i * n + j as usize] = length);
    }
    for k in 0..n {
        for i in 0..n {
            for j in 0..n {
                d[i * n + j] = d[i * n + j].min(d[i * n + k] + d[k * n + j]);
            }
        }
    }
    d
}

#[test]
fn equal_to_floyd_warshall() {
    for seed in 0..120 {
        let n = 1 + seed as usize % 40;
        let graph: Graph<f64> = random_graph(n, n * (seed as usize % 4), seed);
        let expected = floyd_warshall(&graph);
        let mut found = vec![0.0; n * n];
        all_shortest_paths(&graph, &mut found, &Run::new()).unwrap();
        for (f, e) in found.iter().zip(&expected) {
            assert!(f == e || (f - e).abs() <= 1e-14 * e, "{f} {e} seed {seed}");
        }
        for i in 0..n {
            for j in 0..n {
                assert_eq!(found[i * n + j].to_bits(), found[j * n + i].to_bits());
            }
        }
    }
}

/// A batch gives each source what it gets alone, for any number of threads.
#[test]
fn a_batch_has_the_bits_of_its_sources() {
    fn check<T: Scalar>(seed: u64) {
        let n = 300;
        let graph: Graph<T> = random_graph(n, 2 * n, seed);
        let sources: Vec<u32> = (0..77).map(|s| s * 37 % n as u32).chain([5, 5, 5]).collect();
        let mut alone = vec![T::zero(); sources.len() * n];
        for (source, row) in sources.iter().zip(alone.chunks_exact_mut(n)) {
            shortest_paths(&graph, &[*source], row, &Run::new()).unwrap();
        }
        for threads in [1, 2, 3] {
            let run = Run::new().with_threads(threads).unwrap();
            let mut together = vec![T::zero(); sources.len() * n];
            shortest_paths(&graph, &sources, &mut together, &run).unwrap();
            assert!(together == alone);
        }
    }
    (0..8).for_each(check::<f64>);
    (0..8).for_each(check::<f32>);
}

/// A source outside the graph is a point more with its edges.
#[test]
fn a_source_by_its_edges_is_a_vertex_more() {
    for seed in 0..20 {
        let n = 50;
        let graph: Graph<f64> = random_graph(n, 3 * n, seed);
        let mut rng = Run::new().with_seed(seed).rng("sources");
        let edges: Vec<Vec<(u32, f64)>> = (0..20)
            .map(|i| (0..i % 4).map(|_| (rng.random_range(0..n as u32), rng.random::<f64>())).collect())
            .collect();
        let mut found = vec![0.0; edges.len() * n];
        shortest_paths_from(&graph, &edges, &mut found, &Run::new()).unwrap();
        for (edges, row) in edges.iter().zip(found.chunks_exact(n)) {
            let mut entries: Vec<(usize, usize, f64)> = Vec::new();
            for i in 0..n {
                let (columns, lengths) = graph.neighbors(i);
                entries.extend(columns.iter().zip(lengths).map(|(&j, &l)| (i, j as usize, l)));
            }
            let mut own: Vec<(u32, f64)> = edges.clone();
            own.sort_by(|a, b| a.0.cmp(&b.0).then(a.1.total_cmp(&b.1)));
            own.dedup_by_key(|edge| edge.0);
            entries.extend(own.iter().map(|&(j, l)| (n, j as usize, l)));
            let larger = Csr::from_entries(n + 1, n + 1, &entries).unwrap();
            let larger = Graph::from_csr(larger, Symmetrize::Either).unwrap();
            let expected = floyd_warshall(&larger);
            for j in 0..n {
                let (f, e) = (row[j], expected[n * (n + 1) + j]);
                assert!(f == e || (f - e).abs() <= 1e-14 * e, "{f} {e} seed {seed}");
            }
        }
    }
}

#[test]
fn wrong_questions_are_typed_errors() {
    let graph: Graph<f64> = random_graph(5, 5, 1);
    assert!(shortest_paths(&graph, &[5], &mut [0.0; 5], &Run::new()).is_err());
    assert!(shortest_paths(&graph, &[4], &mut [0.0; 4], &Run::new()).is_err());
    assert_eq!(shortest_paths(&graph, &[], &mut [], &Run::new()), Ok(()));
    let stopped = Run::new();
    stopped.cancel_switch().cancel();
    assert_eq!(shortest_paths(&graph, &[4], &mut [0.0; 5], &stopped), Err(Error::Canceled));
}
