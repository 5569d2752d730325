//! How long a file takes to read: `cargo run --release -p lowland-io --example reading -- FILE [TIMES]`.

use lowland_io::{ReadOptions, read};
use std::time::Instant;

fn main() -> Result<(), lowland_io::Error> {
    let mut arguments = std::env::args().skip(1);
    let (Some(file), times) = (arguments.next(), arguments.next()) else {
        eprintln!("reading FILE [TIMES]");
        return Ok(());
    };
    let times = times.and_then(|times| times.parse().ok()).unwrap_or(5);
    for _ in 0..times {
        let start = Instant::now();
        let data = read(&file, &ReadOptions::default())?;
        let (rows, columns) = data.matrix.dim();
        println!("{rows} x {columns} in {:.3} s", start.elapsed().as_secs_f64());
    }
    Ok(())
}
