//! Finds the line of a handler that an exception came from.

use super::compile::Bundle;

/// Longer source lines are cut.
const LINE_CHARACTERS_MAX: usize = 160;

/// `kb-search/handler.js:12:5`, then the source line. Uses the innermost frame in the author's
/// own files.
pub(crate) fn error_location(stack: &str, bundle: &Bundle) -> Option<String> {
    stack.lines().find_map(|frame| {
        let (file, line, column) = parse_frame(frame)?;
        let source = bundle.source(file)?;
        let quoted = source.lines().nth(line.checked_sub(1)?).unwrap_or_default().trim();
        let quoted: String = quoted.chars().take(LINE_CHARACTERS_MAX).collect();
        Some(format!("{file}:{line}:{column}\n    {quoted}"))
    })
}

/// `    at execute (kb-search/handler.js:12:5)`, or without the name and the parentheses.
pub(crate) fn parse_frame(frame: &str) -> Option<(&str, usize, usize)> {
    let frame = frame.trim().strip_prefix("at ")?;
    let place = match frame.strip_suffix(')') {
        Some(named) => named.split_once(" (")?.1,
        None => frame,
    };
    let (rest, column) = place.rsplit_once(':')?;
    let (file, line) = rest.rsplit_once(':')?;
    Some((file, line.parse().ok()?, column.parse().ok()?))
}

#[cfg(test)]
mod tests;
