//! A pattern with `*` for any run of characters and `?` for one.

use std::fmt;

/// A pattern for a whole text. Matching time is bounded by both lengths.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Glob(Vec<char>);

impl Glob {
    pub fn new(pattern: &str) -> Self {
        Self(pattern.chars().collect())
    }

    pub fn fits(&self, text: &str) -> bool {
        let (pattern, text) = (&self.0, text.chars().collect::<Vec<_>>());
        let (mut at, mut read) = (0, 0);
        // After a `*`: where it stands, and how much of the text it has taken so far.
        let mut star: Option<(usize, usize)> = None;
        while read < text.len() {
            match pattern.get(at) {
                Some('*') => {
                    star = Some((at, read));
                    at += 1;
                }
                Some(c) if *c == '?' || *c == text[read] => {
                    at += 1;
                    read += 1;
                }
                // Back to the star, which takes one more.
                _ => match star {
                    Some((star_at, taken)) => (at, read) = (star_at, taken + 1),
                    None => return false,
                },
            }
        }
        pattern[at..].iter().all(|c| *c == '*')
    }
}

impl fmt::Display for Glob {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|c| write!(f, "{c}"))
    }
}
