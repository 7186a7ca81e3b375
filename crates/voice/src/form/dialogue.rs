//! The dialogue that fills in a form: one question at a time, then a read-back.
//!
//! In: final transcripts. Out: the next sentence to say, and in the end a `HandlerAnswer`. Must
//! hold: the state depends on the transcripts alone, so a log of them gives the same dialogue.

use std::collections::BTreeSet;

use contract::{Action, HandlerAnswer};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::form::reading::{Locale, value_of};
use crate::form::{Field, FieldKind, Form, Needed};
use crate::words::answer::{SpokenAnswer, normalize, spoken_answer};
use crate::words::language::{CommandWords, Language};

/// Attempts at one question, as at the terminal.
const TRIES_MAX: u8 = 5;
/// How many options are read aloud; all are accepted.
const OPTIONS_SPOKEN_MAX: usize = 8;

/// A form that is being filled in.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Dialogue {
    form: Form,
    locale: Locale,
    answers: Map<String, Value>,
    /// Fields that were answered by hand, which are not asked for again.
    by_hand: BTreeSet<String>,
    step: Step,
    /// What was wrong with the last answer.
    problem: Option<Problem>,
    tries: u8,
    has_begun: bool,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Step {
    Field(usize),
    Confirm,
    Done(Action),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Problem {
    Unfit,
    Required,
}

/// A word that moves through the form.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Move {
    Skip,
    Back,
    Repeat,
    Cancel,
}

impl Dialogue {
    pub fn new(form: Form, locale: Locale) -> Self {
        let step = if form.fields.is_empty() { Step::Confirm } else { Step::Field(0) };
        let (answers, by_hand) = (Map::new(), BTreeSet::new());
        Self { form, locale, answers, by_hand, step, problem: None, tries: 0, has_begun: false }
    }

    /// The sentence to say now; none when the dialogue is over.
    pub fn prompt(&self) -> Option<String> {
        let say = &self.locale.language().words().say;
        let question = match &self.step {
            Step::Done(_) => return None,
            Step::Field(at) => self.question(self.form.fields.get(*at)?),
            Step::Confirm => say.form_readback.replace("{answers}", &self.read_back()),
        };
        let before = match self.problem {
            Some(Problem::Unfit) => format!("{} ", say.form_unfit),
            Some(Problem::Required) => format!("{} ", say.form_required),
            None if !self.has_begun && !self.form.message.is_empty() => {
                format!("{} ", self.form.message)
            }
            None => String::new(),
        };
        Some(before + &question)
    }

    /// Takes the next final transcript.
    pub fn hear(&mut self, text: &str) {
        self.has_begun = true;
        self.problem = None;
        match self.step.clone() {
            Step::Done(_) => {}
            Step::Field(at) => self.hear_field(at, text),
            Step::Confirm => self.hear_confirmation(text),
        }
    }

    /// Takes what a person wrote by hand; null takes an answer back. What the contract does not
    /// accept is left out. Says whether another sentence is to be said now.
    pub fn edit(&mut self, answers: &Map<String, Value>) -> bool {
        if matches!(self.step, Step::Done(_)) {
            return false;
        }
        let before = (self.step.clone(), self.answers.clone());
        for field in &self.form.fields {
            match answers.get(&field.name) {
                Some(Value::Null) => {
                    self.answers.remove(&field.name);
                    self.by_hand.remove(&field.name);
                }
                Some(value) if field.accepts(value) => {
                    self.answers.insert(field.name.clone(), value.clone());
                    self.by_hand.insert(field.name.clone());
                }
                Some(_) | None => {}
            }
        }
        if let Step::Field(at) = self.step {
            self.go_on(at);
        }
        let moved = self.step != before.0;
        let has_changed = moved || (self.step == Step::Confirm && self.answers != before.1);
        if has_changed {
            (self.has_begun, self.problem) = (true, None);
        }
        has_changed
    }

    /// The answers so far.
    pub(crate) fn answers(&self) -> &Map<String, Value> {
        &self.answers
    }

    /// The field that is asked for.
    pub(crate) fn field(&self) -> Option<&str> {
        match self.step {
            Step::Field(at) => self.form.fields.get(at).map(|field| field.name.as_str()),
            Step::Confirm | Step::Done(_) => None,
        }
    }

    /// The end: what the handler gets, exactly as from the page or the terminal.
    pub fn result(&self) -> Option<HandlerAnswer> {
        let Step::Done(action) = self.step else { return None };
        let content = match action {
            // In the order of the form, whoever answered what first.
            Action::Accept => {
                let fields = self.form.fields.iter().map(|field| &field.name);
                let given = |name: &String| Some((name.clone(), self.answers.get(name)?.clone()));
                Value::Object(fields.filter_map(given).collect())
            }
            Action::Decline | Action::Cancel => Value::Null,
        };
        Some(HandlerAnswer { action, content })
    }

    fn hear_field(&mut self, at: usize, text: &str) {
        let Some(field) = self.form.fields.get(at) else { return };
        let value = value_of(field, text, &self.locale);
        // A choice may be called "next"; a text may not.
        let is_choice = matches!(field.kind, FieldKind::OneOf(_) | FieldKind::SeveralOf(_));
        let spoken_move = move_of(text, &self.locale.languages);
        match (spoken_move, value) {
            (Some(Move::Cancel), _) => self.step = Step::Done(Action::Cancel),
            (_, Some(value)) if is_choice || spoken_move.is_none() => {
                let name = field.name.clone();
                self.by_hand.remove(&name);
                self.answers.insert(name, value);
                self.go_on(at + 1);
            }
            (Some(Move::Skip), _) if field.needed == Needed::Optional => {
                let name = field.name.clone();
                self.by_hand.remove(&name);
                self.answers.remove(&name);
                self.go_on(at + 1);
            }
            (Some(Move::Skip), _) => self.fail(Problem::Required),
            (Some(Move::Back), _) => self.go_to(at.saturating_sub(1)),
            (Some(Move::Repeat), _) => self.try_again(),
            (None, _) => self.fail(Problem::Unfit),
        }
    }

    fn hear_confirmation(&mut self, text: &str) {
        let languages = &self.locale.languages;
        match (spoken_answer(text, languages), move_of(text, languages)) {
            (SpokenAnswer::Yes, _) => self.accept(),
            (_, Some(Move::Back)) => self.go_to(self.form.fields.len().saturating_sub(1)),
            (SpokenAnswer::No, None) => {
                self.by_hand.clear();
                self.go_to(0);
            }
            (_, Some(Move::Cancel)) => self.step = Step::Done(Action::Cancel),
            (SpokenAnswer::No | SpokenAnswer::Unclear, _) => self.try_again(),
        }
    }

    /// The whole must fit too; if it does not, the questions start over.
    fn accept(&mut self) {
        match self.form.check(Value::Object(self.answers.clone())) {
            Ok(_) => self.step = Step::Done(Action::Accept),
            Err(_) => {
                self.go_to(0);
                self.problem = Some(Problem::Unfit);
            }
        }
    }

    /// Goes to this field, or to the next one that was not answered by hand.
    fn go_on(&mut self, at: usize) {
        let is_open = |field: &Field| !self.by_hand.contains(&field.name);
        let rest = self.form.fields.iter().skip(at);
        let next = rest.zip(at..).find(|(field, _)| is_open(field)).map(|(_, at)| at);
        let next = next.unwrap_or(self.form.fields.len());
        if self.step != Step::Field(next) {
            self.go_to(next);
        }
    }

    fn go_to(&mut self, at: usize) {
        self.tries = 0;
        self.step = if at < self.form.fields.len() { Step::Field(at) } else { Step::Confirm };
    }

    fn fail(&mut self, problem: Problem) {
        self.problem = Some(problem);
        self.try_again();
    }

    fn try_again(&mut self) {
        self.tries += 1;
        if self.tries >= TRIES_MAX {
            self.step = Step::Done(Action::Cancel);
        }
    }

    fn question(&self, field: &Field) -> String {
        let say = &self.locale.language().words().say;
        let mut sentence = format!("{}?", field.title.trim_end_matches(['?', ':', '.', ' ']));
        if let Some(description) = &field.description {
            sentence = format!("{sentence} {}.", description.trim_end_matches(['.', ' ']));
        }
        let hint = match &field.kind {
            FieldKind::OneOf(choices) | FieldKind::SeveralOf(choices) => {
                let titles: Vec<&str> =
                    choices.iter().take(OPTIONS_SPOKEN_MAX).map(|one| one.title.as_str()).collect();
                say.form_options.replace("{options}", &listed(&titles, &say.option_or))
            }
            FieldKind::YesNo => say.form_yes_no.clone(),
            FieldKind::Text
            | FieldKind::Address
            | FieldKind::Date
            | FieldKind::DateTime
            | FieldKind::Number
            | FieldKind::Integer => String::new(),
        };
        let optional = match field.needed {
            Needed::Optional => say.form_optional.as_str(),
            Needed::Required => "",
        };
        let parts = [sentence.as_str(), &hint, optional];
        parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(" ")
    }

    /// Every answer by its title, in the order of the form.
    fn read_back(&self) -> String {
        let say = &self.locale.language().words().say;
        let part = |field: &Field| {
            let value = self.answers.get(&field.name)?;
            Some(format!("{}: {}", field.title, self.spoken(field, value)))
        };
        let parts: Vec<_> = self.form.fields.iter().filter_map(part).collect();
        if parts.is_empty() { say.form_empty.clone() } else { parts.join("; ") }
    }

    fn spoken(&self, field: &Field, value: &Value) -> String {
        let say = &self.locale.language().words().say;
        let title = |value: &Value, choices: &[crate::form::Choice]| {
            let found = choices.iter().find(|choice| value.as_str() == Some(&choice.value));
            found.map(|choice| choice.title.clone()).unwrap_or_default()
        };
        match (&field.kind, value) {
            (_, Value::Bool(true)) => say.form_yes.clone(),
            (_, Value::Bool(false)) => say.form_no.clone(),
            (FieldKind::OneOf(choices), value) => title(value, choices),
            (FieldKind::SeveralOf(choices), Value::Array(values)) => {
                values.iter().map(|value| title(value, choices)).collect::<Vec<_>>().join(", ")
            }
            (_, Value::String(text)) => text.clone(),
            (_, other) => other.to_string(),
        }
    }
}

/// "a, b or c".
fn listed(titles: &[&str], or: &str) -> String {
    match titles {
        [before @ .., last] if !before.is_empty() => format!("{} {or} {last}", before.join(", ")),
        _ => titles.join(", "),
    }
}

fn move_of(text: &str, languages: &[Language]) -> Option<Move> {
    let text = normalize(text);
    let is = |list: fn(&'static CommandWords) -> &'static [String]| {
        languages.iter().any(|one| list(&one.words().commands).contains(&text))
    };
    if is(|words| &words.cancel) {
        return Some(Move::Cancel);
    }
    if is(|words| &words.back) {
        return Some(Move::Back);
    }
    if is(|words| &words.skip) {
        return Some(Move::Skip);
    }
    is(|words| &words.repeat).then_some(Move::Repeat)
}

#[cfg(test)]
mod tests;
