//! The estimated cost of a run, before anything is sent.

use contract::{ModelFacts, Usage};
use models::{Cost, PriceTier, cost};
use serde::Serialize;

use super::handle_answer::{SentenceGroup, chunked};
use super::question::numbered;
use super::reuse::without_repeats;
use super::snapshot::Snapshot;
use super::work::{Given, known_sentences};
use crate::model::ask_settings::AskSettings;
use crate::model::prompt::{Hints, ask, expected_output_tokens};

/// What is still to be sent, and its estimated cost.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Estimate {
    /// Sentences to send.
    pub sentences: usize,
    /// Sentences that a model has answered before; they cost nothing.
    pub reused: usize,
    /// Sentences of known words only; they are not sent.
    pub known: usize,
    pub requests: usize,
    pub input_tokens: u64,
    pub output_tokens: u64,
    /// None where no price is known for the model.
    #[serde(serialize_with = "as_dollars")]
    pub cost: Option<Cost>,
}

fn as_dollars<S: serde::Serializer>(cost: &Option<Cost>, to: S) -> Result<S::Ok, S::Error> {
    cost.map(Cost::dollars).serialize(to)
}

/// Bytes per token, with accents and Cyrillic in mind; it overestimates the tokens.
const TOKEN_BYTES: u64 = 3;
/// The definition of the tool in a request.
const SCHEMA_TOKENS: u64 = 500;

pub(crate) fn estimate(
    snapshot: &Snapshot,
    given: &Given,
    facts: &ModelFacts,
    order: PriceTier,
) -> Estimate {
    let reused = given.reusable.of(snapshot);
    let mut known = known_sentences(snapshot, &given.known);
    known.retain(|index| !reused.contains_key(index));
    let mut sentences = without_repeats(snapshot);
    sentences.retain(|index| !reused.contains_key(index) && !known.contains(index));
    let groups = chunked(snapshot, sentences);
    let sent: usize = groups.iter().map(|one| one.sentences.len()).sum();
    let repeated = snapshot.waiting().len() - sent - known.len();
    let mut sum = Usage::default();
    let mut money = Some(Cost::default());
    let mut sentences = 0;
    for group in &groups {
        let usage = expected(snapshot, group, given);
        sentences += group.sentences.len();
        sum += usage;
        if let (Some(all), Some(one)) = (&mut money, cost(facts, &usage, order)) {
            *all += one;
        } else {
            money = None;
        }
    }
    let cost = if groups.is_empty() || facts.provider == "rehearsal" {
        Some(Cost::default())
    } else {
        money
    };
    Estimate {
        sentences,
        reused: repeated,
        known: known.len(),
        requests: groups.len(),
        input_tokens: sum.input,
        output_tokens: sum.output,
        cost,
    }
}

fn expected(snapshot: &Snapshot, group: &SentenceGroup, given: &Given) -> Usage {
    let lines = numbered(snapshot, group, &given.known);
    let known = given.known.within(lines.iter().map(|line| line.text));
    let hints = Hints { known, doubted: false };
    let asked = ask(&snapshot.head.pair(), &lines, &hints, &AskSettings::usual(), 1);
    let prompt =
        asked.map_or(0, |ask| ask.instructions.len() + ask.description.len() + ask.input.len());
    Usage {
        input: prompt as u64 / TOKEN_BYTES + SCHEMA_TOKENS,
        output: expected_output_tokens(&lines),
        ..Usage::default()
    }
}
