//! Whether a document shows what was said.
//!
//! Times, the remark that a budget was exceeded, dates, hexadecimal ids and long numbers are any; so is the space between words. A
//! line that is only `…` stands for any lines, and `…` inside a line for any text.

/// What is wrong with `shown`, or nothing.
pub(crate) fn difference(shown: &str, said: &str) -> Option<String> {
    let even = |text: &str| -> Vec<_> {
        let lines = text.trim_end().lines().map(without_note);
        lines.filter(|line| !is_about_speed(line)).map(|line| normalise(&line)).collect()
    };
    let (shown_lines, said_lines) = (even(shown), even(said));
    let reached = fits(&shown_lines, &said_lines);
    if reached == Fit::Whole {
        return None;
    }
    let Fit::Until(line) = reached else { return None };
    let first = shown.lines().nth(line).unwrap_or("(the end)");
    let indented =
        |text: &str| text.lines().map(|line| format!("    {line}\n")).collect::<String>();
    Some(format!(
        "  shown:\n{}  said:\n{}  the first line that does not fit: {first}",
        indented(shown),
        indented(said)
    ))
}

/// An answer in JSON without the note that a busy machine adds.
fn without_note(line: &str) -> String {
    let (start, end) = (",\"notes\":[\"it took ", " ms\"]");
    let Some((before, rest)) = line.split_once(start) else { return line.to_owned() };
    match rest.split_once(end) {
        Some((_, after)) => format!("{before}{after}"),
        None => line.to_owned(),
    }
}

/// What is said only where the machine is busy.
fn is_about_speed(line: &str) -> bool {
    line.contains("it took ") && line.contains(" ms; its budget is ")
}

#[derive(Debug, PartialEq, Eq)]
enum Fit {
    Whole,
    /// This line of what is shown was not found.
    Until(usize),
}

fn fits(shown: &[String], said: &[String]) -> Fit {
    let mut furthest = 0;
    if fits_from(shown, said, 0, &mut furthest) { Fit::Whole } else { Fit::Until(furthest) }
}

fn fits_from(shown: &[String], said: &[String], at: usize, furthest: &mut usize) -> bool {
    *furthest = (*furthest).max(at);
    match (shown.get(at).map(|line| line.trim()), said) {
        (None, []) => true,
        (None, _) => false,
        (Some("…"), _) => {
            (0..=said.len()).any(|skipped| fits_from(shown, &said[skipped..], at + 1, furthest))
        }
        (Some(_), []) => false,
        (Some(_), [first, rest @ ..]) => {
            line_fits(&shown[at], first) && fits_from(shown, rest, at + 1, furthest)
        }
    }
}

fn line_fits(shown: &str, said: &str) -> bool {
    let mut parts = shown.split('…');
    let first = parts.next().unwrap_or_default();
    let Some(mut rest) = said.strip_prefix(first) else { return false };
    let parts: Vec<_> = parts.collect();
    let Some((last, middle)) = parts.split_last() else { return rest.is_empty() };
    for part in middle {
        match rest.find(part) {
            Some(at) => rest = &rest[at + part.len()..],
            None => return false,
        }
    }
    rest.ends_with(last)
}

/// The line with everything that differs between runs written as `#`.
fn normalise(line: &str) -> String {
    let indent = line.len() - line.trim_start().len();
    let words: Vec<_> = line.split_whitespace().collect();
    let mut out = " ".repeat(indent);
    for (at, word) in words.iter().enumerate() {
        if at > 0 {
            out.push(' ');
        }
        let unit = words.get(at + 1).map(|next| next.trim_matches([',', '.', ')', ';']));
        let is_number = word.trim_start_matches('(').parse::<f64>().is_ok();
        if is_number && matches!(unit, Some("ms" | "s" | "min")) {
            out.push_str(if word.starts_with('(') { "(#" } else { "#" });
        } else {
            runs(word, &mut out);
        }
    }
    out
}

/// A word with its ids, dates and long numbers as `#`.
fn runs(word: &str, out: &mut String) {
    let is_part = |c: char| c.is_ascii_alphanumeric();
    let mut rest = word;
    while let Some(start) = rest.find(is_part) {
        out.push_str(&rest[..start]);
        let end = rest[start..].find(|c| !is_part(c)).map_or(rest.len(), |at| start + at);
        let run = &rest[start..end];
        let is_id = run.len() >= 8 && run.chars().all(|c| c.is_ascii_hexdigit());
        let is_date = looks_like_date(&rest[start..]);
        if is_date {
            out.push('#');
            rest = rest[start..]
                .trim_start_matches(|c: char| c.is_ascii_digit() || "-:TZ".contains(c));
            continue;
        }
        out.push_str(if is_id { "#" } else { run });
        rest = &rest[end..];
    }
    out.push_str(rest);
}

/// `2026-11-16`, `21:30` or `21:30:07` at the start.
fn looks_like_date(text: &str) -> bool {
    let shape: String =
        text.chars().take(10).map(|c| if c.is_ascii_digit() { '0' } else { c }).collect();
    shape.starts_with("0000-00-00") || shape.starts_with("00:00")
}

#[test]
fn what_differs_between_runs_is_even_and_what_does_not_is_seen() {
    let fits = [
        ("done 3 ms", "done  47 ms"),
        ("1 tool 1.0.7b1d0f42 → x", "1 tool 1.0.06f9c8bd → x"),
        ("chat-1794823744989", "chat-1794823799999"),
        ("on 2026-11-16 at 21:30:07", "on 2027-01-02 at 01:02:03"),
        ("a\n…\nz", "a\nb\nc\nz"),
        ("a\n…", "a"),
        ("a\nb", "a\n  note: it took 223 ms; its budget is 200 ms\nb"),
        ("id: … end", "id: anything at all end"),
    ];
    for (shown, said) in fits {
        assert_eq!(difference(shown, said), None);
    }
    let misfits = [
        ("2 tools", "1 tool"),
        ("a", "a\nb"),
        ("a\nb", "a"),
        ("  indented", "indented"),
        ("a\n…\nz", "a\nb"),
        ("words: 3", "words: 4"),
        ("id: … end", "id: x ende"),
    ];
    for (shown, said) in misfits {
        assert!(difference(shown, said).is_some(), "{shown:?} {said:?}");
    }
}
