use faer::Mat;
use lowland_base::Run;
use lowland_linalg::{Operator, operator::Dense};
use std::time::Instant;
fn main() {
    let n = 5000;
    let a = Mat::<f64>::from_fn(n, n, |i, j| ((i * j) as f64).sin());
    let cpu = || { let s = std::fs::read_to_string("/proc/self/schedstat").unwrap(); let mut t = 0u64; for e in std::fs::read_dir("/proc/self/task").unwrap() { let s = std::fs::read_to_string(e.unwrap().path().join("schedstat")).unwrap(); t += s.split(' ').next().unwrap().parse::<u64>().unwrap(); } let _ = s; t as f64 * 1e-6 };
    for threads in [1] {
        let run = Run::new().with_threads(threads).unwrap();
        let op = Dense::new(a.as_ref()).unwrap();
        for b in [1usize, 2, 4, 12] {
            let x = Mat::<f64>::from_fn(n, b, |i, j| (i + j) as f64);
            let mut y = Mat::<f64>::zeros(n, b);
            let mut best = f64::MAX; let mut bc = f64::MAX;
            for _ in 0..15 {
                let t = Instant::now(); let c = cpu();
                op.apply(x.as_ref(), y.as_mut(), &run).unwrap();
                best = best.min(t.elapsed().as_secs_f64()); bc = bc.min(cpu() - c);
            }
            println!("threads {threads} b {b} best {:.2} ms cpu {:.2} ms", best * 1e3, bc);
        }
    }
}
