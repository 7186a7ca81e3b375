//! Limits of reading one file, and what is left of them.

use crate::{Text, Unreadable};

/// The limits of reading one file. No `Default`: callers choose explicitly.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ReadLimits {
    pub text_bytes_max: usize,
    /// All packed parts of the file together.
    pub unpacked_bytes_max: usize,
    /// Objects, elements and operators that are looked at.
    pub steps_max: u64,
}

/// What is left of the limits.
#[derive(Debug)]
pub(crate) struct Budget {
    limits: ReadLimits,
    unpacked_left: usize,
    steps_left: u64,
}

impl Budget {
    pub(crate) fn new(limits: ReadLimits) -> Self {
        let (unpacked_left, steps_left) = (limits.unpacked_bytes_max, limits.steps_max);
        Self { limits, unpacked_left, steps_left }
    }

    pub(crate) fn step(&mut self) -> Result<(), Unreadable> {
        self.steps_left = self.steps_left.checked_sub(1).ok_or(Unreadable::TooComplicated)?;
        Ok(())
    }

    /// Takes all steps at once, for work whose size is known before.
    pub(crate) fn steps(&mut self, count: usize) -> Result<(), Unreadable> {
        let count = u64::try_from(count).unwrap_or(u64::MAX);
        self.steps_left = self.steps_left.checked_sub(count).ok_or(Unreadable::TooComplicated)?;
        Ok(())
    }

    /// How many bytes may still be unpacked.
    pub(crate) fn unpacked_left(&self) -> usize {
        self.unpacked_left
    }

    pub(crate) fn unpacked(&mut self, bytes: usize) -> Result<(), Unreadable> {
        let too_large = Unreadable::TooLarge(self.limits.unpacked_bytes_max);
        self.unpacked_left = self.unpacked_left.checked_sub(bytes).ok_or(too_large)?;
        Ok(())
    }

    /// Whether a text has reached its limit, so that the rest need not be read.
    pub(crate) fn is_full(&self, text: &str) -> bool {
        text.len() > self.limits.text_bytes_max
    }

    /// The text within its limit, without trailing space.
    pub(crate) fn cut(&self, mut text: String) -> Text {
        let is_cut = self.is_full(&text);
        if is_cut {
            let mut end = self.limits.text_bytes_max;
            while !text.is_char_boundary(end) {
                end -= 1;
            }
            text.truncate(end);
        }
        text.truncate(text.trim_end().len());
        Text { text, is_cut }
    }
}
