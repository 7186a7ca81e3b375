//! Parses a text that is known to be the value of one field.

use jiff::Zoned;
use serde_json::Value;

use crate::arguments::dates::{When, mentions};
use crate::arguments::fields::{Field, Form, Kind};
use crate::arguments::moment::{
    Moment, Point, clock_time, date_time, full_time, iso_length, points,
};
use crate::plan::rank::words;
use crate::text::chunk::{chunks, unquoted};
use crate::text::lexicon::{language_code, truth};
use crate::text::number::{number, to_json};
use crate::text::stem::stem;

/// The value of a text; none if it does not parse. Not yet checked against the schema.
pub(crate) fn read(field: &Field<'_>, text: &str, now: Option<&Zoned>) -> Option<Value> {
    read_kind(field, &field.kind, text, now)
}

fn read_kind(field: &Field<'_>, kind: &Kind<'_>, text: &str, now: Option<&Zoned>) -> Option<Value> {
    let text = unquoted(text.trim());
    if text.is_empty() {
        return None;
    }
    match kind {
        Kind::Text(form) => read_text(*form, text, now).map(Value::String),
        Kind::Number => read_number(field, text),
        Kind::Integer => read_number(field, text).filter(|number| !number.is_f64()),
        Kind::Flag => truth(&text.to_lowercase()).map(Value::Bool),
        Kind::Choice(choices) => choice(choices, text).cloned(),
        Kind::List { of, item: _ } => read_list(field, of, text, now),
        Kind::Json => serde_json::from_str(text).ok(),
    }
}

fn read_text(form: Form, text: &str, now: Option<&Zoned>) -> Option<String> {
    match form {
        Form::Free | Form::Email | Form::LooseEmail | Form::Url | Form::Uuid | Form::Fitting => {
            Some(text.to_owned())
        }
        Form::Date | Form::Time | Form::DateTime | Form::Clock => {
            let chunks = chunks(text);
            let points = points(&chunks, &mentions(&chunks, now));
            points.first().and_then(|point| write(form, point, now))
        }
        Form::Duration => {
            let chunks = chunks(text);
            let length =
                mentions(&chunks, now).into_iter().find_map(|mention| match mention.what {
                    When::Length(seconds) => Some(seconds),
                    When::Date(_) | When::Time(_) | When::Moment(..) | When::Days(..) => None,
                });
            length.map(iso_length)
        }
    }
}

/// A point in time in the format of a field; none if it is not precise enough.
pub(crate) fn write(form: Form, point: &Point, now: Option<&Zoned>) -> Option<String> {
    match (form, point.what) {
        (Form::DateTime, Moment::At(moment, offset)) => date_time(moment, offset, now),
        (Form::DateTime, Moment::Hour(time)) => date_time(now?.date().to_datetime(time), None, now),
        (Form::Date, Moment::At(moment, _)) => Some(moment.date().to_string()),
        (Form::Date, Moment::Days(date, _)) => Some(date.to_string()),
        (Form::Time, Moment::At(moment, _)) => Some(full_time(moment.time(), now)),
        (Form::Time, Moment::Hour(time)) => Some(full_time(time, now)),
        (Form::Clock, Moment::At(moment, _)) => Some(clock_time(moment.time())),
        (Form::Clock, Moment::Hour(time)) => Some(clock_time(time)),
        _ => None,
    }
}

fn read_number(field: &Field<'_>, text: &str) -> Option<Value> {
    if let Some(found) = number(text) {
        return to_json(found);
    }
    let chunks = chunks(text);
    mentions(&chunks, None).iter().find_map(|mention| match mention.what {
        When::Length(seconds) => in_unit(field, seconds),
        When::Date(_) | When::Time(_) | When::Moment(..) | When::Days(..) => None,
    })
}

/// A duration in the unit that the name or the description of a field gives.
pub(crate) fn in_unit(field: &Field<'_>, seconds: i64) -> Option<Value> {
    let unit = |stem: &str| match stem {
        "m" | "millisecond" => Some(0.001),
        "second" | "sec" | "секунд" => Some(1.0),
        "minut" | "min" | "хвилин" | "минут" => Some(60.0),
        "hour" | "hr" | "годин" => Some(3600.0),
        "day" => Some(86_400.0),
        _ => None,
    };
    let in_name =
        field.stems.iter().find_map(|stem| if stem == "ms" { Some(0.001) } else { unit(stem) });
    let mut found = in_name;
    words(field.description(), |word| found = found.or_else(|| unit(&stem(word))));
    to_json(seconds as f64 / found?)
}

fn read_list(field: &Field<'_>, of: &Kind<'_>, text: &str, now: Option<&Zoned>) -> Option<Value> {
    if text.starts_with('[') {
        return serde_json::from_str(text).ok();
    }
    let mut items: Vec<Value> = Vec::new();
    for part in split_list(text) {
        let item = read_kind(field, of, part, now)?;
        if !items.contains(&item) {
            items.push(item);
        }
    }
    (!items.is_empty()).then_some(Value::Array(items))
}

/// "a, b and c" has three parts.
pub(crate) fn split_list(text: &str) -> impl Iterator<Item = &str> {
    let by_word = |part: &'_ str| -> Vec<(usize, usize)> {
        let mut found = vec![(0, part.len())];
        for word in [" and ", " та ", " і ", " и ", " й "] {
            let Some((from, to)) = found.pop() else { break };
            let inner = part.get(from..to).unwrap_or_default();
            let mut at = from;
            for (hit, _) in inner.match_indices(word) {
                found.push((at, from + hit));
                at = from + hit + word.len();
            }
            found.push((at, to));
        }
        found
    };
    text.split([',', ';', '\n'])
        .flat_map(move |part| {
            by_word(part).into_iter().map(|(from, to)| part.get(from..to).unwrap_or_default())
        })
        .map(str::trim)
        .map(|part| part.strip_prefix("and ").unwrap_or(part))
        .filter(|part| !part.is_empty())
}

/// The choice that a text names: exactly, in other case, by its words or its language.
pub(crate) fn choice<'a>(choices: &'a [Value], text: &str) -> Option<&'a Value> {
    let lower = text.to_lowercase();
    let label = |choice: &Value| choice.as_str().map_or_else(|| choice.to_string(), str::to_owned);
    let wanted = stems(text);
    choices
        .iter()
        .find(|choice| label(choice) == text)
        .or_else(|| choices.iter().find(|choice| label(choice).to_lowercase() == lower))
        .or_else(|| {
            choices.iter().find(|choice| !wanted.is_empty() && stems(&label(choice)) == wanted)
        })
        .or_else(|| {
            let code = language_code(&lower)?;
            choices.iter().find(|choice| label(choice) == code)
        })
}

pub(crate) fn stems(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    words(text, |word| found.push(stem(word)));
    found
}
