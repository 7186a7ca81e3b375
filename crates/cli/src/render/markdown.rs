//! Styles Markdown for a terminal while it streams in; nothing is redrawn.
//!
//! In: pieces of text, split anywhere. Out: the same text with styles instead of markup. Markup that
//! may be incomplete waits for the next piece. Without colour, the text passes unchanged.

use clap::builder::styling::{AnsiColor, Effects, Style};

/// The state of one text while it arrives.
#[derive(Debug, Default)]
#[expect(clippy::struct_excessive_bools, reason = "each is a mark that is open or not")]
pub(crate) struct Markdown {
    /// Markup that may continue in the next piece.
    pending: String,
    line: LineState,
    is_bold: bool,
    is_italic: bool,
    is_code: bool,
    in_fence: bool,
}

/// What kind of line this is, so far.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
enum LineState {
    /// Only spaces so far.
    #[default]
    Start,
    Heading,
    Plain,
    /// The line that opens or closes a fence.
    Fence,
}

const HEADING: Style = Style::new().bold().underline();
const CODE: Style = AnsiColor::Cyan.on_default();
const FENCE: Style = Style::new().dimmed();

impl Markdown {
    /// Adds a piece; returns what can be shown.
    pub(crate) fn push(&mut self, piece: &str) -> String {
        let mut shown = String::new();
        for c in piece.chars() {
            self.char(c, &mut shown);
        }
        shown
    }

    /// Returns what is pending, and resets the style.
    pub(crate) fn finish(&mut self) -> String {
        let mut shown = String::new();
        self.marks(None, &mut shown);
        if self.style() != Style::new() {
            shown.push_str("\u{1b}[0m");
        }
        *self = Self::default();
        shown
    }

    fn char(&mut self, c: char, shown: &mut String) {
        let is_mark = match self.line {
            LineState::Fence => false,
            LineState::Start => matches!(c, '*' | '_' | '`' | '#'),
            LineState::Heading | LineState::Plain => matches!(c, '*' | '_' | '`') && !self.in_fence,
        };
        let goes_on = self.pending.chars().next().is_none_or(|first| first == c);
        if is_mark && goes_on {
            return self.pending.push(c);
        }
        self.marks(Some(c), shown);
        if is_mark {
            return self.pending.push(c);
        }
        match c {
            '\n' => self.newline(shown),
            c => {
                if self.line == LineState::Start && !c.is_whitespace() {
                    self.line = LineState::Plain;
                }
                shown.push(c);
            }
        }
    }

    /// Resolves pending markup; `next` is the character after it.
    fn marks(&mut self, next: Option<char>, shown: &mut String) {
        let marks = std::mem::take(&mut self.pending);
        let at_start = self.line == LineState::Start;
        match marks.as_str() {
            "" => {}
            fence if fence.starts_with("```") && at_start => {
                self.in_fence = !self.in_fence;
                self.line = LineState::Fence;
                self.restyle(shown);
                shown.push_str(fence);
            }
            text if self.in_fence => {
                self.line = LineState::Plain;
                shown.push_str(text);
            }
            heading if heading.starts_with('#') && at_start && next == Some(' ') => {
                self.line = LineState::Heading;
                self.restyle(shown);
            }
            // A list bullet; a mark before a space opens nothing.
            "*" if at_start && next == Some(' ') => self.plain("•", shown),
            "`" => self.toggle(shown, |state| state.is_code = !state.is_code),
            text if self.is_code => self.plain(text, shown),
            "**" | "__" if self.is_bold || next.is_some_and(|c| !c.is_whitespace()) => {
                self.toggle(shown, |state| state.is_bold = !state.is_bold);
            }
            "*" if self.is_italic || next.is_some_and(|c| !c.is_whitespace()) => {
                self.toggle(shown, |state| state.is_italic = !state.is_italic);
            }
            text => self.plain(text, shown),
        }
    }

    fn plain(&mut self, text: &str, shown: &mut String) {
        if self.line == LineState::Start {
            self.line = LineState::Plain;
        }
        shown.push_str(text);
    }

    fn toggle(&mut self, shown: &mut String, change: impl FnOnce(&mut Self)) {
        if self.line == LineState::Start {
            self.line = LineState::Plain;
        }
        change(self);
        self.restyle(shown);
    }

    /// An unclosed style ends with its line.
    fn newline(&mut self, shown: &mut String) {
        let styled = self.style() != Style::new();
        (self.is_bold, self.is_italic, self.is_code) = (false, false, false);
        self.line = LineState::Start;
        if styled {
            shown.push_str("\u{1b}[0m");
        }
        shown.push('\n');
        if self.in_fence {
            shown.push_str(&CODE.render().to_string());
        }
    }

    fn style(&self) -> Style {
        match self.line {
            LineState::Fence => FENCE,
            LineState::Heading => HEADING,
            LineState::Start | LineState::Plain if self.in_fence || self.is_code => CODE,
            LineState::Start | LineState::Plain => {
                let mut effects = Effects::new();
                effects = effects.set(Effects::BOLD, self.is_bold);
                effects = effects.set(Effects::ITALIC, self.is_italic);
                Style::new().effects(effects)
            }
        }
    }

    fn restyle(&self, shown: &mut String) {
        shown.push_str("\u{1b}[0m");
        shown.push_str(&self.style().render().to_string());
    }
}

#[cfg(test)]
mod tests;
