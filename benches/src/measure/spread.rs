//! The spread of several runs.

use std::time::Duration;

use anyhow::{Context, Result};

use crate::measure::{row, time};

/// The minimum, median and maximum of several runs.
#[derive(Clone, Copy)]
pub(crate) struct Spread {
    /// The figure that counts: noise only ever adds time.
    pub least: Duration,
    pub middle: Duration,
    pub most: Duration,
}

impl Spread {
    pub(crate) async fn of(
        runs: usize,
        mut work: impl AsyncFnMut() -> Result<Duration>,
    ) -> Result<Self> {
        let mut found = Vec::new();
        for _ in 0..runs {
            found.push(work().await?);
        }
        Self::among(found)
    }

    pub(crate) fn among(mut found: Vec<Duration>) -> Result<Self> {
        found.sort_unstable();
        let at = |place: usize| found.get(place).copied().context("at least one run");
        let last = found.len().saturating_sub(1);
        Ok(Self { least: at(0)?, middle: at(found.len() / 2)?, most: at(last)? })
    }

    /// Each time divided by this number.
    pub(crate) fn per(&self, parts: u32) -> Self {
        let Self { least, middle, most } = *self;
        Self { least: least / parts, middle: middle / parts, most: most / parts }
    }

    pub(crate) fn row(&self, what: &str, note: &str) {
        let [least, middle, most] = [self.least, self.middle, self.most].map(time);
        let spread = format!("runs {least} to {most}, the middle one {middle}");
        let note = if note.is_empty() { spread } else { format!("{note}; {spread}") };
        row(what, &least, &note);
    }
}
