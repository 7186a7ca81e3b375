//! JSON that a person gives: a file, standard input, or an argument.

use std::path::Path;

use serde_json::Value;

use crate::exit::Failure;
use crate::wiring::read_input::{Input, name_of, read_input};

/// More than any provider accepts in one request.
const BYTES_MAX: usize = 32 << 20;

/// Reads JSON from a file, or from standard input for `-`.
pub(crate) fn read_json(path: &Path) -> Result<Value, Failure> {
    let too_large_fix = "give less at once; a tool can read a large file itself";
    let input = Input { expected: "a JSON file", bytes_max: BYTES_MAX, too_large_fix };
    let text = read_input(path, &input)?;
    parsed(&text, &format!("`{}` is", name_of(path)), "correct the JSON at that place")
}

/// Parses a JSON argument; `what` names it in the message, as in `the arguments`.
pub(crate) fn parse(text: &str, what: &str) -> Result<Value, Failure> {
    let are = if what.ends_with('s') { "are" } else { "is" };
    let fix = "write JSON, in single quotes for a shell, as in '{\"name\": \"tea\"}'";
    parsed(text, &format!("{what} {are}"), fix)
}

fn parsed(text: &str, what_is: &str, fix: &str) -> Result<Value, Failure> {
    serde_json::from_str(text)
        .map_err(|error| Failure::message(format!("{what_is} not valid JSON: {error}"), fix))
}
