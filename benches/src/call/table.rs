//! The lines on which rounds of calls are printed.

use anyhow::Result;

use super::round::{Round, Rounds};
use crate::measure::{cells, ms, per_second, time};

pub(crate) fn heading() {
    let names = ["p50", "p99", "calls/s", "recorded/s"];
    cells("", &names.map(str::to_owned), "");
}

/// The best round at the desk, its standing, and how far the rounds lie apart.
///
/// `recorded/s` counts until the last audit line and note are on the disk.
pub(crate) fn ours(what: &str, rounds: &Rounds, note: &str) -> Result<()> {
    let best = rounds.best()?;
    line(what, rounds, &per_second(best.kept_per_second()), note)
}

/// The best round of a neighbour, who records nothing.
pub(crate) fn theirs(what: &str, rounds: &Rounds, note: &str) -> Result<()> {
    line(what, rounds, "–", note)
}

fn line(what: &str, rounds: &Rounds, recorded: &str, note: &str) -> Result<()> {
    let Round { p50, p99, .. } = rounds.best()?;
    let rate = per_second(rounds.best()?.calls_per_second());
    let [least, most] = rounds.spread(|round| round.p50)?;
    let spread = format!("p50 of the rounds {} to {}", time(least), time(most));
    let note = if note.is_empty() { spread } else { format!("{note}; {spread}") };
    cells(what, &[time(p50), time(p99), rate, recorded.to_owned()], &note);
    Ok(())
}

/// How far the whole rounds lie apart.
pub(crate) fn spread_of_all(rounds: &Rounds) -> Result<String> {
    let [least, most] = rounds.spread(|round| round.answered)?;
    Ok(format!("rounds {} to {}", ms(least), ms(most)))
}
