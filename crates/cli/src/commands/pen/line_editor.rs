//! Reads what a person types to Ghostpen: with editing at a terminal, line by line from a pipe.

use rustyline::DefaultEditor;
use rustyline::error::ReadlineError;

use super::context::{has_person, read_plain_line};
use crate::exit::Failure;

pub(super) enum Lines {
    Editor(Box<DefaultEditor>),
    Pipe,
}

impl Lines {
    pub(super) fn open() -> Result<Self, Failure> {
        match has_person() {
            true => Ok(Self::Editor(Box::new(DefaultEditor::new()?))),
            false => Ok(Self::Pipe),
        }
    }

    /// The next line; `None` at the end. Ctrl-C is `exit`.
    pub(super) fn read(&mut self) -> Result<Option<String>, Failure> {
        match self {
            Self::Pipe => read_plain_line(),
            Self::Editor(editor) => match editor.readline("> ") {
                Ok(line) => {
                    // For the arrow keys; a failure does not matter.
                    let _ = editor.add_history_entry(&line);
                    Ok(Some(line))
                }
                Err(ReadlineError::Interrupted) => Ok(Some("exit".to_owned())),
                Err(ReadlineError::Eof) => Ok(None),
                Err(fault) => Err(fault.into()),
            },
        }
    }
}
