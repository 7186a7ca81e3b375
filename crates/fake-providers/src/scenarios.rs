//! Answers as providers send them, with their meaning: every decoder must agree.
//!
//! Written by hand from the facts, independently of the server in [`crate::provider`] and of any
//! decoder. Each is a file in `scenarios/`: a sentence, the expectation, a line of dashes,
//! then the frames, one JSON text per line.
//!
//! ```ignore
//! for scenario in scenarios::all() {
//!     for pieces in scenario.splits() {
//!         let got = decode(scenario.wire, scenario.status, scenario.form, pieces);
//!         scenario.expect.check(&got).map_err(|why| format!("{scenario}: {why}"))?;
//!     }
//! }
//! ```

mod expect;
mod files;
mod parse;

#[cfg(test)]
mod tests;

use std::fmt;

use contract::Wire;

pub use expect::{Expect, Expected, ExpectedFault};

/// One recorded answer.
#[derive(Debug, Clone)]
pub struct Scenario {
    pub wire: Wire,
    pub name: &'static str,
    /// What it shows, in a sentence.
    pub about: String,
    pub status: u16,
    pub headers: Vec<(String, String)>,
    pub form: Form,
    /// The body, byte for byte.
    pub frames: Vec<u8>,
    pub expect: Expect,
}

/// How to read the body.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// An event stream.
    Events,
    /// One body: a whole reply, or an error.
    Whole,
}

impl fmt::Display for Scenario {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.wire, self.name)
    }
}

impl Scenario {
    /// The same bytes in other pieces: whole, byte by byte, and split once at every place.
    pub fn splits(&self) -> impl Iterator<Item = Vec<&[u8]>> {
        let whole = vec![self.frames.as_slice()];
        let bytes = self.frames.chunks(1).collect();
        let once = (1..self.frames.len()).map(|at| {
            let (left, right) = self.frames.split_at(at);
            vec![left, right]
        });
        [whole, bytes].into_iter().chain(once)
    }
}

/// Every scenario of every wire.
pub fn all() -> Vec<Scenario> {
    let read = |(wire, name, text): &(Wire, &'static str, &str)| {
        parse::parse(*wire, name, text)
            .unwrap_or_else(|why| unreachable!("a test reads every file; {wire}/{name}: {why}"))
    };
    files::FILES.iter().map(read).collect()
}

/// The scenarios of one wire.
pub fn of(wire: Wire) -> Vec<Scenario> {
    all().into_iter().filter(|scenario| scenario.wire == wire).collect()
}
