//! The one place that writes to the terminal: data to stdout, talk to stderr.

use std::io::{self, Write};

use anstream::AutoStream;
use clap::ColorChoice;
use clap::builder::styling::{AnsiColor, Style};
use serde::Serialize;

const BOLD: Style = Style::new().bold();
const RED: Style = AnsiColor::Red.on_default().bold();
const CYAN: Style = AnsiColor::Cyan.on_default();
const DIM: Style = Style::new().dimmed();

/// Writes to both streams, with colour where the user wants it.
pub(crate) struct Printer {
    out: AutoStream<io::Stdout>,
    err: AutoStream<io::Stderr>,
}

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
        }
    }

    /// A line of data, for people or for the next program in a pipe.
    pub(crate) fn data(&mut self, line: impl AsRef<str>) -> io::Result<()> {
        writeln!(self.out, "{}", line.as_ref())
    }

    /// Data as JSON, indented.
    pub(crate) fn json(&mut self, value: &impl Serialize) -> io::Result<()> {
        let text = serde_json::to_string_pretty(value).map_err(io::Error::other)?;
        self.data(text)
    }

    /// A line of talk: progress, sums, advice.
    pub(crate) fn say(&mut self, line: impl AsRef<str>) -> io::Result<()> {
        writeln!(self.err, "{}", line.as_ref())
    }

    /// A failure: what, why, and what to do.
    pub(crate) fn failure(&mut self, what: &anyhow::Error, fix: Option<&str>) -> io::Result<()> {
        writeln!(self.err, "{RED}error{RED:#}: {what}")?;
        for cause in what.chain().skip(1) {
            writeln!(self.err, "  because: {cause}")?;
        }
        match fix {
            Some(fix) => writeln!(self.err, "  {BOLD}fix{BOLD:#}: {fix}"),
            None => Ok(()),
        }
    }

    /// Does the person see styles?
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

pub(crate) fn bold(text: impl std::fmt::Display) -> String {
    format!("{BOLD}{text}{BOLD:#}")
}

pub(crate) fn cyan(text: impl std::fmt::Display) -> String {
    format!("{CYAN}{text}{CYAN:#}")
}

pub(crate) fn red(text: impl std::fmt::Display) -> String {
    format!("{RED}{text}{RED:#}")
}

/// A text on one line, cut to so many characters.
pub(crate) fn one_line(text: &str, characters_max: usize) -> String {
    let mut line: String = text.split_whitespace().collect::<Vec<_>>().join(" ");
    if line.chars().count() > characters_max {
        line = line.chars().take(characters_max.saturating_sub(1)).collect();
        line.push('…');
    }
    line
}

pub(crate) fn dim(text: impl std::fmt::Display) -> String {
    format!("{DIM}{text}{DIM:#}")
}

/// `1 tool`, `2 tools`.
pub(crate) fn count(number: usize, noun: &str) -> String {
    match number {
        1 => format!("1 {noun}"),
        number => format!("{number} {noun}s"),
    }
}
