//! Runs the targets for minutes, or one input again.

#![expect(clippy::print_stdout, reason = "this is what the program is for")]

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::{Duration, SystemTime};

use anyhow::{Context, Result};
use clap::Parser;
use fuzz::{Limit, TARGETS, Target, run, target, try_input};

/// Tries random input on everything that reads what others wrote
#[derive(Parser)]
struct Args {
    /// The target; all of them without it
    target: Option<String>,
    /// How long each target runs
    #[arg(long, default_value_t = 1.0)]
    minutes: f64,
    /// Begin with this seed instead of one from the clock
    #[arg(long)]
    seed: Option<u64>,
    /// Try this input alone
    #[arg(long, requires = "target")]
    input: Option<PathBuf>,
}

fn main() -> Result<ExitCode> {
    let args = Args::parse();
    let known = || TARGETS.iter().map(|target| target.name).collect::<Vec<_>>().join(", ");
    let chosen: Vec<&Target> = match &args.target {
        None => TARGETS.iter().collect(),
        Some(name) => {
            vec![
                target(name)
                    .with_context(|| format!("no target `{name}`; there are: {}", known()))?,
            ]
        }
    };
    let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH)?;
    let seed = args.seed.unwrap_or(since.as_secs());
    let limit = Limit::Time(Duration::try_from_secs_f64(args.minutes * 60.0)?);
    let mut found = 0;
    for target in chosen {
        let ended = match &args.input {
            None => run(target, seed, limit),
            Some(path) => {
                let input = std::fs::read(path).with_context(|| path.display().to_string())?;
                try_input(target, &input).map(|()| 1)
            }
        };
        match ended {
            Ok(inputs) => println!("{:<20} {inputs:>9} inputs, no finding", target.name),
            Err(finding) => {
                found += 1;
                let file = format!("finding-{}", finding.target);
                std::fs::write(&file, &finding.input).with_context(|| file.clone())?;
                println!("{finding}\nseed: {seed}; the input is in `{file}`");
            }
        }
    }
    Ok(if found == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
