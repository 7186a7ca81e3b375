//! Reads text from a file, or from standard input for `-`, up to a limit.

use std::fs::File;
use std::io::stdin;
use std::path::Path;

use files::{ReadFault, read_bounded};

use crate::exit::Failure;
use crate::render::printer::count;

/// What is read, for messages.
pub(crate) struct Input {
    /// As in `a JSON file`.
    pub(crate) expected: &'static str,
    pub(crate) bytes_max: usize,
    /// What to do about a file that is too large.
    pub(crate) too_large_fix: &'static str,
}

/// The text; more than the limit is a fault and is not truncated.
pub(crate) fn read_input(path: &Path, input: &Input) -> Result<String, Failure> {
    let bytes = read_bytes(path, input)?;
    String::from_utf8(bytes).map_err(|error| unreadable(path, input, error.into()))
}

/// The bytes, up to the limit.
pub(crate) fn read_bytes(path: &Path, input: &Input) -> Result<Vec<u8>, Failure> {
    let name = name_of(path);
    let bytes_max = u64::try_from(input.bytes_max).unwrap_or(u64::MAX);
    let read = match path == Path::new("-") {
        true => read_bounded(stdin(), bytes_max),
        false => {
            File::open(path).map_err(ReadFault::from).and_then(|file| read_bounded(file, bytes_max))
        }
    };
    match read {
        Ok(bytes) => Ok(bytes),
        Err(ReadFault::TooLarge { .. }) => {
            let what = format!("`{name}` is larger than {}", size(input.bytes_max));
            Err(Failure::message(what, input.too_large_fix))
        }
        Err(ReadFault::Io(error)) => Err(unreadable(path, input, error.into())),
        Err(fault @ ReadFault::NotRegular) => Err(unreadable(path, input, fault.into())),
    }
}

fn unreadable(path: &Path, input: &Input, error: anyhow::Error) -> Failure {
    let fix = format!("give {}, or `-` for standard input", input.expected);
    Failure::user(error.context(format!("`{}` cannot be read", name_of(path))), fix)
}

/// Standard input can be read once: it is the schema or the value, never both.
pub(crate) fn refuse_one_stdin_for_both(schema: &Path, value: &Path) -> Result<(), Failure> {
    let stdin = Path::new("-");
    match schema == stdin && value == stdin {
        true => Err(Failure::usage(
            "both the schema and the input are read from standard input",
            "name a file for one of them",
        )),
        false => Ok(()),
    }
}

/// The file, as messages name it.
pub(crate) fn name_of(path: &Path) -> String {
    match path == Path::new("-") {
        true => "standard input".to_owned(),
        false => path.display().to_string(),
    }
}

fn size(bytes: usize) -> String {
    match (bytes >> 20, bytes >> 10) {
        (0, 0) => count(bytes, "byte"),
        (0, kilobytes) => format!("{kilobytes} kB"),
        (megabytes, _) => format!("{megabytes} MB"),
    }
}
