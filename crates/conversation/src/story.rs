//! A conversation as a Markdown file that people can read and that can be run again.
//!
//! Each event is written twice: in words, and as one line of JSON in a fence marked
//! `json event`. Only the fences are read back, so the text around them may be edited.

use std::fmt::Write;

use contract::Part;

use super::event::{ConversationEvent, EndReason, PartialKind, SettledCall};
use super::turn::prompt::plain;
use super::view::left_out_in_words;

/// A conversation with a title.
#[derive(Debug, Clone, PartialEq)]
pub struct Story {
    pub title: String,
    pub events: Vec<ConversationEvent>,
}

/// Why a file is not a valid story.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum StoryFault {
    #[error("line {line}: the event cannot be read: {because}")]
    Event { line: usize, because: String },
    #[error("line {line}: the code fence is not closed")]
    Open { line: usize },
    #[error("there is no event in it; write one with `ghosthand replay ID --export FILE`")]
    Empty,
    #[error("the first event must be `opened`")]
    NoBeginning,
}

const FENCE: &str = "```json event";

impl Story {
    /// Reads the fences of a file.
    pub fn parse(text: &str) -> Result<Self, StoryFault> {
        let mut lines = text.lines().enumerate();
        let (mut title, mut events) = (String::new(), Vec::new());
        while let Some((at, line)) = lines.next() {
            if let (true, Some(heading)) = (title.is_empty(), line.strip_prefix("# ")) {
                heading.trim().clone_into(&mut title);
            }
            if line.trim_end() != FENCE {
                continue;
            }
            let mut body = String::new();
            loop {
                match lines.next() {
                    Some((_, line)) if line.trim_end() == "```" => break,
                    Some((_, line)) => body.push_str(line),
                    None => return Err(StoryFault::Open { line: at + 1 }),
                }
            }
            let event = serde_json::from_str(&body)
                .map_err(|fault| StoryFault::Event { line: at + 2, because: fault.to_string() })?;
            events.push(event);
        }
        match events.first() {
            None => Err(StoryFault::Empty),
            Some(ConversationEvent::Opened(_)) => Ok(Self { title, events }),
            Some(_) => Err(StoryFault::NoBeginning),
        }
    }

    /// The file.
    pub fn to_markdown(&self) -> String {
        let mut text = format!("# {}\n", self.title);
        for event in &self.events {
            // Writing to a string cannot fail.
            let _ = write!(text, "\n{}", in_words(event));
            let json = serde_json::to_string(event).unwrap_or_default();
            let _ = write!(text, "\n{FENCE}\n{json}\n```\n");
        }
        text
    }
}

/// An event in words.
fn in_words(event: &ConversationEvent) -> String {
    match event {
        ConversationEvent::Opened(opened) => {
            format!("A conversation by {} with {}.\n", opened.mode, opened.model)
        }
        ConversationEvent::SettingsChanged { settings, .. } => match &settings.model {
            Some(model) => format!("A person changed its settings; {model} answers.\n"),
            None => "A person changed its settings.\n".to_owned(),
        },
        ConversationEvent::Said { turn, text, files, .. } => {
            let files = files.iter().map(|file| format!("With the file `{}`.\n", file.name));
            format!("## Turn {turn}\n\n{}{}", quoted(text), files.collect::<String>())
        }
        ConversationEvent::Offered { tools, .. } => {
            let ids: Vec<_> = tools.iter().map(|tool| format!("`{}`", tool.id)).collect();
            format!("The model is offered {}.\n", ids.join(", "))
        }
        ConversationEvent::LeftOut { tools, .. } => format!("{}\n", left_out_in_words(tools)),
        ConversationEvent::Dashboard { text, .. } if text.is_empty() => String::new(),
        ConversationEvent::Dashboard { text, .. } => format!("The dashboard:\n\n{}", quoted(text)),
        ConversationEvent::Replied { reply, .. } => {
            let parts = reply.blocks.iter().filter_map(|block| part_in_words(&block.part));
            parts.collect::<Vec<_>>().join("\n")
        }
        ConversationEvent::Partial { kind: PartialKind::Text, text, .. } => {
            format!("The model has written so far:\n\n{}", quoted(text))
        }
        ConversationEvent::Partial { kind: PartialKind::Thinking, .. } => String::new(),
        ConversationEvent::BrokeOff { .. } => {
            "The answer was interrupted here, and the model is asked again.\n".to_owned()
        }
        ConversationEvent::Streamed { channel, text, .. } => {
            format!("Tool output ({channel}):\n\n{}", quoted(text))
        }
        ConversationEvent::Noticed { text, .. } => {
            format!("Message from a tool:\n\n{}", quoted(text))
        }
        ConversationEvent::Voice { entry, .. } if entry.event.is_arrival() => String::new(),
        ConversationEvent::Voice { entry, .. } => {
            format!("By voice: {}\n", voice::in_words(&entry.event))
        }
        ConversationEvent::Asked { preview, .. } => {
            format!("A person is asked:\n\n{}", quoted(preview))
        }
        ConversationEvent::Questioned { questions, .. } => {
            let asked: Vec<_> = questions.iter().map(|one| one.message.as_str()).collect();
            format!("A tool asks the person:\n\n{}", quoted(&asked.join("\n")))
        }
        ConversationEvent::InDoubt { tool, .. } => format!("The outcome of `{tool}` is unknown.\n"),
        ConversationEvent::Settled { settled, .. } => {
            let SettledCall { call, edited, verdict, content, .. } = settled;
            let edited = edited.as_ref().map(|args| {
                format!("A person changed the arguments of `{}` to `{args}`.\n\n", call.tool)
            });
            format!(
                "{}`{}` ({verdict}) gives\n\n{}",
                edited.unwrap_or_default(),
                call.tool,
                quoted(&plain(content))
            )
        }
        ConversationEvent::Ended { how, .. } => format!("{}\n", end_in_words(how)),
        ConversationEvent::TakenBack { first, last } => {
            format!("The turns {first} to {last} were taken back.\n")
        }
        ConversationEvent::SentAgain { first, last, turn } => {
            format!(
                "The turn {first} was sent again as the turn {turn}, in place of {first} to {last}.\n"
            )
        }
        ConversationEvent::Chosen { turn, .. } => {
            format!("The version that begins with the turn {turn} was chosen.\n")
        }
    }
}

fn part_in_words(part: &Part) -> Option<String> {
    match part {
        Part::Text { text } | Part::Refusal { text } => {
            Some(format!("The model says:\n\n{}", quoted(text)))
        }
        Part::Call(call) => {
            Some(format!("The model calls `{}` with `{}`.\n", call.tool, call.args))
        }
        Part::Thinking { .. }
        | Part::TornCall { .. }
        | Part::Result(_)
        | Part::Other { .. }
        | Part::File(_) => None,
    }
}

fn end_in_words(how: &EndReason) -> String {
    match how {
        EndReason::Answered => "The turn ends with the answer.".to_owned(),
        EndReason::CutOff => "The answer was cut off at the maximum length.".to_owned(),
        EndReason::Refused { text } => format!("The model refused: {text}"),
        EndReason::TooManyRounds => "The rounds of the turn were used up.".to_owned(),
        EndReason::NoAnswer => "The model gave no answer.".to_owned(),
        EndReason::Cancelled => "A person stopped the turn.".to_owned(),
        EndReason::MovedOn => "The person sent another message.".to_owned(),
        EndReason::Failed { fault } => format!("The model failed: {fault}"),
    }
}

/// A text as a block quote, so that nothing in it is parsed as a fence.
fn quoted(text: &str) -> String {
    text.lines().map(|line| format!("> {line}\n")).collect()
}
