//! Parses hours and durations in digits.

use jiff::civil::{Date, Time};
use jiff::tz::Offset;

use crate::arguments::dates::names::unit_seconds;
use crate::arguments::dates::{DAY, HOUR, MINUTE};

pub(crate) fn iso_date(text: &str) -> Option<Date> {
    let dashed = text.len() == 10 && text.as_bytes().get(4) == Some(&b'-');
    dashed.then(|| text.parse().ok())?
}

/// `10:00`, `10:00:00`, `10:00:00.5`, each with `z`, `+02:00` or nothing.
pub(crate) fn iso_time(text: &str) -> Option<(Time, Option<Offset>)> {
    if let Some(time) = text.strip_suffix('z') {
        return Some((colon_time(time)?, Some(Offset::UTC)));
    }
    let Some(sign_at) = text.rfind(['+', '-']) else { return Some((colon_time(text)?, None)) };
    let (time, offset) = text.split_at_checked(sign_at)?;
    let (hours, minutes) = offset.get(1..)?.split_once(':')?;
    let (hours, minutes): (i32, i32) = (hours.parse().ok()?, minutes.parse().ok()?);
    let seconds = hours * 3600 + minutes * 60;
    let seconds = if offset.starts_with('-') { -seconds } else { seconds };
    let sound = (0..24).contains(&hours) && (0..60).contains(&minutes);
    let offset = Offset::from_seconds(seconds).ok().filter(|_| sound)?;
    Some((colon_time(time)?, Some(offset)))
}

/// `17:00` or `17:00:30`; parts of seconds are dropped.
fn colon_time(text: &str) -> Option<Time> {
    let text = text.split('.').next()?;
    let mut parts = text.split(':');
    let number = |part: Option<&str>| {
        let part = part.filter(|part| {
            (1..=2).contains(&part.len()) && part.bytes().all(|b| b.is_ascii_digit())
        })?;
        part.parse::<i8>().ok()
    };
    let (hour, minute) = (number(parts.next())?, number(parts.next())?);
    let second = match parts.next() {
        None => 0,
        some => number(some)?,
    };
    if parts.next().is_some() { None } else { Time::new(hour, minute, second, 0).ok() }
}

/// `17:00`, `5pm`, `5:30pm`.
pub(crate) fn clock(text: &str) -> Option<Time> {
    let Some(half) = text.strip_suffix('m') else { return colon_time(text) };
    let (digits, afternoon) = match (half.strip_suffix('a'), half.strip_suffix('p')) {
        (Some(digits), _) => (digits, false),
        (_, Some(digits)) => (digits, true),
        (None, None) => return None,
    };
    let time = hour_or_clock(digits)?;
    let hour = match (time.hour(), afternoon) {
        (12, false) => 0,
        (hour @ 1..=11, true) => hour + 12,
        (hour @ 1..=12, _) => hour,
        _ => return None,
    };
    Time::new(hour, time.minute(), 0, 0).ok()
}

pub(crate) fn hour_or_clock(text: &str) -> Option<Time> {
    if let Some(time) = clock(text) {
        return Some(time);
    }
    let plain = (1..=2).contains(&text.len()) && text.bytes().all(|b| b.is_ascii_digit());
    Time::new(text.parse().ok().filter(|_| plain)?, 0, 0, 0).ok()
}

/// `30min`, `1h30m`, `90s`, `PT30M`.
pub(crate) fn compact_length(word: &str) -> Option<i64> {
    let text = word.strip_prefix("pt").unwrap_or(word);
    if !text.starts_with(|c: char| c.is_ascii_digit()) || !text.ends_with(char::is_alphabetic) {
        return None;
    }
    let mut total = 0_i64;
    let mut rest = text;
    while !rest.is_empty() {
        let digits = rest.len() - rest.trim_start_matches(|c: char| c.is_ascii_digit()).len();
        let (count, tail) = rest.split_at_checked(digits)?;
        let letters = tail.len() - tail.trim_start_matches(char::is_alphabetic).len();
        let (unit, after) = tail.split_at_checked(letters)?;
        let seconds = match unit {
            "m" => MINUTE,
            "h" => HOUR,
            "s" => 1,
            "d" => DAY,
            unit => unit_seconds(unit)?,
        };
        total = total.checked_add(count.parse::<i64>().ok()?.checked_mul(seconds)?)?;
        rest = after;
    }
    Some(total)
}
