//! A shared conversation as HTML.
//!
//! In: entries of the view, which has no `context` chunks. Out: a page without scripts. Must
//! hold: every text is escaped or sanitised; there is nothing about approvals, models, prompts
//! or the owner, and of tools and files only what was chosen.

use contract::FileRef;
use conversation::{EndReason, Entry, Step, StepState};
use jiff::Timestamp;
use serde_json::Value;

use super::page::file_path;
use crate::conversations::shares::Share;
use crate::render::highlight::escape;
use crate::render::markdown::to_html;

pub(super) const GONE: [&str; 2] = [
    "This link is no longer available",
    "It has ended or was revoked. Ask the person who sent it for a new one.",
];
pub(super) const NO_FILE: [&str; 2] =
    ["This file is not shared", "Ask the person who sent the link."];
pub(super) const TOO_MANY: [&str; 2] =
    ["Too many requests", "Wait a moment, then load the page again."];

/// Arguments and results are cut at this length.
const JSON_BYTES_MAX: usize = 20_000;

/// The whole page.
pub(super) fn page(share: &Share, secret: &str, entries: &[Entry], is_cut: bool) -> String {
    let title = if share.title.is_empty() { "Conversation" } else { &share.title };
    let title = escaped(title);
    let mut log = String::new();
    if is_cut {
        log.push_str("<p class=\"ended\">Earlier messages are not part of this page.</p>\n");
    }
    entries.iter().for_each(|entry| log.push_str(&drawn(share, secret, entry)));
    let (date, iso) = date(share.updated_at);
    document(
        &title,
        &format!(
            "<header class=\"shared-head\"><h1 dir=\"auto\">{title}</h1>\n\
             <p class=\"faint\">A conversation shared from Ghostpad, as it was on \
             <time datetime=\"{iso}\">{date}</time>. Answers were written by a model.</p></header>\n\
             <div class=\"shared-log\">\n{log}</div>"
        ),
    )
}

/// A page with only a few words.
pub(super) fn quiet(title: &str, text: &str) -> String {
    let title = escaped(title);
    let body = format!(
        "<header class=\"shared-head quiet-page\"><h1>{title}</h1><p class=\"faint\">{}</p></header>",
        escaped(text)
    );
    document(&title, &body)
}

fn document(title: &str, body: &str) -> String {
    format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"color-scheme\" content=\"light dark\">\n\
         <meta name=\"robots\" content=\"noindex, nofollow, noarchive\">\n\
         <meta name=\"referrer\" content=\"no-referrer\">\n<title>{title}</title>\n\
         <link rel=\"icon\" href=\"/assets/ghost.svg\" type=\"image/svg+xml\">\n\
         <link rel=\"stylesheet\" href=\"/assets/app.css\">\n\
         <link rel=\"stylesheet\" href=\"/assets/organise/shared.css\">\n</head>\n\
         <body class=\"shared\">\n<main>\n{body}\n</main>\n</body>\n</html>\n"
    )
}

/// The day and the time in words, and as machines read it.
fn date(millis: u64) -> (String, String) {
    let at = i64::try_from(millis).ok().and_then(|at| Timestamp::from_millisecond(at).ok());
    let at = at.unwrap_or_default();
    (at.strftime("%-d %B %Y, %H:%M UTC").to_string(), at.to_string())
}

fn drawn(share: &Share, secret: &str, entry: &Entry) -> String {
    match entry {
        Entry::User { text, files, .. } => format!(
            "<article class=\"entry message user\"><h2 class=\"sr\">Message</h2>{}{}</article>\n",
            listed_files(share, secret, files),
            match text.trim().is_empty() {
                true => String::new(),
                false => format!("<div class=\"text plain\" dir=\"auto\">{}</div>", escaped(text)),
            }
        ),
        Entry::Assistant { text, .. } => format!(
            "<article class=\"entry message assistant\"><h2 class=\"sr\">Answer</h2>\
             <div class=\"text prose\" dir=\"auto\">{}</div></article>\n",
            without_citations(&to_html(text))
        ),
        // Tools write these.
        Entry::System { text, .. } if share.tools => format!(
            "<aside class=\"entry system\"><div class=\"text prose\" dir=\"auto\">{}</div></aside>\n",
            without_citations(&to_html(text))
        ),
        Entry::Step(step) if share.tools => call(step),
        Entry::System { .. } | Entry::Step(_) | Entry::Thinking { .. } => String::new(),
        Entry::BrokeOff { .. } => note("The answer broke off here; the model was asked again."),
        Entry::Ended { how, .. } => end_in_words(how).map(note).unwrap_or_default(),
    }
}

fn note(text: &str) -> String {
    format!("<p class=\"entry ended\">{}</p>\n", escaped(text))
}

/// A provider's own words may name addresses and accounts, so they are left out.
fn end_in_words(how: &EndReason) -> Option<&'static str> {
    match how {
        EndReason::Answered | EndReason::MovedOn => None,
        EndReason::CutOff => Some("The answer was cut off at the maximum length."),
        EndReason::Refused { .. } => Some("The model refused to answer."),
        EndReason::Cancelled => Some("Stopped."),
        EndReason::TooManyRounds | EndReason::NoAnswer | EndReason::Failed { .. } => {
            Some("There is no complete answer.")
        }
    }
}

fn listed_files(share: &Share, secret: &str, files: &[FileRef]) -> String {
    if files.is_empty() {
        return String::new();
    }
    if !share.files {
        return match files.len() {
            1 => "<p class=\"faint\">A file that is not shared</p>".to_owned(),
            many => format!("<p class=\"faint\">{many} files that are not shared</p>"),
        };
    }
    let one = |file: &FileRef| {
        let (name, path) = (escaped(&file.name), file_path(secret, &file.digest));
        match file.media_type.starts_with("image/") {
            true => format!(
                "<li><a href=\"{path}\"><img src=\"{path}\" alt=\"{name}\" loading=\"lazy\"></a></li>"
            ),
            false => format!("<li><a href=\"{path}\" download>{name}</a></li>"),
        }
    };
    format!("<ul class=\"shared-files\">{}</ul>", files.iter().map(one).collect::<String>())
}

/// What ran and what came of it; nothing of who allowed it.
fn call(step: &Step) -> String {
    let Step { tool, args, state, .. } = step;
    let (how, result) = match state {
        StepState::Done { content, .. } => ("done", Some(content)),
        StepState::Failed { content, .. } => ("failed", Some(content)),
        StepState::Open | StepState::Asked { .. } | StepState::InDoubt => ("not finished", None),
    };
    let part = |name: &str, value: &Value| {
        let json = escaped(&readable(value));
        format!("<h3>{name}</h3><pre tabindex=\"0\">{json}</pre>")
    };
    format!(
        "<details class=\"entry step\"><summary><code>{}</code> <span>{how}</span></summary>\
         <div class=\"step-body\">{}{}</div></details>\n",
        escaped(tool),
        part("Arguments", args),
        result.map(|content| part("Result", content)).unwrap_or_default(),
    )
}

fn readable(value: &Value) -> String {
    let text = match value.as_str() {
        Some(text) => text.to_owned(),
        None => serde_json::to_string_pretty(value).unwrap_or_default(),
    };
    match text.floor_char_boundary(JSON_BYTES_MAX) {
        end if end == text.len() => text,
        end => format!("{}…", &text[..end]),
    }
}

/// Citations lead to documents of the owner. In sanitised HTML, `<a` is nothing but a link, and
/// its attributes are in double quotes.
fn without_citations(html: &str) -> String {
    let mut parts = html.split("<a ");
    let mut out = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        out.push_str("<a");
        let mut rest = part;
        while let Some((name, value, after)) = attribute(rest) {
            if name != "href" || !value.starts_with("document:") {
                out.push_str(&format!(" {name}=\"{value}\""));
            }
            rest = after.strip_prefix(' ').unwrap_or(after);
        }
        out.push_str(rest);
    }
    out
}

/// The attribute at the start: its name, its value, and what follows.
fn attribute(text: &str) -> Option<(&str, &str, &str)> {
    let (name, rest) = text.split_once("=\"")?;
    let is_name = name.chars().all(|c| c.is_ascii_alphanumeric() || c == '-');
    let (value, rest) = rest.split_once('"')?;
    is_name.then_some((name, value, rest))
}

fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    escape(text, &mut out);
    out
}

#[cfg(test)]
mod tests {
    use super::{readable, without_citations};
    use crate::render::markdown::to_html;

    #[test]
    fn a_citation_keeps_its_words_and_loses_its_address() {
        let html =
            to_html("See [the \"lease\"](document:abc/1-4 \"x\") and [b](https://b.example/).");
        assert!(html.contains("document:abc"), "{html}");
        let shown = without_citations(&html);
        assert!(!shown.contains("document:") && shown.contains("lease"), "{shown}");
        assert!(shown.contains("href=\"https://b.example/\""), "{shown}");
        let words =
            to_html("Write `<a href=\"document:x\">` in [code](https://b.example/ \"a > b\").");
        assert_eq!(without_citations(&words), words, "all else stays");
    }

    #[test]
    fn a_long_result_is_cut_at_a_character() {
        let cut = readable(&"ї".repeat(20_000).into());
        assert!(cut.len() < 20_010 && cut.ends_with('…'));
        assert_eq!(readable(&serde_json::json!({"a": 1})), "{\n  \"a\": 1\n}");
    }
}
