//! Closes half-written Markdown, so that readers do not see its markup while it streams.
//!
//! Closes what is open at the end and holds back what may become markup. Only for a text that
//! still grows; a finished text is rendered as it is.

use std::ops::Range;

use pulldown_cmark::{Event, Tag};

use crate::render::markdown::parser;

/// The text with its end closed.
pub(crate) fn autoclosed(text: &str) -> String {
    let shown = without_marks_at_the_end(text);
    match last_leaf(shown) {
        Some((Leaf::Words, range)) => {
            let (before, words) = shown.split_at_checked(range.start).unwrap_or((shown, ""));
            if may_become_a_table(words) {
                return before.to_owned();
            }
            format!("{before}{}", closed(words))
        }
        Some((Leaf::Raw, _)) | None => shown.to_owned(),
    }
}

/// A last line of markup only: a fence, a rule, an item, a heading.
fn without_marks_at_the_end(text: &str) -> &str {
    let start = text.rfind('\n').map_or(0, |at| at + 1);
    let (before, line) = text.split_at_checked(start).unwrap_or((text, ""));
    let is_mark = |c: char| "`~*_-=#>+|: \t".contains(c);
    if line.chars().all(is_mark) { before } else { text }
}

enum Leaf {
    /// Emphasis, code and links are markup here.
    Words,
    /// Code, or HTML.
    Raw,
}

/// What the text ends in.
#[expect(clippy::wildcard_enum_match_arm, reason = "the parser's events; the others hold no words")]
fn last_leaf(text: &str) -> Option<(Leaf, Range<usize>)> {
    let mut leaf = None;
    for (event, range) in parser(text).into_offset_iter() {
        match event {
            Event::Start(
                Tag::Paragraph | Tag::Heading { .. } | Tag::Item | Tag::TableCell | Tag::TableRow,
            ) => leaf = Some((Leaf::Words, range)),
            Event::Start(Tag::CodeBlock(_) | Tag::HtmlBlock) => leaf = Some((Leaf::Raw, range)),
            _ => {}
        }
    }
    leaf
}

/// Without its second line, a table looks like text with pipes.
fn may_become_a_table(words: &str) -> bool {
    words.starts_with('|') && words.trim_end().lines().count() == 1
}

/// A longer tag is shown as it is.
const TAG_BYTES_MAX: usize = 300;

/// The text with open markup closed.
fn closed(words: &str) -> String {
    let mut made = Made { text: String::with_capacity(words.len() + 8), ..Made::default() };
    let mut rest = words;
    while let Some(next) = rest.chars().next() {
        let taken = match next {
            '\\' => made.keep(rest, 1 + rest.chars().nth(1).map_or(0, char::len_utf8)),
            '`' => made.code(rest),
            '*' | '_' | '~' => made.emphasis(rest, next),
            '[' => {
                made.bracket = Some(made.text.len());
                made.keep(rest, 1)
            }
            ']' if rest.starts_with("](") => made.address(rest),
            '<' if is_half_a_tag(rest) => None,
            other => made.keep(rest, other.len_utf8()),
        };
        match taken.and_then(|taken| rest.get(taken..)) {
            Some(after) => rest = after,
            None => break,
        }
    }
    made.close()
}

fn is_half_a_tag(rest: &str) -> bool {
    let is_tag = rest.chars().nth(1).is_none_or(|c| c.is_ascii_alphabetic() || "/!?".contains(c));
    is_tag && rest.len() < TAG_BYTES_MAX && !rest.contains(['>', '\n'])
}

/// The text so far. Each step returns how much it consumed, or that the rest is held back.
#[derive(Default)]
struct Made {
    text: String,
    /// Open emphasis markers, and how many of each.
    open: Vec<(char, usize)>,
    /// The last opening bracket.
    bracket: Option<usize>,
}

impl Made {
    fn keep(&mut self, rest: &str, length: usize) -> Option<usize> {
        self.text.push_str(rest.get(..length)?);
        Some(length)
    }

    /// A code span; an open one is closed where the text ends.
    fn code(&mut self, rest: &str) -> Option<usize> {
        let ticks = run_of('`', rest);
        let inside = rest.get(ticks..)?;
        let mut from = 0;
        while let Some(at) = inside.get(from..).and_then(|inside| inside.find('`')) {
            let found = run_of('`', inside.get(from + at..)?);
            if found == ticks {
                return self.keep(rest, ticks + from + at + found);
            }
            from += at + found;
        }
        let inside = inside.trim_end_matches('`').trim_end();
        if !inside.is_empty() {
            let mark = "`".repeat(ticks);
            self.text.extend([&mark, inside, &mark]);
        }
        None
    }

    fn emphasis(&mut self, rest: &str, mark: char) -> Option<usize> {
        let count = run_of(mark, rest);
        if mark == '~' && count != 2 {
            return self.keep(rest, count);
        }
        let (before, after) = (self.text.chars().next_back(), rest.get(count..)?.chars().next());
        let is_known = self.open.iter().any(|(open, _)| *open == mark);
        match after {
            // It may become longer, and is closed in any case.
            None if is_known || before.is_none_or(|c| !c.is_alphanumeric()) => return None,
            _ if is_known && before.is_some_and(|c| !c.is_whitespace()) => {
                self.shut(mark, count);
            }
            Some(after)
                if !after.is_whitespace() && before.is_none_or(|c| !c.is_alphanumeric()) =>
            {
                self.open.push((mark, count));
            }
            None | Some(_) => {}
        }
        self.keep(rest, count)
    }

    fn shut(&mut self, mark: char, mut count: usize) {
        while count > 0
            && let Some(at) = self.open.iter().rposition(|(open, _)| *open == mark)
            && let Some((_, open)) = self.open.get_mut(at)
        {
            let taken = count.min(*open);
            *open -= taken;
            count -= taken;
            if *open == 0 {
                self.open.truncate(at);
            }
        }
    }

    /// A link whose address is incomplete shows only its text.
    fn address(&mut self, rest: &str) -> Option<usize> {
        let Some(start) = self.bracket.take() else { return self.keep(rest, 1) };
        if let Some(end) = rest.find([')', '\n']) {
            return self.keep(rest, end + 1);
        }
        self.text.remove(start);
        if self.text.get(..start).is_some_and(|before| before.ends_with('!')) {
            self.text.remove(start - 1);
        }
        None
    }

    fn close(mut self) -> String {
        self.text.truncate(self.text.trim_end().len());
        for (mark, count) in self.open.iter().rev() {
            self.text.extend(std::iter::repeat_n(*mark, *count));
        }
        self.text
    }
}

fn run_of(mark: char, text: &str) -> usize {
    text.chars().take_while(|c| *c == mark).count()
}

#[cfg(test)]
mod tests {
    use super::autoclosed;

    #[test]
    fn what_is_open_at_the_end_is_closed_or_held_back() {
        let check = |text: &str, expected: &str| assert_eq!(autoclosed(text), expected, "{text}");
        check("It is **forty t", "It is **forty t**");
        check("It is **forty ", "It is **forty**");
        check("It is **", "It is");
        check("It is **forty two*", "It is **forty two**");
        check("It is **forty** and *on", "It is **forty** and *on*");
        check("***both", "***both***");
        check("***both** it", "***both** it*");
        check("~~gone", "~~gone~~");
        check("a `let x", "a `let x`");
        check("a ``x`", "a ``x``");
        check("a `", "a");
        check("`**a` and b", "`**a` and b");
        check("see [the **book](https://exa", "see the **book**");
        check("![a cat](https://exa", "a cat");
        check("see [the book](https://a.example) now", "see [the book](https://a.example) now");
        check("an <a href=\"ht", "an");
        check("1 < 2", "1 < 2");
        check("2*3 and snake_case_name", "2*3 and snake_case_name");
        check("a \\*b", "a \\*b");
        check("- one\n- **two", "- one\n- **two**");
        check("* one\n* two", "* one\n* two");
        check("Title\n-", "Title");
        check("Title\n#", "Title");
        check("```rust\nlet **a = 1;\n``", "```rust\nlet **a = 1;\n");
        check("| a | b |\n|--", "");
        check("so:\n\n| a | b |\n", "so:\n\n");
        check("| a |\n| - |\n| **b", "| a |\n| - |\n| **b**");
    }
}
