//! Assigns addresses, links, ids, choices, switches and numbers to fields by their types.

use serde_json::Value;

use crate::arguments::fields::{Field, Form, Kind};
use crate::arguments::fill::Filler;
use crate::arguments::looks::{is_email, is_uri, is_uuid};
use crate::arguments::value::stems;
use crate::text::lexicon::{is_empty_word, language_code, related, truth};
use crate::text::number::{number, to_json};
use crate::text::stem::stem;

/// Restricting words: "only photos".
const ONLY: [&str; 8] = ["only", "just", "лише", "тільки", "только", "лишь", "type", "kind"];
const WITH: [&str; 14] = [
    "with",
    "include",
    "including",
    "show",
    "enable",
    "add",
    "з",
    "із",
    "включи",
    "включно",
    "с",
    "со",
    "увімкни",
    "покажи",
];
const WITHOUT: [&str; 8] =
    ["without", "no", "exclude", "disable", "hide", "без", "вимкни", "выключи"];
/// Parts of a name that do not tell what is switched.
const SWITCHING: [&str; 9] =
    ["includ", "with", "has", "is", "enabl", "show", "use", "data", "allow"];

impl<'a> Filler<'a> {
    /// Texts with a recognisable form.
    pub(crate) fn fill_words(&mut self) {
        for (index, field) in self.open_fields() {
            let Some(form) = field.form() else { continue };
            let found = match form {
                Form::Email => self.find(is_email),
                Form::LooseEmail => self.find(|text| text.contains('@')),
                Form::Url => self.find(is_uri),
                Form::Uuid => self.find(is_uuid),
                Form::Fitting => self.find_fitting(field),
                Form::Free
                | Form::Date
                | Form::Time
                | Form::DateTime
                | Form::Clock
                | Form::Duration => None,
            };
            // An optional one is filled if it is the only one of its kind.
            let alone =
                self.open_fields().iter().filter(|(_, other)| other.form() == Some(form)).count()
                    == 1;
            let telling = form != Form::Fitting || self.is_selective(field);
            if let Some(at) = found.filter(|at| {
                field.is_required() || (alone && telling) || self.is_named_before(field, *at)
            }) {
                let text = self.chunks.get(at).map_or("", |chunk| chunk.text).to_owned();
                if self.set(index, Value::String(text)) {
                    self.take(at, at + 1);
                }
            }
        }
    }

    fn find(&self, looks: impl Fn(&str) -> bool) -> Option<usize> {
        let free = |(at, chunk): &(usize, &crate::text::chunk::Chunk<'_>)| {
            !self.is_taken(*at) && looks(chunk.text)
        };
        self.chunks.iter().enumerate().find(free).map(|(at, _)| at)
    }

    /// A word that fits a pattern: one with a digit or a symbol in it, or the only one.
    fn find_fitting(&self, field: &Field<'_>) -> Option<usize> {
        let mut plain = Vec::new();
        for (at, chunk) in self.chunks.iter().enumerate().take(FITTING_MAX) {
            let known = chunk.text.chars().all(char::is_alphabetic)
                && (is_empty_word(&chunk.lower) || self.tool.knows(&chunk.lower));
            let value = Value::String(chunk.text.to_owned());
            if self.is_taken(at) || known || self.tool.fields.check_field(field, &value).is_err() {
                continue;
            }
            if !chunk.text.chars().all(char::is_alphabetic) || self.is_named_before(field, at) {
                return Some(at);
            }
            plain.push(at);
        }
        if let &[only] = plain.as_slice() { Some(only) } else { None }
    }

    /// Whether a pattern rejects ordinary words. `3d8` belongs to a field that takes neither words nor
    /// numbers.
    fn is_selective(&self, field: &Field<'_>) -> bool {
        let ordinary = ["word", "7", "Kyiv,", "42", "a-b", "x1", "2026"];
        let fitting = |word: &&str| {
            let value = Value::String((*word).to_owned());
            self.tool.fields.check_field(field, &value).is_ok()
        };
        field.schema.get("pattern").is_some() && !ordinary.iter().any(fitting)
    }

    pub(crate) fn fill_choices(&mut self) {
        for (index, field) in self.open_fields() {
            let (choices, many) = match &field.kind {
                Kind::Choice(choices) => (*choices, false),
                Kind::List { of, .. } => match of.as_ref() {
                    Kind::Choice(choices) => (*choices, true),
                    Kind::Text(_)
                    | Kind::Number
                    | Kind::Integer
                    | Kind::Flag
                    | Kind::List { .. }
                    | Kind::Json => {
                        continue;
                    }
                },
                Kind::Text(_) | Kind::Number | Kind::Integer | Kind::Flag | Kind::Json => continue,
            };
            let found = self.find_choices(field, choices);
            let value = match (many, found.first()) {
                (_, None) => continue,
                (false, Some((_, _, choice))) => (*choice).clone(),
                (true, Some(_)) => {
                    let mut all: Vec<Value> = Vec::new();
                    for (_, _, choice) in &found {
                        if !all.contains(choice) {
                            all.push((*choice).clone());
                        }
                    }
                    Value::Array(all)
                }
            };
            if self.set(index, value) {
                let used = if many { found.len() } else { 1 };
                for (first, after, _) in found.into_iter().take(used) {
                    self.take_choice(field, first, after);
                }
            }
        }
    }

    /// Uses up a choice with its restricting word.
    fn take_choice(&mut self, field: &Field<'_>, first: usize, after: usize) {
        let narrows = |word: &str| ONLY.contains(&word) || field.stems.contains(&stem(word));
        let before = first.checked_sub(1).filter(|at| narrows(self.lower(Some(*at))));
        let behind = usize::from(narrows(self.lower(Some(after))));
        self.take(before.unwrap_or(first), after + behind);
    }

    fn find_choices(
        &self,
        field: &Field<'_>,
        choices: &'a [Value],
    ) -> Vec<(usize, usize, &'a Value)> {
        let mut found: Vec<(usize, usize, &Value)> = Vec::new();
        for choice in choices {
            let label = choice.as_str().map_or_else(|| choice.to_string(), str::to_owned);
            let wanted = stems(&label);
            if wanted.is_empty() || choice.is_null() {
                continue;
            }
            let hit = (0..self.chunks.len()).find_map(|at| {
                let after = self.choice_at(at, &label, &wanted)?;
                self.may_choose(field, &label, at, after).then_some((at, after, choice))
            });
            found.extend(hit);
        }
        found.sort_by_key(|(first, _, _)| *first);
        found
    }

    /// The end of a choice that begins here.
    fn choice_at(&self, at: usize, label: &str, wanted: &[String]) -> Option<usize> {
        let chunk = self.chunks.get(at).filter(|_| !self.is_taken(at))?;
        let whole =
            chunk.lower == label.to_lowercase() || language_code(&chunk.lower) == Some(label);
        if whole
            || (self.word_stems.get(at).is_some_and(|words| words == wanted)
                && label.chars().count() > 2)
        {
            return Some(at + 1);
        }
        if let (&[only], Some(word)) = (&wanted, self.stems.get(at))
            && ONLY.contains(&self.lower(at.checked_sub(1)))
            && related(only, word)
        {
            return Some(at + 1);
        }
        let words = self.stems.get(at..at + wanted.len())?;
        let free = (at..at + wanted.len()).all(|at| !self.is_taken(at));
        (wanted.len() > 1 && free && words == wanted).then_some(at + wanted.len())
    }

    /// Next to free text, an optional choice must be marked as one; a short one always.
    fn may_choose(&self, field: &Field<'_>, label: &str, at: usize, after: usize) -> bool {
        let before = self.lower(at.checked_sub(1));
        let behind = self.lower(Some(after));
        let named = self.is_named_before(field, at) || field.stems.contains(&stem(behind));
        let marked = named || ONLY.contains(&before) || ONLY.contains(&behind);
        let spelled = self.lower(Some(at)).len() == label.len();
        let short = label.chars().count() <= 2 && spelled;
        let introduced = matches!(before, "in" | "to" | "as" | "до" | "на" | "в" | "у");
        match (field.is_required(), short) {
            (_, true) => marked || introduced || label.chars().all(|c| !c.is_alphabetic()),
            (true, false) => true,
            (false, false) => marked || !self.has_prose(),
        }
    }

    pub(crate) fn fill_flags(&mut self) {
        for (index, field) in self.open_fields() {
            if field.kind != Kind::Flag {
                continue;
            }
            let telling = |word: &&String| !SWITCHING.contains(&word.as_str());
            let names: Vec<&String> = field.stems.iter().filter(telling).collect();
            let says = |at: &usize| {
                let word = self.stems.get(*at);
                !self.is_taken(*at)
                    && word.is_some_and(|word| names.iter().any(|name| related(name, word)))
            };
            let named: Vec<usize> = (0..self.chunks.len()).filter(says).collect();
            let switched = named.into_iter().find_map(|at| self.switch_at(field, at));
            let spoken = || {
                let word = |(at, chunk): (usize, &crate::text::chunk::Chunk<'_>)| {
                    let on = switch_word(&chunk.lower)?;
                    (!self.is_taken(at)).then_some((at, at + 1, on))
                };
                self.chunks.iter().enumerate().find_map(word).filter(|_| field.is_required())
            };
            if let Some((first, after, on)) = switched.or_else(spoken)
                && self.set(index, Value::Bool(on))
            {
                self.take(first, after);
            }
        }
    }

    /// "With pictures", "no snippets", "snippets off".
    fn switch_at(&self, field: &Field<'_>, at: usize) -> Option<(usize, usize, bool)> {
        for back in 1..=2 {
            let Some(before) = at.checked_sub(back) else { break };
            let word = self.lower(Some(before));
            if WITHOUT.contains(&word) {
                return Some((before, at + 1, false));
            }
            if WITH.contains(&word) {
                return Some((before, at + 1, true));
            }
        }
        let behind =
            truth(self.lower(Some(at + 1))).filter(|_| self.is_named_before(field, at + 1));
        behind.map(|on| (at, at + 2, on))
    }

    /// Numbers beside the name of their field first, then required ones in order.
    pub(crate) fn fill_numbers(&mut self) {
        for (index, field) in self.open_fields() {
            if matches!(field.kind, Kind::Number | Kind::Integer)
                && let Some((first, at, after)) = self.number_beside(field)
            {
                self.set_number(index, first, at, after);
            }
        }
        for (index, field) in self.open_fields() {
            let free = |at: &usize| !self.is_taken(*at) && self.number_at(*at).is_some();
            if matches!(field.kind, Kind::Number | Kind::Integer)
                && field.is_required()
                && let Some(at) = (0..self.chunks.len()).find(free)
            {
                self.set_number(index, at, at, at + 1);
            }
        }
    }

    fn set_number(&mut self, index: usize, first: usize, at: usize, after: usize) {
        let value = self.number_at(at).and_then(to_json);
        let given = self.chunks.get(at).map_or("", |chunk| chunk.text).to_owned();
        self.set_named(index, value, &given);
        self.take(first, after);
    }

    fn number_at(&self, at: usize) -> Option<f64> {
        let chunk = self.chunks.get(at).filter(|chunk| !chunk.is_quoted())?;
        number(chunk.text)
    }

    fn number_beside(&self, field: &Field<'_>) -> Option<(usize, usize, usize)> {
        let names = |at: Option<usize>| {
            let word = at.and_then(|at| self.stems.get(at).filter(|_| !self.is_taken(at)));
            word.is_some_and(|word| {
                let long = word.chars().count() > 1;
                field.stems.iter().any(|name| (long && related(name, word)) || name == word)
            })
        };
        let found = |at: &usize| !self.is_taken(*at) && self.number_at(*at).is_some();
        (0..self.chunks.len()).filter(found).find_map(|at| {
            let (one, two) = (at.checked_sub(1), at.checked_sub(2));
            let linked = matches!(self.lower(one), "is" | "of" | "to" | "=" | "at" | "до" | "на");
            match () {
                () if names(one) => Some((one?, at, at + 1)),
                () if linked && names(two) => Some((two?, at, at + 1)),
                () if names(Some(at + 1)) => Some((at, at, at + 2)),
                () => None,
            }
        })
    }

    /// Lists of recognisable texts: all that are left.
    pub(crate) fn fill_lists(&mut self) {
        for (index, field) in self.open_fields() {
            let Kind::List { of, item } = &field.kind else { continue };
            let looks = |text: &str| match of.as_ref() {
                Kind::Text(Form::Email) => is_email(text).then(|| Value::String(text.to_owned())),
                Kind::Text(Form::LooseEmail) => {
                    text.contains('@').then(|| Value::String(text.to_owned()))
                }
                Kind::Text(Form::Url) => is_uri(text).then(|| Value::String(text.to_owned())),
                Kind::Text(Form::Uuid) => is_uuid(text).then(|| Value::String(text.to_owned())),
                Kind::Number | Kind::Integer => number(text).and_then(to_json),
                Kind::Text(_) | Kind::Flag | Kind::Choice(_) | Kind::List { .. } | Kind::Json => {
                    None
                }
            };
            let mut values: Vec<Value> = Vec::new();
            let mut used = Vec::new();
            for (at, chunk) in self.chunks.iter().enumerate().filter(|(at, _)| !self.is_taken(*at))
            {
                let parts: Vec<Value> = chunk.text.split(',').filter_map(looks).collect();
                for value in parts {
                    let fitting = self.tool.fields.check_item(field, item, &value).is_ok();
                    if fitting && !values.contains(&value) {
                        values.push(value);
                    }
                    used.push(at);
                }
            }
            if !values.is_empty() && self.set(index, Value::Array(values)) {
                for at in used {
                    self.take(at, at + 1);
                }
            }
        }
    }
}

/// How many words are tried against a pattern.
const FITTING_MAX: usize = 64;

fn switch_word(lower: &str) -> Option<bool> {
    match lower {
        "enable" | "увімкни" | "включи" => Some(true),
        "disable" | "вимкни" | "выключи" => Some(false),
        _ => truth(lower),
    }
}
