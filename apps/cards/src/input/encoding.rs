//! Bytes as text: Unicode with and without a mark, and the encodings from before it.
//!
//! Must hold: a file that is valid UTF-8 is UTF-8; a declared encoding counts before a guess;
//! bytes that are no text in any encoding are refused.

use chardetng::{EncodingDetector, Iso2022JpDetection, Utf8Detection};
use encoding_rs::{Encoding, UTF_8, UTF_16BE, UTF_16LE};

use super::DocumentHint;
use crate::text::language::Language;

/// How much of an HTML file is searched for its encoding.
const DECLARATION_BYTES_MAX: usize = 4_096;

pub(super) fn decode(
    bytes: &[u8],
    hint: DocumentHint<'_>,
) -> Result<(String, &'static str), String> {
    let (encoding, mark) = match Encoding::for_bom(bytes) {
        Some(found) => found,
        None => (encoding_of(bytes, hint), 0),
    };
    let (text, broken) =
        encoding.decode_without_bom_handling(bytes.get(mark..).unwrap_or_default());
    let strange = text.chars().filter(|c| *c == '\u{fffd}' || is_control(*c)).count();
    // A damaged letter in a long text is no reason to refuse it.
    if (broken || strange > 0) && strange * 200 > text.chars().count() {
        return Err("this is not a text file, or its encoding is unknown; save it as UTF-8".into());
    }
    Ok((text.into_owned(), encoding.name()))
}

fn encoding_of(bytes: &[u8], hint: DocumentHint<'_>) -> &'static Encoding {
    if let Some(wide) = wide(bytes) {
        return wide;
    }
    if std::str::from_utf8(bytes).is_ok() {
        return UTF_8;
    }
    let declared = hint.media_type.and_then(charset_of).or_else(|| declared(bytes));
    if let Some(encoding) = declared.and_then(|label| Encoding::for_label(label.as_bytes())) {
        return encoding;
    }
    let mut detector = EncodingDetector::new(Iso2022JpDetection::Deny);
    detector.feed(bytes, true);
    detector.guess(top_level_domain(hint.language).map(str::as_bytes), Utf8Detection::Allow)
}

/// UTF-16 without a mark: every second byte of common letters is the same small number.
fn wide(bytes: &[u8]) -> Option<&'static Encoding> {
    const SAMPLE_BYTES: usize = 4_096;
    let sample = bytes.get(..bytes.len().min(SAMPLE_BYTES) & !1)?;
    let units = sample.len() / 2;
    if units < 2 {
        return None;
    }
    let spaces = |at: usize| {
        sample
            .chunks_exact(2)
            .filter(|pair| pair[at] == 0 && matches!(pair[1 - at], b' ' | b'\n'))
            .count()
    };
    let zeros = |at: usize| sample.chunks_exact(2).filter(|pair| pair[at] == 0).count();
    match (zeros(0), zeros(1)) {
        (0, 0) => None,
        // Letters beyond Latin have no zeros, but their spaces do.
        (first, second) if first > second && (first * 2 > units || spaces(0) * 12 > units) => {
            Some(UTF_16BE)
        }
        (first, second) if second > first && (second * 2 > units || spaces(1) * 12 > units) => {
            Some(UTF_16LE)
        }
        _ => None,
    }
}

/// The encoding that a page declares in its head.
fn declared(bytes: &[u8]) -> Option<String> {
    let head = bytes.get(..bytes.len().min(DECLARATION_BYTES_MAX))?;
    let head = String::from_utf8_lossy(head).to_ascii_lowercase();
    if !head.contains('<') {
        return None;
    }
    charset_of(&head).or_else(|| {
        let (_, after) = head.split_once("encoding=")?;
        label(after)
    })
}

fn charset_of(text: &str) -> Option<String> {
    let lower = text.to_ascii_lowercase();
    let (_, after) = lower.split_once("charset=")?;
    label(after)
}

fn label(text: &str) -> Option<String> {
    let text = text.trim_start_matches(['"', '\'', ' ']);
    let plain = |c: &char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | ':');
    let label: String = text.chars().take_while(plain).collect();
    (!label.is_empty()).then_some(label)
}

fn is_control(c: char) -> bool {
    c.is_control() && !matches!(c, '\n' | '\r' | '\t' | '\u{c}' | '\u{85}' | '\u{1a}')
}

/// Where pages of this language come from: what a detector takes as a hint.
fn top_level_domain(language: &Language) -> Option<&'static str> {
    let base = language.as_str().split('-').next().unwrap_or_default();
    let domains = [
        ("ar", "eg"),
        ("be", "by"),
        ("bg", "bg"),
        ("cs", "cz"),
        ("da", "dk"),
        ("de", "de"),
        ("el", "gr"),
        ("es", "es"),
        ("et", "ee"),
        ("fi", "fi"),
        ("fr", "fr"),
        ("he", "il"),
        ("hr", "hr"),
        ("hu", "hu"),
        ("it", "it"),
        ("ja", "jp"),
        ("ko", "kr"),
        ("lt", "lt"),
        ("lv", "lv"),
        ("nl", "nl"),
        ("no", "no"),
        ("pl", "pl"),
        ("pt", "pt"),
        ("ro", "ro"),
        ("ru", "ru"),
        ("sv", "se"),
        ("tr", "tr"),
        ("uk", "ua"),
        ("zh", "cn"),
    ];
    domains.iter().find(|(code, _)| *code == base).map(|(_, domain)| *domain)
}
