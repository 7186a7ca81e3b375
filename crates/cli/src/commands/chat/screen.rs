//! What a person sees while an answer comes: text on standard output, steps beside it.
//!
//! A step is one line. On a terminal it says `running` and becomes `done`; elsewhere it is
//! printed once, when it has ended.

use std::collections::BTreeMap;
use std::io::{IsTerminal, Write};
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::call_line;
use crate::render::artifacts;
use crate::render::markdown::Markdown;
use crate::render::printer::{cyan, dim, one_line};
use crate::render::wrap::{Wrap, columns_of_stderr, columns_of_stdout, wrapped};
use contract::{Call, CallId, Channel, Part};
use conversation::{ConversationEvent, LiveEvent, SettledCall, TurnObserver, left_out_in_words};
use unicode_width::UnicodeWidthStr;

pub(super) struct Screen(Mutex<State>);

struct State {
    is_styled: bool,
    /// May a line be drawn over?
    redraws: bool,
    markdown: Markdown,
    wrap: Wrap,
    /// Has the answer's last line an end?
    at_line_start: bool,
    /// A step that is drawn as running, without a line end.
    running: Option<CallId>,
    calls: BTreeMap<CallId, Call>,
}

/// How much of a note a progress line shows.
const NOTE_WIDTH: usize = 60;
/// How much of a note is shown below a step.
const NOTE_MAX: usize = 160;

impl Screen {
    pub(super) fn new(is_styled: bool) -> Self {
        Self(Mutex::new(State {
            is_styled,
            redraws: is_styled && std::io::stderr().is_terminal(),
            markdown: Markdown::default(),
            wrap: Wrap::new(is_styled),
            at_line_start: true,
            running: None,
            calls: BTreeMap::new(),
        }))
    }

    /// Ends whatever line is open.
    pub(super) fn close(&self) {
        let mut state = self.lock();
        state.end_running();
        state.end_text();
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl TurnObserver for Screen {
    fn live(&self, heard: LiveEvent) {
        let mut state = self.lock();
        match heard {
            LiveEvent::Text(text) => state.text(&text),
            LiveEvent::Running { call, tool } => state.running(call, &tool),
            LiveEvent::Chunk { chunk, .. } => match chunk.channel {
                Channel::Assistant => state.text(&chunk.text),
                Channel::System => state.aside(&chunk.text),
                // For the model only.
                Channel::Context => {}
            },
            LiveEvent::Progress { fraction, note, .. } => state.progress(fraction, note.as_deref()),
            LiveEvent::Message { message, .. } => state.aside(&message.to_string()),
            LiveEvent::Console { text, .. } => state.aside(&text),
            LiveEvent::Thinking(_) | LiveEvent::CallBegun { .. } => {}
        }
    }

    fn event(&self, event: &ConversationEvent) {
        let mut state = self.lock();
        match event {
            ConversationEvent::Replied { reply, .. } => {
                for block in &reply.blocks {
                    if let Part::Call(call) = &block.part {
                        state.calls.insert(call.id.clone(), call.clone());
                    }
                }
                state.end_text();
            }
            ConversationEvent::Settled { settled, .. } => state.settled(settled),
            ConversationEvent::Asked { call, .. }
            | ConversationEvent::Questioned { call, .. }
            | ConversationEvent::InDoubt { call, .. } => state.waits(call),
            ConversationEvent::LeftOut { tools, .. } => state.aside(&left_out_in_words(tools)),
            ConversationEvent::BrokeOff { .. } => {
                state.aside("(the previous answer was cut off; asking the model again)");
            }
            ConversationEvent::Opened(_)
            | ConversationEvent::SettingsChanged { .. }
            | ConversationEvent::Said { .. }
            | ConversationEvent::Offered { .. }
            | ConversationEvent::Dashboard { .. }
            | ConversationEvent::Partial { .. }
            | ConversationEvent::Streamed { .. }
            | ConversationEvent::Noticed { .. }
            | ConversationEvent::Voice { .. }
            | ConversationEvent::Ended { .. }
            | ConversationEvent::TakenBack { .. }
            | ConversationEvent::SentAgain { .. }
            | ConversationEvent::Chosen { .. } => {}
        }
    }
}

impl State {
    fn text(&mut self, text: &str) {
        self.end_running();
        let shown = match self.is_styled {
            true => self.markdown.push(text),
            false => text.to_owned(),
        };
        let shown = match columns_of_stdout() {
            Some(columns) => self.wrap.push(&shown, columns),
            None => shown,
        };
        if let Some(last) = text.chars().next_back() {
            self.at_line_start = last == '\n';
        }
        write_out(&shown);
    }

    fn end_text(&mut self) {
        let mut rest = if self.is_styled { self.markdown.finish() } else { String::new() };
        if let Some(columns) = columns_of_stdout() {
            rest = self.wrap.push(&rest, columns) + &self.wrap.finish(columns);
        }
        let end = if self.at_line_start { "" } else { "\n" };
        self.at_line_start = true;
        write_out(&format!("{rest}{end}"));
    }

    fn running(&mut self, call: CallId, tool: &str) {
        self.end_text();
        self.end_running();
        if self.redraws {
            let args = self.calls.get(&call).map(|call| &call.args);
            write_err(&self.paint(&call_line::running(width(), tool, args)));
            self.running = Some(call);
        }
    }

    fn progress(&mut self, fraction: f64, note: Option<&str>) {
        if let (true, Some(call)) = (self.redraws, &self.running) {
            let tool = self.calls.get(call).map_or("", |call| call.tool.as_str());
            // The line is drawn over, so it must stay one line.
            let left = width().saturating_sub(tool.width() + "  100 %  ".len() + 1);
            let note = note.map(|note| one_line(note, NOTE_WIDTH.min(left))).unwrap_or_default();
            let line = format!("\r\u{1b}[2K  {} {:>3.0} % {note}", cyan(tool), fraction * 100.0);
            write_err(&line);
        }
    }

    /// A line beside the answer.
    fn aside(&mut self, text: &str) {
        self.end_running();
        self.end_text();
        for line in text.trim_end().lines() {
            self.beside("  ", line);
        }
    }

    /// The step's one line, over the one that said `running` if that is still there. Nothing
    /// else is ever drawn over: what a tool or the model said stays.
    fn settled(&mut self, settled: &SettledCall) {
        match self.running.take() {
            Some(running) if running == settled.call.id => write_err("\r\u{1b}[2K"),
            Some(_) => write_err("\n"),
            None => {}
        }
        self.end_text();
        write_err(&self.paint(&format!("{}\n", call_line::settled(width(), settled))));
        for note in &settled.notes {
            self.beside("    ", &one_line(note, NOTE_MAX));
        }
        for artifact in &settled.artifacts {
            let how = format!("/save {} writes it", artifact.name);
            self.beside("    ", &artifacts::line(artifact, &how));
        }
    }

    /// Words beside the answer, broken at the terminal's width.
    fn beside(&self, indent: &str, text: &str) {
        let line = wrapped(&format!("{indent}{}", dim(text)), columns_of_stderr());
        write_err(&self.paint(&format!("{line}\n")));
    }

    /// A call that waits for a person is not running.
    fn waits(&mut self, call: &CallId) {
        if self.running.as_ref() == Some(call) {
            self.running = None;
            write_err("\r\u{1b}[2K");
        }
    }

    fn end_running(&mut self) {
        if self.running.take().is_some() {
            write_err("\n");
        }
    }

    fn paint(&self, line: &str) -> String {
        match self.is_styled {
            true => line.to_owned(),
            false => anstream::adapter::strip_str(line).to_string(),
        }
    }
}

/// How wide a line may be.
fn width() -> usize {
    columns_of_stderr().unwrap_or(call_line::WIDTH_ELSEWHERE)
}

/// A terminal that is gone does not stop the answer; the log has it.
fn write_out(text: &str) {
    let mut out = std::io::stdout().lock();
    let _ = out.write_all(text.as_bytes());
    let _ = out.flush();
}

fn write_err(text: &str) {
    let mut err = std::io::stderr().lock();
    let _ = err.write_all(text.as_bytes());
    let _ = err.flush();
}
