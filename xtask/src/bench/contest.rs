//! One contest: a process for each contestant, who take turns repetition by repetition. The protocol is
//! described in CONTRIBUTING.md.

use super::entries::{Benchmark, Program, TORCH};
use super::machine;
use serde_json::Value;
use std::io::{BufRead, BufReader, Write};
use std::path::PathBuf;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

/// Where the contestants and their data are.
pub struct Programs {
    pub ours: PathBuf,
    pub python: PathBuf,
    /// The Python of the script that needs a large environment.
    pub torch: Option<PathBuf>,
    pub folder: PathBuf,
    pub threads: usize,
}

/// How the libraries on both sides are given the number of threads.
const THREADS: [&str; 7] = [
    "RAYON_NUM_THREADS",
    "OMP_NUM_THREADS",
    "OPENBLAS_NUM_THREADS",
    "MKL_NUM_THREADS",
    "BLIS_NUM_THREADS",
    "VECLIB_MAXIMUM_THREADS",
    "NUMBA_NUM_THREADS",
];

/// What one contestant did.
#[derive(Debug)]
pub struct Score {
    /// The counted repetitions, in order.
    pub seconds: Vec<f64>,
    /// The resident set when the data were read and the first repetition had not begun.
    pub resident_bytes: Option<u64>,
    /// The highest resident set from then on.
    pub peak_bytes: Option<u64>,
    pub quality: Vec<(String, f64)>,
}

/// What came of a contest: ours first, then the rivals in their order.
pub struct Outcome {
    pub scores: Vec<Score>,
    /// How many processors others kept busy meanwhile, on average.
    pub others: Option<f64>,
    pub load: Option<Vec<f64>>,
}

/// Before every turn: threads of the one before may wait for more work by spinning, on the processors of the next.
const REST: Duration = Duration::from_millis(200);

pub fn hold(programs: &Programs, benchmark: &Benchmark, repeat: usize) -> Result<Outcome, String> {
    let load = machine::load();
    let ours = Program::Ours(benchmark.ours);
    let mut entrants = vec![("ours", &ours)];
    entrants.extend(benchmark.rivals.iter().map(|rival| (rival.label, &rival.program)));
    let mut contestants = Vec::new();
    for (label, program) in entrants {
        contestants.push(Contestant::start(label, programs, program, benchmark)?);
    }
    let mut seconds = vec![Vec::new(); contestants.len()];
    let mut clock = None;
    for round in 0..=repeat {
        if round == 1 {
            clock = Clock::start(&contestants);
        }
        let mut line = Vec::new();
        for (contestant, times) in contestants.iter_mut().zip(&mut seconds) {
            thread::sleep(REST);
            let time = contestant.repeat()?;
            line.push(format!("{} {time:.3} s", contestant.label));
            if round > 0 {
                times.push(time);
            }
        }
        let round = if round == 0 { "warm-up".into() } else { format!("{round} of {repeat}") };
        eprintln!("  {round}: {}", line.join(", "));
    }
    let others = clock.and_then(|clock| clock.others(&contestants));
    let finish = |(contestant, times): (Contestant, Vec<f64>)| contestant.finish(times);
    let scores = contestants.into_iter().zip(seconds).map(finish).collect::<Result<_, _>>()?;
    Ok(Outcome { scores, others, load })
}

/// Watches how busy the machine is beside the contestants.
struct Clock {
    begun: Instant,
    busy: f64,
    used: f64,
}

impl Clock {
    fn start(contestants: &[Contestant]) -> Option<Self> {
        Some(Clock { begun: Instant::now(), busy: machine::busy()?, used: used(contestants)? })
    }

    fn others(&self, contestants: &[Contestant]) -> Option<f64> {
        let elapsed = self.begun.elapsed().as_secs_f64();
        // Processor time is counted in hundredths of a second: shorter than this it says nothing.
        if elapsed < 0.5 {
            return None;
        }
        let others = (machine::busy()? - self.busy) - (used(contestants)? - self.used);
        Some(others.max(0.0) / elapsed)
    }
}

fn used(contestants: &[Contestant]) -> Option<f64> {
    contestants.iter().map(|c| machine::used_by(c.process.id())).sum()
}

/// A process that does one repetition for each line that it is sent.
struct Contestant {
    label: &'static str,
    process: Child,
    orders: ChildStdin,
    answers: BufReader<ChildStdout>,
}

impl Contestant {
    fn start(
        label: &'static str,
        programs: &Programs,
        program: &Program,
        benchmark: &Benchmark,
    ) -> Result<Self, String> {
        let mut command = match program {
            Program::Ours(work) => {
                let mut command = Command::new(&programs.ours);
                command.arg(work);
                command
            }
            Program::Build { program, work } => {
                let mut command = Command::new(program);
                command.arg(work);
                command
            }
            Program::Peer { script, work } => {
                let torch = programs.torch.as_ref().filter(|_| *script == TORCH);
                let mut command = Command::new(torch.unwrap_or(&programs.python));
                command.arg(crate::root().join("benches/peers").join(script)).arg(work);
                command
            }
        };
        command.arg(format!("data={}", programs.folder.join(&benchmark.data).display()));
        command.arg(format!("threads={}", programs.threads));
        command.args(benchmark.arguments.iter().map(|(key, value)| format!("{key}={value}")));
        command.envs(THREADS.map(|key| (key, programs.threads.to_string())));
        let failed = |e: std::io::Error| format!("{label} cannot be started: {e}");
        let mut process = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().map_err(failed)?;
        let (Some(orders), Some(answers)) = (process.stdin.take(), process.stdout.take()) else {
            return Err(format!("{label} has no pipes"));
        };
        let mut contestant = Contestant { label, process, orders, answers: BufReader::new(answers) };
        contestant.answer()?;
        Ok(contestant)
    }

    fn repeat(&mut self) -> Result<f64, String> {
        let answer = self.ask("run")?;
        let seconds = answer["seconds"].as_f64().filter(|s| *s >= 0.0);
        seconds.ok_or_else(|| format!("{} gave no `seconds`: {answer}", self.label))
    }

    fn finish(mut self, seconds: Vec<f64>) -> Result<Score, String> {
        let report = self.ask("report")?;
        let quality = report["quality"].as_object();
        let quality = quality.ok_or_else(|| format!("{} gave no `quality`: {report}", self.label))?;
        Ok(Score {
            seconds,
            resident_bytes: report["resident_bytes"].as_u64(),
            peak_bytes: report["peak_bytes"].as_u64(),
            // JSON has no NaN: a figure that is none arrives as null.
            quality: quality.iter().map(|(k, v)| (k.clone(), v.as_f64().unwrap_or(f64::NAN))).collect(),
        })
    }

    fn ask(&mut self, order: &str) -> Result<Value, String> {
        // When it is gone already, the answer says so.
        let _ = writeln!(self.orders, "{order}").and_then(|()| self.orders.flush());
        self.answer()
    }

    fn answer(&mut self) -> Result<Value, String> {
        let mut line = String::new();
        let read = self.answers.read_line(&mut line).map_err(|e| format!("{}: {e}", self.label))?;
        if read == 0 {
            let status = self.process.wait().map_or_else(|e| e.to_string(), |s| s.to_string());
            return Err(format!("{} gave up ({status})", self.label));
        }
        serde_json::from_str(&line)
            .map_err(|_| format!("{} does not keep to the protocol: {line}", self.label))
    }
}

impl Drop for Contestant {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
