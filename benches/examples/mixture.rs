//! Times an iteration of EM of a mixture of probabilistic PCA beside the matrix products that it cannot do without: rows
//! times the loadings of all analyzers, and back, `4 n D d m` operations.
//!
//! `cargo run --release -p lowland-bench --example mixture -- ROWS.npy [analyzers] [components]`

use faer::Mat;
use lowland::parameters::Value;
use lowland::{AnyMatrix, Run, registry};
use std::time::Instant;

/// Iterations of the two fits; their difference is timed, so that the start does not count.
const SHORT: i64 = 5;
const LONG: i64 = 25;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut words = std::env::args().skip(1);
    let file = words.next().ok_or("name a file of rows (.npy)")?;
    let m: i64 = words.next().map_or(Ok(20), |w| w.parse())?;
    let d: i64 = words.next().map_or(Ok(20), |w| w.parse())?;
    let x = match lowland_io::read(&file, &Default::default())?.matrix {
        AnyMatrix::F64(x) => x,
        AnyMatrix::F32(x) => x.mapv(f64::from),
    };
    let (n, columns) = x.dim();
    let entry = registry::find("mixture-ppca")?;
    let time = |iterations: i64| -> Result<f64, Box<dyn std::error::Error>> {
        let mut method = (entry.create)();
        for (name, value) in
            [("n_analyzers", m), ("n_components", d), ("n_init", 1), ("max_iter", iterations)]
        {
            method.set(name, &Value::Integer(value))?;
        }
        method.set("tol", &Value::Real(0.0))?;
        let begun = Instant::now();
        method.fit(x.view().into(), &Run::new())?;
        Ok(begun.elapsed().as_secs_f64())
    };
    let rows = Mat::from_fn(n, columns, |i, j| x[(i, j)]);
    let loadings = Mat::from_fn(columns, (m * d) as usize, |i, j| (i + j) as f64);
    for _ in 0..3 {
        let iteration = (time(LONG)? - time(SHORT)?) / (LONG - SHORT) as f64;
        let begun = Instant::now();
        let factors = &rows * &loadings;
        let sums = rows.transpose() * &factors;
        let products = begun.elapsed().as_secs_f64();
        assert_eq!(sums.ncols(), loadings.ncols());
        println!(
            "an iteration {iteration:.3} s, its products {products:.3} s: {:.2} times",
            iteration / products
        );
    }
    Ok(())
}
