//! Text files: recognised and decoded.

use chardetng::{EncodingDetector, Iso2022JpDetection, Utf8Detection};
use encoding_rs::{Encoding, UTF_8};

/// How much of a file the detector looks at.
const LOOKED_AT_BYTES_MAX: usize = 64 << 10;

/// Whether the file is text: no control characters except tabs and ends of lines.
pub(crate) fn is_text(bytes: &[u8]) -> bool {
    text(bytes).is_some()
}

/// The text, decoded, with `\n` at the ends of lines.
pub(crate) fn text(bytes: &[u8]) -> Option<String> {
    let encoding = encoding(bytes);
    let (text, _, has_errors) = encoding.decode(bytes);
    if has_errors || text.chars().any(is_binary) {
        return None;
    }
    Some(text.replace("\r\n", "\n").replace('\r', "\n"))
}

fn encoding(bytes: &[u8]) -> &'static Encoding {
    if let Some((encoding, _)) = Encoding::for_bom(bytes) {
        return encoding;
    }
    if std::str::from_utf8(bytes).is_ok() {
        return UTF_8;
    }
    let mut detector = EncodingDetector::new(Iso2022JpDetection::Deny);
    detector.feed(bytes.get(..LOOKED_AT_BYTES_MAX).unwrap_or(bytes), true);
    detector.guess(None, Utf8Detection::Deny)
}

fn is_binary(c: char) -> bool {
    c.is_control() && !matches!(c, '\t' | '\n' | '\r' | '\u{c}' | '\u{1b}' | '\u{8}' | '\u{85}')
}
