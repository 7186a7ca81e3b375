//! Subtitles as text: what is said, without numbers, times and marks.
//!
//! A cue is shown as long as it fits the screen, so a sentence may go on in the next one. Must
//! hold: what is said by two people stays on two lines.

use crate::text::manifest::normalise;

/// Does the text have the times of subtitles?
pub(super) fn is_subtitles(text: &str) -> bool {
    const LINES_SEARCHED: usize = 40;
    let head = text.trim_start_matches('\u{feff}');
    head.starts_with("WEBVTT") || head.lines().take(LINES_SEARCHED).any(is_timing)
}

/// The words of all cues; a blank line stands between sentences of different cues.
pub(super) fn read(text: &str) -> String {
    let mut lines: Vec<String> = Vec::new();
    for cue in cues(text) {
        for (number, line) in cue.into_iter().enumerate() {
            match lines.last_mut() {
                // Captions that roll repeat the line before.
                Some(last) if *last == line || last.ends_with(&format!(" {line}")) => {}
                Some(last) if goes_on(last, &line, number) => {
                    last.push(' ');
                    last.push_str(line.trim_start_matches(['…', '.', ' ']));
                }
                Some(_) | None => lines.push(line),
            }
        }
    }
    lines.join("\n\n")
}

/// The lines of each cue, without marks.
fn cues(text: &str) -> Vec<Vec<String>> {
    let mut cues: Vec<Vec<String>> = Vec::new();
    let mut inside = false;
    for line in text.lines() {
        let line = line.trim();
        if is_timing(line) {
            cues.push(Vec::new());
            inside = true;
        } else if line.is_empty() {
            inside = false;
        } else if inside && let Some(cue) = cues.last_mut() {
            let said = normalise(&without_marks(line));
            if said.chars().any(char::is_alphanumeric) {
                cue.push(said);
            }
        }
    }
    cues
}

/// `00:01:02,500 --> 00:01:04,000`, also with dots, without hours, and with settings behind it.
fn is_timing(line: &str) -> bool {
    let Some((from, to)) = line.split_once("-->") else { return false };
    let time = |text: &str| {
        let text = text.trim();
        text.contains(':')
            && text.chars().all(|c| c.is_ascii_digit() || matches!(c, ':' | ',' | '.'))
    };
    time(from) && to.split_whitespace().next().is_some_and(time)
}

/// Without `<i>`, `<v Anna>`, `{\an8}` and the notes for those who do not hear.
fn without_marks(line: &str) -> String {
    let mut out = String::with_capacity(line.len());
    let mut depth = 0usize;
    for c in line.chars() {
        match c {
            '<' | '{' | '[' => depth += 1,
            '>' | '}' | ']' if depth > 0 => depth -= 1,
            '♪' | '♫' => {}
            c if depth == 0 => out.push(c),
            _ => {}
        }
    }
    // A sign that never closes is what somebody wrote.
    let out = if depth > 0 { line.to_owned() } else { out };
    super::html::unescape(&out)
}

/// Does this line continue the one before?
fn goes_on(last: &str, line: &str, number: usize) -> bool {
    let stops =
        |c: char| matches!(c, '.' | '!' | '?' | '"' | '”' | '»' | '。' | '！' | '？' | '؟' | '♪');
    let said = line.trim_start_matches(['…', '.', ' ']);
    let speaker = said.starts_with(['-', '–', '—']);
    let small = said.chars().find(|c| c.is_alphabetic()).is_some_and(|c| !c.is_uppercase());
    let open = !last.ends_with(stops) || last.ends_with("...") || last.ends_with('…');
    // Lines of one cue are one line that was too long.
    !speaker && open && (number > 0 || small)
}
