//! Combines dates and times into points in time, and formats them.
//!
//! In: the [`Mention`]s of a message. Out: [`Point`]s in order, each with its chunks. Must hold:
//! an hour is never invented; a day without an hour stays a day.

use jiff::civil::{Date, DateTime, Time};
use jiff::tz::{Offset, TimeZone};
use jiff::{SignedDuration, Zoned};

use crate::arguments::dates::{DAY, HOUR, MINUTE, Mention, When};
use crate::text::chunk::Chunk;

#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Point {
    /// Its chunks, as ranges.
    pub chunks: Vec<(usize, usize)>,
    pub lead: Lead,
    pub what: Moment,
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Moment {
    At(DateTime, Option<Offset>),
    /// An hour without a day.
    Hour(Time),
    /// From the beginning of the first day to the beginning of the second.
    Days(Date, Date),
}

/// Whether the words before it mark a beginning or an end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Lead {
    Start,
    End,
    Open,
}

impl Point {
    pub(crate) fn first(&self) -> usize {
        self.chunks.iter().map(|(first, _)| *first).min().unwrap_or_default()
    }
}

pub(crate) fn points(chunks: &[Chunk<'_>], mentions: &[Mention]) -> Vec<Point> {
    let dates: Vec<&Mention> =
        mentions.iter().filter(|it| matches!(it.what, When::Date(_))).collect();
    let mut with_hour = Vec::new();
    let mut found = Vec::new();
    for (index, mention) in mentions.iter().enumerate() {
        let own = (mention.first, mention.after);
        let pairs = |at: Option<usize>| {
            at.and_then(|at| mentions.get(at)).is_some_and(|it| it.first == own.0)
        };
        let lead = match (pairs(index.checked_sub(1)), pairs(Some(index + 1))) {
            (true, _) => Lead::End,
            (false, true) => Lead::Start,
            (false, false) => lead(chunks, mention.first),
        };
        let point = |chunks: Vec<(usize, usize)>, what: Moment| Point { chunks, lead, what };
        match mention.what {
            When::Moment(moment, offset) => {
                found.push(point(vec![own], Moment::At(moment, offset)))
            }
            When::Days(from, to) => found.push(point(vec![own], Moment::Days(from, to))),
            When::Time(time) => match day_of(mention, &dates) {
                Some((day, date)) => {
                    with_hour.push(day.first);
                    let moment = Moment::At(date.to_datetime(time), None);
                    found.push(point(vec![own, (day.first, day.after)], moment));
                }
                None => found.push(point(vec![own], Moment::Hour(time))),
            },
            When::Date(_) | When::Length(_) => {}
        }
    }
    for mention in dates.into_iter().filter(|date| !with_hour.contains(&date.first)) {
        if let When::Date(date) = mention.what
            && let Ok(next) = date.tomorrow()
        {
            let lead = lead(chunks, mention.first);
            let chunks = vec![(mention.first, mention.after)];
            found.push(Point { chunks, lead, what: Moment::Days(date, next) });
        }
    }
    found.sort_by_key(Point::first);
    after_midnight(&mut found);
    found
}

/// The day an hour belongs to: the last one before it, otherwise the first after it.
fn day_of<'a>(time: &Mention, dates: &[&'a Mention]) -> Option<(&'a Mention, Date)> {
    let before = dates.iter().rev().find(|date| date.first < time.first);
    let mention = before.or_else(|| dates.first())?;
    if let When::Date(date) = mention.what { Some((mention, date)) } else { None }
}

/// "From 22 to 2" ends on the next day.
fn after_midnight(points: &mut [Point]) {
    let mut start: Option<(DateTime, usize)> = None;
    for point in points {
        let day = point.chunks.get(1).map(|(first, _)| *first);
        let (Moment::At(moment, None), Some(day)) = (point.what, day) else { continue };
        if let (Lead::End, Some((begun, same))) = (point.lead, start)
            && same == day
            && moment <= begun
            && let Ok(later) = moment.checked_add(SignedDuration::from_secs(DAY))
        {
            point.what = Moment::At(later, None);
        }
        start = Some((moment, day));
    }
}

fn lead(chunks: &[Chunk<'_>], first: usize) -> Lead {
    let word =
        |at: Option<usize>| at.and_then(|at| chunks.get(at)).map_or("", |chunk| &chunk.lower);
    // A pair such as "from 9 to 17" includes its first word.
    let mut words =
        [word(Some(first)), word(first.checked_sub(1)), word(first.checked_sub(2))].into_iter();
    let known = |word: &str| match word {
        "from" | "since" | "after" | "between" | "starting" | "starts" | "з" | "із" | "від"
        | "після" | "с" | "со" | "от" | "после" => Some(Lead::Start),
        "to" | "until" | "till" | "before" | "by" | "ends" | "ending" | "до" | "по" => {
            Some(Lead::End)
        }
        _ => None,
    };
    words.find_map(known).unwrap_or(Lead::Open)
}

/// A time at its given offset, otherwise at the person's.
pub(crate) fn date_time(
    moment: DateTime,
    offset: Option<Offset>,
    now: Option<&Zoned>,
) -> Option<String> {
    let zone = match (offset, now) {
        (Some(offset), _) => TimeZone::fixed(offset),
        (None, Some(now)) => now.time_zone().clone(),
        (None, None) => TimeZone::UTC,
    };
    let zoned = moment.to_zoned(zone).ok()?;
    Some(format!("{}T{}{}", zoned.date(), plain_time(zoned.time()), offset_text(zoned.offset())))
}

pub(crate) fn full_time(time: Time, now: Option<&Zoned>) -> String {
    format!("{}{}", plain_time(time), offset_text(now.map_or(Offset::UTC, Zoned::offset)))
}

pub(crate) fn clock_time(time: Time) -> String {
    format!("{:02}:{:02}", time.hour(), time.minute())
}

fn plain_time(time: Time) -> String {
    format!("{}:{:02}", clock_time(time), time.second())
}

fn offset_text(offset: Offset) -> String {
    let minutes = i64::from(offset.seconds()) / MINUTE;
    if minutes == 0 {
        return "Z".to_owned();
    }
    let sign = if minutes < 0 { '-' } else { '+' };
    format!("{sign}{:02}:{:02}", minutes.abs() / 60, minutes.abs() % 60)
}

/// A duration in ISO 8601.
pub(crate) fn iso_length(seconds: i64) -> String {
    let (days, rest) = (seconds / DAY, seconds % DAY);
    let part =
        |count: i64, unit: char| if count == 0 { String::new() } else { format!("{count}{unit}") };
    let days = part(days, 'D');
    let time =
        part(rest / HOUR, 'H') + &part(rest % HOUR / MINUTE, 'M') + &part(rest % MINUTE, 'S');
    match (days.is_empty(), time.is_empty()) {
        (true, true) => "PT0S".to_owned(),
        (false, true) => format!("P{days}"),
        (_, false) => format!("P{days}T{time}"),
    }
}
