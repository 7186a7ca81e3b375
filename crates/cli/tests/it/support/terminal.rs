//! Types into the program in a real terminal.

use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

use serde::Serialize;
use serde_json::json;

use super::model_project::KEY;

/// Everything that was shown while lines were typed, each after its text had come. The width
/// is 80 columns unless one is given.
#[track_caller]
pub(crate) fn at_terminal(
    dir: &Path,
    program: &[&str],
    steps: &impl Serialize,
    columns: Option<u16>,
) -> String {
    let mut plan = json!({ "program": program, "steps": steps });
    if let Some(columns) = columns {
        plan["columns"] = columns.into();
    }
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/support/terminal.py");
    let mut command = Command::new("python3");
    command.arg(script).current_dir(dir).env("TERM", "xterm").env("FAKE_KEY", KEY);
    command.env("XDG_CONFIG_HOME", dir.join("home"));
    command.env_remove("ANTHROPIC_API_KEY").env_remove("NO_COLOR");
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    child.stdin.take().unwrap().write_all(plan.to_string().as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    let shown = String::from_utf8_lossy(&output.stdout).into_owned();
    let error = String::from_utf8_lossy(&output.stderr);
    // The program itself may end with any code.
    assert!(!error.contains("never came: "), "{error}\n{shown}");
    assert!(!shown.contains(KEY), "the key is told: {shown}");
    shown
}
