//! Stems words in English, Ukrainian and Russian.
//!
//! A stem need not be a word, only the same for all forms of one word and different for other
//! words. Must hold: no allocation beyond the caller's buffer.

/// Endings of Ukrainian and Russian words, longest first.
const CYRILLIC: [&str; 71] = [
    "ирование",
    "ування",
    "ювання",
    "аність",
    "ність",
    "ность",
    "ться",
    "тись",
    "ення",
    "ание",
    "ение",
    "ання",
    "иями",
    "іями",
    "иях",
    "іях",
    "йте",
    "йся",
    "ами",
    "ями",
    "ові",
    "еві",
    "ого",
    "ому",
    "его",
    "ему",
    "ими",
    "ыми",
    "іть",
    "ить",
    "ите",
    "ать",
    "ять",
    "ати",
    "ити",
    "іти",
    "ути",
    "ый",
    "ий",
    "ій",
    "ая",
    "яя",
    "ое",
    "ее",
    "ые",
    "ие",
    "ой",
    "ей",
    "ою",
    "ею",
    "ом",
    "ем",
    "ов",
    "ев",
    "ів",
    "їв",
    "ам",
    "ям",
    "ах",
    "ях",
    "их",
    "ых",
    "ую",
    "юю",
    "ию",
    "ия",
    "ии",
    "ої",
    "ім",
    "им",
    "ым",
];

/// The shortest stem: below it, endings are part of the word.
const STEM_CHARS_MIN: usize = 3;

/// Writes the stem of a word into the buffer.
pub(crate) fn stem_into(word: &str, buffer: &mut String) {
    buffer.clear();
    for c in word.chars().flat_map(char::to_lowercase) {
        match c {
            '\'' | '’' | 'ʼ' => {}
            'ё' => buffer.push('е'),
            'ґ' => buffer.push('г'),
            c => buffer.push(c),
        }
    }
    if buffer.is_ascii() {
        english(buffer);
    } else {
        cyrillic(buffer);
    }
}

pub(crate) fn stem(word: &str) -> String {
    let mut buffer = String::with_capacity(word.len());
    stem_into(word, &mut buffer);
    buffer
}

fn english(word: &mut String) {
    if word.len() > 4 && word.ends_with("ies") {
        word.truncate(word.len() - 3);
        word.push('y');
    } else if word.len() > 3 && word.ends_with('s') && !ends_with_any(word, &["ss", "us", "is"]) {
        word.truncate(word.len() - 1);
    }
    for (ending, kept_min) in [("ing", 3), ("ed", 3), ("ion", 4)] {
        if word.len() >= ending.len() + kept_min && word.ends_with(ending) {
            word.truncate(word.len() - ending.len());
            break;
        }
    }
    let doubled =
        word.len() > 3 && word.as_bytes().iter().rev().take(2).is_sorted_by(|a, b| a == b);
    if doubled || (word.len() > 3 && word.ends_with('e')) {
        word.truncate(word.len() - 1);
    }
}

fn ends_with_any(word: &str, endings: &[&str]) -> bool {
    endings.iter().any(|ending| word.ends_with(ending))
}

fn cyrillic(word: &mut String) {
    let letters = word.chars().count();
    let fits = |ending: &&&str| {
        letters >= ending.chars().count() + STEM_CHARS_MIN && word.ends_with(**ending)
    };
    if let Some(length) = CYRILLIC.iter().find(fits).map(|ending| ending.len()) {
        word.truncate(word.len() - length);
    }
    while word.chars().count() > STEM_CHARS_MIN && word.ends_with(is_weak) {
        word.pop();
    }
}

/// Vowels and signs that change with the case of a noun or the person of a verb.
fn is_weak(c: char) -> bool {
    "аяиіїуюеоєыйь".contains(c)
}

#[cfg(test)]
mod tests;
