//! Finds dates, times and durations in a message, in three languages.
//!
//! In: chunks, and the current time if it is known. Out: [`Mention`]s in order. Must hold: no
//! clock is read; without the current time, "tomorrow" is not understood.

mod clock;
mod names;

use jiff::civil::{Date, DateTime, Time};
use jiff::tz::Offset;
use jiff::{SignedDuration, Zoned};

use crate::arguments::dates::clock::{clock, compact_length, hour_or_clock, iso_date, iso_time};
use crate::arguments::dates::names::{day_number, is_next, is_this, month, weekday};
use crate::text::chunk::Chunk;
use crate::text::number::small_number;

pub(crate) use crate::arguments::dates::names::{is_day, unit_seconds};

/// What the chunks `first..after` mean.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Mention {
    pub first: usize,
    pub after: usize,
    pub what: When,
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum When {
    Date(Date),
    Time(Time),
    /// A time, with its offset if given.
    Moment(DateTime, Option<Offset>),
    /// From the beginning of the first day to the beginning of the second.
    Days(Date, Date),
    /// A duration in seconds.
    Length(i64),
}

pub(crate) const MINUTE: i64 = 60;
pub(crate) const HOUR: i64 = 60 * MINUTE;
pub(crate) const DAY: i64 = 24 * HOUR;
const WEEK: i64 = 7 * DAY;

pub(crate) fn mentions(chunks: &[Chunk<'_>], now: Option<&Zoned>) -> Vec<Mention> {
    let reader = Reader { chunks, now };
    let mut found = Vec::new();
    let mut at = 0;
    while at < chunks.len() {
        match reader.read(at) {
            Some((length, whens)) => {
                let after = at + length.max(1);
                found.extend(whens.into_iter().flatten().map(|what| Mention {
                    first: at,
                    after,
                    what,
                }));
                at = after;
            }
            None => at += 1,
        }
    }
    found
}

/// How many chunks were read, and their one or two meanings.
type Read = Option<(usize, [Option<When>; 2])>;

fn one(length: usize, what: When) -> Read {
    Some((length, [Some(what), None]))
}

struct Reader<'a> {
    chunks: &'a [Chunk<'a>],
    now: Option<&'a Zoned>,
}

impl<'a> Reader<'a> {
    /// The chunk in lower case; empty beyond the end and for quotations.
    fn word(&self, at: usize) -> &'a str {
        self.chunks.get(at).filter(|chunk| !chunk.is_quoted()).map_or("", |chunk| &chunk.lower)
    }

    fn today(&self) -> Option<Date> {
        self.now.map(Zoned::date)
    }

    fn read(&self, at: usize) -> Read {
        self.iso(at)
            .or_else(|| self.named_day(at))
            .or_else(|| self.calendar_day(at))
            .or_else(|| self.period(at))
            .or_else(|| self.time_ahead(at))
            .or_else(|| self.hours(at))
            .or_else(|| self.time(at))
            .or_else(|| {
                self.length(at).and_then(|(length, seconds)| one(length, When::Length(seconds)))
            })
    }

    fn iso(&self, at: usize) -> Read {
        let word = self.word(at);
        if let Some((day, month_year)) = word.split_once('.')
            && let Some((month, year)) = month_year.split_once('.')
            && year.len() == 4
        {
            let date =
                Date::new(year.parse().ok()?, month.parse().ok()?, day.parse().ok()?).ok()?;
            return one(1, When::Date(date));
        }
        let date = iso_date(word.get(..10)?)?;
        let rest = word.get(10..)?;
        if rest.is_empty() {
            return one(1, When::Date(date));
        }
        let (time, offset) = iso_time(rest.strip_prefix('t')?)?;
        one(1, When::Moment(date.to_datetime(time), offset))
    }

    fn named_day(&self, at: usize) -> Read {
        let today = self.today()?;
        let (word, next) = (self.word(at), self.word(at + 1));
        let days = |length: usize, days: i64| {
            one(length, When::Date(today.checked_add(SignedDuration::from_hours(24 * days)).ok()?))
        };
        match word {
            "today" | "tonight" | "сьогодні" | "сегодня" => days(1, 0),
            "tomorrow" | "завтра" => days(1, 1),
            "yesterday" | "вчора" | "вчера" => days(1, -1),
            "післязавтра" | "послезавтра" => days(1, 2),
            "day" if next == "after" && self.word(at + 2) == "tomorrow" => days(3, 2),
            "now" | "зараз" | "сейчас" => {
                let now = self.now?;
                one(
                    1,
                    When::Moment(
                        now.datetime().with().subsec_nanosecond(0).build().ok()?,
                        Some(now.offset()),
                    ),
                )
            }
            _ => {
                let skipped = usize::from(is_next(word) || is_this(word));
                let weekday = weekday(self.word(at + skipped))?;
                one(skipped + 1, When::Date(today.nth_weekday(1, weekday).ok()?))
            }
        }
    }

    /// "8 December 2026", "December 8th", "8 грудня".
    fn calendar_day(&self, at: usize) -> Read {
        let (word, next) = (self.word(at), self.word(at + 1));
        let (day, month) = match (day_number(word), month(next), month(word), day_number(next)) {
            (Some(day), Some(month), _, _) | (_, _, Some(month), Some(day)) => (day, month),
            _ => return None,
        };
        let year = self.word(at + 2);
        if let Some(year) = year.parse::<i16>().ok().filter(|_| year.len() == 4) {
            return one(3, When::Date(Date::new(year, month, day).ok()?));
        }
        let today = self.today()?;
        let date = Date::new(today.year(), month, day).ok()?;
        let date = if date < today { Date::new(today.year() + 1, month, day).ok()? } else { date };
        one(2, When::Date(date))
    }

    /// "this week", "next month".
    fn period(&self, at: usize) -> Read {
        let today = self.today()?;
        let (word, unit) = (self.word(at), self.word(at + 1));
        let ahead = if is_next(word) {
            1
        } else if is_this(word) {
            0
        } else {
            return None;
        };
        if unit.starts_with("week") || unit.starts_with("тиж") || unit.starts_with("недел")
        {
            let back = i64::from(today.weekday().to_monday_zero_offset());
            let monday =
                today.checked_add(SignedDuration::from_hours(24 * (7 * ahead - back))).ok()?;
            let end = monday.checked_add(SignedDuration::from_hours(24 * 7)).ok()?;
            return one(2, When::Days(monday, end));
        }
        if unit.starts_with("month") || unit.starts_with("місяц") || unit.starts_with("месяц")
        {
            let following = |date: Date| date.last_of_month().tomorrow().ok();
            let first = if ahead == 1 { following(today)? } else { today.first_of_month() };
            return one(2, When::Days(first, following(first)?));
        }
        None
    }

    /// "in 3 days", "через 2 години".
    fn time_ahead(&self, at: usize) -> Read {
        if !matches!(self.word(at), "in" | "через" | "за") {
            return None;
        }
        let now = self.now?;
        let (length, seconds) = self.length(at + 1)?;
        let later = now.datetime().checked_add(SignedDuration::from_secs(seconds)).ok()?;
        let what = match seconds % DAY {
            0 => When::Date(later.date()),
            _ => When::Moment(later.with().subsec_nanosecond(0).build().ok()?, Some(now.offset())),
        };
        one(length + 1, what)
    }

    /// "from 9 to 17", "10:00-11:30", "з 9 до 17".
    fn hours(&self, at: usize) -> Read {
        let word = self.word(at);
        if let Some((from, to)) = word.split_once(['-', '–', '—'])
            && (word.contains(':') || word.ends_with('m'))
        {
            return pair(1, from, to);
        }
        let bare = !matches!(word, "from" | "between" | "з" | "із" | "с" | "со" | "від" | "от");
        let start = at + usize::from(!bare);
        if bare && clock(word).is_none() && clock(&format!("{word}{}", self.word(at + 1))).is_none()
        {
            return None;
        }
        let (from_length, from) = self.joined(start)?;
        let middle = self.word(start + from_length);
        if !matches!(middle, "to" | "until" | "till" | "and" | "до" | "по" | "-" | "–" | "—")
        {
            return None;
        }
        let (to_length, to) = self.joined(start + from_length + 1)?;
        if matches!(middle, "and" | "по") && bare {
            return None;
        }
        pair(usize::from(!bare) + from_length + 1 + to_length, &from, &to)
    }

    /// A time in one chunk or two: "5pm", "5 pm".
    fn joined(&self, at: usize) -> Option<(usize, String)> {
        let (word, next) = (self.word(at), self.word(at + 1));
        match next {
            "am" | "pm" => Some((2, format!("{word}{next}"))),
            _ => Some((1, word.to_owned())).filter(|_| hour_or_clock(word).is_some()),
        }
    }

    fn time(&self, at: usize) -> Read {
        let word = self.word(at);
        match word {
            "noon" | "midday" | "опівдні" | "полдень" => {
                return one(1, When::Time(Time::constant(12, 0, 0, 0)));
            }
            "midnight" | "опівночі" | "полночь" => {
                return one(1, When::Time(Time::midnight()));
            }
            _ => {}
        }
        if matches!(self.word(at + 1), "am" | "pm")
            && let Some(time) = clock(&format!("{word}{}", self.word(at + 1)))
        {
            return one(2, When::Time(time));
        }
        if let Some(time) = clock(word) {
            return one(1, When::Time(time));
        }
        if !matches!(word, "at" | "о" | "об" | "в" | "у" | "@") {
            return None;
        }
        let (length, text) = self.joined(at + 1)?;
        let unit = self.word(at + 1 + length);
        let spoken =
            unit.starts_with("годин") || matches!(unit, "час" | "часа" | "часов" | "o'clock");
        let time = hour_or_clock(&text)?;
        // "at 5 items" is not a time.
        let follows = unit.chars().next().is_some_and(char::is_alphabetic);
        let ends = self.chunks.get(at + length).is_some_and(|chunk| chunk.closed_by.is_some());
        let bare = clock(&text).is_none();
        if bare
            && follows
            && !spoken
            && !ends
            && !FOLLOWERS.contains(&unit)
            && self.read_day(at + 1 + length).is_none()
        {
            return None;
        }
        one(1 + length + usize::from(spoken), When::Time(time))
    }

    fn read_day(&self, at: usize) -> Read {
        self.iso(at).or_else(|| self.named_day(at)).or_else(|| self.calendar_day(at))
    }

    /// "30 minutes", "1h30m", "half an hour".
    fn length(&self, at: usize) -> Option<(usize, i64)> {
        let (word, next) = (self.word(at), self.word(at + 1));
        if let Some(seconds) = compact_length(word) {
            return Some((1, seconds));
        }
        match (word, next) {
            ("half", "an") if self.word(at + 2) == "hour" => return Some((3, HOUR / 2)),
            ("пів", "години") => return Some((2, HOUR / 2)),
            ("півгодини" | "полчаса", _) => return Some((1, HOUR / 2)),
            ("полтора", "часа") => return Some((2, HOUR + HOUR / 2)),
            ("на", "годину" | "час") => return Some((2, HOUR)),
            ("на", "хвилину" | "минуту") => return Some((2, MINUTE)),
            ("a" | "an", unit) => return Some((2, unit_seconds(unit)?)),
            _ => {}
        }
        let unit = unit_seconds(next)?;
        let count: f64 = match small_number(word) {
            Some(count) => count as f64,
            None => word.replace(',', ".").parse().ok()?,
        };
        let seconds = count * unit as f64;
        let whole = seconds.fract() == 0.0 && (0.0..=1e10).contains(&seconds);
        whole.then_some((2, seconds as i64))
    }
}

/// Words that may follow a bare hour.
const FOLLOWERS: [&str; 18] = [
    "with", "for", "in", "on", "and", "to", "until", "till", "today", "tomorrow", "з", "на", "у",
    "в", "до", "с", "и", "і",
];

fn pair(length: usize, from: &str, to: &str) -> Read {
    let (mut start, end) = (hour_or_clock(from)?, hour_or_clock(to)?);
    // "from 2 to 3pm" begins in the afternoon too.
    if to.ends_with("pm") && !from.ends_with('m') && start.hour() < 12 {
        let afternoon = Time::new(start.hour() + 12, start.minute(), start.second(), 0).ok()?;
        start = if afternoon < end { afternoon } else { start };
    }
    Some((length, [Some(When::Time(start)), Some(When::Time(end))]))
}

#[cfg(test)]
mod tests;
