//! Measures time and memory, and prints the figures.

#![expect(clippy::print_stdout, reason = "a bench prints its figures")]

pub(crate) mod rounds;
pub(crate) mod spread;
pub(crate) mod table;

use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};

pub(crate) fn heading(name: &str) {
    println!("\n{name}");
}

/// One figure: what, how much, and its relation to a target or a peer.
pub(crate) fn row(what: &str, figure: &str, note: &str) {
    println!("  {what:<46} {figure:>12}  {note}");
}

/// Several figures of one thing beside each other.
pub(crate) fn cells(what: &str, figures: &[String], note: &str) {
    let figures: String = figures.iter().map(|figure| format!(" {figure:>12}")).collect();
    println!("  {what:<46}{figures}  {note}");
}

/// Figures for the program that started this one.
pub(crate) fn figure_line(figures: &[f64]) {
    let figures: Vec<_> = figures.iter().map(f64::to_string).collect();
    println!("{}", figures.join(" "));
}

/// The best of several runs: noise only ever adds time.
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

/// A rate without fractions, with thousands separators.
pub(crate) fn per_second(rate: f64) -> String {
    let whole = format!("{rate:.0}");
    match whole.len().checked_sub(3) {
        Some(cut @ 1..) => format!("{},{}", &whole[..cut], &whole[cut..]),
        Some(0) | None => whole,
    }
}

/// In a fitting unit.
pub(crate) fn time(time: Duration) -> String {
    if time < Duration::from_millis(1) { us(time) } else { ms(time) }
}

pub(crate) fn times(other: Duration, ours: Duration) -> String {
    let ratio = other.as_secs_f64() / ours.as_secs_f64();
    let digits = if ratio < 1.0 { 3 } else { 1 };
    format!("{ratio:.digits$} × our time")
}

pub(crate) fn against(target: Duration, found: Duration) -> String {
    let word = if found <= target { "within" } else { "OVER" };
    format!("{word} the target of {}", time(target))
}

pub(crate) fn against_rate(target: f64, found: f64) -> String {
    let word = if found >= target { "within" } else { "BELOW" };
    format!("{word} the target of {}/s", per_second(target))
}

/// Resets the peak memory of this process; Linux only.
pub(crate) fn forget_peak_memory() {
    // Where it cannot be reset, the peak includes earlier parts.
    let _ = std::fs::write("/proc/self/clear_refs", "5");
}

/// The CPU time of all threads of this process that still run; Linux only, otherwise zero.
pub(crate) fn cpu_time() -> Duration {
    let tasks = std::fs::read_dir("/proc/self/task").into_iter().flatten().flatten();
    let spent = tasks.filter_map(|task| {
        let text = std::fs::read_to_string(task.path().join("schedstat")).ok()?;
        text.split_whitespace().next()?.parse::<u64>().ok()
    });
    Duration::from_nanos(spent.sum())
}

/// The peak memory of a process, in MB; Linux only.
pub(crate) fn peak_memory_mb(pid: u32) -> Option<u64> {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
    let line = status.lines().find(|line| line.starts_with("VmHWM:"))?;
    let kilobytes: u64 = line.split_whitespace().nth(1)?.parse().ok()?;
    Some(kilobytes / 1024)
}

/// Runs a Python script that prints seconds; none without Python.
pub(crate) fn python(script: &str, argument: &Path) -> Option<Duration> {
    #[expect(clippy::disallowed_methods, reason = "the neighbour we measure beside")]
    let output = std::process::Command::new("python3").arg("-c").arg(script).arg(argument).output();
    let text =
        String::from_utf8(output.ok().filter(|output| output.status.success())?.stdout).ok()?;
    text.trim().parse().ok().map(Duration::from_secs_f64)
}
