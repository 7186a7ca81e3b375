//! Hides formulas and literal backslashes from the Markdown parser, which would read `_` and `*`
//! in a formula as emphasis and drop the backslash of `\(`.
//!
//! In: a text. Out: a text of the same length in which each formula is one character of the
//! private use area and filler, and the formulas. Must hold: code, links and HTML are unchanged,
//! so that a place in one text is a place in the other.

use std::ops::Range;

use pulldown_cmark::{Event, LinkType, Tag};

use super::math::Formula;
use super::parser;

/// Formulas are numbered from here; all of these characters have three bytes.
const FIRST: u32 = 0xE000;
const LAST: u32 = 0xF8FF;
/// The rest of the bytes of a formula.
const FILLER: char = '\u{1}';
/// A backslash that is text.
const BACKSLASH: char = '\u{2}';

/// A longer formula is text, and so are more formulas.
const FORMULA_BYTES_MAX: usize = 4_000;
const FORMULAS_MAX: u32 = 2_000;

/// A text as the parser gets it.
pub(in crate::render) struct Masked {
    pub text: String,
    formulas: Vec<Formula>,
    /// Where a formula begins that may end in text that is still to come.
    pub open: Option<usize>,
}

impl Masked {
    pub(in crate::render) fn of(text: &str) -> Self {
        let is_own = |c: char| c == FILLER || c == BACKSLASH || number_of(c).is_some();
        if !text.contains(['$', '\\']) || text.contains(is_own) {
            return Self { text: text.to_owned(), formulas: Vec::new(), open: None };
        }
        let text_length = text.len();
        let (raw, masked) = (raw_ranges(text), String::with_capacity(text.len()));
        let mut scan = Scan { text, raw, searches: Vec::new(), masked, copied: 0 };
        let (formulas, open) = scan.run();
        debug_assert_eq!(scan.masked.len(), text_length);
        Self { text: scan.masked, formulas, open }
    }

    /// The rendered text with its formulas and backslashes.
    pub(in crate::render) fn unmask(&self, html: &str) -> String {
        let mut out = String::with_capacity(html.len());
        for c in html.chars() {
            let formula = number_of(c).and_then(|number| self.formulas.get(number));
            match (c, formula) {
                (_, Some(formula)) => out.push_str(&formula.to_html()),
                (FILLER, None) if !self.formulas.is_empty() => {}
                (BACKSLASH, None) => out.push('\\'),
                (other, None) => out.push(other),
            }
        }
        out
    }

    /// Whether any character of it stands for something else.
    pub(in crate::render) fn is_masked(&self) -> bool {
        !self.formulas.is_empty() || self.text.contains(BACKSLASH)
    }
}

/// Whether the character stands for something else; such text is never part of an address.
pub(super) fn is_mask(c: char) -> bool {
    c == FILLER || c == BACKSLASH || number_of(c).is_some()
}

fn number_of(c: char) -> Option<usize> {
    let code = u32::from(c);
    (FIRST..=LAST).contains(&code).then(|| (code - FIRST) as usize)
}

/// Where the text is not Markdown: code, HTML, and the addresses of links.
#[expect(clippy::wildcard_enum_match_arm, reason = "the parser's events; the others are Markdown")]
fn raw_ranges(text: &str) -> Vec<Range<usize>> {
    let mut events = parser(text).into_offset_iter();
    let mut raw = Vec::new();
    for (event, range) in events.by_ref() {
        match event {
            Event::Start(Tag::CodeBlock(_) | Tag::HtmlBlock) | Event::Code(_) | Event::Html(_) => {
                raw.push(range);
            }
            Event::Start(Tag::Link { link_type: LinkType::Autolink | LinkType::Email, .. }) => {
                raw.push(range);
            }
            Event::Start(Tag::Link { .. } | Tag::Image { .. }) => {
                let address = text.get(range.clone()).and_then(|link| link.rfind("]("));
                raw.extend(address.map(|at| range.start + at..range.end));
            }
            _ => {}
        }
    }
    let definitions = events.reference_definitions().iter();
    raw.extend(definitions.map(|(_, definition)| definition.span.clone()));
    raw.sort_unstable_by_key(|range| (range.start, range.end));
    raw
}

struct Scan<'a> {
    text: &'a str,
    raw: Vec<Range<usize>>,
    searches: Vec<Search>,
    masked: String,
    /// How much of the text is in `masked`.
    copied: usize,
}

/// The delimiters that may be lines apart.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Bracket {
    Round,
    Square,
    Dollars,
}

impl Bracket {
    fn close(self) -> &'static str {
        match self {
            Bracket::Round => "\\)",
            Bracket::Square => "\\]",
            Bracket::Dollars => "$$",
        }
    }
}

/// A search for the end of a formula: from `start` to the end of its paragraph.
#[derive(Clone, Copy)]
struct Search {
    bracket: Bracket,
    start: usize,
    end: usize,
    found: Option<usize>,
}

/// What begins at a place.
enum Found {
    Formula {
        end: usize,
        tex: Range<usize>,
        is_block: bool,
    },
    /// A formula whose end is not in the text.
    Open(Bracket),
    /// A backslash that Markdown would drop.
    Backslash,
    /// So many bytes of text.
    Text(usize),
}

impl Scan<'_> {
    fn run(&mut self) -> (Vec<Formula>, Option<usize>) {
        let (mut at, mut open, mut formulas) = (0, None, Vec::new());
        let mut raw = std::mem::take(&mut self.raw).into_iter().peekable();
        while let Some(step) = self.text.get(at..).and_then(|rest| rest.find(['$', '\\'])) {
            at += step;
            while raw.next_if(|range| range.end <= at).is_some() {}
            if let Some(range) = raw.peek().filter(|range| range.start <= at) {
                at = range.end;
                continue;
            }
            let end_max = raw.peek().map_or(self.text.len(), |range| range.start);
            match self.found(at, end_max) {
                Found::Formula { end, tex, is_block } => {
                    let number = u32::try_from(formulas.len()).unwrap_or(u32::MAX);
                    let mask = char::from_u32(FIRST.saturating_add(number));
                    let Some(mask) = mask.filter(|_| number < FORMULAS_MAX) else { break };
                    let source = self.text.get(at..end).unwrap_or_default();
                    let tex = self.text.get(tex).unwrap_or_default();
                    formulas.push(Formula::new(source, tex, is_block));
                    self.put(at, end, mask);
                    at = end;
                }
                Found::Open(bracket) => {
                    open = open.or(Some(at));
                    if bracket == Bracket::Round {
                        self.put(at, at + 1, BACKSLASH);
                    }
                    at += 2;
                }
                Found::Backslash => {
                    self.put(at, at + 1, BACKSLASH);
                    at += 1;
                }
                Found::Text(length) => at += length,
            }
        }
        self.masked.push_str(self.text.get(self.copied..).unwrap_or_default());
        (formulas, open)
    }

    /// Writes a mask of the same length.
    fn put(&mut self, start: usize, end: usize, mask: char) {
        self.masked.push_str(self.text.get(self.copied..start).unwrap_or_default());
        self.masked.push(mask);
        let rest = (end - start).saturating_sub(mask.len_utf8());
        self.masked.extend(std::iter::repeat_n(FILLER, rest));
        self.copied = end;
    }

    fn found(&mut self, at: usize, end_max: usize) -> Found {
        let rest = self.text.get(at..end_max).unwrap_or_default();
        let mut chars = rest.chars();
        match (chars.next(), chars.next()) {
            (Some('\\'), Some('(')) => self.bracketed(at, end_max, Bracket::Round),
            (Some('\\'), Some('[')) => self.bracketed(at, end_max, Bracket::Square),
            (Some('\\'), Some(')' | ',' | ';' | ':')) => Found::Backslash,
            (Some('\\'), Some(escaped)) => Found::Text(1 + escaped.len_utf8()),
            (Some('$'), Some('$')) => self.bracketed(at, end_max, Bracket::Dollars),
            (Some('$'), Some(_)) => self.dollars(at, rest),
            (_, None) | (Some(_) | None, Some(_)) => Found::Text(1),
        }
    }

    /// `\(…\)`, `\[…\]` or `$$…$$`, in one paragraph.
    fn bracketed(&mut self, at: usize, end_max: usize, bracket: Bracket) -> Found {
        let start = at + 2;
        let Search { end, found, .. } = self.search(start, end_max, bracket);
        let literal = match bracket {
            Bracket::Round => Found::Backslash,
            Bracket::Square | Bracket::Dollars => Found::Text(2),
        };
        match found {
            Some(close) if close - start <= FORMULA_BYTES_MAX => {
                let is_empty = self.text.get(start..close).is_none_or(|tex| tex.trim().is_empty());
                let after = self.text.get(close + 2..).unwrap_or_default();
                let is_link = bracket == Bracket::Square && after.starts_with('(');
                if is_empty || is_link {
                    return literal;
                }
                let is_block = bracket != Bracket::Round;
                Found::Formula { end: close + 2, tex: start..close, is_block }
            }
            None if end == self.text.len() && end - start.min(end) <= FORMULA_BYTES_MAX => {
                Found::Open(bracket)
            }
            Some(_) | None => literal,
        }
    }

    /// Where the bracket is closed. The last search is remembered, so that many open brackets
    /// cost no more than one.
    fn search(&mut self, start: usize, end_max: usize, bracket: Bracket) -> Search {
        let known = self.searches.iter().find(|one| one.bracket == bracket);
        let holds = |one: &&Search| (one.start..=one.found.unwrap_or(one.end)).contains(&start);
        if let Some(known) = known.filter(holds) {
            return *known;
        }
        let inside = paragraph(self.text.get(start..end_max).unwrap_or_default());
        let found = closing(inside, bracket.close()).map(|at| start + at);
        let search = Search { bracket, start, end: start + inside.len(), found };
        self.searches.retain(|one| one.bracket != bracket);
        self.searches.push(search);
        search
    }

    /// `$…$` on one line, unless it looks like prices or variables of a shell.
    fn dollars(&self, at: usize, rest: &str) -> Found {
        let before = self.text.get(..at).and_then(|before| before.chars().next_back());
        let opens = |c: char| c.is_whitespace() || "([{\"'*_|>-–—~,:;«“„".contains(c);
        let end = rest.floor_char_boundary(FORMULA_BYTES_MAX + 2);
        let inside = rest.get(1..end).unwrap_or_default();
        let starts_well = inside.chars().next().is_some_and(|c| !c.is_whitespace());
        if !before.is_none_or(opens) || !starts_well {
            return Found::Text(1);
        }
        let Some(length) = closing(inside, "$") else { return Found::Text(1) };
        let tex = inside.get(..length).unwrap_or_default();
        let after = rest.get(length + 2..).and_then(|after| after.chars().next());
        let ends_well = tex.chars().next_back().is_some_and(|c| !c.is_whitespace())
            && after.is_none_or(|c| !c.is_alphanumeric() && c != '$');
        match ends_well && !tex.contains('\n') {
            true => {
                let tex = at + 1..at + 1 + length;
                Found::Formula { end: tex.end + 1, tex, is_block: false }
            }
            false => Found::Text(1),
        }
    }
}

/// The text up to an empty line.
fn paragraph(text: &str) -> &str {
    let mut from = 0;
    while let Some(at) = text.get(from..).and_then(|rest| rest.find('\n')) {
        from += at + 1;
        let line = text.get(from..).and_then(|rest| rest.split_inclusive('\n').next());
        if line.is_some_and(|line| line.ends_with('\n') && line.trim().is_empty()) {
            return text.get(..from).unwrap_or(text);
        }
    }
    text
}

/// Where the formula ends; an escaped character is not its end.
fn closing(text: &str, close: &str) -> Option<usize> {
    let mut at = 0;
    loop {
        let rest = text.get(at..)?;
        at += rest.find(['\\', '$'])?;
        let rest = text.get(at..)?;
        if rest.starts_with(close) {
            return Some(at);
        }
        let escaped = rest.strip_prefix('\\').and_then(|rest| rest.chars().next());
        at += 1 + escaped.map_or(0, char::len_utf8);
    }
}
