//! Breaks text between words at the width of a terminal, while it streams in.
//!
//! In: pieces of text, cut anywhere, with styles or without. Out: the same text with line ends
//! where a word would not fit. Lines of a list go on below their first word; code fences and
//! tables pass as they are, and so does a word that is longer than a line.
//!
//! What has come of a word is shown at once where the terminal can take it back: if the word
//! outgrows its line, it moves to the next one. Elsewhere a word waits for its end. Nothing but
//! a word that is still being written ever moves.

use std::io::IsTerminal;

use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// The state of one text while it arrives.
#[derive(Debug, Default)]
#[expect(clippy::struct_excessive_bools, reason = "each is a fact about the text so far")]
pub(crate) struct Wrap {
    /// Can the terminal take back what it shows of a word?
    moves_words: bool,
    /// Cells used in the line, without the gap and the word.
    column: usize,
    /// Where the following lines of this one begin.
    hang: usize,
    /// The first characters of the line: what kind of line it is.
    head: String,
    /// Has the line a word?
    is_begun: bool,
    /// Spaces in front of the word.
    gap: usize,
    word: Word,
    escape: Escape,
    in_fence: bool,
    /// Does the line pass as it is?
    is_verbatim: bool,
}

/// A word that is still being written.
#[derive(Debug, Default)]
struct Word {
    text: String,
    cells: usize,
    /// How much of the text stands on the terminal, in bytes and in cells.
    shown: usize,
    shown_cells: usize,
}

/// How far a control sequence has come; it may be cut between pieces.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
enum Escape {
    #[default]
    None,
    Begun,
    Inside,
}

/// How many characters tell what kind of line it is.
const HEAD_MAX: usize = 3;
const TAB: usize = 8;

impl Wrap {
    pub(crate) fn new(moves_words: bool) -> Self {
        Self { moves_words, ..Self::default() }
    }

    /// Takes a piece, gives what can be shown of it on lines of so many cells.
    pub(crate) fn push(&mut self, piece: &str, columns: usize) -> String {
        // The last cell stays free: a cursor behind it is on no line for certain.
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

    /// Gives what still waits; the next piece begins a text of its own.
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
            // Between wide characters, as those of Chinese, a line may break anywhere.
            c if cells > 1 => {
                self.end_word(limit, shown);
                self.word.add(c, cells);
                self.end_word(limit, shown);
            }
            c => self.word.add(c, cells),
        }
    }

    /// Styles take no room.
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

    /// Looks at how the line begins.
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

    /// Shows the word on this line or the next, and begins another.
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
        // A terminal goes on below a line that is full.
        self.column = (self.column + self.gap + self.word.cells) % (limit + 1);
        (self.gap, self.is_begun) = (0, true);
        self.word = Word::default();
    }

    /// Shows what has come of the word.
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

/// The width of `-`, `•` or `12.` in front of a list's item.
fn list_mark(word: &str) -> Option<usize> {
    let word = anstream::adapter::strip_str(word).to_string();
    let is_number = |digits: &str| {
        !digits.is_empty() && digits.len() < 4 && digits.bytes().all(|b| b.is_ascii_digit())
    };
    let is_mark = matches!(word.as_str(), "-" | "*" | "+" | "•" | ">")
        || word.strip_suffix(['.', ')']).is_some_and(is_number);
    is_mark.then(|| word.width())
}

/// A whole text, broken at so many cells.
pub(crate) fn wrapped(text: &str, columns: Option<usize>) -> String {
    let Some(columns) = columns else { return text.to_owned() };
    let mut wrap = Wrap::default();
    let mut shown = wrap.push(text, columns);
    shown.push_str(&wrap.finish(columns));
    shown
}

/// How wide standard output is, if it is a terminal.
pub(crate) fn columns_of_stdout() -> Option<usize> {
    columns(std::io::stdout())
}

/// How wide standard error is, if it is a terminal.
pub(crate) fn columns_of_stderr() -> Option<usize> {
    columns(std::io::stderr())
}

fn columns(stream: impl IsTerminal + std::os::fd::AsFd) -> Option<usize> {
    if !stream.is_terminal() {
        return None;
    }
    let (terminal_size::Width(width), _) = terminal_size::terminal_size_of(stream)?;
    // A terminal that does not know its width says 0.
    Some(usize::from(width)).filter(|width| *width > 0)
}

#[cfg(test)]
mod tests;
