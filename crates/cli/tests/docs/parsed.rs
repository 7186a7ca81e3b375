//! Whether a block that is no command can be read as what it says it is.

use std::io::Write;
use std::process::{Command, Stdio};

use testkit::packages;

/// What is wrong with it, or nothing. A text with `…` is a sketch.
pub(crate) fn fault(language: &str, text: &str) -> Option<String> {
    if text.contains('…') {
        return None;
    }
    match language {
        "json" => json(text),
        "toml" => text.parse::<toml::Table>().err().map(|fault| fault.to_string()),
        "python" => {
            let read = "import ast, sys; ast.parse(sys.stdin.read())";
            checked(Command::new("python3").args(["-c", read]), text)
        }
        "js" => {
            let check = ["--check", "--input-type=module", "-"];
            checked(Command::new(packages::node()).args(check), text)
        }
        _ => None,
    }
}

/// A whole value, or fields of an object.
fn json(text: &str) -> Option<String> {
    let whole = match text.trim_start().starts_with('"') {
        true => format!("{{{text}}}"),
        false => text.to_owned(),
    };
    serde_json::from_str::<serde_json::Value>(&whole).err().map(|fault| fault.to_string())
}

fn checked(command: &mut Command, text: &str) -> Option<String> {
    let mut child =
        command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(text.as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    (!output.status.success()).then(|| String::from_utf8_lossy(&output.stderr).into_owned())
}

#[test]
fn a_block_that_cannot_be_read_is_said() {
    for (language, good, bad) in [
        ("json", "\"a\": 1", "{\"a\": }"),
        ("toml", "[a]\nb = 1", "[a\nb = 1"),
        ("python", "def a():\n    pass", "def a()"),
        ("js", "export const a = await b();", "export { a b }"),
    ] {
        assert_eq!(fault(language, good), None, "{language}");
        assert!(fault(language, bad).is_some(), "{language}");
    }
}
