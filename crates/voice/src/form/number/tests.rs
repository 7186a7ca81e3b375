//! Spoken numbers in words and digits.

use super::*;

#[track_caller]
fn check(language: Language, text: &str, expected: Option<&str>) {
    let found = spoken_number(text, &[language]).and_then(|number| number.as_json());
    assert_eq!(found.map(|number| number.to_string()).as_deref(), expected, "{text:?}");
}

#[test]
fn english_words() {
    let cases = [
        ("zero", Some("0")),
        ("Twenty-five.", Some("25")),
        ("one hundred and five", Some("105")),
        ("a hundred", Some("100")),
        ("two thousand twenty six", Some("2026")),
        ("twelve hundred", Some("1200")),
        ("three million two hundred thousand and one", Some("3200001")),
        ("three point one four", Some("3.14")),
        ("minus seven", Some("-7")),
        ("5 thousand", Some("5000")),
        ("one two three", None),
        ("five twenty", None),
        ("five thousand two million", None),
        ("seven apples", None),
        ("point five", None),
        ("", None),
    ];
    cases.into_iter().for_each(|(text, expected)| check(Language::En, text, expected));
}

#[test]
fn ukrainian_and_russian_words() {
    check(Language::Uk, "двадцять п’ять", Some("25"));
    check(Language::Uk, "Сто сорок дев'ять", Some("149"));
    check(Language::Uk, "дві тисячі двадцять шість", Some("2026"));
    check(Language::Uk, "тисяча", Some("1000"));
    check(Language::Uk, "три кома п'ять", Some("3.5"));
    check(Language::Uk, "мінус вісім", Some("-8"));
    check(Language::Uk, "п'ять двадцять", None);
    check(Language::Ru, "триста двенадцать", Some("312"));
    check(Language::Ru, "две тысячи шестьсот", Some("2600"));
    check(Language::Ru, "ноль целых пять", Some("0.5"));
    check(Language::Ru, "сто двести", None);
    check(Language::Lv, "divdesmit pieci", Some("25"));
    check(Language::Es, "mil doscientos treinta y cuatro", Some("1234"));
}

#[test]
fn digits_as_recognisers_write_them() {
    check(Language::En, "1,200", Some("1200"));
    check(Language::En, "1 200.", Some("1200"));
    check(Language::En, "3.5", Some("3.5"));
    check(Language::Uk, "3,5", Some("3.5"));
    check(Language::Uk, "-12", Some("-12"));
    check(Language::En, "12:30", None);
    check(Language::En, "99999999999999999999999", Some("1e+23"));
    assert_eq!(spoken_number("2.0", &[Language::En]).unwrap().as_integer(), None);
}
