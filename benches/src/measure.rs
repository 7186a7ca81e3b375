//! Time, memory and the lines they are printed on.

#![expect(clippy::print_stdout, reason = "a bench prints its figures")]

use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};

pub(crate) fn heading(name: &str) {
    println!("\n{name}");
}

/// One figure: what, how much, and how it stands to its target or its neighbour.
pub(crate) fn row(what: &str, figure: &str, note: &str) {
    println!("  {what:<46} {figure:>12}  {note}");
}

/// The best of several runs: the machine's noise only ever adds.
pub(crate) fn best_of<T>(
    runs: usize,
    mut work: impl FnMut() -> Result<T>,
) -> Result<(Duration, T)> {
    let mut best: Option<(Duration, T)> = None;
    for _ in 0..runs {
        let start = Instant::now();
        let value = work()?;
        let took = start.elapsed();
        if best.as_ref().is_none_or(|(least, _)| took < *least) {
            best = Some((took, value));
        }
    }
    best.context("at least one run")
}

pub(crate) fn ms(time: Duration) -> String {
    format!("{:.1} ms", time.as_secs_f64() * 1000.0)
}

pub(crate) fn us(time: Duration) -> String {
    format!("{:.2} µs", time.as_secs_f64() * 1e6)
}

pub(crate) fn times(other: Duration, ours: Duration) -> String {
    format!("{:.1} × our time", other.as_secs_f64() / ours.as_secs_f64())
}

pub(crate) fn against(target: Duration, found: Duration) -> String {
    let word = if found <= target { "within" } else { "OVER" };
    let target = if target < Duration::from_millis(1) { us(target) } else { ms(target) };
    format!("{word} the target of {target}")
}

/// The most memory this process has held, in MB; Linux only.
pub(crate) fn peak_memory_mb() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with("VmHWM:"))?;
    let kilobytes: u64 = line.split_whitespace().nth(1)?.parse().ok()?;
    Some(kilobytes / 1024)
}

/// Runs a Python script that prints seconds; nothing where there is no Python.
pub(crate) fn python(script: &str, argument: &Path) -> Option<Duration> {
    #[expect(clippy::disallowed_methods, reason = "the neighbour we measure beside")]
    let output = std::process::Command::new("python3").arg("-c").arg(script).arg(argument).output();
    let text =
        String::from_utf8(output.ok().filter(|output| output.status.success())?.stdout).ok()?;
    text.trim().parse().ok().map(Duration::from_secs_f64)
}
