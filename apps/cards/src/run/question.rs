//! The request for a group of sentences, with its output limit.
//!
//! Must hold: an answer that was cut off is never asked for with the same limit again, unless
//! the group got smaller or the model gives no more; what was too little is remembered for
//! each sentence.

use contract::ModelFacts;
use emit::Ask;

use super::handle_answer::{AskedWith, LimitStep, SentenceGroup};
use super::known_forms::KnownForms;
use super::snapshot::Snapshot;
use crate::fault::CardsFault;
use crate::model::ask_settings::AskSettings;
use crate::model::prompt::{Hints, NumberedSentence, ask, output_tokens};

/// The highest limit for a model whose own is unknown.
const OUTPUT_TOKENS_UNKNOWN_MAX: u32 = 32_768;

pub(super) struct Question {
    pub ask: Ask,
    pub with: AskedWith,
}

pub(super) fn question(
    snapshot: &Snapshot,
    group: &SentenceGroup,
    known: &KnownForms,
    settings: &AskSettings,
    facts: &ModelFacts,
) -> Result<Question, CardsFault> {
    let lines = numbered(snapshot, group, known);
    let with = asked_with(snapshot, group, &lines, settings, facts);
    let pair = snapshot.head.pair();
    let hints = Hints {
        known: known.within(lines.iter().map(|line| line.text)),
        doubted: group.sentences.iter().any(|index| snapshot.rechecked.contains(index)),
    };
    let ask = ask(&pair, &lines, &hints, settings, with.output_tokens);
    Ok(Question { ask: ask.map_err(CardsFault::Damaged)?, with })
}

/// The sentences of a group as they are sent.
pub(super) fn numbered<'a>(
    snapshot: &'a Snapshot,
    group: &SentenceGroup,
    known: &KnownForms,
) -> Vec<NumberedSentence<'a>> {
    let line = |index: &usize| {
        let text = snapshot.text(*index);
        NumberedSentence { index: *index, text, known_bytes: known.bytes(text) }
    };
    group.sentences.iter().map(line).collect()
}

fn asked_with(
    snapshot: &Snapshot,
    group: &SentenceGroup,
    lines: &[NumberedSentence<'_>],
    settings: &AskSettings,
    facts: &ModelFacts,
) -> AskedWith {
    let most = facts.output_tokens_max.unwrap_or(OUTPUT_TOKENS_UNKNOWN_MAX);
    let usual = settings.output_tokens.unwrap_or_else(|| output_tokens(lines)).min(most);
    let too_little = group.sentences.iter().filter_map(|index| snapshot.cut_at.get(index)).max();
    let too_little = too_little.copied().unwrap_or(0);
    let bump = settings.output_tokens_bump.max(1);
    let wanted = match group.attempt {
        LimitStep::First | LimitStep::Raised => too_little.saturating_mul(bump),
        LimitStep::Split => too_little,
    };
    let output_tokens = usual.max(wanted).min(most);
    AskedWith {
        output_tokens,
        output_tokens_max: if bump == 1 { output_tokens } else { most },
        sentences_min: settings.sentences_min,
    }
}

#[cfg(test)]
mod tests;
