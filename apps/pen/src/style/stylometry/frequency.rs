//! How rare a word is in ordinary text, from `data/frequency.toml`.

use std::collections::HashMap;
use std::sync::LazyLock;

use crate::text::fold;
use crate::text::stem::stem;

/// A word that is in no list.
const RARE_PER_MILLION: f64 = 20.0;
/// From here on a word is not an everyday word: fewer than 100 in a million.
pub(super) const UNCOMMON_BITS: f64 = 13.5;

type Languages = HashMap<String, HashMap<String, String>>;

/// Words and stems with their number in a million words, of all languages together.
static PER_MILLION: LazyLock<HashMap<String, f64>> = LazyLock::new(|| {
    let languages: Languages =
        toml::from_str(include_str!("../../../data/frequency.toml")).unwrap_or_default();
    let mut found: HashMap<String, f64> = HashMap::new();
    for (number, words) in languages.into_values().flatten() {
        let Ok(per_million) = number.parse::<f64>() else { continue };
        for word in words.split_whitespace() {
            let word = fold(word);
            // Other forms of an everyday word are everyday words; a short stem means too much.
            let stem = Some(stem(&word)).filter(|stem| stem.chars().count() > 3);
            for key in [Some(word), stem].into_iter().flatten() {
                let known = found.entry(key).or_default();
                *known = known.max(per_million);
            }
        }
    }
    found
});

/// How much a word tells, in bits: 6 for the most frequent ones, 16 for a rare one.
pub(super) fn bits(folded: &str) -> f64 {
    let known = PER_MILLION.get(folded).or_else(|| PER_MILLION.get(&stem(folded)));
    let per_million = known.copied().unwrap_or(RARE_PER_MILLION);
    (1_000_000.0 / per_million).log2()
}

#[cfg(test)]
mod tests {
    use super::{PER_MILLION, bits};

    #[test]
    fn everyday_words_tell_less_than_rare_ones() {
        assert!(PER_MILLION.len() > 5_000, "the list was not read");
        assert!(bits("у") < bits("вас") && bits("вас") < bits("штука"));
        assert!(bits("the") < bits("works") && bits("works") < bits("tapestry"));
        assert_eq!(bits("школами"), bits("школи"), "in all its forms");
        assert!(bits("школами") < bits("спойлер"));
    }
}
