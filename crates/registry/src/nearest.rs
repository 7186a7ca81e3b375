//! "Did you mean": the known word nearest to what somebody wrote.

/// The nearest known word, if one is near enough to be meant.
pub fn nearest<'a>(found: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let plain = |word: &str| word.to_lowercase().replace(['-', '_', ' '], "");
    let wanted = plain(found);
    known
        .into_iter()
        .map(|word| (strsim::damerau_levenshtein(&wanted, &plain(word)), word))
        .filter(|(distance, word)| *distance <= 1.max(word.chars().count() / 3))
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, word)| word)
}

#[cfg(test)]
mod tests {
    use super::nearest;

    #[test]
    fn a_near_word_is_meant_and_a_far_one_is_not() {
        let words = ["sideEffects", "idempotent", "version", "text", "voice"];
        assert_eq!(nearest("side_effects", words), Some("sideEffects"));
        assert_eq!(nearest("idempotant", words), Some("idempotent"));
        assert_eq!(nearest("txet", words), Some("text"));
        assert_eq!(nearest("colour", words), None);
        assert_eq!(nearest("", words), None);
    }
}
