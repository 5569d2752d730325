//! Trains an autoencoder on a named data set and judges the embedding: `judge data=mnist seed=0 noise=0.3 ...`.
use lowland_base::Run;
use ndarray::Array2;
use neural_dev::neural::*;
use rand::RngExt;
use rand::seq::SliceRandom;
use rand_distr::{Distribution, StandardNormal};
use rayon::prelude::*;
use std::time::Instant;

fn roll(n: usize, seed: u64) -> Array2<f32> {
    let mut rng = Run::new().with_seed(seed).rng("roll");
    let mut x = Vec::new();
    for _ in 0..n {
        let (p, q): (f64, f64) = (rng.random(), rng.random());
        let t = 1.5 * std::f64::consts::PI * (1.0 + 2.0 * p);
        for v in [t * t.cos(), t * t.sin(), 30.0 * q] {
            let e: f64 = StandardNormal.sample(&mut rng);
            x.push((v + 0.05 * e) as f32);
        }
    }
    Array2::from_shape_vec((n, 3), x).unwrap()
}
fn npy(path: &str) -> (Vec<u8>, usize) {
    let bytes = std::fs::read(path).unwrap();
    let at = 10 + u16::from_le_bytes([bytes[8], bytes[9]]) as usize;
    (bytes, at)
}
fn distances(x: &Array2<f32>, i: usize) -> Vec<f32> {
    let row = x.row(i);
    let row = row.as_slice().unwrap();
    x.rows().into_iter().map(|other| row.iter().zip(other.as_slice().unwrap()).map(|(a, b)| (a - b) * (a - b)).sum()).collect()
}
fn one_nn(y: &Array2<f32>, labels: &[i64]) -> f64 {
    let wrong = (0..labels.len()).into_par_iter().filter(|&i| {
        let d = distances(y, i);
        let near = (0..d.len()).filter(|&j| j != i).min_by(|&a, &b| d[a].total_cmp(&d[b])).unwrap();
        labels[near] != labels[i]
    });
    100.0 * wrong.count() as f64 / labels.len() as f64
}
fn trust(x: &Array2<f32>, y: &Array2<f32>, k: usize) -> f64 {
    let n = x.nrows();
    let step = (n / 1000).max(1);
    let looked: Vec<usize> = (0..n).step_by(step).collect();
    let sum: f64 = looked.par_iter().map(|&i| {
        let (dx, dy) = (distances(x, i), distances(y, i));
        let mut near: Vec<usize> = (0..n).filter(|&j| j != i).collect();
        near.select_nth_unstable_by(k, |&a, &b| dy[a].total_cmp(&dy[b]));
        near[..k].iter().map(|&j| {
            let rank = (0..n).filter(|&o| o != i && (dx[o], o) < (dx[j], j)).count() + 1;
            (rank as f64 - k as f64).max(0.0)
        }).sum::<f64>()
    }).sum();
    let sum = sum * n as f64 / looked.len() as f64;
    let (n, k) = (n as f64, k as f64);
    1.0 - 2.0 / (n * k * (2.0 * n - 3.0 * k - 1.0)) * sum
}
fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let arg = |name: &str| args.iter().find_map(|a| a.strip_prefix(&format!("{name}=")).map(String::from));
    let number = |name: &str, default: f64| arg(name).map_or(default, |v| v.parse().unwrap());
    let seed = number("seed", 0.0) as u64;
    let n = number("n", 5000.0) as usize;
    let folder = std::env::var("LOWLAND_DATA").unwrap_or_default();
    let (x, labels, d) = match arg("data").as_deref().unwrap_or("roll") {
        "mnist" => {
            let images = std::fs::read("/tmp/nd/train-images-idx3").unwrap();
            let labels = std::fs::read("/tmp/nd/train-labels-idx1").unwrap();
            let mut rows: Vec<usize> = (0..60000).collect();
            rows.shuffle(&mut Run::new().with_seed(number("sample", 0.0) as u64).rng("rows"));
            let x = rows[..n].iter().flat_map(|&r| images[16 + r * 784..][..784].iter().map(|&v| v as f32 / 255.0)).collect();
            (Array2::from_shape_vec((n, 784), x).unwrap(), rows[..n].iter().map(|&r| labels[8 + r] as i64).collect(), 20)
        }
        "orl" => {
            let (b, at) = npy(&format!("{folder}/orl.npy"));
            let x = b[at..].iter().map(|&v| v as f32).collect();
            (Array2::from_shape_vec((400, 10304), x).unwrap(), (0..400).map(|i| i / 10).collect(), 8)
        }
        "coil" => {
            let (b, at) = npy(&format!("{folder}/coil20.npy"));
            let x = b[at..].chunks(4).map(|c| f32::from_le_bytes(c.try_into().unwrap())).collect();
            (Array2::from_shape_vec((1440, 1024), x).unwrap(), (0..1440).map(|i| i / 72).collect(), 5)
        }
        _ => (roll(n, seed), Vec::<i64>::new(), 2),
    };
    let d = number("d", d as f64) as usize;
    let mut s = Settings { n_components: d, ..Settings::default() };
    if let Some(h) = arg("h") { s.hidden_layers = Some(h.split(',').map(|w| w.parse().unwrap()).collect()); }
    s.tied = number("tied", 1.0) == 1.0;
    match arg("act").as_deref() { Some("tanh") => s.activation = Activation::Tanh, Some("relu") => s.activation = Activation::Relu, Some("linear") => s.activation = Activation::Linear, _ => () }
    match arg("pre").as_deref() { Some("rbm") => s.pretraining = Some(Pretraining::Rbm), Some("dae") => s.pretraining = Some(Pretraining::Denoising), Some("none") => s.pretraining = Some(Pretraining::None), _ => () }
    if arg("loss").as_deref() == Some("ce") { s.loss = Loss::CrossEntropy; }
    s.noise = arg("noise").map(|v| v.parse().unwrap());
    s.weight_decay = number("decay", s.weight_decay);
    s.learning_rate = number("rate", s.learning_rate);
    s.batch_size = number("batch", s.batch_size as f64) as usize;
    s.pretraining_epochs = arg("preepochs").map(|v| v.parse().unwrap());
    s.patience = number("patience", s.patience as f64) as usize;
    s.validation_fraction = number("hold", s.validation_fraction);
    s.max_epochs = arg("epochs").map(|v| v.parse().unwrap());
    s.polish_steps = arg("polish").map(|v| v.parse().unwrap());
    s.pca_components = arg("pca").map(|v| v.parse().unwrap());
    let run = Run::new().with_seed(seed);
    let begun = Instant::now();
    let (mut last, mut times) = (Instant::now(), Vec::new());
    let every = number("every", 1e9) as usize;
    let model = fit(x.view(), &s, &run, &mut |e, _| {
        if e.stage == Stage::FineTuning { times.push(last.elapsed().as_secs_f64()); }
        if (e.epoch + 1) % every == 0 { println!("   {:?} {} {:.5} {:.5}", e.stage, e.epoch, e.loss, e.held_out.unwrap_or(0.0)); }
        last = Instant::now();
    }).unwrap();
    let seconds = begun.elapsed().as_secs_f64();
    times.sort_by(f64::total_cmp);
    let y = model.encode(x.view(), &run).unwrap();
    let held = model.history().iter().filter_map(|e| e.held_out).fold(f64::INFINITY, f64::min);
    let error = if labels.is_empty() { 0.0 } else { one_nn(&y, &labels) };
    let spread: Vec<f32> = y.columns().into_iter().map(|c| c.std(0.0)).collect();
    println!("{args:?} {:?}: loss {:.5} held {held:.5} 1nn {error:.2} T(12) {:.4} {seconds:.1}s, {} epochs, best {:.3}, sd {:.2}..{:.2}", model.widths(), model.training_loss(), trust(&x, &y, 12), times.len(), times.first().unwrap_or(&0.0), spread[0], spread[d - 1]);
}
