//! What a person hears before a spoken approval: every argument, exactly as the page shows it.
//!
//! In: the tool and the preview of its approval. Out: the text to say, or why only the page can
//! ask. Must hold: nothing of the arguments is left out; what cannot be said aloud without
//! losing something is for the button.

use serde::Serialize;

use crate::config::{Config, Presence};

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum ReadBack {
    Spoken(String),
    /// The button of the page is needed, for this reason.
    Button(String),
}

/// Marks of a preview that has more than can be heard: a cut, an escaped character, an
/// earlier run of the same call.
const UNSPEAKABLE: [(&str, &str); 4] = [
    ("[cut: ", "its arguments are too long to be read aloud"),
    ("\\u{", "its arguments have characters that cannot be read aloud"),
    ("\\n", "its arguments have several lines"),
    ("\nbefore: ", "the same call was made before"),
];

/// Makes the text from the preview.
pub(crate) fn read_back(tool: &str, preview: &str, config: &Config) -> ReadBack {
    let rules = &config.approval;
    let needs = |why: &str| ReadBack::Button(why.to_owned());
    if config.tool(tool).effects > rules.spoken_up_to {
        return needs("its effects are too strong for a spoken yes");
    }
    if rules.button_tools.contains(tool) {
        return needs("its tool always needs the button");
    }
    if config.own.speech == Presence::Absent {
        return needs("the session has no text to speech of its own");
    }
    if !config.hears_answers() {
        return needs("the session cannot transcribe spoken answers");
    }
    if let Some((_, why)) = UNSPEAKABLE.iter().find(|(mark, _)| preview.contains(mark)) {
        return needs(why);
    }
    let say = &config.language().words().say;
    let mut sentences = vec![say.approval_intro.replace("{tool}", &spoken_name(tool))];
    // Arguments, and answers that the handler got, are the indented lines.
    let arguments = preview.lines().filter_map(|line| line.strip_prefix("  "));
    sentences.extend(arguments.map(sentence));
    sentences.push(say.approval_question.clone());
    let text = sentences.join(" ");
    match text.chars().count() > rules.readback_chars_max {
        true => needs("its arguments are too long to be read aloud"),
        false => ReadBack::Spoken(text),
    }
}

/// `calendar_create_event` is said as "calendar create event".
fn spoken_name(name: &str) -> String {
    name.replace(['_', '-', '.'], " ")
}

/// `start_time: 2026-…` as a sentence of its own; the value stays as it is.
fn sentence(line: &str) -> String {
    let line = match line.split_once(": ") {
        Some((name, value)) => format!("{}: {value}", spoken_name(name)),
        None => line.to_owned(),
    };
    if line.ends_with(['.', '!', '?']) { line } else { format!("{line}.") }
}

#[cfg(test)]
mod tests;
