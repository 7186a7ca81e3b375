//! Tries inputs on a target until a limit, and says what was found.

use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::{Duration, Instant};

use crate::mutate::{Random, mutate};
use crate::targets::Target;

/// When a run ends.
#[derive(Debug, Clone, Copy)]
pub enum Limit {
    /// The same inputs on every machine.
    Inputs(u64),
    Time(Duration),
}

/// An input that a target does not bear.
#[derive(Debug, Clone)]
pub struct Finding {
    pub target: &'static str,
    pub input: Vec<u8>,
    pub why: String,
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let input = String::from_utf8_lossy(&self.input);
        write!(f, "{}: {}\ninput: {input:?}", self.target, self.why)
    }
}

/// Runs a target; gives the number of inputs tried.
pub fn run(target: &Target, seed: u64, limit: Limit) -> Result<u64, Finding> {
    let seeds = (target.seeds)();
    let check = (target.check)();
    for input in &seeds {
        attempt(target, &*check, input)?;
    }
    let mut random = Random::new(seed);
    let start = Instant::now();
    let mut tried = 0;
    while match limit {
        Limit::Inputs(max) => tried < max,
        Limit::Time(max) => start.elapsed() < max,
    } {
        let input = mutate(&mut random, &seeds, target.words);
        attempt(target, &*check, &input)?;
        tried += 1;
    }
    Ok(tried)
}

/// Tries one input.
pub fn try_input(target: &Target, input: &[u8]) -> Result<(), Finding> {
    attempt(target, &*(target.check)(), input)
}

fn attempt(
    target: &Target,
    check: &dyn Fn(&[u8]) -> Result<(), String>,
    input: &[u8],
) -> Result<(), Finding> {
    let held = catch_unwind(AssertUnwindSafe(|| check(input))).unwrap_or_else(|panic| {
        let text = panic.downcast_ref::<String>().map(String::as_str);
        let text = text.or_else(|| panic.downcast_ref::<&str>().copied());
        Err(format!("it panicked: {}", text.unwrap_or("without a message")))
    });
    held.map_err(|why| Finding { target: target.name, input: input.to_vec(), why })
}
