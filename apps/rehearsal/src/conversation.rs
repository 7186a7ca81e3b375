//! The state of a conversation, read from its messages.
//!
//! In: the messages of a request. Out: the person's last message, the results to report, the
//! question that waits for an answer. Must hold: all state is in the messages, so that the same
//! request always gets the same answer.

use contract::{CallResult, Message, Part, Role, ToolOffer};

use crate::reply::phrases::introduces;
use crate::text::language::{Language, language_of};

pub(crate) struct Conversation<'a> {
    messages: &'a [Message],
}

/// A question and its answers so far.
#[derive(Debug, PartialEq)]
pub(crate) struct Waiting<'a> {
    pub offer: &'a ToolOffer,
    /// The message that led to the first question.
    pub request: String,
    /// Each answer with the names it was asked for, the newest last.
    pub answers: Vec<(Vec<String>, String)>,
}

/// How many questions in a row are remembered.
const QUESTIONS_MAX: usize = 16;

impl<'a> Conversation<'a> {
    pub(crate) fn of(messages: &'a [Message]) -> Self {
        Self { messages }
    }

    /// The results in the last message, to be reported.
    pub(crate) fn results(&self) -> Vec<&'a CallResult> {
        let last = self.messages.last().filter(|message| message.role == Role::User);
        let blocks = last.map_or(&[][..], |message| message.blocks.as_slice());
        blocks.iter().filter_map(|block| block.part.result()).collect()
    }

    /// The person's last message.
    pub(crate) fn text(&self) -> String {
        self.texts_back().next().map(|(_, text)| text).unwrap_or_default()
    }

    /// The person's messages with text, newest first, each with its place.
    fn texts_back(&self) -> impl Iterator<Item = (usize, String)> {
        let user = |(_, message): &(usize, &Message)| message.role == Role::User;
        let text = |(at, message): (usize, &Message)| {
            Some((at, text_in(message))).filter(|(_, text)| !text.is_empty())
        };
        self.messages.iter().enumerate().rev().filter(user).filter_map(text)
    }

    pub(crate) fn language(&self) -> Language {
        self.texts_back().find_map(|(_, text)| language_of(&text)).unwrap_or(Language::English)
    }

    pub(crate) fn calls_made(&self) -> usize {
        let blocks = self.messages.iter().flat_map(|message| &message.blocks);
        blocks.filter(|block| matches!(block.part, Part::Call(_) | Part::TornCall { .. })).count()
    }

    pub(crate) fn is_introduced(&self) -> bool {
        let has_introduction =
            |message: &Message| message.role == Role::Assistant && introduces(&text_of(message));
        self.messages.iter().any(has_introduction)
    }

    /// The question that the last message answers.
    pub(crate) fn waiting<'b>(&self, offers: &'b [ToolOffer]) -> Option<Waiting<'b>> {
        let mut texts = self.texts_back();
        let (mut at, mut text) = texts.next()?;
        let mut waiting: Option<Waiting<'b>> = None;
        for (before, earlier) in texts.take(QUESTIONS_MAX) {
            let between = self.messages.get(before + 1..at).unwrap_or_default();
            let Some((offer, names)) = question(between, offers) else { break };
            if waiting.as_ref().is_some_and(|waiting| waiting.offer.id != offer.id) {
                break;
            }
            let asked = waiting.get_or_insert(Waiting {
                offer,
                request: String::new(),
                answers: Vec::new(),
            });
            asked.answers.insert(0, (names, text));
            asked.request.clone_from(&earlier);
            (at, text) = (before, earlier);
        }
        waiting
    }
}

/// The tool and the fields that our messages between two of the person's asked for.
fn question<'a>(
    between: &[Message],
    offers: &'a [ToolOffer],
) -> Option<(&'a ToolOffer, Vec<String>)> {
    let [only] = between else { return None };
    let calls = only.blocks.iter().any(|block| matches!(block.part, Part::Call(_)));
    if only.role != Role::Assistant || calls {
        return None;
    }
    let text = text_of(only);
    let asked = text.split("\n\n").next().filter(|first| first.ends_with('?'))?;
    let mut names = asked.split('`').skip(1).step_by(2);
    let tool = names.next()?;
    let offer = offers.iter().find(|offer| offer.id.as_str() == tool)?;
    let names: Vec<String> = names.map(str::to_owned).collect();
    (!names.is_empty()).then_some((offer, names))
}

/// The person's own text: the first text of a message. Text after it, or beside results of
/// calls, is from the host.
fn text_in(message: &Message) -> String {
    let has_results = message.blocks.iter().any(|block| matches!(block.part, Part::Result(_)));
    if has_results {
        return String::new();
    }
    let first = message.blocks.iter().find_map(|block| block.part.text());
    first.unwrap_or_default().trim().to_owned()
}

fn text_of(message: &Message) -> String {
    let texts: Vec<&str> = message.blocks.iter().filter_map(|block| block.part.text()).collect();
    texts.join("\n").trim().to_owned()
}
