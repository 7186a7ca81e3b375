//! Writes to the terminal: data to stdout, messages to stderr.

use std::fmt::Display;
use std::io::{self, Write};
use std::sync::{Mutex, PoisonError};

use anstream::AutoStream;
use clap::ColorChoice;
use clap::builder::styling::{AnsiColor, Style};
use pen::Lang;
use serde::Serialize;
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

use crate::render::wrap::{Wrap, columns_of_stderr, columns_of_stdout, wrapped};

const BOLD: Style = Style::new().bold();
const RED: Style = AnsiColor::Red.on_default().bold();
const CYAN: Style = AnsiColor::Cyan.on_default();
const DIM: Style = Style::new().dimmed();

/// Writes to both streams, with or without colour.
pub(crate) struct Printer {
    out: AutoStream<io::Stdout>,
    err: AutoStream<io::Stderr>,
    labels: FaultLabels,
}

/// The words around a failure.
#[derive(Debug, Clone, Copy)]
struct FaultLabels {
    error: &'static str,
    because: &'static str,
    fix: &'static str,
}

const ENGLISH: FaultLabels = FaultLabels { error: "error", because: "because", fix: "fix" };

impl Printer {
    pub(crate) fn new(color: ColorChoice) -> Self {
        let choice = match color {
            ColorChoice::Auto => anstream::ColorChoice::Auto,
            ColorChoice::Always => anstream::ColorChoice::Always,
            ColorChoice::Never => anstream::ColorChoice::Never,
        };
        Self {
            out: AutoStream::new(io::stdout(), choice),
            err: AutoStream::new(io::stderr(), choice),
            labels: ENGLISH,
        }
    }

    /// Failures are labelled in this language from now on.
    pub(crate) fn say_faults_in(&mut self, lang: Lang) {
        self.labels = FaultLabels {
            error: lang.say("label.error"),
            because: lang.say("label.because"),
            fix: lang.say("label.fix"),
        };
    }

    /// A line of data, for people or for a pipe.
    pub(crate) fn data(&mut self, line: impl AsRef<str>) -> io::Result<()> {
        end_stream();
        writeln!(self.out, "{}", line.as_ref())
    }

    /// Data as JSON, indented.
    pub(crate) fn json(&mut self, value: &impl Serialize) -> io::Result<()> {
        let text = serde_json::to_string_pretty(value).map_err(io::Error::other)?;
        self.data(text)
    }

    /// JSON text as it is; indented and wrapped if it does not fit a line of the terminal.
    pub(crate) fn json_text(&mut self, text: &str) -> io::Result<()> {
        let columns = columns_of_stdout().filter(|columns| text.width() >= *columns);
        let value = columns.and_then(|_| serde_json::from_str::<serde_json::Value>(text).ok());
        match value {
            Some(value) => self.data(wrapped(&format!("{value:#}"), columns)),
            None => self.data(text),
        }
    }

    /// A message: progress, totals, advice. It is wrapped at the width of a terminal.
    pub(crate) fn message(&mut self, line: impl AsRef<str>) -> io::Result<()> {
        self.message_as_is(wrapped(line.as_ref(), columns_of_stderr()))
    }

    /// A message that is already laid out.
    pub(crate) fn message_as_is(&mut self, text: impl AsRef<str>) -> io::Result<()> {
        end_stream();
        writeln!(self.err, "{}", text.as_ref())
    }

    /// A failure: what, why, and what to do.
    pub(crate) fn failure(&mut self, what: &anyhow::Error, fix: Option<&str>) -> io::Result<()> {
        let FaultLabels { error, because, fix: label } = self.labels;
        self.message(format!("{RED}{error}{RED:#}: {what}"))?;
        for cause in what.chain().skip(1) {
            self.message(format!("  {because}: {cause}"))?;
        }
        match fix {
            Some(fix) => self.message(format!("  {BOLD}{label}{BOLD:#}: {fix}")),
            None => Ok(()),
        }
    }

    /// Is output styled?
    pub(crate) fn is_styled(&self) -> bool {
        match self.out.current_choice() {
            anstream::ColorChoice::Never => false,
            anstream::ColorChoice::Auto
            | anstream::ColorChoice::Always
            | anstream::ColorChoice::AlwaysAnsi => true,
        }
    }

    pub(crate) fn out(&mut self) -> &mut dyn Write {
        &mut self.out
    }
}

pub(crate) fn bold(text: impl Display) -> String {
    format!("{BOLD}{text}{BOLD:#}")
}

pub(crate) fn cyan(text: impl Display) -> String {
    format!("{CYAN}{text}{CYAN:#}")
}

pub(crate) fn red(text: impl Display) -> String {
    format!("{RED}{text}{RED:#}")
}

/// A text on one line, cut to a width in cells.
pub(crate) fn one_line(text: &str, cells_max: usize) -> String {
    let line: String = text.split_whitespace().collect::<Vec<_>>().join(" ");
    if line.width() <= cells_max {
        return line;
    }
    let mut cut = String::new();
    for c in line.chars() {
        if cut.width() + c.width().unwrap_or(0) >= cells_max {
            break;
        }
        cut.push(c);
    }
    cut.push('…');
    cut
}

/// The text that a handler streams to standard error.
static STREAM: Mutex<Stream> = Mutex::new(Stream { wrap: None, is_open: false });

struct Stream {
    wrap: Option<Wrap>,
    /// Is its last line unfinished?
    is_open: bool,
}

/// Appends a piece of streamed text. A closed terminal does not stop the handler.
pub(crate) fn stream(piece: &str) {
    let mut stream = STREAM.lock().unwrap_or_else(PoisonError::into_inner);
    let shown = match columns_of_stderr() {
        Some(columns) => stream.wrap.get_or_insert_with(stream_wrap).push(piece, columns),
        None => piece.to_owned(),
    };
    if let Some(last) = piece.chars().next_back() {
        stream.is_open = last != '\n';
    }
    let mut err = io::stderr().lock();
    let _ = err.write_all(shown.as_bytes()).and_then(|()| err.flush());
}

/// Moves words only on terminals with colour: they support control sequences.
fn stream_wrap() -> Wrap {
    let choice = AutoStream::choice(&io::stderr());
    Wrap::new(choice != anstream::ColorChoice::Never)
}

/// Ends the line of a streamed text, so that another message can follow.
pub(crate) fn end_stream() {
    let mut stream = STREAM.lock().unwrap_or_else(PoisonError::into_inner);
    let rest = match (stream.wrap.take(), columns_of_stderr()) {
        (Some(mut wrap), Some(columns)) => wrap.finish(columns),
        _ => String::new(),
    };
    let end = if std::mem::take(&mut stream.is_open) { "\n" } else { "" };
    if !rest.is_empty() || !end.is_empty() {
        let _ = write!(io::stderr(), "{rest}{end}");
    }
}

pub(crate) fn dim(text: impl Display) -> String {
    format!("{DIM}{text}{DIM:#}")
}

/// `1 tool`, `2 tools`. The noun is singular, and takes an `s`.
pub(crate) fn count<N: Display + PartialEq + From<u8> + Copy>(number: N, noun: &str) -> String {
    let ending = if number == N::from(1) { "" } else { "s" };
    format!("{number} {noun}{ending}")
}
