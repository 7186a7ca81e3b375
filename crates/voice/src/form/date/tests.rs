//! Spoken days, seen from Tuesday, 17 November 2026.

use super::*;

const TODAY: Day = Day { year: 2026, month: 11, day: 17 };

#[track_caller]
fn check(language: Language, text: &str, expected: Option<&str>) {
    let found = spoken_day(text, &[language], TODAY).map(|day| day.to_string());
    assert_eq!(found.as_deref(), expected, "{text:?}");
}

#[test]
fn days_in_words_and_digits() {
    check(Language::En, "Today.", Some("2026-11-17"));
    check(Language::En, "tomorrow", Some("2026-11-18"));
    check(Language::En, "the day after tomorrow", Some("2026-11-19"));
    check(Language::En, "the 5th of May", Some("2027-05-05"));
    check(Language::En, "May fifth, 2028", Some("2028-05-05"));
    check(Language::En, "December twenty fifth", Some("2026-12-25"));
    check(Language::En, "2027-02-28", Some("2027-02-28"));
    check(Language::En, "29 February", Some("2028-02-29"));
    check(Language::En, "30 February", None);
    check(Language::En, "someday in May", None);
    check(Language::Uk, "п’яте травня", Some("2027-05-05"));
    check(Language::Uk, "5 травня 2028 року", Some("2028-05-05"));
    check(Language::Uk, "05.06.2027", Some("2027-06-05"));
    check(Language::Uk, "післязавтра", Some("2026-11-19"));
    check(Language::Ru, "вчера", Some("2026-11-16"));
    check(Language::Ru, "двадцать пятого декабря", Some("2026-12-25"));
    check(Language::Ru, "двадцать пятое декабря", Some("2026-12-25"));
    check(Language::De, "3. Oktober", Some("2027-10-03"));
    check(Language::Es, "el 6 de enero de 2030", Some("2030-01-06"));
    check(Language::Lv, "parīt", Some("2026-11-19"));
}

#[test]
fn a_time_needs_a_clock_and_a_day() {
    let read = |text: &str, offset| spoken_time(text, &[Language::En], TODAY, offset);
    assert_eq!(read("tomorrow at 15:30", 120).as_deref(), Some("2026-11-18T15:30:00+02:00"));
    assert_eq!(read("5 May 9:05", -210).as_deref(), Some("2027-05-05T09:05:00-03:30"));
    assert_eq!(read("tomorrow", 0), None);
    assert_eq!(read("tomorrow 25:00", 0), None);
    assert_eq!(read("15:30", 0), None);
}

#[test]
fn the_calendar_is_right() {
    assert_eq!(Day::at(0, 0).to_string(), "1970-01-01");
    assert_eq!(Day::at(1_794_700_800_000, 0).to_string(), "2026-11-15");
    assert_eq!(Day::at(1_794_700_800_000, -1).to_string(), "2026-11-14");
    assert_eq!(Day::new(2027, 1, 1).unwrap().previous().to_string(), "2026-12-31");
    assert_eq!(Day::new(2028, 2, 28).unwrap().next().to_string(), "2028-02-29");
    assert_eq!(Day::new(2026, 12, 31).unwrap().next().to_string(), "2027-01-01");
}
