//! `name=value` and `name: value`: explicit values.

use crate::arguments::fill::Filler;
use crate::arguments::value::read;
use crate::text::chunk::unquoted;

impl Filler<'_> {
    pub(crate) fn fill_pairs(&mut self) {
        let mut at = 0;
        while at < self.chunks.len() {
            at = match self.pair_at(at) {
                Some(Pair { field, first, value_first, after, value }) => {
                    self.take_pair(field, first, value_first, after, value);
                    after.max(at + 1)
                }
                None => at + 1,
            };
        }
    }

    fn take_pair(
        &mut self,
        field: usize,
        first: usize,
        value_first: usize,
        after: usize,
        value: Option<String>,
    ) {
        let Some(target) = self.field(field) else { return };
        if let Some(value) = value {
            let found = read(target, &value, self.now);
            self.set_named(field, found, &value);
            self.take(first, after);
            return;
        }
        // Without quotes the value extends to the end of its part, if all of it fits.
        let whole = self.slice(value_first, after);
        let short = self.slice(value_first, value_first + 1);
        let found = read(target, &whole, self.now);
        let fits = found.as_ref().is_some_and(|found| self.fits(field, found));
        match read(target, &short, self.now).filter(|_| !fits) {
            Some(first_word) if self.fits(field, &first_word) => {
                self.set_named(field, Some(first_word), &short);
                self.take(first, value_first + 1);
            }
            _ => {
                self.set_named(field, found, &whole);
                self.take(first, after);
            }
        }
    }

    fn fits(&self, field: usize, value: &serde_json::Value) -> bool {
        self.field(field).is_some_and(|target| self.tool.fields.check_field(target, value).is_ok())
    }

    fn pair_at(&self, at: usize) -> Option<Pair> {
        let chunk = self.chunks.get(at).filter(|chunk| !chunk.is_quoted())?;
        for mark in ['=', ':'] {
            if let Some((name, value)) = chunk.text.split_once(mark)
                && !value.is_empty()
                && !value.starts_with('/')
                && let Some(field) = self.tool.fields.named(name)
            {
                let value = Some(unquoted(value).to_owned());
                return Some(Pair { field, first: at, value_first: at, after: at + 1, value });
            }
        }
        let spaced = self.chunks.get(at + 1).is_some_and(|next| matches!(next.text, "=" | ":"));
        let opened = chunk.closed_by == Some(':') || chunk.text.ends_with('=');
        if !opened && !spaced {
            return None;
        }
        let (field, first) = self.name_ending_at(at)?;
        let value_first = at + 1 + usize::from(!opened);
        let next = self.chunks.get(value_first)?;
        if next.is_quoted() {
            let value = Some(next.text.to_owned());
            return Some(Pair { field, first, value_first, after: value_first + 1, value });
        }
        Some(Pair { field, first, value_first, after: self.part_end(value_first), value: None })
    }

    /// The field whose name of up to three words ends with this chunk.
    fn name_ending_at(&self, at: usize) -> Option<(usize, usize)> {
        (at.saturating_sub(2)..=at).find_map(|first| {
            let words = self.chunks.get(first..=at)?;
            let name: String = words.iter().map(|chunk| chunk.text.trim_end_matches('=')).collect();
            Some((self.tool.fields.named(&name)?, first))
        })
    }

    /// Where a value without quotes ends: a semicolon, a new line or the next name.
    fn part_end(&self, value_first: usize) -> usize {
        let mut at = value_first;
        while let Some(chunk) = self.chunks.get(at) {
            let next_begins = at > value_first && (chunk.opens_line || self.begins_pair(at));
            if next_begins {
                return at;
            }
            if chunk.closed_by == Some(';') {
                return at + 1;
            }
            at += 1;
        }
        at
    }

    /// Whether a `name:` or `name=` begins here. Names of two words count.
    fn begins_pair(&self, at: usize) -> bool {
        let opens = |end: usize| {
            let Some(words) = self.chunks.get(at..=end) else { return false };
            let Some(last) = words.last().filter(|last| !last.is_quoted()) else { return false };
            let name: String = words.iter().map(|chunk| chunk.text).collect();
            let name = name.split('=').next().unwrap_or_default();
            (last.closed_by == Some(':') || last.text.contains('='))
                && self.tool.fields.named(name).is_some()
        };
        opens(at) || opens(at + 1)
    }

    /// The text of some chunks, without the comma at its end.
    pub(crate) fn slice(&self, first: usize, after: usize) -> String {
        let last = after.checked_sub(1).and_then(|at| self.chunks.get(at));
        let (Some(from), Some(to)) = (self.chunks.get(first), last) else { return String::new() };
        let slice = self.text.get(from.start..to.end).unwrap_or_default();
        slice.trim_end_matches([',', ';']).to_owned()
    }
}

struct Pair {
    field: usize,
    first: usize,
    value_first: usize,
    after: usize,
    /// The value where it is one chunk.
    value: Option<String>,
}
