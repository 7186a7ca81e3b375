//! Reads what a person types: with editing and history at a terminal, line by line from a pipe.

use std::io::{BufRead, IsTerminal};
use std::path::PathBuf;

use rustyline::error::ReadlineError;
use rustyline::{Behavior, Config, DefaultEditor};

use crate::exit::Failure;

/// The result of reading a line.
pub(super) enum Input {
    Line(String),
    Interrupted,
    End,
}

pub(super) enum Prompt {
    Editor { editor: Box<DefaultEditor>, history: PathBuf, mark: &'static str },
    Pipe,
}

/// The file with the input history.
const HISTORY_FILE: &str = ".ghosthand/chat-history";

impl Prompt {
    pub(super) fn new(is_styled: bool) -> Result<Self, Failure> {
        if !std::io::stdin().is_terminal() {
            return Ok(Self::Pipe);
        }
        // The terminal itself, so that a question is seen where the answer goes into a file.
        let config = Config::builder().behavior(Behavior::PreferTerm).build();
        let mut editor = DefaultEditor::with_config(config)?;
        let history = crate::config::project::root().join(HISTORY_FILE);
        // A first conversation has none.
        let _ = editor.load_history(&history);
        let mark = if is_styled { "\u{1b}[1m>\u{1b}[0m " } else { "> " };
        Ok(Self::Editor { editor: Box::new(editor), history, mark })
    }

    pub(super) fn read(&mut self) -> Result<Input, Failure> {
        match self {
            Self::Pipe => {
                let mut line = String::new();
                match std::io::stdin().lock().read_line(&mut line)? {
                    0 => Ok(Input::End),
                    _ => Ok(Input::Line(line.trim_end().to_owned())),
                }
            }
            Self::Editor { editor, history, mark } => match to_input(editor.readline(*mark))? {
                Input::Line(line) => {
                    let kept = editor.add_history_entry(&line).is_ok();
                    if kept && let Err(fault) = editor.save_history(history) {
                        tracing::debug!(%fault, "the history is not kept");
                    }
                    Ok(Input::Line(line))
                }
                other @ (Input::Interrupted | Input::End) => Ok(other),
            },
        }
    }

    /// Whether somebody is there to answer.
    pub(super) fn can_ask(&self) -> bool {
        matches!(self, Self::Editor { .. })
    }

    /// Asks a question with a preset answer; `None` in a pipe, where nobody can answer.
    pub(super) fn ask(&mut self, question: &str, first: &str) -> Result<Option<Input>, Failure> {
        match self {
            Self::Pipe => Ok(None),
            Self::Editor { editor, .. } => {
                to_input(editor.readline_with_initial(question, (first, ""))).map(Some)
            }
        }
    }
}

fn to_input(read: Result<String, ReadlineError>) -> Result<Input, Failure> {
    match read {
        Ok(line) => Ok(Input::Line(line)),
        Err(ReadlineError::Interrupted) => Ok(Input::Interrupted),
        Err(ReadlineError::Eof) => Ok(Input::End),
        Err(fault) => Err(fault.into()),
    }
}
