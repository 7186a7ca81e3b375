//! An entry of a shared conversation as HTML.
//!
//! In: an entry of the view. Out: HTML without scripts. Must hold: every text is escaped or
//! sanitised; there is nothing about approvals, models, prompts or the owner, and of tools and
//! files only what was chosen.

use contract::FileRef;
use conversation::{EndReason, Entry, Step, StepState};
use serde_json::Value;

use super::html::{Reading, escaped};
use super::page::file_path;
use crate::assets::words::Language;
use crate::render::markdown::to_html;

/// Arguments and results are cut at this length.
const JSON_BYTES_MAX: usize = 20_000;

pub(super) fn drawn(reading: &Reading<'_>, entry: &Entry) -> String {
    let Reading { share, reader, .. } = reading;
    match entry {
        Entry::User { text, files, .. } => format!(
            "<article class=\"entry message user\"><h2 class=\"sr\">{}</h2>{}{}</article>\n",
            escaped(reader.text("Message")),
            listed_files(reading, files),
            match text.trim().is_empty() {
                true => String::new(),
                false => format!("<div class=\"text plain\" dir=\"auto\">{}</div>", escaped(text)),
            }
        ),
        Entry::Assistant { text, .. } => format!(
            "<article class=\"entry message assistant\"><h2 class=\"sr\">{}</h2>\
             <div class=\"text prose\" dir=\"auto\">{}</div></article>\n",
            escaped(reader.text("Answer")),
            without_citations(&to_html(text))
        ),
        // Tools write these.
        Entry::System { text, .. } if share.tools => format!(
            "<aside class=\"entry system\"><div class=\"text prose\" dir=\"auto\">{}</div></aside>\n",
            without_citations(&to_html(text))
        ),
        Entry::Step(step) if share.tools => call(step, *reader),
        Entry::System { .. } | Entry::Step(_) | Entry::Thinking { .. } => String::new(),
        Entry::BrokeOff { .. } => {
            note(reader.text("The answer was interrupted here and requested again."))
        }
        Entry::Ended { how, .. } => end_in_words(how, *reader).map(note).unwrap_or_default(),
    }
}

pub(super) fn note(text: &str) -> String {
    format!("<p class=\"entry ended\">{}</p>\n", escaped(text))
}

/// A provider's own words may name addresses and accounts, so they are left out.
fn end_in_words(how: &EndReason, reader: Language) -> Option<&'static str> {
    match how {
        EndReason::Answered | EndReason::MovedOn => None,
        EndReason::CutOff => {
            Some(reader.text("The answer reached the length limit and was cut off."))
        }
        EndReason::Refused { .. } => Some(reader.text("The model declined to answer.")),
        EndReason::Cancelled => Some(reader.text("Stopped.")),
        EndReason::TooManyRounds | EndReason::NoAnswer | EndReason::Failed { .. } => {
            Some(reader.text("There is no complete answer."))
        }
    }
}

fn listed_files(reading: &Reading<'_>, files: &[FileRef]) -> String {
    let Reading { share, secret, reader } = reading;
    if files.is_empty() {
        return String::new();
    }
    if !share.files {
        let text = match files.len() {
            1 => reader.text("A file that is not shared").to_owned(),
            many => reader.text("Files that are not shared: {n}").replace("{n}", &many.to_string()),
        };
        return format!("<p class=\"faint\">{}</p>", escaped(&text));
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
fn call(step: &Step, reader: Language) -> String {
    let Step { tool, args, state, .. } = step;
    let (how, result) = match state {
        StepState::Done { content, .. } => (reader.text("done"), Some(content)),
        StepState::Failed { content, .. } => (reader.text("failed"), Some(content)),
        StepState::Open
        | StepState::Asked { .. }
        | StepState::Questioned { .. }
        | StepState::InDoubt => (reader.text("not finished"), None),
    };
    let part = |name: &str, value: &Value| {
        let json = escaped(&readable(value));
        let name = escaped(name);
        format!("<h3>{name}</h3><pre tabindex=\"0\">{json}</pre>")
    };
    format!(
        "<details class=\"entry step\"><summary><code>{}</code> <span>{}</span></summary>\
         <div class=\"step-body\">{}{}</div></details>\n",
        escaped(tool),
        escaped(how),
        part(reader.text("Arguments"), args),
        result.map(|content| part(reader.text("Result"), content)).unwrap_or_default(),
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
