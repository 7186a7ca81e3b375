//! JSON that a person gives: a file, standard input, or an argument. A repeated key is a fault.

mod unique_keys;

use std::path::Path;

use serde_json::Value;

use crate::exit::Failure;
use crate::wiring::read_input::{Input, name_of, read_input};

use unique_keys::check_unique_keys;

/// More than any provider accepts in one request.
const BYTES_MAX: usize = 32 << 20;

/// Reads JSON from a file, or from standard input for `-`.
pub(crate) fn read_json(path: &Path) -> Result<Value, Failure> {
    let too_large_fix = "give less at once; a tool can read a large file itself";
    let input = Input { expected: "a JSON file", bytes_max: BYTES_MAX, too_large_fix };
    let text = read_input(path, &input)?;
    parsed(&text, &format!("`{}` is", name_of(path)))
        .map_err(|what| Failure::message(what, "correct the JSON at that place"))
}

/// Parses a JSON argument; `what` names it in the message, as in `the arguments`.
pub(crate) fn parse(text: &str, what: &str) -> Result<Value, Failure> {
    let are = if what.ends_with('s') { "are" } else { "is" };
    let fix = match text.strip_prefix('@') {
        Some(file) => format!("to read them from a file, give `-` and redirect: `- < {file}`"),
        None => "write JSON, in single quotes for a shell, as in '{\"name\": \"tea\"}'".to_owned(),
    };
    parsed(text, &format!("{what} {are}")).map_err(|what| Failure::usage(what, fix))
}

fn parsed(text: &str, what_is: &str) -> Result<Value, String> {
    check_unique_keys(text)
        .and_then(|()| serde_json::from_str(text))
        .map_err(|error| format!("{what_is} not valid JSON: {error}"))
}
