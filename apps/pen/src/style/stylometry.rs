//! Measures a voice without a model: rhythm, punctuation, openings, words.
//!
//! In: posts. Out: [`Stylometry`]: numbers and candidates, the same for the same posts. A
//! profile stores them beside the described voice, under `measured`.

mod frequency;
mod function_words;
mod ngrams;
mod numbers;
mod openings;
mod phrases;
mod rhythm;

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

pub use numbers::Spread;
pub use openings::{Closing, Opening};
pub use rhythm::Rhythm;
pub(crate) use rhythm::sentence_lengths;

use crate::lint::ai_phrases;
use crate::text::emoji::{emoji, is_arrow};
use crate::text::language::spoken;
use crate::text::{fold, hashtags, paragraphs, words};
use numbers::{rounded, share};

/// All measurements.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Stylometry {
    pub posts: usize,
    pub words: usize,
    pub language: String,
    pub rhythm: Rhythm,
    /// Marks per 1,000 characters.
    pub marks: BTreeMap<String, f64>,
    /// The share of questions.
    pub question_share: f64,
    /// Kinds of openings with their counts, most frequent first.
    pub openings: Vec<(Opening, usize)>,
    pub closings: Vec<(Closing, usize)>,
    pub emoji: Signs,
    pub hashtags: Tags,
    pub persons: Persons,
    pub latin_share: f64,
    pub list_lines_per_post: f64,
    pub arrows_per_post: f64,
    pub vocabulary: Vocabulary,
    /// Rates of function words per 1,000 words, most frequent first.
    pub function_words: Vec<(String, f64)>,
    /// The most frequent runs of three to five letters, per 1,000 letters.
    pub letter_runs: Vec<(String, f64)>,
    /// Phrases of two to five words in at least two posts.
    pub signature_candidates: Vec<String>,
    /// First and last lines, one for each kind.
    pub hook_candidates: Vec<String>,
    pub closing_candidates: Vec<String>,
    /// Phrases of language models that no post has.
    pub avoid_candidates: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Signs {
    pub per_post: f64,
    pub most: usize,
    /// Most frequent first.
    pub set: Vec<String>,
    /// The share of emoji at the end of a line.
    pub at_line_end_share: f64,
}

#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Tags {
    pub per_post: f64,
    pub most: usize,
    /// `none`, `end` or `body`.
    pub place: String,
}

/// Personal pronouns per 1,000 words.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Persons {
    pub i: f64,
    pub we: f64,
    pub you: f64,
    /// `ти`, `ви` or none.
    pub address: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Vocabulary {
    pub mean_word_letters: f64,
    /// Distinct words in fifty consecutive words, on average.
    pub mattr_50: f64,
}

/// Measures posts; none without posts.
pub fn measure(posts: &[&str]) -> Option<Stylometry> {
    if posts.iter().all(|post| post.trim().is_empty()) {
        return None;
    }
    let all = posts.join("\n\n");
    let folded: Vec<String> = words(&all).map(|word| fold(word.text)).collect();
    let letters = all.chars().count();
    let asking = rhythm::sentence_texts(posts).filter(|text| text.contains('?')).count();
    let sentences = rhythm::sentence_texts(posts).count();
    Some(Stylometry {
        posts: posts.len(),
        words: folded.len(),
        language: spoken(&all).to_owned(),
        rhythm: Rhythm::of(posts),
        marks: marks(&all, letters),
        question_share: share(asking, sentences),
        openings: counted(posts.iter().map(|post| Opening::of(post))),
        closings: counted(posts.iter().map(|post| Closing::of(post))),
        emoji: signs(posts),
        hashtags: tags(posts),
        persons: persons(&folded),
        latin_share: latin_share(&all),
        list_lines_per_post: rounded(list_lines(&all) as f64 / posts.len() as f64),
        arrows_per_post: rounded(
            all.chars().filter(|c| is_arrow(*c)).count() as f64 / posts.len() as f64,
        ),
        vocabulary: Vocabulary {
            mean_word_letters: rounded(
                folded.iter().map(|word| word.chars().count()).sum::<usize>() as f64
                    / folded.len().max(1) as f64,
            ),
            mattr_50: numbers::moving_variety(&folded, 50),
        },
        function_words: function_words::rates(&folded),
        letter_runs: ngrams::letter_runs(&all),
        signature_candidates: phrases::repeated(posts),
        hook_candidates: openings::hook_candidates(posts),
        closing_candidates: openings::closing_candidates(posts),
        avoid_candidates: ai_phrases::unused_words(&all),
    })
}

/// Values with their counts, most frequent first.
fn counted<T: Ord + Copy>(values: impl Iterator<Item = T>) -> Vec<(T, usize)> {
    let mut counts: BTreeMap<T, usize> = BTreeMap::new();
    for value in values {
        *counts.entry(value).or_default() += 1;
    }
    let mut counts: Vec<_> = counts.into_iter().collect();
    counts.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    counts
}

fn marks(all: &str, letters: usize) -> BTreeMap<String, f64> {
    const MARKS: [&str; 12] = ["—", "–", "…", "!", "?", ":", ";", "«", "„", "“", "\"", "("];
    let rate = |mark: &str| {
        let count = all.matches(mark).count();
        rounded(count as f64 * 1_000.0 / letters.max(1) as f64)
    };
    MARKS
        .iter()
        .map(|mark| ((*mark).to_owned(), rate(mark)))
        .filter(|(_, rate)| *rate > 0.0)
        .collect()
}

fn signs(posts: &[&str]) -> Signs {
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    let (mut all, mut most, mut at_end) = (0, 0, 0);
    for post in posts {
        let found = emoji(post);
        most = most.max(found.len());
        all += found.len();
        for span in found {
            *counts.entry(post[span.clone()].to_owned()).or_default() += 1;
            let rest = post[span.end..].trim_start_matches(' ');
            at_end += usize::from(rest.is_empty() || rest.starts_with('\n'));
        }
    }
    let mut set: Vec<_> = counts.into_iter().collect();
    set.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    Signs {
        per_post: rounded(all as f64 / posts.len() as f64),
        most,
        set: set.into_iter().map(|(sign, _)| sign).take(20).collect(),
        at_line_end_share: share(at_end, all),
    }
}

fn tags(posts: &[&str]) -> Tags {
    let found: Vec<_> = posts.iter().map(|post| hashtags(post)).collect();
    let all: usize = found.iter().map(Vec::len).sum();
    let inside = found.iter().flatten().filter(|tag| !tag.at_end).count();
    let place = match (all, inside) {
        (0, _) => "none",
        (_, 0) => "end",
        _ => "body",
    };
    Tags {
        per_post: rounded(all as f64 / posts.len() as f64),
        most: found.iter().map(Vec::len).max().unwrap_or_default(),
        place: place.to_owned(),
    }
}

fn persons(folded: &[String]) -> Persons {
    let rate = |forms: &[&str]| {
        let count = folded.iter().filter(|word| forms.contains(&word.as_str())).count();
        rounded(count as f64 * 1_000.0 / folded.len().max(1) as f64)
    };
    let thou = rate(&["ти", "тебе", "тобі", "тобою", "твій", "твоя", "твоє", "твої"]);
    let you_all = rate(&["ви", "вас", "вам", "вами", "ваш", "ваша", "ваше", "ваші"]);
    let you = rate(&["you", "your", "yours"]);
    let address = match (thou, you_all) {
        (0.0, 0.0) => None,
        (thou, you_all) if thou > you_all => Some("ти".to_owned()),
        _ => Some("ви".to_owned()),
    };
    Persons {
        i: rate(&["я", "мене", "мені", "мною", "мій", "моя", "моє", "мої", "i", "me", "my"]),
        we: rate(&["ми", "нас", "нам", "нами", "наш", "наша", "наше", "наші", "we", "us", "our"]),
        you: rounded(thou + you_all + you),
        address,
    }
}

fn latin_share(all: &str) -> f64 {
    let latin = all.chars().filter(char::is_ascii_alphabetic).count();
    share(latin, all.chars().filter(|c| c.is_alphabetic()).count())
}

/// Lines that are list items.
pub(crate) fn list_lines(text: &str) -> usize {
    paragraphs(text)
        .into_iter()
        .flat_map(|block| text[block].lines())
        .filter(|line| is_list_line(line))
        .count()
}

pub(crate) fn is_list_line(line: &str) -> bool {
    let line = line.trim_start();
    let numbered = line.split_once(['.', ')']).is_some_and(|(head, rest)| {
        !head.is_empty()
            && head.len() <= 2
            && head.bytes().all(|byte| byte.is_ascii_digit())
            && rest.starts_with(' ')
    });
    numbered
        || ["- ", "* ", "• ", "– ", "✅ ", "✔ ", "▪ ", "· "]
            .iter()
            .any(|mark| line.starts_with(mark))
}

#[cfg(test)]
mod tests;
