//! Analyses a regular expression to know which providers accept it.
//!
//! In: a pattern's text. Out: its [`Traits`], or why it is not a pattern. Must hold:
//! linear time; the pattern is never run here.

mod anchored;

pub(crate) use self::anchored::anchored;

/// What a pattern uses beyond the basics that every engine supports.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Traits {
    pub(crate) lookaround: Use,
    pub(crate) backreference: Use,
    /// `\b`, `\B`, `\p{…}` and groups with options: simple engines refuse them.
    pub(crate) fancy: Use,
    /// The largest number in a `{n,m}`.
    pub(crate) repeat_max: u32,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Use {
    #[default]
    Absent,
    Present,
}

/// Scans a pattern once; the error says what is wrong with it.
pub(crate) fn scan(pattern: &str) -> Result<Traits, &'static str> {
    let mut scan = Scan { text: pattern.as_bytes(), at: 0, traits: Traits::default() };
    scan.run()?;
    Ok(scan.traits)
}

struct Scan<'t> {
    text: &'t [u8],
    at: usize,
    traits: Traits,
}

impl Scan<'_> {
    fn run(&mut self) -> Result<(), &'static str> {
        let mut groups = 0usize;
        let mut repeatable = false;
        while let Some(byte) = self.next() {
            match byte {
                b'\\' => {
                    self.escape()?;
                    repeatable = true;
                }
                b'[' => {
                    self.class()?;
                    repeatable = true;
                }
                b'(' => {
                    groups += 1;
                    self.group_head();
                    repeatable = false;
                }
                b')' => {
                    groups = groups.checked_sub(1).ok_or("a `)` has no `(` before it")?;
                    repeatable = true;
                }
                b'*' | b'+' | b'?' if !repeatable => return Err("there is nothing to repeat"),
                b'*' | b'+' | b'?' => {
                    self.skip(b'?');
                    repeatable = false;
                }
                b'{' => repeatable = self.braces(repeatable)?,
                b'|' | b'^' => repeatable = false,
                _ => repeatable = true,
            }
        }
        if groups > 0 { Err("a `(` is not closed") } else { Ok(()) }
    }

    fn next(&mut self) -> Option<u8> {
        let byte = self.text.get(self.at).copied();
        self.at += 1;
        byte
    }

    fn skip(&mut self, byte: u8) {
        if self.text.get(self.at) == Some(&byte) {
            self.at += 1;
        }
    }

    fn escape(&mut self) -> Result<(), &'static str> {
        match self.next() {
            None => return Err("it ends in a lone `\\`"),
            Some(b'1'..=b'9') => self.traits.backreference = Use::Present,
            Some(b'k') => {
                if self.text.get(self.at) == Some(&b'<') {
                    self.traits.backreference = Use::Present;
                }
            }
            Some(b'b' | b'B' | b'p' | b'P') => self.traits.fancy = Use::Present,
            Some(_) => {}
        }
        Ok(())
    }

    fn class(&mut self) -> Result<(), &'static str> {
        while let Some(byte) = self.next() {
            match byte {
                b']' => return Ok(()),
                b'\\' => match self.next() {
                    Some(b'p' | b'P') => self.traits.fancy = Use::Present,
                    Some(_) => {}
                    None => return Err("it ends in a lone `\\`"),
                },
                _ => {}
            }
        }
        Err("a `[` is not closed")
    }

    /// Looks at what follows a `(` and skips it, so that its `?` is not read as a repeat.
    fn group_head(&mut self) {
        let rest = self.text.get(self.at..).unwrap_or_default();
        if rest.first() != Some(&b'?') {
            return;
        }
        self.at += 1;
        match rest.get(1..3).unwrap_or_default() {
            [b'=' | b'!', ..] | [b'<', b'=' | b'!'] => self.traits.lookaround = Use::Present,
            [b':', ..] => {}
            _ => self.traits.fancy = Use::Present,
        }
        let head = rest.iter().skip(1).take_while(|byte| b":=!<".contains(byte)).count();
        self.at += head;
    }

    /// A `{n,m}` or a literal brace; returns whether it may be repeated.
    fn braces(&mut self, repeatable: bool) -> Result<bool, &'static str> {
        let rest = self.text.get(self.at..).unwrap_or_default();
        let length = rest.iter().take_while(|byte| byte.is_ascii_digit() || **byte == b',').count();
        let body = rest.get(..length).unwrap_or_default();
        let counted =
            body.first().is_some_and(u8::is_ascii_digit) && rest.get(length) == Some(&b'}');
        if !counted {
            return Ok(true);
        }
        if !repeatable {
            return Err("there is nothing to repeat");
        }
        for number in body.split(|byte| *byte == b',').filter(|part| !part.is_empty()) {
            let value = number.iter().fold(0u32, |sum, digit| {
                sum.saturating_mul(10).saturating_add((digit - b'0').into())
            });
            self.traits.repeat_max = self.traits.repeat_max.max(value);
        }
        self.at += length + 1;
        self.skip(b'?');
        Ok(false)
    }
}

#[cfg(test)]
mod tests;
