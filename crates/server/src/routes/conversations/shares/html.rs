//! A shared conversation as HTML.
//!
//! In: entries of the view, which has no `context` chunks. Out: a page without scripts, in the
//! language of its reader. Must hold: every text is escaped or sanitised.

use conversation::Entry;
use jiff::Timestamp;

use super::entry_html::{drawn, note};
use crate::assets::words::Language;
use crate::conversations::shares::Share;
use crate::render::highlight::escape;

/// Why there is nothing to read.
#[derive(Clone, Copy)]
pub(super) enum Refusal {
    Gone,
    NoFile,
    TooMany,
}

impl Refusal {
    fn in_words(self, reader: Language) -> [&'static str; 2] {
        match self {
            Self::Gone => [
                reader.text("This link is no longer available"),
                reader
                    .text("It has ended or was revoked. Ask the person who sent it for a new one."),
            ],
            Self::NoFile => [
                reader.text("This file is not shared"),
                reader.text("Ask the person who sent the link."),
            ],
            Self::TooMany => [
                reader.text("Too many requests"),
                reader.text("Wait a moment, then load the page again."),
            ],
        }
    }
}

/// What is shown to whom.
pub(super) struct Reading<'a> {
    pub share: &'a Share,
    pub secret: &'a str,
    pub reader: Language,
}

/// The whole page.
pub(super) fn page(reading: &Reading<'_>, entries: &[Entry], is_cut: bool) -> String {
    let Reading { share, reader, .. } = reading;
    let title = match share.title.as_str() {
        "" => reader.text("Conversation"),
        title => title,
    };
    let title = escaped(title);
    let mut log = String::new();
    if is_cut {
        log.push_str(&note(reader.text("Earlier messages are not part of this page.")));
    }
    entries.iter().for_each(|entry| log.push_str(&drawn(reading, entry)));
    let (date, iso) = date(share.updated_at, *reader);
    let date = format!("<time datetime=\"{iso}\">{date}</time>");
    let shared = escaped(reader.text("A conversation shared from Ghostpad, as it was on {date}."));
    let shared = shared.replace("{date}", &date);
    let by_whom = escaped(reader.text("Answers were written by a model."));
    document(
        *reader,
        &title,
        &format!(
            "<header class=\"shared-head\"><h1 dir=\"auto\">{title}</h1>\n\
             <p class=\"faint\">{shared} {by_whom}</p></header>\n\
             <div class=\"shared-log\">\n{log}</div>"
        ),
    )
}

/// A page with only a few words.
pub(super) fn quiet(refusal: Refusal, reader: Language) -> String {
    let [title, text] = refusal.in_words(reader).map(escaped);
    let body = format!(
        "<header class=\"shared-head quiet-page\"><h1>{title}</h1><p class=\"faint\">{text}</p></header>"
    );
    document(reader, &title, &body)
}

fn document(reader: Language, title: &str, body: &str) -> String {
    let code = reader.code();
    format!(
        "<!doctype html>\n<html lang=\"{code}\">\n<head>\n<meta charset=\"utf-8\">\n\
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
fn date(millis: u64, reader: Language) -> (String, String) {
    let at = i64::try_from(millis).ok().and_then(|at| Timestamp::from_millisecond(at).ok());
    let at = at.unwrap_or_default();
    let format = match reader {
        Language::En => "%-d %B %Y, %H:%M UTC",
        Language::Uk | Language::Ru => "%d.%m.%Y, %H:%M UTC",
    };
    (at.strftime(format).to_string(), at.to_string())
}

pub(super) fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    escape(text, &mut out);
    out
}
