//! Finds web and mail addresses in plain text, as GitHub does, so that they become links.
//!
//! In: text without markup. Out: its pieces, which together are the text. The work is linear.

use super::mask::is_mask;

#[derive(Debug, PartialEq, Eq)]
pub(super) enum Piece<'a> {
    Text(&'a str),
    Link { text: &'a str, url: String },
}

/// A longer name in front of an `@` is no address.
const LOCAL_BYTES_MAX: usize = 64;
const DOMAIN_BYTES_MAX: usize = 253;

/// The pieces of a text.
pub(super) fn pieces(text: &str) -> Vec<Piece<'_>> {
    let (mut pieces, mut done, mut at) = (Vec::new(), 0, 0);
    while let Some(step) = text.get(at..).and_then(|rest| rest.find(['h', 'H', 'w', 'W', '@'])) {
        at += step;
        match address_at(text, at, done) {
            Some((start, end, url)) => {
                pieces
                    .extend(text.get(done..start).filter(|text| !text.is_empty()).map(Piece::Text));
                pieces.extend(text.get(start..end).map(|text| Piece::Link { text, url }));
                (done, at) = (end, end);
            }
            None => at += 1,
        }
    }
    pieces.extend(text.get(done..).filter(|text| !text.is_empty()).map(Piece::Text));
    pieces
}

/// An address that begins at this place, or has its `@` there.
fn address_at(text: &str, at: usize, done: usize) -> Option<(usize, usize, String)> {
    let rest = text.get(at..)?;
    if rest.starts_with('@') {
        return mail(text, at, done);
    }
    let before = text.get(..at)?.chars().next_back();
    if before.is_some_and(|c| c.is_alphanumeric() || c == '@' || c == '/') {
        return None;
    }
    let prefix = ["https://", "http://", "www."].into_iter().find(|prefix| {
        rest.get(..prefix.len()).is_some_and(|start| start.eq_ignore_ascii_case(prefix))
    })?;
    let length = rest
        .find(|c: char| {
            c.is_whitespace() || c.is_control() || "<>\"`{}|\\^".contains(c) || is_mask(c)
        })
        .unwrap_or(rest.len());
    let url = without_end(rest.get(..length)?);
    let host = url.get(prefix.len()..)?.split(['/', '?', '#']).next()?;
    let is_host = host.chars().next().is_some_and(char::is_alphanumeric) || host.starts_with('[');
    if !is_host || (prefix == "www." && !host.contains('.')) {
        return None;
    }
    let full = if prefix == "www." { format!("https://{url}") } else { url.to_owned() };
    Some((at, at + url.len(), full))
}

/// Without the punctuation of the sentence around it.
fn without_end(mut url: &str) -> &str {
    let count = |url: &str, c: char| url.matches(c).count();
    let (opened, mut closed) = (count(url, '('), count(url, ')'));
    while let Some(last) = url.chars().next_back() {
        match last {
            ')' if closed > opened => closed -= 1,
            '?' | '!' | '.' | ',' | ':' | ';' | '*' | '_' | '~' | '\'' | '’' | '”' | '»' | ']'
            | '…' => {}
            _ => break,
        }
        url = url.get(..url.len() - last.len_utf8()).unwrap_or_default();
    }
    url
}

fn mail(text: &str, at: usize, done: usize) -> Option<(usize, usize, String)> {
    let is_local = |c: &char| c.is_ascii_alphanumeric() || ".+-_".contains(*c);
    let before = text.get(done..at)?;
    let local = before.chars().rev().take(LOCAL_BYTES_MAX + 1).take_while(is_local).count();
    let start = at - local;
    let has_name = text.get(start..at)?.starts_with(|c: char| c.is_ascii_alphanumeric());
    let lead = text.get(..start)?.chars().next_back();
    let is_domain = |c: &char| c.is_ascii_alphanumeric() || ".-".contains(*c);
    let after = text.get(at + 1..)?;
    let length = after.chars().take(DOMAIN_BYTES_MAX + 1).take_while(is_domain).count();
    let domain = after.get(..length)?.trim_end_matches(['.', '-']);
    let (_, top) = domain.rsplit_once('.')?;
    let is_address = has_name
        && local <= LOCAL_BYTES_MAX
        && length <= DOMAIN_BYTES_MAX
        && lead.is_none_or(|c| !c.is_alphanumeric() && c != '/' && c != ':' && c != '@')
        && domain.split('.').all(|part| !part.is_empty())
        && top.len() >= 2
        && top.chars().all(|c| c.is_ascii_alphabetic());
    let end = at + 1 + domain.len();
    is_address.then(|| (start, end, format!("mailto:{}", text.get(start..end).unwrap_or_default())))
}

#[cfg(test)]
mod tests {
    use super::{Piece, pieces};

    /// `[text](url)` for a link.
    fn shown(text: &str) -> String {
        let one = |piece: Piece<'_>| match piece {
            Piece::Text(text) => text.to_owned(),
            Piece::Link { text, url } => format!("[{text}]({url})"),
        };
        pieces(text).into_iter().map(one).collect()
    }

    #[test]
    fn addresses_are_found_and_the_punctuation_around_them_is_not() {
        let check = |text: &str, expected: &str| assert_eq!(shown(text), expected, "{text}");
        check(
            "see https://a.example/x_y?b=1&c=2.",
            "see [https://a.example/x_y?b=1&c=2](https://a.example/x_y?b=1&c=2).",
        );
        check("(http://a.example/b_(c))", "([http://a.example/b_(c)](http://a.example/b_(c)))");
        check("www.a.example, www.", "[www.a.example](https://www.a.example), www.");
        check("HTTPS://A.example", "[HTTPS://A.example](HTTPS://A.example)");
        check(
            "write to ana.b+c@mail.example.",
            "write to [ana.b+c@mail.example](mailto:ana.b+c@mail.example).",
        );
        check("npm i @a/b and a@b and x@1.2", "npm i @a/b and a@b and x@1.2");
        check(
            "git@a.example:b and ssh://u@a.example",
            "[git@a.example](mailto:git@a.example):b and ssh://u@a.example",
        );
        check("xhttps://a.example https:// http", "xhttps://a.example https:// http");
        check(
            "https://пример.example/шлях",
            "[https://пример.example/шлях](https://пример.example/шлях)",
        );
        check("", "");
    }

    #[test]
    fn long_texts_are_read_once() {
        for text in [
            "@".repeat(200_000),
            "a@".repeat(200_000),
            "https://".repeat(100_000),
            "www.".repeat(100_000),
        ] {
            let length: usize = pieces(&text)
                .iter()
                .map(|piece| match piece {
                    Piece::Text(text) | Piece::Link { text, .. } => text.len(),
                })
                .sum();
            assert_eq!(length, text.len());
        }
    }
}
