//! Files, and the start of the program.

use crate::npy::Array;
use crate::protocol::{Arguments, Outcome, serve};
use lowland::AnyMatrix;
use lowland_io::{Data, ReadOptions};
use std::process::{Command, Stdio};
use std::time::Instant;

/// Reading a CSV file.
pub fn csv(arguments: &Arguments) -> Outcome {
    let path = arguments.file_named(".csv")?;
    let path = path.to_str().ok_or("the name of the file is not Unicode")?;
    let run = arguments.run()?;
    let timed = || Ok(run.install(|| lowland_io::read(path, &ReadOptions::default()))?);
    serve(timed, |data: Data| {
        let truth: Array<f64> = arguments.load("")?;
        let AnyMatrix::F64(found) = data.matrix else { return Err("not in double precision".into()) };
        if found.dim() != truth.rows_columns()? {
            return Err("not of the right shape".into());
        }
        let wrong = found.iter().zip(&truth.values).filter(|(a, b)| a.to_bits() != b.to_bits()).count();
        Ok(vec![("wrong_values", wrong as f64)])
    })
}

/// The program says its version.
pub fn startup(_: &Arguments) -> Outcome {
    let name = format!("lowland{}", std::env::consts::EXE_SUFFIX);
    let program = std::env::current_exe()?.with_file_name(name);
    let start = || -> Outcome<f64> {
        let begun = Instant::now();
        let status = Command::new(&program).arg("--version").stdout(Stdio::null()).status()?;
        if !status.success() {
            return Err(format!("{}: {status}", program.display()).into());
        }
        Ok(begun.elapsed().as_secs_f64())
    };
    serve(start, |_| {
        let mut seconds = (0..21).map(|_| start()).collect::<Outcome<Vec<f64>>>()?;
        seconds.sort_by(f64::total_cmp);
        Ok(vec![("milliseconds", 1000.0 * seconds[10])])
    })
}
