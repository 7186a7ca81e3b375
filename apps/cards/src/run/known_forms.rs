//! Words that need no card, because the person knows them.

use std::collections::BTreeSet;

use unicode_segmentation::UnicodeSegmentation;

use crate::text::manifest::normalise;

/// Known words in every form that is known of them, in lower case.
#[derive(Debug, Clone, Default)]
pub(crate) struct KnownForms(BTreeSet<String>);

impl KnownForms {
    pub(crate) fn new(forms: BTreeSet<String>) -> Self {
        Self(forms)
    }

    /// The known words of a text, each once, in alphabetical order.
    pub(crate) fn within<'a>(&self, texts: impl Iterator<Item = &'a str>) -> Vec<String> {
        if self.0.is_empty() {
            return Vec::new();
        }
        let all: BTreeSet<String> = texts.flat_map(words).collect();
        all.into_iter().filter(|word| self.0.contains(word)).collect()
    }

    /// How many bytes of a text are known words.
    pub(crate) fn bytes(&self, text: &str) -> usize {
        match self.0.is_empty() {
            true => 0,
            false => words(text).filter(|word| self.0.contains(word)).map(|word| word.len()).sum(),
        }
    }

    /// Is every word of the text known?
    pub(crate) fn covers(&self, text: &str) -> bool {
        let mut words = words(text).peekable();
        !self.0.is_empty() && words.peek().is_some() && words.all(|word| self.0.contains(&word))
    }
}

fn words(text: &str) -> impl Iterator<Item = String> + '_ {
    let words = text.unicode_words().filter(|word| word.chars().any(char::is_alphabetic));
    words.map(|word| normalise(word).to_lowercase())
}

#[cfg(test)]
mod tests;
