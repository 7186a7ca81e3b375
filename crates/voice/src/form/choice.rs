//! Reads a choice by its name or by its place in the list.

use crate::form::Choice;
use crate::words::answer::normalize;
use crate::words::language::Language;

/// The one choice that the whole text names.
pub(crate) fn one_choice<'a>(
    text: &str,
    choices: &'a [Choice],
    languages: &[Language],
) -> Option<&'a Choice> {
    let text = normalize(text);
    let named = |text: &str| {
        let is =
            |choice: &&Choice| normalize(&choice.title) == text || normalize(&choice.value) == text;
        let mut found = choices.iter().filter(is);
        found.next().filter(|_| found.next().is_none())
    };
    let by_name = || {
        let bare = languages.iter().map(|language| bare(&text, *language));
        named(&text).or_else(|| bare.into_iter().find_map(|bare| named(&bare)))
    };
    by_name().or_else(|| choices.get(place(&text, choices.len(), languages)?))
}

/// Every choice that the text lists, in the order of the form; none if a part names nothing.
pub(crate) fn several_choices<'a>(
    text: &str,
    choices: &'a [Choice],
    languages: &[Language],
) -> Option<Vec<&'a Choice>> {
    if let Some(only) = one_choice(text, choices, languages) {
        return Some(vec![only]);
    }
    let mut parts: Vec<String> = text.split([',', ';']).map(normalize).collect();
    for language in languages {
        for joiner in &language.words().numbers.joiners {
            let cut = |part: String| -> Vec<String> {
                let split = format!(" {part} ");
                split.split(&format!(" {joiner} ")).map(|one| one.trim().to_owned()).collect()
            };
            parts = parts.into_iter().flat_map(cut).collect();
        }
    }
    let parts = parts.iter().filter(|part| !part.is_empty());
    let named: Option<Vec<_>> = parts.map(|part| one_choice(part, choices, languages)).collect();
    let named = named.filter(|named| !named.is_empty())?;
    Some(choices.iter().filter(|choice| named.contains(choice)).collect())
}

/// Without words such as "number" and "the".
fn bare(text: &str, language: Language) -> String {
    let words = language.words();
    let is_filler = |token: &&str| {
        words.choices.joiners.iter().chain(&words.polite).any(|joiner| joiner == token)
    };
    text.split(' ').filter(|token| !is_filler(token)).collect::<Vec<_>>().join(" ")
}

/// "the second", "number two", "2", "the last one".
fn place(text: &str, count: usize, languages: &[Language]) -> Option<usize> {
    languages.iter().find_map(|language| {
        let words = &language.words().choices;
        let bare = bare(text, *language);
        let text = if bare.is_empty() { text } else { &bare };
        let ordinal = words.ordinals.iter().position(|forms| forms.iter().any(|one| one == text));
        let last = words.last.iter().any(|one| one == text).then(|| count.checked_sub(1)).flatten();
        let digits = || text.parse::<usize>().ok().and_then(|number| number.checked_sub(1));
        ordinal.or(last).or_else(digits)
    })
}

#[cfg(test)]
mod tests;
