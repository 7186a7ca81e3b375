//! What a run will probably cost, before anything is sent.

use contract::{ModelFacts, Usage};
use models::{Cost, Order, cost};
use serde::Serialize;

use super::piece::{Piece, pieces};
use super::record::Record;
use crate::emitted::{Line, ask, expected_output_tokens};

/// What is still to be sent, and what that takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Estimate {
    pub sentences: usize,
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

/// Bytes of a token of text, with accents and Cyrillic in mind: rather too many tokens.
const TOKEN_BYTES: u64 = 3;
/// The definition of the tool in a request.
const SCHEMA_TOKENS: u64 = 500;

pub(crate) fn estimate(record: &Record, facts: &ModelFacts, order: Order) -> Estimate {
    let pieces = pieces(record);
    let mut sum = Usage::default();
    let mut money = Some(Cost::default());
    let mut sentences = 0;
    for piece in &pieces {
        let usage = expected(record, piece);
        sentences += piece.sentences.len();
        sum += usage;
        if let (Some(all), Some(one)) = (&mut money, cost(facts, &usage, order)) {
            *all += one;
        } else {
            money = None;
        }
    }
    let cost = if pieces.is_empty() || facts.provider == "rehearsal" {
        Some(Cost::default())
    } else {
        money
    };
    Estimate {
        sentences,
        requests: pieces.len(),
        input_tokens: sum.input,
        output_tokens: sum.output,
        cost,
    }
}

fn expected(record: &Record, piece: &Piece) -> Usage {
    let lines: Vec<_> = piece
        .sentences
        .iter()
        .map(|index| Line { index: *index, text: record.text(*index) })
        .collect();
    let bytes = lines.iter().map(|line| line.text.len()).sum();
    let asked = ask(&record.head.from, &record.head.to, &lines);
    let prompt =
        asked.map_or(0, |ask| ask.instructions.len() + ask.description.len() + ask.input.len());
    Usage {
        input: prompt as u64 / TOKEN_BYTES + SCHEMA_TOKENS,
        output: expected_output_tokens(lines.len(), bytes),
        ..Usage::default()
    }
}
