//! t-SNE of a raw file of doubles: `tsne file n width components early rest momentum approach out`.
use faer::MatRef;
use layout_dev::layout::{Affinity, Approach, start, tsne};
use lowland_base::Run;
use lowland_neighbors::{Metric, index};
use std::time::Instant;

fn main() {
    let a: Vec<String> = std::env::args().collect();
    let bytes = std::fs::read(&a[1]).unwrap();
    let values: Vec<f32> =
        bytes.chunks_exact(8).map(|b| f64::from_le_bytes(b.try_into().unwrap()) as f32).collect();
    let (n, width, components): (usize, usize, usize) =
        (a[2].parse().unwrap(), a[3].parse().unwrap(), a[4].parse().unwrap());
    let points = MatRef::from_row_major_slice(&values, n, width);
    let threads = std::env::var("THREADS").map_or(0, |t| t.parse().unwrap());
    let run = Run::new().with_threads(threads).unwrap();
    let begun = Instant::now();
    let affinity = Affinity::Perplexity(vec![30.0]);
    let k = affinity.neighbors_wanted(n).unwrap();
    let table = index::build(points, Metric::Euclidean, index::Choice::Auto, &run)
        .unwrap()
        .k_nearest_of_all(k, &run)
        .unwrap();
    println!("neighbors {:.2}", begun.elapsed().as_secs_f64());
    let joint = affinity.joint(&table, &run).unwrap();
    drop(table);
    println!("affinities {:.2}, {} edges", begun.elapsed().as_secs_f64(), joint.nnz());
    let start = start::principal(points, components, &run).unwrap();
    println!("start {:.2}", begun.elapsed().as_secs_f64());
    let mut schedule = tsne::Schedule {
        early_iterations: a[5].parse().unwrap(),
        iterations: a[6].parse().unwrap(),
        momentum: (a[7].parse().unwrap(), 0.8),
        ..Default::default()
    };
    schedule.approach = match a[8].as_str() {
        "exact" => Approach::Exact,
        "bh" => Approach::BarnesHut { theta: 0.5 },
        "auto" => Approach::Auto,
        spacing => Approach::Interpolation { spacing: spacing.parse().unwrap() },
    };
    let layout = tsne::descend(&joint, start.as_ref(), &schedule, None, &run).unwrap();
    println!("layout {:.2}", begun.elapsed().as_secs_f64());
    println!("iterations {} KL {:.6} history {:?}", layout.iterations, layout.divergence, layout.history);
    if let Some(out) = a.get(9) {
        let e = &layout.embedding;
        let mut bytes = Vec::new();
        for i in 0..n {
            (0..components).for_each(|c| bytes.extend(e[(i, c)].to_le_bytes()));
        }
        std::fs::write(out, bytes).unwrap();
    }
}
