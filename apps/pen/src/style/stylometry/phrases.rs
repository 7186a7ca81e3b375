//! Phrases that recur across posts and are the author's own: candidates for signature phrases.
//!
//! A phrase counts if its words are rare together in ordinary text; «у вас» is in everybody's
//! posts. A single word counts if it announces something: «спойлер: …».

use std::collections::{BTreeMap, BTreeSet};

use super::frequency::{UNCOMMON_BITS, bits};
use crate::text::{fold, sentences, words};

const CANDIDATES_MAX: usize = 12;
/// A phrase tells at least so much, in bits: a rare word beside everyday ones, or two uncommon
/// words. «наші клієнти» tells less.
const PHRASE_BITS_MIN: f64 = 27.0;

/// Phrases of up to five words in at least two posts, the most frequent and the rarest first.
pub(crate) fn repeated(posts: &[&str]) -> Vec<String> {
    let mut seen: BTreeMap<String, BTreeSet<usize>> = BTreeMap::new();
    for (number, post) in posts.iter().enumerate() {
        for sentence in sentences(post) {
            let sentence = &post[sentence];
            if let Some(word) = announcement(sentence) {
                seen.entry(word).or_default().insert(number);
            }
            let run: Vec<String> = words(sentence).map(|word| fold(word.text)).collect();
            for length in 2..=5 {
                for phrase in run.windows(length).filter(|phrase| is_own(phrase)) {
                    seen.entry(phrase.join(" ")).or_default().insert(number);
                }
            }
        }
    }
    let counted = seen.into_iter().map(|(phrase, posts)| (phrase, posts.len()));
    let mut found: Vec<(String, usize)> = counted.filter(|(_, posts)| *posts >= 2).collect();
    found.sort_by_key(|(phrase, posts)| {
        let rarity = phrase.split(' ').map(bits).sum::<f64>() as u64;
        (std::cmp::Reverse(*posts), std::cmp::Reverse(rarity), phrase.clone())
    });
    let mut kept: Vec<(String, usize)> = Vec::new();
    for (phrase, posts) in found {
        // A part of an equally frequent longer phrase adds nothing.
        let is_part =
            kept.iter().any(|(longer, count)| *count >= posts && longer.contains(&phrase));
        if !is_part && kept.len() < CANDIDATES_MAX {
            kept.retain(|(shorter, count)| !(*count == posts && phrase.contains(shorter.as_str())));
            kept.push((phrase, posts));
        }
    }
    kept.into_iter().map(|(phrase, _)| phrase).collect()
}

/// Is this phrase unlikely in anybody's text?
fn is_own(phrase: &[String]) -> bool {
    let weights: Vec<f64> = phrase.iter().map(|word| bits(word)).collect();
    weights.iter().any(|weight| *weight > UNCOMMON_BITS)
        && weights.iter().sum::<f64>() >= PHRASE_BITS_MIN
}

/// `спойлер:`, if a sentence begins so.
fn announcement(sentence: &str) -> Option<String> {
    let first = words(sentence).next()?;
    let word = fold(first.text);
    let is_first = sentence[..first.start].trim().is_empty();
    let has_letters = word.chars().all(char::is_alphabetic);
    let announces = sentence[first.end()..].starts_with(':');
    let is_uncommon = bits(&word) > UNCOMMON_BITS;
    (is_first && announces && has_letters && is_uncommon).then(|| format!("{word}:"))
}

#[cfg(test)]
mod tests {
    use super::repeated;

    #[test]
    fn gp_24_everyday_phrases_are_nobodys_own() {
        let posts = [
            "Ніхто не читає довгих листів. Як у вас з цим? Спойлер: погано.",
            "Ось у чому штука: ніхто не скаже. А як у вас з роботою?",
            "Ніхто не винен. Спойлер: я теж. Ось у чому штука.",
            "Як у вас справи? Я не знаю, що це було.",
            "Я не знаю, що це таке. Це про те, що буде.",
            "Це про те, що було.",
        ];
        assert_eq!(repeated(&posts), ["ось у чому штука", "спойлер:"]);
    }

    #[test]
    fn gp_24_words_of_the_topic_are_nobodys_own() {
        let posts = [
            "Наші клієнти питають про ціни. Чесно кажучи, я теж.",
            "Сьогодні наші клієнти мовчать. Чесно кажучи, дарма.",
            "Я думаю, що нові проєкти важливі.",
            "Сьогодні я думаю, що нові люди важливі.",
        ];
        assert_eq!(repeated(&posts), ["чесно кажучи"]);
    }

    #[test]
    fn gp_24_english_phrases_are_weighed_too() {
        let posts = [
            "Here's the kicker: nobody cares. I don't know what to do.",
            "I don't know what to say. Here's the kicker.",
            "One of the things that I want. Spoiler: it rained.",
            "One of the things that you want. Spoiler: it didn't.",
        ];
        assert_eq!(repeated(&posts), ["here's the kicker", "spoiler:"]);
    }
}
