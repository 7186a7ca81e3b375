//! Dates, times and durations as people write them, on Wednesday, 2 December 2026.

use jiff::Zoned;
use jiff::civil::date;
use jiff::tz::{Offset, TimeZone};

use super::{When, mentions};
use crate::text::chunk::chunks;

fn now() -> Zoned {
    date(2026, 12, 2).at(9, 0, 0, 0).to_zoned(TimeZone::fixed(Offset::constant(2))).unwrap()
}

fn show(what: When) -> String {
    match what {
        When::Date(date) => date.to_string(),
        When::Time(time) => time.to_string(),
        When::Moment(moment, offset) => {
            format!("{moment}{}", offset.map(|it| it.to_string()).unwrap_or_default())
        }
        When::Days(from, to) => format!("{from}..{to}"),
        When::Length(seconds) => format!("{seconds}s"),
    }
}

#[track_caller]
fn check(text: &str, expected: &str) {
    let now = now();
    let chunks = chunks(text);
    let found: Vec<String> =
        mentions(&chunks, Some(&now)).into_iter().map(|mention| show(mention.what)).collect();
    assert_eq!(found.join(" "), expected, "{text}");
}

#[test]
fn days() {
    check("today or tomorrow, not yesterday", "2026-12-02 2026-12-03 2026-12-01");
    check("the day after tomorrow", "2026-12-04");
    check("сьогодні, завтра, післязавтра", "2026-12-02 2026-12-03 2026-12-04");
    check("сегодня, послезавтра и вчера", "2026-12-02 2026-12-04 2026-12-01");
    check("on Friday", "2026-12-04");
    check("next Wednesday", "2026-12-09");
    check("у п'ятницю", "2026-12-04");
    check("наступного понеділка", "2026-12-07");
    check("в следующую среду", "2026-12-09");
    check("2026-12-09 and 09.12.2026", "2026-12-09 2026-12-09");
    check("8 December 2027", "2027-12-08");
    check("December 8th", "2026-12-08");
    check("March 3", "2027-03-03");
    check("8 грудня", "2026-12-08");
    check("8 декабря 2026", "2026-12-08");
    check("this week, next month", "2026-11-30..2026-12-07 2027-01-01..2027-02-01");
    check("in 3 days, через два тижні", "2026-12-05 2026-12-16");
    check("31 February 2027", "");
}

#[test]
fn hours() {
    check("at 5pm", "17:00:00");
    check("at 12am or 12 pm", "00:00:00 12:00:00");
    check("5:30pm and 17:45", "17:30:00 17:45:00");
    check("at 9 tomorrow", "09:00:00 2026-12-03");
    check("о 17 годині, в 9 часов", "17:00:00 09:00:00");
    check("noon, midnight", "12:00:00 00:00:00");
    check("from 9 to 17", "09:00:00 17:00:00");
    check("from 2 to 3pm", "14:00:00 15:00:00");
    check("10:00-11:30", "10:00:00 11:30:00");
    check("з 9 до 17", "09:00:00 17:00:00");
    check("с 9 до 17", "09:00:00 17:00:00");
    check("at 5 shops", "");
    check("25:00 and 7:99", "");
}

#[test]
fn moments_and_lengths() {
    check("2026-12-09T07:00:00Z", "2026-12-09T07:00:00+00");
    check("2026-12-09T07:00:00+05:30", "2026-12-09T07:00:00+05:30");
    check("2026-12-09T07:00", "2026-12-09T07:00:00");
    check("in 2 hours", "2026-12-02T11:00:00+02");
    check("30 minutes, 1h30m, 90s, PT15M", "1800s 5400s 90s 900s");
    check("half an hour, пів години, полчаса", "1800s 1800s 1800s");
    check("п'ять хвилин, две минуты, 3 години", "300s 120s 10800s");
    check("1.5 hours, на годину, на минуту", "5400s 3600s 60s");
    check("2026-13-40 99999999999999999999 minutes", "");
}

#[test]
fn without_the_current_time_only_absolute_dates_count() {
    let chunks = chunks("tomorrow at 5pm or 2026-12-09 or in 2 days");
    let found: Vec<String> =
        mentions(&chunks, None).into_iter().map(|mention| show(mention.what)).collect();
    assert_eq!(found.join(" "), "17:00:00 2026-12-09 172800s");
}
