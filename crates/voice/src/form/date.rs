//! Reads a spoken date: "tomorrow", "5 May", "05.06.2026", "the fifth of May 2027".

use serde::{Deserialize, Serialize};

use crate::form::number::spoken_number;
use crate::words::answer::normalize;
use crate::words::language::Language;

/// A day of the calendar.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Day {
    pub year: i64,
    pub month: u8,
    pub day: u8,
}

impl Day {
    pub fn new(year: i64, month: u8, day: u8) -> Option<Self> {
        let fits = (1..=9_999).contains(&year) && day >= 1 && day <= days_in(year, month)?;
        fits.then_some(Self { year, month, day })
    }

    /// The day of a time in milliseconds since 1970, at this distance from UTC.
    pub fn at(ms: u64, utc_offset_minutes: i32) -> Self {
        let ms = i64::try_from(ms).unwrap_or(i64::MAX);
        let local = ms.saturating_add(i64::from(utc_offset_minutes).saturating_mul(60_000));
        Self::from_days(local.div_euclid(86_400_000))
    }

    /// Counts days from 1970-01-01 (Howard Hinnant's algorithm).
    fn from_days(days: i64) -> Self {
        let shifted = days.saturating_add(719_468);
        let era = shifted.div_euclid(146_097);
        let day_of_era = shifted.rem_euclid(146_097);
        let year_of_era =
            (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
        let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
        let shifted_month = (5 * day_of_year + 2) / 153;
        let day = day_of_year - (153 * shifted_month + 2) / 5 + 1;
        let month = if shifted_month < 10 { shifted_month + 3 } else { shifted_month - 9 };
        let year = era * 400 + year_of_era + i64::from(month <= 2);
        let small = |number: i64| u8::try_from(number).unwrap_or(1);
        Self { year, month: small(month), day: small(day) }
    }

    fn next(self) -> Self {
        let Self { year, month, day } = self;
        Self::new(year, month, day + 1)
            .or_else(|| Self::new(year, month + 1, 1))
            .or_else(|| Self::new(year + 1, 1, 1))
            .unwrap_or(self)
    }

    fn previous(self) -> Self {
        let Self { year, month, day } = self;
        let end_of = |year, month| Some(Self { year, month, day: days_in(year, month)? });
        let before = if day > 1 {
            Self::new(year, month, day - 1)
        } else {
            end_of(year, month.saturating_sub(1))
        };
        before.or_else(|| end_of(year - 1, 12)).unwrap_or(self)
    }
}

impl std::fmt::Display for Day {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:04}-{:02}-{:02}", self.year, self.month, self.day)
    }
}

fn days_in(year: i64, month: u8) -> Option<u8> {
    let is_leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    match month {
        1 | 3 | 5 | 7 | 8 | 10 | 12 => Some(31),
        4 | 6 | 9 | 11 => Some(30),
        2 => Some(if is_leap { 29 } else { 28 }),
        _ => None,
    }
}

/// The day that the whole text names. Without a year it is the next such day.
pub(crate) fn spoken_day(text: &str, languages: &[Language], today: Day) -> Option<Day> {
    let text = normalize(text);
    written(&text).or_else(|| languages.iter().find_map(|one| in_words(&text, *one, today)))
}

/// The day and the time of day: "tomorrow 15:30". The result is written as RFC 3339.
pub(crate) fn spoken_time(
    text: &str,
    languages: &[Language],
    today: Day,
    utc_offset_minutes: i32,
) -> Option<String> {
    let text = normalize(text);
    let (clock, rest): (Vec<&str>, Vec<&str>) =
        text.split(' ').partition(|part| part.contains(':'));
    let [clock] = clock[..] else { return None };
    let (hour, minute) = clock.split_once(':')?;
    let (hour, minute) = (hour.parse::<u8>().ok()?, minute.parse::<u8>().ok()?);
    let rest = rest
        .into_iter()
        .filter(|word| !matches!(*word, "at" | "о" | "об" | "в" | "um" | "a" | "las"));
    let day = spoken_day(&rest.collect::<Vec<_>>().join(" "), languages, today)?;
    let sign = if utc_offset_minutes < 0 { '-' } else { '+' };
    let offset = utc_offset_minutes.unsigned_abs();
    (hour < 24 && minute < 60).then(|| {
        format!("{day}T{hour:02}:{minute:02}:00{sign}{:02}:{:02}", offset / 60, offset % 60)
    })
}

/// `2026-05-05`, `05.06.2026`.
fn written(text: &str) -> Option<Day> {
    let parts = |mark: char| -> Option<[i64; 3]> {
        let parts: Option<Vec<i64>> = text.split(mark).map(|part| part.parse().ok()).collect();
        parts?.try_into().ok()
    };
    let small = |number: i64| u8::try_from(number).ok();
    if let Some([year, month, day]) = parts('-') {
        return Day::new(year, small(month)?, small(day)?);
    }
    let [day, month, year] = parts('.')?;
    Day::new(year, small(month)?, small(day)?)
}

fn in_words(text: &str, language: Language, today: Day) -> Option<Day> {
    let words = &language.words().dates;
    let is = |list: &[String], text: &str| list.iter().any(|one| one == text);
    if is(&words.today, text) {
        return Some(today);
    }
    if is(&words.tomorrow, text) {
        return Some(today.next());
    }
    if is(&words.after_tomorrow, text) {
        return Some(today.next().next());
    }
    if is(&words.yesterday, text) {
        return Some(today.previous());
    }
    let tokens: Vec<&str> = text.split(' ').filter(|token| !is(&words.joiners, token)).collect();
    let month_of = |token: &&str| words.months.iter().position(|forms| is(forms, token));
    let at = tokens.iter().position(|token| month_of(token).is_some())?;
    let month = u8::try_from(month_of(&tokens[at])? + 1).ok()?;
    let (before, after) = (&tokens[..at], &tokens[at + 1..]);
    match before.is_empty() {
        false => dated(number(before, language)?, month, after, language, today),
        // "May 5 2026": the day is one word, or two that belong together ("twenty fifth").
        true => (1..=after.len().min(2)).rev().find_map(|length| {
            let (day, year) = after.split_at(length);
            dated(number(day, language)?, month, year, language, today)
        }),
    }
}

fn number(tokens: &[&str], language: Language) -> Option<i64> {
    // "5th" is 5.
    let bare = |token: &&str| {
        let digits = token.trim_end_matches(char::is_alphabetic);
        let is_number = !digits.is_empty() && digits.chars().all(|c| c.is_ascii_digit());
        if is_number { digits.to_owned() } else { (*token).to_owned() }
    };
    let text = tokens.iter().map(bare).collect::<Vec<_>>().join(" ");
    spoken_number(&text, &[language])?.as_integer()
}

fn dated(day: i64, month: u8, year: &[&str], language: Language, today: Day) -> Option<Day> {
    let day = u8::try_from(day).ok()?;
    if !year.is_empty() {
        return Day::new(number(year, language)?, month, day).filter(|day| day.year >= 1_000);
    }
    let next = |year: i64| Day::new(year, month, day).filter(|day| *day >= today);
    (today.year..today.year + 9).find_map(next)
}

#[cfg(test)]
mod tests;
