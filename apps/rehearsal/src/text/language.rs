//! Detects the language of a message: English, Ukrainian or Russian.

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Language {
    English,
    Ukrainian,
    Russian,
}

/// Letters and words that only one of the two languages has.
const UKRAINIAN: [&str; 26] = [
    "що",
    "як",
    "чи",
    "це",
    "та",
    "й",
    "від",
    "будь",
    "ласка",
    "знайди",
    "перевір",
    "створи",
    "додай",
    "скільки",
    "привіт",
    "ні",
    "так",
    "мене",
    "про",
    "у",
    "адресу",
    "коли",
    "де",
    "треба",
    "яка",
    "час",
];
const RUSSIAN: [&str; 28] = [
    "что",
    "как",
    "ли",
    "это",
    "и",
    "от",
    "пожалуйста",
    "найди",
    "проверь",
    "создай",
    "добавь",
    "сколько",
    "привет",
    "нет",
    "да",
    "с",
    "меня",
    "о",
    "об",
    "почту",
    "адрес",
    "когда",
    "где",
    "надо",
    "какая",
    "время",
    "добрый",
    "доброе",
];

/// The language of a text; none without letters.
pub(crate) fn language_of(text: &str) -> Option<Language> {
    let (mut ukrainian, mut russian, mut cyrillic, mut latin) =
        (0_usize, 0_usize, 0_usize, 0_usize);
    for c in text.chars().take(CHARS_MAX).flat_map(char::to_lowercase) {
        match c {
            'і' | 'ї' | 'є' | 'ґ' => ukrainian += 3,
            'ы' | 'э' | 'ъ' | 'ё' => russian += 3,
            'а'..='я' => cyrillic += 1,
            c if c.is_alphabetic() => latin += 1,
            _ => {}
        }
    }
    if ukrainian + russian + cyrillic == 0 {
        return (latin > 0).then_some(Language::English);
    }
    // A Cyrillic word beside Latin values (addresses, links, ids) decides the language.
    let start: String = text.chars().take(CHARS_MAX).flat_map(char::to_lowercase).collect();
    for word in start.split(|c: char| !c.is_alphanumeric()) {
        ukrainian += usize::from(UKRAINIAN.contains(&word));
        russian += usize::from(RUSSIAN.contains(&word));
    }
    Some(if russian > ukrainian { Language::Russian } else { Language::Ukrainian })
}

const CHARS_MAX: usize = 2_000;

#[cfg(test)]
mod tests {
    use super::{Language, language_of};

    #[track_caller]
    fn check(text: &str, expected: Option<Language>) {
        assert_eq!(language_of(text), expected, "{text}");
    }

    #[test]
    fn letters_and_small_words_determine_the_language() {
        check("find the clock", Some(Language::English));
        check("знайди годинник", Some(Language::Ukrainian));
        check("перевір ann@example.org", Some(Language::Ukrainian));
        check("найди часы", Some(Language::Russian));
        check("проверь адрес ann@example.org", Some(Language::Russian));
        check("сколько будет 2+2?", Some(Language::Russian));
        check("2+2?", None);
        check("", None);
    }
}
