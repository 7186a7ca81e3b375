//! Fills the arguments of one tool from a message, by its schema.
//!
//! In: the tool, a message, what is known already. Out: [`Filled`]: arguments, and a
//! [`Gap`] for each that is missing or does not fit. Must hold: every value is in the message; a
//! chunk is used once; optional fields without a value are left out.
//!
//! [`Filler::run`] goes from the most certain (`name=value`) to free text.

mod finish;
mod pairs;
mod prose;
mod times;
mod typed;

use std::collections::HashSet;

use contract::ToolOffer;
use jiff::Zoned;
use serde_json::{Map, Value};

use crate::arguments::check::Doubt;
use crate::arguments::dates::{Mention, mentions};
use crate::arguments::fields::{Field, Fields, Form, Kind};
use crate::arguments::value::{read, stems};
use crate::text::chunk::{Chunk, chunks};
use crate::text::lexicon::relatives;
use crate::text::stem::stem;

/// A chosen tool, prepared for filling.
pub(crate) struct Tool<'a> {
    pub offer: &'a ToolOffer,
    pub fields: Fields<'a>,
    /// The stems of the words that ask for it.
    pub vocabulary: HashSet<String>,
}

impl<'a> Tool<'a> {
    pub(crate) fn read(offer: &'a ToolOffer) -> Self {
        let mut vocabulary = HashSet::new();
        for own in stems(offer.id.as_str()) {
            vocabulary.extend(relatives(&own).map(str::to_owned));
            vocabulary.insert(own);
        }
        for own in stems(&offer.description) {
            vocabulary.insert(own);
        }
        Self { offer, fields: Fields::read(&offer.parameters), vocabulary }
    }

    /// Whether it requires a value of a recognisable form.
    pub(crate) fn is_telling(&self) -> bool {
        let telling = |field: &Field<'_>| match &field.kind {
            Kind::Text(form) => {
                matches!(
                    form,
                    Form::Email | Form::LooseEmail | Form::Url | Form::Uuid | Form::Fitting
                )
            }
            Kind::Choice(_)
            | Kind::Number
            | Kind::Integer
            | Kind::Flag
            | Kind::List { .. }
            | Kind::Json => false,
        };
        self.fields.all.iter().any(|field| field.is_required() && telling(field))
    }

    pub(crate) fn knows(&self, word: &str) -> bool {
        let own = stem(word);
        self.vocabulary.contains(&own)
            || relatives(&own).any(|other| self.vocabulary.contains(other))
    }
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Filled {
    pub args: Map<String, Value>,
    pub gaps: Vec<Gap>,
}

/// An argument that is still needed.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Gap {
    /// The field's place among the tool's fields.
    pub field: usize,
    /// The given value, if it does not fit.
    pub given: Option<String>,
}

/// Whether the message is a request, or the answer to a question for these fields.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Mode<'a> {
    Request,
    Answer(&'a [usize]),
}

/// What earlier messages say about each field.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Known {
    pub values: Vec<Option<Value>>,
    pub wrong: Vec<Option<String>>,
}

pub(crate) fn fill(tool: &Tool<'_>, text: &str, now: Option<&Zoned>) -> Filled {
    let mut filler = Filler::new(tool, text, now, Known::default());
    filler.run(Mode::Request);
    filler.finish()
}

/// Adds the values of one message.
pub(crate) fn learn(
    tool: &Tool<'_>,
    text: &str,
    now: Option<&Zoned>,
    known: Known,
    mode: Mode<'_>,
) -> Known {
    let mut filler = Filler::new(tool, text, now, known);
    filler.run(mode);
    Known { values: filler.values, wrong: filler.wrong }
}

/// The arguments and gaps of the known values.
pub(crate) fn finish(tool: &Tool<'_>, known: Known) -> Filled {
    Filler::new(tool, "", None, known).finish()
}

struct Filler<'a> {
    tool: &'a Tool<'a>,
    text: &'a str,
    now: Option<&'a Zoned>,
    chunks: Vec<Chunk<'a>>,
    stems: Vec<String>,
    /// The stems of the words inside each chunk.
    word_stems: Vec<Vec<String>>,
    taken: Vec<bool>,
    times: Vec<Mention>,
    /// By field.
    values: Vec<Option<Value>>,
    /// By field: the given text that does not fit.
    wrong: Vec<Option<String>>,
}

impl<'a> Filler<'a> {
    fn new(tool: &'a Tool<'a>, text: &'a str, now: Option<&'a Zoned>, known: Known) -> Self {
        let chunks = chunks(text);
        let own_stems = chunks.iter().map(|chunk| stem(&chunk.lower)).collect();
        let words =
            |chunk: &Chunk<'_>| if chunk.lower.is_empty() { Vec::new() } else { stems(chunk.text) };
        let word_stems = chunks.iter().map(words).collect();
        let taken = vec![false; chunks.len()];
        let count = tool.fields.all.len();
        let Known { mut values, mut wrong } = known;
        values.resize(count, None);
        wrong.resize(count, None);
        Self {
            tool,
            text,
            now,
            chunks,
            stems: own_stems,
            word_stems,
            taken,
            times: Vec::new(),
            values,
            wrong,
        }
    }

    fn run(&mut self, mode: Mode<'_>) {
        if let Mode::Answer(&[only]) = mode
            && self.take_whole(only)
        {
            return;
        }
        self.fill_pairs();
        if self.tool.fields.all.iter().any(is_temporal) {
            self.times = mentions(&self.chunks, self.now);
        }
        self.fill_times();
        self.fill_lengths();
        self.fill_words();
        self.fill_choices();
        self.fill_flags();
        self.fill_numbers();
        self.fill_lists();
        self.take_times();
        self.fill_prose(mode);
        if let Mode::Answer(asked) = mode {
            self.blame(asked);
        }
    }

    /// Takes the whole message as the requested value.
    fn take_whole(&mut self, field: usize) -> bool {
        let Some(target) = self.field(field) else { return false };
        let spoken = target.form() == Some(Form::LooseEmail) && self.text.contains('@');
        if spoken && self.chunks.len() > 1 {
            return false;
        }
        let text = self.text.trim();
        let value = read(target, text, self.now).or_else(|| {
            let bare = text.trim_end_matches(['.', '!', '?']);
            read(target, bare, self.now)
        });
        value.is_some_and(|value| self.set(field, value))
    }

    /// An answer that filled no field is a wrong value for the first one.
    fn blame(&mut self, asked: &[usize]) {
        let open = |field: &&usize| self.values.get(**field).is_some_and(Option::is_none);
        if asked.iter().filter(open).count() == asked.len()
            && let Some(slot) = asked.first().and_then(|field| self.wrong.get_mut(*field))
        {
            *slot = Some(self.text.trim().to_owned());
        }
    }

    fn field(&self, field: usize) -> Option<&'a Field<'a>> {
        self.tool.fields.all.get(field)
    }

    fn is_open(&self, field: usize) -> bool {
        self.values.get(field).is_some_and(Option::is_none)
    }

    /// The fields without a value, required ones first.
    fn open_fields(&self) -> Vec<(usize, &'a Field<'a>)> {
        let all = self.tool.fields.all.iter().enumerate();
        let mut open: Vec<_> = all.filter(|(index, _)| self.is_open(*index)).collect();
        open.sort_by_key(|(_, field)| !field.is_required());
        open
    }

    /// Keeps a value if it certainly fits its schema.
    fn set(&mut self, field: usize, value: Value) -> bool {
        let Some(target) = self.field(field) else { return false };
        if self.tool.fields.check_field(target, &value).is_err() {
            return false;
        }
        self.put(field, value);
        true
    }

    /// Keeps a value that was given by name; remembers it as wrong if it does not fit.
    fn set_named(&mut self, field: usize, value: Option<Value>, given: &str) {
        let Some(target) = self.field(field) else { return };
        let checked = value.map(|value| (self.tool.fields.check_field(target, &value), value));
        match checked {
            Some((Ok(()) | Err(Doubt::Unchecked), value)) => self.put(field, value),
            Some((Err(Doubt::Wrong), _)) | None => {
                if let Some(slot) = self.wrong.get_mut(field) {
                    *slot = Some(given.to_owned());
                }
            }
        }
    }

    fn put(&mut self, field: usize, value: Value) {
        if let (Some(slot), Some(wrong)) = (self.values.get_mut(field), self.wrong.get_mut(field)) {
            *slot = Some(value);
            *wrong = None;
        }
    }

    fn is_taken(&self, chunk: usize) -> bool {
        self.taken.get(chunk).copied().unwrap_or(true)
    }

    fn take(&mut self, first: usize, after: usize) {
        let after = after.min(self.taken.len());
        if let Some(range) = self.taken.get_mut(first..after) {
            range.fill(true);
        }
    }

    fn lower(&self, chunk: Option<usize>) -> &str {
        chunk.and_then(|at| self.chunks.get(at)).map_or("", |chunk| &chunk.lower)
    }

    /// Whether one of the two previous chunks is the name of the field.
    fn is_named_before(&self, field: &Field<'_>, chunk: usize) -> bool {
        let parent = field.path.len().checked_sub(2).and_then(|at| field.path.get(at));
        let parents = parent.map(|name| stems(name)).unwrap_or_default();
        (1..=2).filter_map(|back| chunk.checked_sub(back)).any(|at| {
            self.stems.get(at).is_some_and(|word| {
                word.chars().count() > 1 && (field.stems.contains(word) || parents.contains(word))
            })
        })
    }

    /// Whether there is a required free text, which may contain any word.
    fn has_prose(&self) -> bool {
        self.tool.fields.all.iter().any(|field| field.is_required() && is_prose(field))
    }
}

fn is_prose(field: &Field<'_>) -> bool {
    matches!(field.form(), Some(Form::Free | Form::LooseEmail))
}

fn is_temporal(field: &Field<'_>) -> bool {
    match &field.kind {
        Kind::Text(form) => {
            matches!(form, Form::Date | Form::Time | Form::DateTime | Form::Clock | Form::Duration)
        }
        Kind::Number | Kind::Integer => crate::arguments::value::in_unit(field, 0).is_some(),
        Kind::Flag | Kind::Choice(_) | Kind::List { .. } | Kind::Json => false,
    }
}
