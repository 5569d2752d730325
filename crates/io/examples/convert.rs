//! From one format to another: `cargo run --release -p lowland-io --example convert -- IN OUT...`.

use lowland_io::{Output, ReadOptions, read};
use std::path::Path;

fn main() -> Result<(), lowland_io::Error> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let Some((source, targets)) = arguments.split_first() else {
        eprintln!("convert IN OUT...");
        return Ok(());
    };
    for target in targets {
        let output = Output::prepare(Path::new(target), false, &[source])?;
        let data = read(source, &ReadOptions::default())?;
        output.write(&data.matrix, data.columns.as_deref())?;
    }
    Ok(())
}
