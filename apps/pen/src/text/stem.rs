//! Stems words in Ukrainian, Russian and English.
//!
//! One table of endings serves both Cyrillic languages: a stem need not be a word, only the
//! same for all forms of one word. Snowball's Ukrainian stemmer separates `вигорання` from
//! `вигоранням` and `клієнти` from `клієнтів`; this one does not.

use crate::text::fold;
use crate::text::language::is_cyrillic;

/// The minimum length of a stem.
const LEFT_MIN: usize = 3;

/// Endings of verbal nouns in all their cases: `вигор-ання`.
const DOING: [&str; 4] = ["анн", "енн", "інн", "ён"];

/// Endings of cases, numbers and persons, longest first.
const ENDINGS: [&str; 92] = [
    "ватиму",
    "ватися",
    "уватись",
    "ються",
    "ється",
    "ується",
    "лися",
    "лась",
    "лось",
    "тися",
    "тись",
    "ться",
    "ості",
    "ость",
    "істю",
    "остей",
    "остям",
    "ість",
    "ыми",
    "ими",
    "ами",
    "ями",
    "ого",
    "его",
    "ому",
    "ему",
    "ові",
    "еві",
    "єві",
    "ати",
    "яти",
    "ити",
    "іти",
    "ути",
    "ать",
    "ять",
    "ить",
    "еть",
    "уть",
    "ють",
    "ало",
    "али",
    "ала",
    "или",
    "ила",
    "ило",
    "іли",
    "іла",
    "ємо",
    "имо",
    "емо",
    "єте",
    "ите",
    "ете",
    "йте",
    "ої",
    "ою",
    "ею",
    "єю",
    "ей",
    "ой",
    "ий",
    "ій",
    "ый",
    "ая",
    "яя",
    "ое",
    "ее",
    "ые",
    "ие",
    "ую",
    "юю",
    "ах",
    "ях",
    "ам",
    "ям",
    "ом",
    "ем",
    "єм",
    "им",
    "ым",
    "ів",
    "їв",
    "ев",
    "ов",
    "их",
    "ых",
    "ив",
    "ав",
    "ує",
    "ає",
    "яє",
];

/// The stem of one word.
pub fn stem(word: &str) -> String {
    let word = fold(word);
    match word.chars().next() {
        Some(first) if is_cyrillic(first) => cyrillic(&word),
        Some(_) | None => english(&word),
    }
}

fn cyrillic(word: &str) -> String {
    let letters: Vec<char> = word.chars().filter(|c| *c != '\'').collect();
    if letters.len() <= LEFT_MIN {
        return letters.into_iter().collect();
    }
    let word: String = letters.iter().collect();
    let bare = without_ending(&word);
    let bare = DOING
        .iter()
        .find_map(|doing| bare.strip_suffix(doing).filter(|left| long_enough(left)))
        .or_else(|| short_doing(&word))
        .unwrap_or(bare);
    let soft = bare.trim_end_matches(['ь', 'й', 'и', 'і']);
    if long_enough(soft) { soft.to_owned() } else { bare.to_owned() }
}

/// The genitive plural: `вигор-ань`.
fn short_doing(word: &str) -> Option<&str> {
    ["ань", "ень", "інь"]
        .iter()
        .find_map(|end| word.strip_suffix(end))
        .filter(|left| left.chars().count() > LEFT_MIN)
}

fn without_ending(word: &str) -> &str {
    let longest =
        ENDINGS.iter().filter_map(|end| word.strip_suffix(end)).filter(|l| long_enough(l));
    if let Some(left) = longest.min_by_key(|left| left.len()) {
        return left;
    }
    let vowel = word.strip_suffix(['а', 'я', 'о', 'е', 'є', 'у', 'ю', 'и', 'і', 'ї', 'ы', 'ь']);
    vowel.filter(|left| long_enough(left)).unwrap_or(word)
}

fn long_enough(left: &str) -> bool {
    left.chars().count() >= LEFT_MIN
}

fn english(word: &str) -> String {
    let word = word.strip_suffix("'s").unwrap_or(word);
    let word = match word {
        word if word.len() > 4 && word.ends_with("ies") => return cut(word, 3).to_owned(),
        word if word.ends_with("sses") => cut(word, 2),
        word if word.len() > 3
            && word.ends_with('s')
            && !word.ends_with("ss")
            && !word.ends_with("us") =>
        {
            cut(word, 1)
        }
        word => word,
    };
    let has_vowel = |left: &str| left.contains(['a', 'e', 'i', 'o', 'u', 'y']);
    for (end, left_min) in [("ing", 3), ("ed", 3), ("ly", 3), ("ment", 4), ("ness", 5)] {
        let left = word.strip_suffix(end);
        if let Some(left) = left.filter(|left| left.len() >= left_min && has_vowel(left)) {
            return soft(undoubled(left)).to_owned();
        }
    }
    soft(word).to_owned()
}

/// `running` is `run`, `called` stays `call`.
fn undoubled(left: &str) -> &str {
    let mut letters = left.chars().rev();
    match (letters.next(), letters.next()) {
        (Some(a), Some(b)) if a == b && !matches!(a, 'l' | 's' | 'z' | 'e' | 'o') => cut(left, 1),
        _ => left,
    }
}

/// A final `e` or `y` is dropped.
fn soft(word: &str) -> &str {
    match word.strip_suffix(['e', 'y', 'i']) {
        Some(left) if left.len() > 2 => left,
        _ => word,
    }
}

fn cut(word: &str, bytes: usize) -> &str {
    word.get(..word.len() - bytes).unwrap_or(word)
}

#[cfg(test)]
mod tests;
