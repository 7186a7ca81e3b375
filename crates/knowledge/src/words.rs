//! Texts as words that can be found: folded, in every script, with a stem beside the word.

use unicode_segmentation::UnicodeSegmentation as _;

/// Words of fewer letters have no stem.
const STEMMED_LETTERS_MIN: usize = 6;
/// A stem is the beginning of a word; endings of most European languages are after it.
const STEM_LETTERS: usize = 5;
const WORD_BYTES_MAX: usize = 64;

/// A word of a text.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Word {
    pub exact: String,
    /// Begins with `~`, so that it is never equal to a word.
    pub stem: Option<String>,
}

/// The words of a text, in order.
pub(crate) fn words(text: &str) -> impl Iterator<Item = Word> {
    text.unicode_words().filter(|word| word.len() <= WORD_BYTES_MAX).map(|word| {
        let exact: String = word.chars().flat_map(char::to_lowercase).map(folded).collect();
        let has_stem = exact.chars().count() >= STEMMED_LETTERS_MIN;
        let stem = has_stem.then(|| {
            let start: String = exact.chars().take(STEM_LETTERS).collect();
            format!("~{start}")
        });
        Word { exact, stem }
    })
}

/// Letters that people write in two ways.
fn folded(c: char) -> char {
    match c {
        'ё' => 'е',
        'ґ' => 'г',
        '’' | 'ʼ' | '`' | '‘' => '\'',
        'á' | 'à' | 'â' | 'ä' | 'ã' | 'å' => 'a',
        'é' | 'è' | 'ê' | 'ë' => 'e',
        'í' | 'ì' | 'î' => 'i',
        'ó' | 'ò' | 'ô' | 'ö' | 'õ' => 'o',
        'ú' | 'ù' | 'û' | 'ü' => 'u',
        'ç' => 'c',
        'ñ' => 'n',
        other => other,
    }
}
