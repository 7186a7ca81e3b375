//! The request for a group of sentences, with its output limit.
//!
//! Must hold: an answer that was cut off is never asked for with the same limit again, unless
//! the group got smaller or the model gives no more; what was too little is remembered for
//! each sentence.

use contract::ModelFacts;
use emit::Ask;

use super::handle_answer::{AskedWith, LimitStep, SentenceGroup};
use super::snapshot::Snapshot;
use crate::fault::CardsFault;
use crate::model::ask_settings::AskSettings;
use crate::model::prompt::{NumberedSentence, ask, output_tokens};

/// The highest limit for a model whose own is unknown.
const OUTPUT_TOKENS_UNKNOWN_MAX: u32 = 32_768;

pub(super) struct Question {
    pub ask: Ask,
    pub with: AskedWith,
}

pub(super) fn question(
    snapshot: &Snapshot,
    group: &SentenceGroup,
    settings: &AskSettings,
    facts: &ModelFacts,
) -> Result<Question, CardsFault> {
    let line = |index: &usize| NumberedSentence { index: *index, text: snapshot.text(*index) };
    let lines: Vec<_> = group.sentences.iter().map(line).collect();
    let with = asked_with(snapshot, group, &lines, settings, facts);
    let pair = snapshot.head.pair();
    let ask = ask(&pair, &lines, settings, with.output_tokens).map_err(CardsFault::Damaged)?;
    Ok(Question { ask, with })
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
