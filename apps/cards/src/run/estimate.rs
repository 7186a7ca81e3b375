//! The estimated cost of a run, before anything is sent.

use contract::{ModelFacts, Usage};
use models::{Cost, PriceTier, cost};
use serde::Serialize;

use super::handle_answer::{SentenceGroup, chunked};
use super::reuse::{Reusable, without_repeats};
use super::snapshot::Snapshot;
use crate::model::ask_settings::AskSettings;
use crate::model::prompt::{NumberedSentence, ask, expected_output_tokens};

/// What is still to be sent, and its estimated cost.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Estimate {
    /// Sentences to send.
    pub sentences: usize,
    /// Sentences that a model has answered before; they cost nothing.
    pub reused: usize,
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
    reusable: &Reusable,
    facts: &ModelFacts,
    order: PriceTier,
) -> Estimate {
    let reused = reusable.of(snapshot);
    let mut sentences = without_repeats(snapshot);
    sentences.retain(|index| !reused.contains_key(index));
    let groups = chunked(snapshot, sentences);
    let repeated =
        snapshot.waiting().len() - groups.iter().map(|one| one.sentences.len()).sum::<usize>();
    let mut sum = Usage::default();
    let mut money = Some(Cost::default());
    let mut sentences = 0;
    for group in &groups {
        let usage = expected(snapshot, group);
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
        requests: groups.len(),
        input_tokens: sum.input,
        output_tokens: sum.output,
        cost,
    }
}

fn expected(snapshot: &Snapshot, group: &SentenceGroup) -> Usage {
    let lines: Vec<_> = group
        .sentences
        .iter()
        .map(|index| NumberedSentence { index: *index, text: snapshot.text(*index) })
        .collect();
    let bytes = lines.iter().map(|line| line.text.len()).sum();
    let asked = ask(&snapshot.head.pair(), &lines, &AskSettings::usual(), 1);
    let prompt =
        asked.map_or(0, |ask| ask.instructions.len() + ask.description.len() + ask.input.len());
    Usage {
        input: prompt as u64 / TOKEN_BYTES + SCHEMA_TOKENS,
        output: expected_output_tokens(lines.len(), bytes),
        ..Usage::default()
    }
}
