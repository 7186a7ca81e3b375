//! The progress line of a run.
//!
//! On a terminal one line is redrawn; elsewhere a line is printed at every tenth. The bar repeats
//! what the words and numbers say.

use std::io::{IsTerminal, Write};
use std::sync::{Mutex, PoisonError};

use cards::{Progress, Stage};

use super::span;
use crate::render::printer::count;

pub(super) struct Bar {
    redraws: bool,
    /// Held only while a line is written.
    inner: Mutex<Shown>,
}

#[derive(Default)]
struct Shown {
    line: String,
    tenth: usize,
    stage: Option<String>,
}

const BAR_CELLS: usize = 20;
const WIDTH_ELSEWHERE: usize = 100;

impl Bar {
    pub(super) fn new() -> Self {
        Self { redraws: std::io::stderr().is_terminal(), inner: Mutex::default() }
    }

    pub(super) fn show(&self, progress: &Progress) {
        let mut shown = self.inner.lock().unwrap_or_else(PoisonError::into_inner);
        if self.redraws {
            let line = fit(&line(progress), width());
            if line != shown.line {
                write(&format!("\r\u{1b}[2K{line}"));
                shown.line = line;
            }
            return;
        }
        let tenth = progress.done() * 10 / progress.sentences.max(1);
        let stage = stage(progress);
        let new = stage != shown.stage || tenth > shown.tenth;
        if new && (tenth > 0 || stage.is_some()) {
            write(&format!("{}\n", line(progress).trim_start()));
        }
        (shown.tenth, shown.stage) = (tenth.max(shown.tenth), stage);
    }

    /// Ends the line and continues below it.
    pub(super) fn close(&self) {
        let mut shown = self.inner.lock().unwrap_or_else(PoisonError::into_inner);
        if self.redraws && !shown.line.is_empty() {
            write("\n");
        }
        shown.line.clear();
    }
}

/// A batch has stages and no percentage: providers do not report one.
fn stage(progress: &Progress) -> Option<String> {
    match &progress.stage {
        Stage::BatchSending => Some("sending the batch".to_owned()),
        Stage::BatchWaiting { id, .. } => Some(format!("batch {id} sent, waiting for it")),
        Stage::BatchReading => Some("batch done, reading its results".to_owned()),
        Stage::Idle | Stage::Working | Stage::Ended => None,
    }
}

fn line(progress: &Progress) -> String {
    let Progress { sentences, holes, .. } = progress;
    let cost = progress.cost().map(|cost| cost.to_string());
    if let Some(stage) = stage(progress) {
        let waited = format!("{} so far", span(progress.elapsed_ms));
        return join(&[Some(format!("  {stage}")), Some(waited)]);
    }
    let done = progress.done();
    let (digits, all) = (sentences.to_string().len(), count(*sentences, "sentence"));
    let left = match (&progress.stage, progress.left_ms) {
        (Stage::Working, Some(left)) if progress.waiting > 0 => {
            Some(format!("{} left", span(left)))
        }
        _ => None,
    };
    join(&[
        Some(format!("  {}  {done:>digits$} of {all}", cells(done, *sentences))),
        Some(count(*holes, "hole")),
        cost,
        left,
    ])
}

fn join(parts: &[Option<String>]) -> String {
    parts.iter().flatten().cloned().collect::<Vec<_>>().join("  ·  ")
}

fn cells(done: usize, of: usize) -> String {
    let full = done * BAR_CELLS / of.max(1);
    format!("{}{}", "█".repeat(full), "░".repeat(BAR_CELLS - full.min(BAR_CELLS)))
}

/// A line that is longer than the terminal would be drawn twice.
fn fit(line: &str, width: usize) -> String {
    line.chars().take(width.saturating_sub(1)).collect()
}

fn width() -> usize {
    let size = terminal_size::terminal_size_of(std::io::stderr());
    size.map_or(WIDTH_ELSEWHERE, |(terminal_size::Width(width), _)| usize::from(width))
}

/// A terminal that is gone does not stop the run.
fn write(text: &str) {
    let mut err = std::io::stderr().lock();
    let _ = err.write_all(text.as_bytes());
    let _ = err.flush();
}
