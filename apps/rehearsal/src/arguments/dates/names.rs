//! The names of days, months and units, in three languages.

use jiff::civil::Weekday;

use crate::arguments::dates::{DAY, HOUR, MINUTE, WEEK};

pub(crate) fn unit_seconds(word: &str) -> Option<i64> {
    const STARTS: [(&str, i64); 15] = [
        ("second", 1),
        ("секунд", 1),
        ("minute", MINUTE),
        ("хвилин", MINUTE),
        ("минут", MINUTE),
        ("hour", HOUR),
        ("годин", HOUR),
        ("day", DAY),
        ("week", WEEK),
        ("тиж", WEEK),
        ("недел", WEEK),
        ("дн", DAY),
        ("день", DAY),
        ("доб", DAY),
        ("сут", DAY),
    ];
    match word {
        "sec" | "secs" | "сек" => Some(1),
        "min" | "mins" | "хв" | "мин" => Some(MINUTE),
        "hr" | "hrs" | "год" | "час" | "часа" | "часов" => Some(HOUR),
        _ => STARTS.iter().find(|(start, _)| word.starts_with(start)).map(|(_, seconds)| *seconds),
    }
}

/// Whether a word is the name of a day.
pub(crate) fn is_day(word: &str) -> bool {
    const DAYS: [&str; 11] = [
        "today",
        "tomorrow",
        "tonight",
        "yesterday",
        "сьогодні",
        "завтра",
        "післязавтра",
        "вчора",
        "сегодня",
        "послезавтра",
        "вчера",
    ];
    DAYS.contains(&word) || weekday(word).is_some()
}

pub(crate) fn is_next(word: &str) -> bool {
    word == "next" || word.starts_with("наступн") || word.starts_with("следующ")
}

pub(crate) fn is_this(word: &str) -> bool {
    matches!(
        word,
        "this"
            | "цього"
            | "цей"
            | "цю"
            | "цьому"
            | "этот"
            | "эту"
            | "этой"
            | "этого"
            | "этом"
    )
}

pub(crate) fn weekday(word: &str) -> Option<Weekday> {
    const NAMES: [(&str, Weekday); 27] = [
        ("monday", Weekday::Monday),
        ("tuesday", Weekday::Tuesday),
        ("wednesday", Weekday::Wednesday),
        ("thursday", Weekday::Thursday),
        ("friday", Weekday::Friday),
        ("saturday", Weekday::Saturday),
        ("sunday", Weekday::Sunday),
        ("понеділ", Weekday::Monday),
        ("вівтор", Weekday::Tuesday),
        ("серед", Weekday::Wednesday),
        ("четвер", Weekday::Thursday),
        ("пʼятниц", Weekday::Friday),
        ("п'ятниц", Weekday::Friday),
        ("п’ятниц", Weekday::Friday),
        ("субот", Weekday::Saturday),
        ("неділ", Weekday::Sunday),
        ("понедельник", Weekday::Monday),
        ("вторник", Weekday::Tuesday),
        ("среду", Weekday::Wednesday),
        ("среда", Weekday::Wednesday),
        ("среды", Weekday::Wednesday),
        ("пятниц", Weekday::Friday),
        ("суббот", Weekday::Saturday),
        ("воскресен", Weekday::Sunday),
        ("mon", Weekday::Monday),
        ("fri", Weekday::Friday),
        ("wed", Weekday::Wednesday),
    ];
    let short = |name: &str| name.len() == 3 && name.is_ascii();
    let fits = |name: &str| if short(name) { word == name } else { word.starts_with(name) };
    NAMES.iter().find(|(name, _)| fits(name)).map(|(_, weekday)| *weekday)
}

pub(crate) fn month(word: &str) -> Option<i8> {
    const STARTS: [[&str; 3]; 12] = [
        ["jan", "січ", "янв"],
        ["feb", "лют", "фев"],
        ["mar", "берез", "март"],
        ["apr", "квіт", "апр"],
        ["may", "трав", "мая"],
        ["jun", "черв", "июн"],
        ["jul", "лип", "июл"],
        ["aug", "серп", "авг"],
        ["sep", "верес", "сент"],
        ["oct", "жовт", "окт"],
        ["nov", "листоп", "нояб"],
        ["dec", "груд", "декаб"],
    ];
    let index = STARTS.iter().position(|names| names.iter().any(|name| word.starts_with(name)))?;
    i8::try_from(index + 1).ok()
}

pub(crate) fn day_number(word: &str) -> Option<i8> {
    let digits = word.trim_end_matches(|c: char| c.is_alphabetic() || c == '-');
    let ending = word.get(digits.len()..).unwrap_or_default();
    let known = matches!(ending, "" | "st" | "nd" | "rd" | "th" | "-го" | "го");
    digits.parse().ok().filter(|day| known && (1..=31).contains(day))
}
