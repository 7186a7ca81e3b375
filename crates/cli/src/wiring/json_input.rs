//! JSON that a person gives: a file, standard input, or an argument.

use std::io::Read;
use std::path::Path;

use serde_json::Value;

use crate::exit::Failure;

/// More than any provider accepts in one request.
const BYTES_MAX: u64 = 32 << 20;

/// Reads JSON from a file, or from standard input for `-`.
pub(crate) fn read_json(path: &Path) -> Result<Value, Failure> {
    let name = if path == Path::new("-") {
        "standard input".to_owned()
    } else {
        path.display().to_string()
    };
    let mut bytes = Vec::new();
    let read = match path == Path::new("-") {
        true => std::io::stdin().take(BYTES_MAX + 1).read_to_end(&mut bytes),
        false => std::fs::File::open(path)
            .and_then(|file| file.take(BYTES_MAX + 1).read_to_end(&mut bytes)),
    };
    let unreadable = |error: anyhow::Error| {
        Failure::user(
            error.context(format!("`{name}` cannot be read")),
            "give a JSON file, or `-` for standard input",
        )
    };
    read.map_err(|error| unreadable(error.into()))?;
    if bytes.len() as u64 > BYTES_MAX {
        return Err(Failure::message(
            format!("`{name}` is larger than {} MB", BYTES_MAX >> 20),
            "give less at once; a tool can read a large file itself",
        ));
    }
    let text = String::from_utf8(bytes).map_err(|error| unreadable(error.into()))?;
    parsed(&text, &format!("`{name}` is"), "correct the JSON at that place")
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
