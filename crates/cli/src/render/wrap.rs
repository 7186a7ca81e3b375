//! Wraps text at the width of a terminal, while it streams in.
//!
//! In: pieces of text, split anywhere, styled or not. Out: the same text with line breaks where a
//! word would not fit. List items are indented below their first word; code fences, tables and
//! words longer than a line pass unchanged.
//!
//! Where the terminal allows it, an incomplete word is shown at once and moves to the next line if
//! it outgrows its own. Elsewhere a word is shown when it is complete.

use std::io::IsTerminal;

use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// The state of one text while it arrives.
#[derive(Debug, Default)]
#[expect(clippy::struct_excessive_bools, reason = "each is a fact about the text so far")]
pub(crate) struct Wrap {
    /// Can the terminal erase a part of a word?
    moves_words: bool,
    /// Cells used in the line, without the gap and the word.
    column: usize,
    /// The indent of wrapped lines.
    hang: usize,
    /// The first characters of the line, which tell its kind.
    head: String,
    /// Does the line have a word?
    is_begun: bool,
    /// Spaces in front of the word.
    gap: usize,
    word: Word,
    escape: Escape,
    in_fence: bool,
    /// Does the line pass unchanged?
    is_verbatim: bool,
}

/// A word that is still being written.
#[derive(Debug, Default)]
struct Word {
    text: String,
    cells: usize,
    /// How much of it is on the terminal, in bytes and in cells.
    shown: usize,
    shown_cells: usize,
}

/// The state of a control sequence; it may be split between pieces.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
enum Escape {
    #[default]
    None,
    Begun,
    Inside,
}

/// How many characters tell the kind of a line.
const HEAD_MAX: usize = 3;
const TAB: usize = 8;

impl Wrap {
    pub(crate) fn new(moves_words: bool) -> Self {
        Self { moves_words, ..Self::default() }
    }

    /// Adds a piece; returns what can be shown on lines of this width.
    pub(crate) fn push(&mut self, piece: &str, columns: usize) -> String {
        // The last cell stays free: terminals differ in where the cursor is after it.
        let limit = columns.saturating_sub(1).max(1);
        let mut shown = String::new();
        for c in piece.chars() {
            self.char(c, limit, &mut shown);
        }
        if self.moves_words {
            self.show_word(limit, &mut shown);
        }
        shown
    }

    /// Returns what is pending; the next piece starts a new text.
    pub(crate) fn finish(&mut self, columns: usize) -> String {
        let mut shown = String::new();
        self.end_word(columns.saturating_sub(1).max(1), &mut shown);
        *self = Self::new(self.moves_words);
        shown
    }

    fn char(&mut self, c: char, limit: usize, shown: &mut String) {
        if self.is_control_sequence(c) {
            return self.word.text.push(c);
        }
        if c == '\n' {
            self.end_word(limit, shown);
            shown.push('\n');
            (self.column, self.hang, self.gap, self.is_begun) = (0, 0, 0, false);
            self.head.clear();
            self.is_verbatim = self.in_fence;
            return;
        }
        self.read_head(c);
        let cells = c.width().unwrap_or(0);
        match c {
            c if self.is_verbatim => self.word.add(c, cells),
            ' ' | '\t' => {
                self.end_word(limit, shown);
                self.gap += if c == '\t' { TAB - (self.column + self.gap) % TAB } else { 1 };
                if self.head.is_empty() {
                    self.hang = self.gap;
                }
            }
            // Lines may break between wide characters, such as Chinese.
            c if cells > 1 => {
                self.end_word(limit, shown);
                self.word.add(c, cells);
                self.end_word(limit, shown);
            }
            c => self.word.add(c, cells),
        }
    }

    /// Control sequences have no width.
    fn is_control_sequence(&mut self, c: char) -> bool {
        self.escape = match (self.escape, c) {
            (Escape::None, '\u{1b}') => Escape::Begun,
            (Escape::Begun, '[') => Escape::Inside,
            (Escape::Inside, '\u{40}'..='\u{7e}') => {
                self.escape = Escape::None;
                return true;
            }
            (Escape::Inside, _) => Escape::Inside,
            (Escape::None | Escape::Begun, _) => Escape::None,
        };
        self.escape != Escape::None
    }

    /// Reads the start of the line.
    fn read_head(&mut self, c: char) {
        if self.head.chars().count() >= HEAD_MAX || (self.head.is_empty() && c.is_whitespace()) {
            return;
        }
        self.head.push(c);
        match self.head.as_str() {
            "|" => self.is_verbatim = true,
            "```" | "~~~" => {
                self.in_fence = !self.in_fence;
                self.is_verbatim = true;
            }
            _ => {}
        }
    }

    /// Shows the word on this line or the next, and starts another.
    fn end_word(&mut self, limit: usize, shown: &mut String) {
        self.show_word(limit, shown);
        if self.word.text.is_empty() {
            return;
        }
        if !self.is_begun
            && let Some(cells) = list_mark(&self.word.text)
        {
            self.hang += cells + 1;
        }
        if self.hang > limit / 2 {
            self.hang = 0;
        }
        // A terminal continues below a full line.
        self.column = (self.column + self.gap + self.word.cells) % (limit + 1);
        (self.gap, self.is_begun) = (0, true);
        self.word = Word::default();
    }

    /// Shows the word so far.
    fn show_word(&mut self, limit: usize, shown: &mut String) {
        let is_first = self.column <= self.hang;
        let fits = self.column + self.gap + self.word.cells <= limit;
        if !fits && !is_first && !self.is_verbatim {
            if self.word.shown_cells > 0 {
                shown.push_str(&format!("\u{1b}[{}D\u{1b}[K", self.word.shown_cells));
            }
            shown.push('\n');
            shown.push_str(&" ".repeat(self.hang));
            (self.column, self.gap) = (self.hang, 0);
            (self.word.shown, self.word.shown_cells) = (0, 0);
        }
        if self.word.shown == 0 && !self.word.text.is_empty() {
            shown.push_str(&" ".repeat(self.gap));
        }
        shown.push_str(&self.word.text[self.word.shown..]);
        (self.word.shown, self.word.shown_cells) = (self.word.text.len(), self.word.cells);
    }
}

impl Word {
    fn add(&mut self, c: char, cells: usize) {
        self.text.push(c);
        self.cells += cells;
    }
}

/// The width of a list marker: `-`, `•` or `12.`.
fn list_mark(word: &str) -> Option<usize> {
    let word = anstream::adapter::strip_str(word).to_string();
    let is_number = |digits: &str| {
        !digits.is_empty() && digits.len() < 4 && digits.bytes().all(|b| b.is_ascii_digit())
    };
    let is_mark = matches!(word.as_str(), "-" | "*" | "+" | "•" | ">")
        || word.strip_suffix(['.', ')']).is_some_and(is_number);
    is_mark.then(|| word.width())
}

/// Wraps a whole text.
pub(crate) fn wrapped(text: &str, columns: Option<usize>) -> String {
    let Some(columns) = columns else { return text.to_owned() };
    let mut wrap = Wrap::default();
    let mut shown = wrap.push(text, columns);
    shown.push_str(&wrap.finish(columns));
    shown
}

/// The width of standard output, if it is a terminal.
pub(crate) fn columns_of_stdout() -> Option<usize> {
    columns(std::io::stdout())
}

/// The width of standard error, if it is a terminal.
pub(crate) fn columns_of_stderr() -> Option<usize> {
    columns(std::io::stderr())
}

fn columns(stream: impl IsTerminal + std::os::fd::AsFd) -> Option<usize> {
    if !stream.is_terminal() {
        return None;
    }
    let (terminal_size::Width(width), _) = terminal_size::terminal_size_of(stream)?;
    // A terminal of unknown width reports 0.
    Some(usize::from(width)).filter(|width| *width > 0)
}

#[cfg(test)]
mod tests;
