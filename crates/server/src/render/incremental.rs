//! Renders a growing text in blocks: finished blocks once, the last one repeatedly.
//!
//! Must hold: however the text is split, the blocks are in the end what the whole text gives.
//! (The one exception is a link or footnote whose definition comes after its finished block; the
//! final entry has it right.)
//!
//! Only whole lines finish a block, because half a line can still become anything. A text with
//! HTML is one block to its end, because a tag may be closed much later; so is one with footnotes,
//! because they are numbered.

use pulldown_cmark::{Event, Tag};

use crate::render::autoclose::autoclosed;
use crate::render::markdown::limits::{TEXT_BYTES_MAX, is_too_deep};
use crate::render::markdown::mask::Masked;
use crate::render::markdown::{Code, parser, rendered, rendered_masked};

/// A text while it is being written.
#[derive(Debug, Clone, Default)]
pub struct IncrementalMarkdown {
    /// The text after the finished blocks.
    tail: String,
    /// Link definitions in finished blocks.
    addresses: String,
    finished: usize,
    has_changed: bool,
}

/// Blocks that replace all blocks from `from` on.
#[derive(Debug, PartialEq)]
pub struct Blocks {
    pub from: usize,
    pub html: Vec<String>,
}

/// A longer block is not shown before it ends.
const TAIL_BYTES_MAX: usize = TEXT_BYTES_MAX / 2;

/// Further definitions are dropped; each block parses them again.
const ADDRESSES_BYTES_MAX: usize = 8 << 10;

impl IncrementalMarkdown {
    pub fn push(&mut self, text: &str) {
        self.tail.push_str(text);
        self.has_changed = true;
    }

    /// The blocks that changed since the last call.
    pub fn blocks(&mut self) -> Option<Blocks> {
        let is_due = std::mem::take(&mut self.has_changed) && self.tail.len() <= TAIL_BYTES_MAX;
        is_due.then(|| {
            let from = self.finished;
            // Half-written markup is not searched for HTML.
            if is_too_deep(&self.tail) {
                return Blocks { from, html: vec![self.html(&self.tail, Code::Plain)] };
            }
            let mut html: Vec<_> = self.finish_some().into_iter().collect();
            html.push(self.unfinished());
            Blocks { from, html }
        })
    }

    /// The last blocks: nothing follows, so nothing is open.
    pub fn finish(self) -> Blocks {
        Blocks { from: self.finished, html: vec![self.html(&self.tail, Code::Coloured)] }
    }

    /// Takes the blocks that cannot change any more off the tail.
    fn finish_some(&mut self) -> Option<String> {
        let (end, addresses) = self.finished_part();
        if end == 0 {
            return None;
        }
        let rest = self.tail.split_off(end);
        let part = std::mem::replace(&mut self.tail, rest);
        let html = self.html(&part, Code::Coloured);
        self.addresses.push_str(&addresses);
        self.finished += 1;
        Some(html)
    }

    /// The tail as far as it can be shown: a formula is held back until it ends.
    fn unfinished(&self) -> String {
        let mut masked = Masked::of(&format!("{}{}", self.addresses, self.tail));
        if let Some(open) = masked.open {
            masked.text.truncate(open);
        }
        masked.text = autoclosed(&masked.text);
        rendered_masked(&masked, Code::Plain)
    }

    fn html(&self, text: &str, code: Code) -> String {
        rendered(&format!("{}{text}", self.addresses), code)
    }

    /// How much of the tail is finished, and the link definitions in it.
    fn finished_part(&self) -> (usize, String) {
        let lines = self.tail.rfind('\n').map_or("", |end| self.tail.get(..=end).unwrap_or(""));
        let before = self.addresses.len();
        let text = format!("{}{lines}", self.addresses);
        let masked = Masked::of(&text);
        // A formula that is still open may hold what looks like the start of a block.
        let open = masked.open.unwrap_or(usize::MAX);
        let mut events = parser(&masked.text).into_offset_iter();
        let (mut depth, mut last) = (0_usize, before);
        for (event, range) in events.by_ref() {
            if depth == 0 && range.start <= open && matches!(event, Event::Start(_) | Event::Rule) {
                last = range.start.max(before);
            }
            let is_html = matches!(event, Event::Html(_) | Event::InlineHtml(_));
            let is_note = matches!(
                event,
                Event::FootnoteReference(_) | Event::Start(Tag::FootnoteDefinition(_))
            );
            if is_html || is_note {
                break;
            }
            depth += usize::from(matches!(event, Event::Start(_)));
            depth -= usize::from(matches!(event, Event::End(_)));
        }
        let known = text.get(..last).unwrap_or_default();
        let end = known.rfind(['\n', '\r']).map_or(0, |at| at + 1).saturating_sub(before);
        let definitions =
            events.reference_definitions().iter().map(|(_, definition)| definition.span.clone());
        let mut definitions: Vec<_> =
            definitions.filter(|span| span.start >= before && span.end <= before + end).collect();
        definitions.sort_unstable_by_key(|span| span.start);
        let mut addresses = String::new();
        for address in definitions.into_iter().filter_map(|span| text.get(span)) {
            if before + addresses.len() + address.len() < ADDRESSES_BYTES_MAX {
                addresses.push_str(address.trim_end());
                addresses.push_str("\n\n");
            }
        }
        (end, addresses)
    }
}

#[cfg(test)]
mod tests;
