//! Cards without a model: each word becomes a card that says it is only a rehearsal.
//!
//! It needs no key and no network, and shows what a run does; its cards have no
//! translations. Must hold: the same request gives the same answer.

use std::collections::BTreeSet;

use contract::{
    Block, Deltas, FaultKind, Model, ModelFacts, ModelFault, Part, Reply, ReplyFuture, Request,
    Rung, StopReason, StructuredReply, Usage,
};
use serde_json::{Value, json};
use unicode_segmentation::UnicodeSegmentation;

/// A model that needs no key and no network.
#[derive(Debug)]
pub struct OfflineModel {
    facts: ModelFacts,
}

/// The translation on its cards.
pub const REHEARSED: &str = "(rehearsal)";

impl Default for OfflineModel {
    fn default() -> Self {
        let facts = ModelFacts {
            provider: "rehearsal".to_owned(),
            model: "cards".to_owned(),
            wire: None,
            rungs: vec![Rung::Native],
            output_tokens_max: None,
        };
        Self { facts }
    }
}

impl Model for OfflineModel {
    fn facts(&self) -> &ModelFacts {
        &self.facts
    }

    fn ask<'a>(&'a self, request: &'a Request, _deltas: Deltas<'a>) -> ReplyFuture<'a> {
        Box::pin(async move {
            let first = request.messages.first().and_then(|message| message.blocks.first());
            let Some(Block { part: Part::Text { text }, .. }) = first else {
                return Err(no_text());
            };
            let answer = json!({ "flashcards": cards(text) });
            Ok(Reply {
                blocks: vec![Block::text(answer.to_string())],
                stop: StopReason::EndTurn,
                usage: Usage::default(),
                model: "rehearsal".to_owned(),
                shaped: Some(StructuredReply::Whole(answer)),
            })
        })
    }
}

fn cards(input: &str) -> Vec<Value> {
    let mut cards = Vec::new();
    for line in input.lines() {
        let numbered = line.strip_prefix('[').and_then(|line| line.split_once("] "));
        let Some((number, sentence)) = numbered else { continue };
        let Ok(sid) = number.parse::<u32>() else { continue };
        let mut seen = BTreeSet::new();
        for word in sentence.unicode_words().filter(|word| word.chars().any(char::is_alphabetic)) {
            if seen.insert(word.to_lowercase()) {
                cards.push(json!({
                    "base_form": word.to_lowercase(), "base_translation": REHEARSED,
                    "unit": "word", "visible": true,
                    "contexts": [{ "sid": sid, "translation": REHEARSED,
                                   "forms": [{ "form": word, "translation": REHEARSED }] }],
                }));
            }
        }
    }
    cards
}

fn no_text() -> ModelFault {
    ModelFault {
        kind: FaultKind::BadRequest,
        message: "the rehearsal reads text only".to_owned(),
        fix: "send sentences".to_owned(),
        status: None,
        retry_after: None,
    }
}
