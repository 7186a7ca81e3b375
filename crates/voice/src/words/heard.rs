//! Which part of a text a person has heard, from the milliseconds that were played.
//!
//! In: the text, marks that tie places in the text to times, and the played time. Out: a byte
//! position at a word border. Must hold: more played time never gives less text, and a word
//! that was not played to its end does not count.

/// Up to this byte the text has been spoken at this time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Mark {
    pub byte: usize,
    pub ms: u64,
}

/// How fast speech is where only a part of the audio is known.
const CHARS_PER_SECOND: u64 = 15;

/// The length of the heard part in bytes. Between two marks, and after the last, time and
/// characters are taken as proportional.
pub fn heard_bytes(text: &str, marks: &[Mark], audio_ms: u64, played_ms: u64) -> usize {
    let mut from = Mark { byte: 0, ms: 0 };
    for mark in marks {
        let mark = Mark { byte: mark.byte.min(text.len()), ms: mark.ms };
        if mark.byte < from.byte || mark.ms < from.ms {
            continue;
        }
        if played_ms < mark.ms {
            return word_border(text, from.byte, within(text, from, mark, played_ms));
        }
        from = mark;
    }
    if from.byte == text.len() {
        return text.len();
    }
    // After the last mark there is no end yet: the rest of the audio, or an estimate.
    let rest = text[from.byte..].chars().count() as u64;
    let spoken = rest.saturating_mul(1_000) / CHARS_PER_SECOND;
    let end = Mark { byte: text.len(), ms: audio_ms.max(from.ms.saturating_add(spoken)) };
    word_border(text, from.byte, within(text, from, end, played_ms.min(end.ms)))
}

/// The place between two marks, by characters.
fn within(text: &str, from: Mark, to: Mark, played_ms: u64) -> usize {
    let span = to.ms.saturating_sub(from.ms);
    if span == 0 {
        return to.byte;
    }
    let part = &text[from.byte..to.byte];
    let chars = part.chars().count() as u64;
    let heard = chars.saturating_mul(played_ms.saturating_sub(from.ms)) / span;
    let heard = usize::try_from(heard).unwrap_or(usize::MAX);
    part.char_indices().nth(heard).map_or(to.byte, |(at, _)| from.byte + at)
}

/// The end of the last word that is whole at this place.
fn word_border(text: &str, from: usize, at: usize) -> usize {
    let is_border = at >= text.len() || text[at..].starts_with(char::is_whitespace);
    if is_border {
        return at.min(text.len());
    }
    let before = text[from..at].rfind(char::is_whitespace).map(|space| from + space);
    before.unwrap_or(from)
}

#[cfg(test)]
mod tests;
