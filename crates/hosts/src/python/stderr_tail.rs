//! Summarizes the stderr of a dead interpreter in one line for the author.

use std::path::Path;

/// Longer messages are cut.
const WORDS_MAX: usize = 300;

/// The error of a `faulthandler` report and the author's innermost line.
pub(crate) fn summarize(because: &str, tools_dir: &Path) -> String {
    let Some((how, words)) = because.split_once("; stderr: ") else { return because.to_owned() };
    let fault = words.lines().find(|line| line.starts_with("Fatal Python error: "));
    let Some(fault) = fault.or_else(|| words.lines().rfind(|line| !line.trim().is_empty())) else {
        return how.to_owned();
    };
    let fault: String = fault.trim().chars().take(WORDS_MAX).collect();
    match words.lines().find_map(|line| place_in(line, tools_dir)) {
        Some(place) => format!("{how}: {fault}, at {place}"),
        None => format!("{how}: {fault}"),
    }
}

/// `  File "/tools/core/a.py", line 3 in run` becomes `core/a.py:3`.
fn place_in(line: &str, tools_dir: &Path) -> Option<String> {
    let (path, rest) = line.trim().strip_prefix("File \"")?.split_once("\", line ")?;
    let root = tools_dir.canonicalize().ok()?;
    let file = Path::new(path).strip_prefix(root).ok()?.display();
    let number: String = rest.chars().take_while(char::is_ascii_digit).collect();
    Some(format!("{file}:{number}"))
}

#[cfg(test)]
mod tests;
