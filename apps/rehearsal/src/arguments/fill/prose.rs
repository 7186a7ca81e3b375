//! Free text: quotations, "called …", and what is left after the command.

use serde_json::Value;

use crate::arguments::fields::{Field, Form, Kind};
use crate::arguments::fill::{Filler, Mode, is_prose};
use crate::arguments::value::{read, stems};
use crate::plan::rank::words;
use crate::text::lexicon::{is_empty_word, is_marker, related};
use crate::text::stem::stem;

/// Words before a name.
const CALLED: [&str; 14] = [
    "called",
    "named",
    "titled",
    "title",
    "name",
    "назвою",
    "під",
    "названий",
    "назва",
    "названием",
    "назови",
    "назви",
    "именем",
    "названная",
];
/// Words that end a name without quotes.
const STOPS: [&str; 22] = [
    "with", "at", "on", "from", "for", "by", "in", "and", "to", "з", "із", "о", "об", "на", "для",
    "с", "со", "в", "у", "от", "до", "по",
];

impl<'a> Filler<'a> {
    pub(crate) fn fill_prose(&mut self, mode: Mode<'_>) {
        self.fill_called();
        self.fill_quotations();
        if let Mode::Answer(asked) = mode {
            self.fill_answer(asked);
            return;
        }
        let wanted: Vec<_> = self
            .open_fields()
            .into_iter()
            .filter(|(_, field)| field.is_required() && takes_rest(field))
            .collect();
        if let &[(index, field)] = wanted.as_slice() {
            let rest = self.rest();
            let value = read(field, &rest, self.now);
            let fits = value.is_some_and(|value| self.set(index, value));
            if !fits && !rest.is_empty() && self.wrong.get(index).is_some_and(Option::is_none) {
                self.set_named(index, Some(Value::String(rest.clone())), &rest);
            }
        }
    }

    /// An answer in free words goes to the first field that takes free words.
    fn fill_answer(&mut self, asked: &[usize]) {
        let open =
            |index: &&usize| self.is_open(**index) && self.field(**index).is_some_and(takes_rest);
        let Some(index) = asked.iter().find(open).copied() else { return };
        let Some(field) = self.field(index) else { return };
        let rest = self.untaken(0);
        if let Some(value) = read(field, &rest, self.now) {
            self.set(index, value);
        }
    }

    fn fill_called(&mut self) {
        for (index, field) in self.open_fields() {
            if !is_prose(field) || !field.has_word(&["nam", "titl", "label", "subject"]) {
                continue;
            }
            let named = |at: &usize| CALLED.contains(&self.lower(Some(*at))) && !self.is_taken(*at);
            let Some(at) = (0..self.chunks.len()).find(named) else { return };
            let first = (at + 1..self.chunks.len())
                .find(|next| !CALLED.contains(&self.lower(Some(*next))))
                .unwrap_or(self.chunks.len());
            let quoted = self.chunks.get(first).is_some_and(crate::text::chunk::Chunk::is_quoted);
            let after = if quoted { first + 1 } else { self.name_end(first) };
            let text = match quoted {
                true => self.chunks.get(first).map_or("", |chunk| chunk.text).to_owned(),
                false => self.slice(first, after),
            };
            if !text.is_empty() && self.set(index, Value::String(text)) {
                self.take(at, after);
            }
        }
    }

    fn name_end(&self, first: usize) -> usize {
        let mut at = first;
        while let Some(chunk) = self.chunks.get(at) {
            if self.is_taken(at) || STOPS.contains(&chunk.lower.as_str()) {
                return at;
            }
            at += 1;
            if chunk.ends_part() {
                return at;
            }
        }
        at
    }

    /// Quotations go to free texts: by the name before them, then required ones in order,
    /// then to an optional one if it is the only one.
    fn fill_quotations(&mut self) {
        let quoted = |at: &usize| {
            !self.is_taken(*at)
                && self.chunks.get(*at).is_some_and(crate::text::chunk::Chunk::is_quoted)
        };
        let quotations: Vec<usize> = (0..self.chunks.len()).filter(quoted).collect();
        for at in quotations {
            let free: Vec<_> =
                self.open_fields().into_iter().filter(|(_, field)| takes_text(field)).collect();
            let named = free.iter().find(|(_, field)| self.is_named_before(field, at));
            let required = || free.iter().find(|(_, field)| field.is_required());
            let only = || free.first().filter(|_| free.len() == 1);
            let Some((index, _)) = named.or_else(required).or_else(only) else { continue };
            let text = self.chunks.get(at).map_or("", |chunk| chunk.text);
            if self.set(*index, Value::String(text.to_owned())) {
                let lead = at.checked_sub(1).filter(|_| named.is_some());
                self.take(lead.unwrap_or(at), at + 1);
            }
        }
    }

    /// The message without the command.
    fn rest(&self) -> String {
        let full = self.untaken(self.head_end(Head::AllWords));
        if full.chars().any(char::is_alphanumeric) {
            return full;
        }
        let short = self.untaken(self.head_end(Head::FirstWord));
        let names_tool = |word: &str| {
            let own = stem(word);
            let id = stems(self.tool.offer.id.as_str());
            id.iter().any(|part| related(part, &own))
        };
        let mut says_more = false;
        words(&short, |word| says_more |= !names_tool(word) && !is_empty_word(word));
        if says_more { short } else { String::new() }
    }

    /// The end of the command: after the words that ask for the tool, and the preposition before
    /// its object.
    fn head_end(&self, head: Head) -> usize {
        let mut known = 0;
        for (at, chunk) in self.chunks.iter().enumerate() {
            if chunk.is_quoted() || (self.is_taken(at) && known == 0) {
                return at;
            }
            let word = chunk.lower.as_str();
            let asks = self.tool.knows(word) && (head == Head::AllWords || known == 0);
            if chunk.closed_by == Some(':')
                && (asks || is_empty_word(word) || known > 0)
                && at < COMMAND_MAX
            {
                return at + 1;
            }
            if is_marker(word) && known > 0 {
                let next = self.lower(Some(at + 1));
                let more = self.chunks.get(at + 1).is_some() && !self.leads_on(at + 1, head);
                if more {
                    return at + 1 + usize::from(matches!(next, "the" | "a" | "an"));
                }
                continue;
            }
            if asks {
                known += 1;
            } else {
                let telling = !is_empty_word(word) && !self.is_taken(at);
                let begun =
                    known > 0 && head == Head::FirstWord && !matches!(word, "the" | "a" | "an");
                if !is_marker(word) && (telling || begun) {
                    return at;
                }
            }
        }
        self.chunks.len()
    }

    /// Whether the command continues here, up to another marker: "in the knowledge base for …"
    fn leads_on(&self, from: usize, head: Head) -> bool {
        if head == Head::FirstWord {
            return false;
        }
        for at in from..(from + 4).min(self.chunks.len()) {
            let word = self.lower(Some(at));
            if is_marker(word) && at > from {
                return true;
            }
            if !is_empty_word(word) && !self.tool.knows(word) {
                // "In the base the clock": the object follows without a marker.
                return at > from
                    && (from..at).any(|before| self.tool.knows(self.lower(Some(before))));
            }
        }
        false
    }

    /// The text from a chunk on, without used parts.
    fn untaken(&self, from: usize) -> String {
        let mut rest_text = String::new();
        let mut at = self.chunks.get(from).map_or(self.text.len(), |chunk| chunk.start);
        for (index, chunk) in self.chunks.iter().enumerate().skip(from) {
            if self.is_taken(index) {
                rest_text.push_str(self.text.get(at..chunk.start).unwrap_or_default());
                at = chunk.end;
            }
        }
        rest_text.push_str(self.text.get(at..).unwrap_or_default());
        tidy(&rest_text)
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Head {
    /// Every word that the tool knows belongs to the command.
    AllWords,
    /// Only the first does.
    FirstWord,
}

/// A command is short: a later colon belongs to the text.
const COMMAND_MAX: usize = 8;

/// Whether the field takes the rest of the message.
fn takes_rest(field: &Field<'_>) -> bool {
    let list = matches!(&field.kind, Kind::List { of, .. } if **of == Kind::Text(Form::Free));
    is_prose(field) || list
}

fn takes_text(field: &Field<'_>) -> bool {
    matches!(field.form(), Some(Form::Free | Form::LooseEmail | Form::Fitting))
}

/// Trims punctuation and prepositions at the ends.
fn tidy(text: &str) -> String {
    let mut text = text.trim();
    loop {
        let shorter =
            text.trim_end_matches([',', ';', '?', ' ', '\n']).trim_start_matches([',', ';', ' ']);
        let shorter = strip_quotes(shorter);
        let word = shorter.rsplit(' ').next().unwrap_or_default();
        let shorter =
            match DANGLING.contains(&word.to_lowercase().as_str()) && word.len() < shorter.len() {
                true => shorter.get(..shorter.len() - word.len()).unwrap_or_default().trim_end(),
                false => shorter,
            };
        if shorter == text {
            return text
                .strip_suffix('.')
                .filter(|text| !text.contains(". "))
                .unwrap_or(text)
                .to_owned();
        }
        text = shorter;
    }
}

fn strip_quotes(text: &str) -> &str {
    let inner = crate::text::chunk::unquoted(text);
    if inner.contains(['"', '«', '“']) { text } else { inner }
}

const DANGLING: [&str; 20] = [
    "with", "and", "for", "at", "on", "from", "please", "the", "to", "in", "into", "as", "з", "на",
    "і", "и", "в", "у", "с", "до",
];
