//! Slash commands: `/tool_name name=value "a quotation" …` or `/tool_name {json}`.
//!
//! Must hold: the tool is the named one; values without a name go to the required fields in
//! order; the last of them takes the rest, if it is text.

use contract::ToolOffer;
use jiff::Zoned;
use serde_json::Value;

use crate::arguments::check::Doubt;
use crate::arguments::fields::{Field, Form, Kind};
use crate::arguments::fill::{Known, Tool};
use crate::arguments::value::read;
use crate::text::chunk::{Chunk, chunks, unquoted};

/// A parsed slash command.
pub(crate) enum Slash<'a> {
    /// A tool and the text after its name.
    Tool(&'a ToolOffer, String),
    Unknown {
        name: String,
        nearest: Option<&'a ToolOffer>,
    },
}

impl<'a> Slash<'a> {
    /// Parses a line that begins with a slash and a letter.
    pub(crate) fn read(text: &str, offers: &'a [ToolOffer]) -> Option<Self> {
        let line = text.trim().strip_prefix('/')?;
        let name_end = line.find(|c: char| c.is_whitespace() || c == '{').unwrap_or(line.len());
        let (name, rest) = line.split_at_checked(name_end)?;
        let is_name = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.');
        if !name.starts_with(char::is_alphabetic) || !name.chars().all(is_name) {
            return None;
        }
        Some(match find(name, offers) {
            Some(offer) => Slash::Tool(offer, rest.trim().to_owned()),
            None => Slash::Unknown { name: name.to_owned(), nearest: nearest(name, offers) },
        })
    }
}

/// The tool of this name, or the only one whose last part it is.
fn find<'a>(name: &str, offers: &'a [ToolOffer]) -> Option<&'a ToolOffer> {
    let wanted = plain(name);
    let exact = offers.iter().find(|offer| plain(offer.id.as_str()) == wanted);
    exact.or_else(|| {
        let last = |offer: &&ToolOffer| {
            offer.id.as_str().rsplit('.').next().is_some_and(|part| plain(part) == wanted)
        };
        let mut found = offers.iter().filter(last);
        match (found.next(), found.next()) {
            (Some(only), None) => Some(only),
            (Some(_), Some(_)) | (None, _) => None,
        }
    })
}

fn plain(name: &str) -> String {
    name.to_lowercase().replace('-', "_")
}

/// The tool whose name, or its last part, is nearest to a misspelt one.
fn nearest<'a>(name: &str, offers: &'a [ToolOffer]) -> Option<&'a ToolOffer> {
    let wanted: Vec<char> = plain(name).chars().take(NAME_CHARS_MAX).collect();
    let near = |offer: &'a ToolOffer| {
        let id = offer.id.as_str();
        let last = id.rsplit('.').next().unwrap_or(id);
        let away = |text: &str| distance(&wanted, &text.chars().collect::<Vec<_>>());
        let begins = plain(last).starts_with(&plain(name)) && name.chars().count() > 2;
        let away = if begins { 0 } else { away(id).min(away(last)) };
        (away <= 1.max(last.chars().count() / 3)).then_some((away, offer))
    };
    offers.iter().filter_map(near).min_by_key(|(away, _)| *away).map(|(_, offer)| offer)
}

const NAME_CHARS_MAX: usize = 64;

/// The edit distance of two words.
fn distance(from: &[char], to: &[char]) -> usize {
    let mut last: Vec<usize> = (0..=to.len()).collect();
    for (row, a) in from.iter().enumerate() {
        let mut next = vec![row + 1];
        let mut left = row + 1;
        for (b, pair) in to.iter().zip(last.windows(2)) {
            let &[diagonal, above] = pair else { continue };
            left = (diagonal + usize::from(a != b)).min(above + 1).min(left + 1);
            next.push(left);
        }
        last = next;
    }
    last.last().copied().unwrap_or_default()
}

/// The values of a slash command by field; or the first word without a field.
pub(crate) fn known(tool: &Tool<'_>, rest: &str, now: Option<&Zoned>) -> Result<Known, String> {
    let count = tool.fields.all.len();
    let mut known = Known { values: vec![None; count], wrong: vec![None; count] };
    let chunks = chunks(rest);
    let mut free = Vec::new();
    for chunk in &chunks {
        let pair = chunk.text.split_once('=').filter(|_| !chunk.is_quoted());
        let named = pair.and_then(|(name, value)| Some((tool.fields.named(name)?, value)));
        match named {
            Some((index, value)) => put(tool, &mut known, index, unquoted(value), now),
            None => free.push(chunk),
        }
    }
    let open = |index: &usize| known.values.get(*index).is_some_and(Option::is_none);
    let places: Vec<usize> =
        (0..count).filter(|index| is_required(tool, *index)).filter(open).collect();
    place(tool, &mut known, rest, &places, &free, now)?;
    Ok(known)
}

fn is_required(tool: &Tool<'_>, index: usize) -> bool {
    tool.fields.all.get(index).is_some_and(Field::is_required)
}

/// Assigns words without a name to the required fields in order.
fn place(
    tool: &Tool<'_>,
    known: &mut Known,
    rest: &str,
    places: &[usize],
    free: &[&Chunk<'_>],
    now: Option<&Zoned>,
) -> Result<(), String> {
    let mut words = free.iter().peekable();
    for (at, index) in places.iter().enumerate() {
        let Some(first) = words.next() else { return Ok(()) };
        let last_place = at + 1 == places.len();
        if !last_place || !takes_words(tool, *index) || words.peek().is_none() {
            put(tool, known, *index, first.text, now);
            continue;
        }
        let mut text = rest.get(first.start..first.end).unwrap_or_default().to_owned();
        for word in words.by_ref() {
            text.push(' ');
            text.push_str(rest.get(word.start..word.end).unwrap_or_default());
        }
        put(tool, known, *index, &text, now);
    }
    words.next().map_or(Ok(()), |surplus| Err(surplus.text.to_owned()))
}

/// Whether the value of this field may contain spaces.
fn takes_words(tool: &Tool<'_>, index: usize) -> bool {
    tool.fields.all.get(index).is_some_and(|field| match &field.kind {
        Kind::Text(form) => !matches!(form, Form::Email | Form::Url | Form::Uuid),
        Kind::List { .. } | Kind::Json => true,
        Kind::Number | Kind::Integer | Kind::Flag | Kind::Choice(_) => false,
    })
}

fn put(tool: &Tool<'_>, known: &mut Known, index: usize, text: &str, now: Option<&Zoned>) {
    let Some(field) = tool.fields.all.get(index) else { return };
    let value = read(field, text, now);
    let doubt = value.as_ref().map(|value| tool.fields.check_field(field, value));
    match doubt {
        Some(Ok(()) | Err(Doubt::Unchecked)) => {
            if let Some(slot) = known.values.get_mut(index) {
                *slot = value;
            }
        }
        Some(Err(Doubt::Wrong)) | None => {
            if let Some(slot) = known.wrong.get_mut(index) {
                *slot = Some(text.to_owned());
            }
        }
    }
}

/// Arguments given as a JSON object; or the first place that does not fit.
pub(crate) fn json(tool: &Tool<'_>, rest: &str) -> Result<Value, JsonFault> {
    let value: Value =
        serde_json::from_str(rest).map_err(|fault| JsonFault::NoJson(fault.to_string()))?;
    match tool.fields.check_all(&value) {
        Ok(()) => Ok(value),
        Err(misfit) if misfit.doubt == Doubt::Unchecked => Ok(value),
        Err(misfit) => {
            let path: Vec<&str> = misfit.at.split('.').collect();
            let given =
                path.iter().try_fold(&value, |value, name| value.get(name)).map(Value::to_string);
            Err(JsonFault::Misfit(misfit.at, given))
        }
    }
}

pub(crate) enum JsonFault {
    NoJson(String),
    /// The dotted name of what does not fit, and the given value.
    Misfit(String, Option<String>),
}
