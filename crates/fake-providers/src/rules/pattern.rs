//! Finds the regex features that providers refuse.
//!
//! Escapes and character classes are parsed: `[(?=]` is not a lookahead, `[\b]` not a boundary.

/// A construct that a finite grammar cannot express, or only at great size.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Feature {
    /// `(?=…)`, `(?!…)`, `(?<=…)`, `(?<!…)`.
    Lookaround,
    /// `\1`, `\k<name>`.
    Backreference,
    /// `\b`, `\B`.
    WordBoundary,
    /// `{n,m}` with a bound above [`REPEAT_MAX`].
    LargeRepeat,
}

/// The documentation only says "large"; unproven, chosen so that lengths of names and lines pass.
const REPEAT_MAX: u32 = 256;

/// The features used, each once per use, in order.
pub(crate) fn features(pattern: &str) -> Vec<Feature> {
    let mut found = Vec::new();
    let mut rest = pattern;
    let mut inside = Inside::Sequence;
    while let Some(first) = rest.chars().next() {
        let tail = &rest[first.len_utf8()..];
        rest = tail;
        match (first, inside) {
            ('\\', _) => {
                let escaped = tail.chars().next();
                rest = &tail[escaped.map_or(0, char::len_utf8)..];
                if inside == Inside::Sequence {
                    found.extend(escaped.and_then(|letter| escape_feature(letter, rest)));
                }
            }
            ('[', Inside::Sequence) => inside = Inside::Class,
            (']', Inside::Class) => inside = Inside::Sequence,
            ('(', Inside::Sequence) => {
                let looks = ["?=", "?!", "?<=", "?<!"].iter().any(|start| tail.starts_with(start));
                found.extend(looks.then_some(Feature::Lookaround));
            }
            ('{', Inside::Sequence) => {
                let bounds = tail.split_once('}').map_or("", |(bounds, _)| bounds);
                let large = |bound: &str| match bound.parse::<u32>() {
                    Ok(count) => count > REPEAT_MAX,
                    Err(_) => bound.len() > 9 && bound.bytes().all(|byte| byte.is_ascii_digit()),
                };
                found.extend(bounds.split(',').any(large).then_some(Feature::LargeRepeat));
            }
            _ => {}
        }
    }
    found
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Inside {
    Sequence,
    Class,
}

fn escape_feature(letter: char, rest: &str) -> Option<Feature> {
    match letter {
        'b' | 'B' => Some(Feature::WordBoundary),
        '1'..='9' => Some(Feature::Backreference),
        'k' if rest.starts_with('<') => Some(Feature::Backreference),
        _ => None,
    }
}
