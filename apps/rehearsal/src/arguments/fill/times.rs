//! Assigns dates, times and durations to fields by their formats.

use jiff::SignedDuration;
use jiff::civil::Time;
use serde_json::Value;

use crate::arguments::dates::When;
use crate::arguments::fields::{Field, Form, Kind};
use crate::arguments::fill::Filler;
use crate::arguments::moment::{Lead, Moment, Point, date_time, iso_length, points};
use crate::arguments::value::{in_unit, write};

const STARTS: [&str; 6] = ["start", "begin", "from", "sinc", "after", "starts"];
const ENDS: [&str; 9] = ["end", "to", "until", "till", "befor", "finish", "due", "stop", "ends"];
/// Fields with these names bound a search; a whole day is a valid value.
const BOUNDS: [&str; 7] = ["from", "to", "sinc", "until", "till", "after", "befor"];

impl<'a> Filler<'a> {
    pub(crate) fn fill_times(&mut self) {
        let free = |mention: &crate::arguments::dates::Mention| !self.is_taken(mention.first);
        let times: Vec<_> = self.times.iter().filter(|mention| free(mention)).cloned().collect();
        let mut points = points(&self.chunks, &times);
        self.fill_named_times(&mut points);
        let wanted: Vec<_> =
            self.temporal_fields().filter(|(_, field)| field.is_required()).collect();
        for (index, field) in wanted {
            self.fill_time(index, field, &mut points);
        }
        let mut optional = self.temporal_fields().filter(|(_, field)| !field.is_required());
        let (only, others) = (optional.next(), optional.next().is_some());
        let required =
            self.tool.fields.all.iter().any(|field| field.is_required() && is_point(field));
        drop(optional);
        if let (Some((index, field)), false, false, 1) = (only, others, required, points.len()) {
            self.fill_time(index, field, &mut points);
        }
        self.fill_ends();
    }

    /// Where a time is required, a time is never free text.
    pub(crate) fn take_times(&mut self) {
        let required =
            self.tool.fields.all.iter().any(|field| field.is_required() && is_point(field));
        for mention in self.times.clone().into_iter().filter(|_| required) {
            self.take(mention.first, mention.after);
        }
    }

    fn temporal_fields(&self) -> impl Iterator<Item = (usize, &'a Field<'a>)> + use<'a> {
        self.open_fields().into_iter().filter(|(_, field)| is_point(field))
    }

    /// An optional field needs its name before the time: "working hours 9:00 to 17:00".
    fn fill_named_times(&mut self, points: &mut Vec<Point>) {
        let optional: Vec<_> =
            self.temporal_fields().filter(|(_, field)| !field.is_required()).collect();
        for (index, field) in optional {
            let Some(form) = field.form() else { continue };
            let role = role(field);
            let fits = |point: &Point| {
                self.is_named_before(field, point.first())
                    && (role == Lead::Open || point.lead == role)
                    && write(form, point, self.now).is_some()
            };
            if let Some(at) = points.iter().position(fits) {
                let point = points.remove(at);
                self.set_point(index, form, &point);
            }
        }
    }

    fn fill_time(&mut self, index: usize, field: &Field<'_>, points: &mut Vec<Point>) {
        let Some(form) = field.form() else { return };
        let role = role(field);
        let by_lead = points.iter().position(|point| role != Lead::Open && point.lead == role);
        let other =
            points.iter().position(|point| role == Lead::Open || point.lead != opposite(role));
        let Some(at) = by_lead.or(other) else { return };
        let Some(point) = points.get(at).cloned() else { return };
        if let (Moment::Days(from, to), Form::DateTime) = (point.what, form) {
            if !field.has_word(&BOUNDS) {
                return;
            }
            let day = if role == Lead::End { to } else { from };
            let text = date_time(day.to_datetime(Time::midnight()), None, self.now);
            let set = text.is_some_and(|text| self.set(index, Value::String(text)));
            // A day bounds a search at both ends, unless the message marks it as one of them.
            if set {
                self.take_point(&point);
                if role == Lead::End || point.lead != Lead::Open || points.len() > 1 {
                    points.remove(at);
                }
            }
            return;
        }
        if self.set_point(index, form, &point) {
            points.remove(at);
        }
    }

    fn set_point(&mut self, index: usize, form: Form, point: &Point) -> bool {
        let text = write(form, point, self.now);
        let set = text.is_some_and(|text| self.set(index, Value::String(text)));
        if set {
            self.take_point(point);
        }
        set
    }

    fn take_point(&mut self, point: &Point) {
        for (first, after) in &point.chunks {
            let lead = first.checked_sub(1).filter(|at| is_lead(self.lower(Some(*at))));
            self.take(lead.unwrap_or(*first), *after);
        }
    }

    /// "At 10 for 30 minutes" determines the end.
    fn fill_ends(&mut self) {
        let ends: Vec<_> =
            self.temporal_fields().filter(|(_, field)| role(field) == Lead::End).collect();
        for (index, field) in
            ends.into_iter().filter(|(_, field)| field.form() == Some(Form::DateTime))
        {
            let start = self.tool.fields.all.iter().position(|other| {
                role(other) == Lead::Start
                    && other.form() == Some(Form::DateTime)
                    && other.path.len() == field.path.len()
            });
            let start = start.and_then(|at| self.values.get(at)?.as_ref()?.as_str());
            let Some(start) = start.map(str::to_owned) else { continue };
            let Some((first, after, seconds)) = self.free_length() else { continue };
            if let Some(end) = later(&start, seconds)
                && self.set(index, Value::String(end))
            {
                self.take_length(first, after);
            }
        }
    }

    fn free_length(&self) -> Option<(usize, usize, i64)> {
        self.times.iter().find_map(|mention| match mention.what {
            When::Length(seconds) if !self.is_taken(mention.first) => {
                Some((mention.first, mention.after, seconds))
            }
            When::Length(_) | When::Date(_) | When::Time(_) | When::Moment(..) | When::Days(..) => {
                None
            }
        })
    }

    fn take_length(&mut self, first: usize, after: usize) {
        let lead = first.checked_sub(1).filter(|at| matches!(self.lower(Some(*at)), "for" | "на"));
        self.take(lead.unwrap_or(first), after);
    }

    /// Durations, also for numbers with a unit.
    pub(crate) fn fill_lengths(&mut self) {
        for (index, field) in self.open_fields() {
            let Some((first, after, seconds)) = self.free_length() else { return };
            let value = match &field.kind {
                Kind::Text(Form::Duration) => Some(Value::String(iso_length(seconds))),
                Kind::Number | Kind::Integer => in_unit(field, seconds),
                Kind::Text(_) | Kind::Flag | Kind::Choice(_) | Kind::List { .. } | Kind::Json => {
                    None
                }
            };
            let Some(value) = value else { continue };
            if self.set(index, value.clone()) {
                self.take_length(first, after);
            } else if field.is_required() {
                let given = self.slice(first, after);
                self.set_named(index, Some(value), &given);
                self.take_length(first, after);
            }
        }
    }
}

fn is_point(field: &Field<'_>) -> bool {
    matches!(field.form(), Some(Form::Date | Form::Time | Form::DateTime | Form::Clock))
}

fn role(field: &Field<'_>) -> Lead {
    match (field.has_word(&STARTS), field.has_word(&ENDS)) {
        (true, false) => Lead::Start,
        (false, true) => Lead::End,
        (true, true) | (false, false) => Lead::Open,
    }
}

fn opposite(lead: Lead) -> Lead {
    match lead {
        Lead::Start => Lead::End,
        Lead::End => Lead::Start,
        Lead::Open => Lead::Open,
    }
}

fn is_lead(word: &str) -> bool {
    matches!(
        word,
        "from"
            | "to"
            | "at"
            | "on"
            | "until"
            | "till"
            | "since"
            | "after"
            | "before"
            | "by"
            | "between"
            | "з"
            | "із"
            | "до"
            | "від"
            | "о"
            | "об"
            | "у"
            | "в"
            | "во"
            | "на"
            | "с"
            | "со"
            | "от"
            | "по"
            | "після"
            | "после"
    )
}

/// A time in RFC 3339, some seconds later, at the same offset.
fn later(start: &str, seconds: i64) -> Option<String> {
    let zoned = jiff::fmt::temporal::DateTimeParser::new().parse_timestamp(start).ok()?;
    let pieces = jiff::fmt::temporal::Pieces::parse(start).ok()?;
    let offset = pieces.to_numeric_offset()?;
    let moment = zoned.checked_add(SignedDuration::from_secs(seconds)).ok()?;
    date_time(offset.to_datetime(moment), Some(offset), None)
}
