//! Prints rounds of calls as a table.

use anyhow::Result;

use crate::measure::rounds::{Round, Rounds};
use crate::measure::{cells, ms, per_second, time};

pub(crate) fn heading() {
    let names = ["p50", "p99", "calls/s", "recorded/s"];
    cells("", &names.map(str::to_owned), "");
}

/// The best round with the engine, its relation to the target, and the spread of the rounds.
///
/// `recorded/s` counts until the last audit line and note are on disk.
pub(crate) fn ours(what: &str, rounds: &Rounds, note: &str) -> Result<()> {
    let best = rounds.best()?;
    line(what, rounds, &per_second(best.kept_per_second()), note)
}

/// The best round of a peer, which records nothing.
pub(crate) fn theirs(what: &str, rounds: &Rounds, note: &str) -> Result<()> {
    line(what, rounds, "–", note)
}

/// The heading for peers without records.
pub(crate) fn plain_heading() {
    cells("", &["p50", "p99", "calls/s"].map(str::to_owned), "");
}

/// The best round without records.
pub(crate) fn plain(what: &str, rounds: &Rounds, note: &str) -> Result<()> {
    cells(what, &figures(&rounds.best()?), &with_spread(rounds, note)?);
    Ok(())
}

fn line(what: &str, rounds: &Rounds, recorded: &str, note: &str) -> Result<()> {
    let mut figures = figures(&rounds.best()?).to_vec();
    figures.push(recorded.to_owned());
    cells(what, &figures, &with_spread(rounds, note)?);
    Ok(())
}

fn figures(round: &Round) -> [String; 3] {
    [time(round.p50), time(round.p99), per_second(round.calls_per_second())]
}

fn with_spread(rounds: &Rounds, note: &str) -> Result<String> {
    let [least, most] = rounds.spread(|round| round.p50)?;
    let spread = format!("p50 of the rounds {} to {}", time(least), time(most));
    Ok(if note.is_empty() { spread } else { format!("{note}; {spread}") })
}

/// The spread of the rounds.
pub(crate) fn spread_of_all(rounds: &Rounds) -> Result<String> {
    let [least, most] = rounds.spread(|round| round.answered)?;
    Ok(format!("rounds {} to {}", ms(least), ms(most)))
}
