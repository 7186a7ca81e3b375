//! Parses numbers as people write them.

use serde_json::{Number, Value};

/// A whole number below a dozen or so, written as a word.
pub(crate) fn small_number(lower: &str) -> Option<i64> {
    const WORDS: [(&str, i64); 38] = [
        ("zero", 0),
        ("one", 1),
        ("two", 2),
        ("three", 3),
        ("four", 4),
        ("five", 5),
        ("six", 6),
        ("seven", 7),
        ("eight", 8),
        ("nine", 9),
        ("ten", 10),
        ("eleven", 11),
        ("twelve", 12),
        ("нуль", 0),
        ("один", 1),
        ("одна", 1),
        ("два", 2),
        ("дві", 2),
        ("две", 2),
        ("три", 3),
        ("чотири", 4),
        ("четыре", 4),
        ("пять", 5),
        ("п'ять", 5),
        ("пʼять", 5),
        ("п’ять", 5),
        ("шість", 6),
        ("шесть", 6),
        ("сім", 7),
        ("семь", 7),
        ("вісім", 8),
        ("восемь", 8),
        ("дев'ять", 9),
        ("девять", 9),
        ("десять", 10),
        ("twenty", 20),
        ("двадцять", 20),
        ("двадцать", 20),
    ];
    WORDS.iter().find(|(word, _)| *word == lower).map(|(_, number)| *number)
}

/// `3`, `-2.5`, `1,000`, `3,5`, `$5`, `50%`, `five`.
pub(crate) fn number(text: &str) -> Option<f64> {
    if text.len() > BYTES_MAX {
        return None;
    }
    let lower = text.to_lowercase();
    if let Some(small) = small_number(&lower) {
        return Some(small as f64);
    }
    let text =
        lower.trim_start_matches(['$', '€', '£', '₴', '#']).trim_end_matches(['%', '€', '₴', '$']);
    let digits = text.strip_prefix(['-', '−', '+']).unwrap_or(text);
    let plain = digits.starts_with(|c: char| c.is_ascii_digit())
        && digits.ends_with(|c: char| c.is_ascii_digit())
        && digits.chars().all(|c| c.is_ascii_digit() || matches!(c, '.' | ',' | '_'));
    if !plain {
        return None;
    }
    let evened = even(&digits.replace('_', ""));
    let value: f64 = evened.parse().ok()?;
    Some(if text.starts_with(['-', '−']) { -value } else { value })
}

const BYTES_MAX: usize = 40;

/// Removes thousands separators; turns a decimal comma into a point.
fn even(digits: &str) -> String {
    let mut groups = digits.split(',');
    let first = groups.next().unwrap_or_default();
    let rest: Vec<&str> = groups.collect();
    let whole = |group: &&str| group.split('.').next().is_some_and(|part| part.len() == 3);
    let grouped = first.len() <= 3 && first != "0" && rest.iter().all(whole);
    match (rest.len(), grouped) {
        (1, false) => digits.replace(',', "."),
        _ => digits.replace(',', ""),
    }
}

/// A number as JSON; integers stay integers.
pub(crate) fn to_json(number: f64) -> Option<Value> {
    const EXACT: f64 = 9_007_199_254_740_992.0;
    if number.fract() == 0.0 && number.abs() < EXACT {
        return Some(Value::from(number as i64));
    }
    Number::from_f64(number).map(Value::Number)
}

#[cfg(test)]
mod tests {
    use super::number;

    #[track_caller]
    fn check(text: &str, expected: Option<f64>) {
        assert_eq!(number(text), expected, "{text}");
    }

    #[test]
    fn numbers_as_people_write_them() {
        check("3", Some(3.0));
        check("-2.5", Some(-2.5));
        check("1,000", Some(1000.0));
        check("1,000,000.5", Some(1_000_000.5));
        check("3,5", Some(3.5));
        check("0,125", Some(0.125));
        check("$5", Some(5.0));
        check("50%", Some(50.0));
        check("five", Some(5.0));
        check("дві", Some(2.0));
        check("3rd", None);
        check("1.2.3", None);
        check("12:30", None);
        check("", None);
        check("-", None);
    }
}
