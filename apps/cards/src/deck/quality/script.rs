//! The scripts that languages are written in.

use crate::text::language::Language;

/// Has the text a letter of the language's script, or no letters at all? Languages whose script
/// is not in the table have any.
pub(super) fn is_in_script_of(text: &str, language: &Language) -> bool {
    let base = language.as_str().split('-').next().unwrap_or_default();
    let Some((_, ranges)) = SCRIPTS.iter().find(|(codes, _)| codes.contains(&base)) else {
        return true;
    };
    let fits = |c: char| ranges.iter().any(|(first, last)| (*first..=*last).contains(&c));
    let mut letters = text.chars().filter(|c| c.is_alphabetic()).peekable();
    letters.peek().is_none() || letters.any(fits)
}

type Ranges = &'static [(char, char)];

const LATIN: Ranges = &[('A', 'Z'), ('a', 'z'), ('\u{c0}', '\u{24f}'), ('\u{1e00}', '\u{1eff}')];
const CYRILLIC: Ranges = &[('\u{400}', '\u{52f}')];
const GREEK: Ranges = &[('\u{370}', '\u{3ff}'), ('\u{1f00}', '\u{1fff}')];
const ARABIC: Ranges = &[('\u{600}', '\u{6ff}'), ('\u{750}', '\u{77f}'), ('\u{fb50}', '\u{fdff}')];
const HEBREW: Ranges = &[('\u{590}', '\u{5ff}')];
const GEORGIAN: Ranges = &[('\u{10a0}', '\u{10ff}'), ('\u{1c90}', '\u{1cbf}')];
const HAN: Ranges =
    &[('\u{3400}', '\u{9fff}'), ('\u{f900}', '\u{faff}'), ('\u{20000}', '\u{323af}')];
const JAPANESE: Ranges = &[('\u{3005}', '\u{30ff}'), ('\u{3400}', '\u{9fff}')];
const KOREAN: Ranges =
    &[('\u{1100}', '\u{11ff}'), ('\u{3130}', '\u{318f}'), ('\u{ac00}', '\u{d7af}')];

const SCRIPTS: [(&[&str], Ranges); 9] = [
    (
        &[
            "cs", "da", "de", "en", "es", "et", "fi", "fr", "ga", "hr", "hu", "it", "lt", "lv",
            "nl", "no", "pl", "pt", "ro", "sk", "sl", "sv", "tr", "vi",
        ],
        LATIN,
    ),
    (&["be", "bg", "kk", "mk", "ru", "uk"], CYRILLIC),
    (&["el"], GREEK),
    (&["ar", "fa", "ur"], ARABIC),
    (&["he", "yi"], HEBREW),
    (&["ka"], GEORGIAN),
    (&["zh"], HAN),
    (&["ja"], JAPANESE),
    (&["ko"], KOREAN),
];
