//! Shows the last lines of a draft while it is written, dimmed.
//!
//! The preview is erased; the draft itself is shown after it is checked. Without a terminal there is
//! no preview.

use std::io::{IsTerminal, Write};
use std::sync::{Mutex, MutexGuard, PoisonError};

use conversation::{ConversationEvent, LiveEvent, SettledCall, TurnObserver};

use crate::render::printer::{cyan, dim, one_line};

const ROWS: usize = 6;
const COLUMNS_ELSEWHERE: usize = 100;

pub(super) struct Preview(Mutex<State>);

struct State {
    is_terminal: bool,
    is_styled: bool,
    text: String,
    rows_drawn: usize,
}

impl Preview {
    pub(super) fn new(is_styled: bool) -> Self {
        let is_terminal = std::io::stderr().is_terminal();
        let state = State { is_terminal, is_styled, text: String::new(), rows_drawn: 0 };
        Self(Mutex::new(state))
    }

    /// Erases the preview.
    pub(super) fn clear(&self) {
        let mut state = self.lock();
        state.clear();
        state.text.clear();
    }

    /// A line about a step of the program.
    pub(super) fn step(&self, name: &str, what: &str) {
        self.lock().step(name, what);
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl TurnObserver for Preview {
    fn live(&self, heard: LiveEvent) {
        let mut state = self.lock();
        match heard {
            LiveEvent::Text(text) => {
                state.text.push_str(&text);
                state.draw();
            }
            LiveEvent::Running { tool, .. } => {
                state.clear();
                state.text.clear();
                state.write(&format!("  {tool} …\n"));
                state.rows_drawn = usize::from(state.is_terminal);
            }
            LiveEvent::Thinking(_)
            | LiveEvent::CallBegun { .. }
            | LiveEvent::Chunk { .. }
            | LiveEvent::Progress { .. }
            | LiveEvent::Message { .. }
            | LiveEvent::Console { .. } => {}
        }
    }

    fn event(&self, event: &ConversationEvent) {
        if let ConversationEvent::Settled { settled, .. } = event {
            let mut state = self.lock();
            state.clear();
            let (name, what) = (settled.call.tool.clone(), summary(settled));
            state.step(&name, &what);
        }
    }
}

/// The result of a call, in a few words.
fn summary(settled: &SettledCall) -> String {
    let content = &settled.content;
    let text = |name: &str| content.get(name).and_then(serde_json::Value::as_str);
    let count = |name: &str| content.get(name).and_then(serde_json::Value::as_array).map(Vec::len);
    match (text("message"), count("posts").or_else(|| count("results"))) {
        (Some(message), _) => one_line(message, 100),
        (None, Some(count)) => format!("{count}"),
        (None, None) if settled.is_error => "–".to_owned(),
        (None, None) => "✓".to_owned(),
    }
}

impl State {
    fn step(&mut self, name: &str, what: &str) {
        self.clear();
        let line = format!("  {} {}\n", cyan(name), dim(what));
        self.write_always(&line);
    }

    /// Redraws the last rows of the text.
    fn draw(&mut self) {
        if !self.is_terminal {
            return;
        }
        self.clear();
        let width = terminal_size::terminal_size_of(std::io::stderr())
            .map_or(COLUMNS_ELSEWHERE, |(terminal_size::Width(width), _)| usize::from(width));
        // Half the width, so that a row fits even if the terminal draws wide characters.
        let width = (width / 2).max(20);
        let mut rows: Vec<String> = Vec::new();
        for line in self.text.lines() {
            let letters: Vec<char> = line.chars().filter(|c| !c.is_control()).collect();
            rows.extend(letters.chunks(width).map(|row| row.iter().collect::<String>()));
        }
        let last = rows.split_off(rows.len().saturating_sub(ROWS));
        let drawn: String = last.iter().map(|row| format!("  {}\n", dim(row))).collect();
        self.write(&drawn);
        self.rows_drawn = last.len();
    }

    fn clear(&mut self) {
        if self.rows_drawn > 0 {
            self.write(&format!("\r\u{1b}[{}A\u{1b}[J", self.rows_drawn));
            self.rows_drawn = 0;
        }
    }

    fn write(&self, text: &str) {
        if self.is_terminal {
            self.write_always(text);
        }
    }

    /// A closed terminal does not stop the draft.
    fn write_always(&self, text: &str) {
        let mut err = std::io::stderr().lock();
        let keep_moves = self.is_styled || text.contains("\u{1b}[J");
        let text = if keep_moves {
            text.to_owned()
        } else {
            anstream::adapter::strip_str(text).to_string()
        };
        let _ = err.write_all(text.as_bytes());
        let _ = err.flush();
    }
}
