//! Faults of Notion: one function per fault, each with its fix.
//!
//! Must hold: Notion's own messages are clipped, and never contain the token.

use std::time::Duration;

use models::HttpFault;
use serde_json::Value;

use super::Written;

/// Why something was not read or written.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{place}: {what}; {fix}")]
pub struct NotionFault {
    pub kind: Kind,
    /// What was being done, as in `page 393abc1e-…`.
    pub place: String,
    pub what: String,
    pub fix: String,
    pub retry_after: Option<Duration>,
    /// The partial page after a failed write.
    pub written: Option<Box<Partial>>,
}

/// A page that has only the beginning of its text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Partial {
    pub page: Written,
    pub blocks: usize,
    pub blocks_of: usize,
}

/// The kinds of faults that callers distinguish.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    NotConfigured,
    /// The input has no id.
    NoId,
    /// It does not exist, or is not shared with the connection.
    NotFound,
    /// Like `NotFound`, for the parent of posts.
    NoDatabase,
    WrongToken,
    /// The connection may not do this.
    Forbidden,
    /// Notion rejects the request; it is not retryable.
    Refused,
    Conflict,
    RateLimited,
    Unavailable,
    TimedOut,
    /// The answer to creating a page was lost: it may exist.
    Unsure,
    TooLarge,
    /// An answer that is not from Notion.
    Garbled,
}

impl Kind {
    /// The code that a tool returns as `error`.
    pub fn word(self) -> &'static str {
        match self {
            Kind::NotConfigured => "notion_not_configured",
            Kind::NoId => "invalid_page_id",
            Kind::NotFound => "page_not_found",
            Kind::NoDatabase => "database_not_found",
            Kind::WrongToken => "notion_unauthorized",
            Kind::Forbidden => "notion_forbidden",
            Kind::Refused => "notion_refused",
            Kind::Conflict => "notion_conflict",
            Kind::RateLimited => "notion_rate_limited",
            Kind::Unavailable => "notion_unavailable",
            Kind::TimedOut => "notion_timeout",
            Kind::Unsure => "notion_unsure",
            Kind::TooLarge => "notion_too_large",
            Kind::Garbled => "notion_error",
        }
    }

    /// Is it retryable?
    pub fn passes(self) -> bool {
        match self {
            Kind::RateLimited | Kind::Unavailable | Kind::TimedOut | Kind::Conflict => true,
            Kind::NotConfigured | Kind::NoId | Kind::NotFound | Kind::NoDatabase => false,
            Kind::WrongToken | Kind::Forbidden | Kind::Refused | Kind::Unsure => false,
            Kind::TooLarge | Kind::Garbled => false,
        }
    }

    /// The message in Ukrainian.
    pub fn in_ukrainian(self) -> &'static str {
        match self {
            Kind::NotConfigured => "Notion не налаштований. Додайте NOTION_TOKEN до .env файлу.",
            Kind::NoId => "Це не адреса сторінки Notion. Скопіюйте посилання ще раз.",
            Kind::NotFound => "Сторінку не знайдено. Перевірте URL і чи надано доступ інтеграції.",
            Kind::NoDatabase => {
                "Базу не знайдено. Перевірте NOTION_DATABASE_ID і доступ інтеграції."
            }
            Kind::WrongToken => "Notion не прийняв токен. Перевірте NOTION_TOKEN.",
            Kind::Forbidden => "Інтеграція не має на це права. Змініть її можливості в Notion.",
            Kind::Refused | Kind::Conflict | Kind::Garbled => "Помилка Notion",
            Kind::RateLimited => "Notion просить зачекати: забагато запитів",
            Kind::Unavailable => "Notion зараз недоступний",
            Kind::TimedOut => "Notion не відповів вчасно",
            Kind::Unsure => "Notion не підтвердив запис. Перевірте, чи сторінка вже є.",
            Kind::TooLarge => "Забагато тексту для Notion",
        }
    }
}

fn fault(kind: Kind, place: &str, what: impl Into<String>, fix: &str) -> NotionFault {
    let (place, what, fix) = (place.to_owned(), what.into(), fix.to_owned());
    NotionFault { kind, place, what, fix, retry_after: None, written: None }
}

pub(crate) fn not_configured(name: &str) -> NotionFault {
    let fix = format!("add {name} to the .env file");
    fault(Kind::NotConfigured, "notion", format!("{name} is not set"), &fix)
}

pub(crate) fn no_id(given: &str) -> NotionFault {
    let what = format!("`{}` has no page id", clip(given));
    let fix = "copy the link of the page in Notion, as in `https://www.notion.so/Name-0123…`";
    fault(Kind::NoId, "notion", what, fix)
}

pub(crate) fn no_title(place: &str) -> NotionFault {
    fault(Kind::Refused, place, "the page has no title", "give it one")
}

/// The fault of a status; Notion's body has details.
pub(crate) fn answered(
    place: &str,
    status: u16,
    words: &str,
    retry_after: Option<Duration>,
) -> NotionFault {
    let (kind, fix) = match status {
        401 => (Kind::WrongToken, "check NOTION_TOKEN: it is wrong, or was withdrawn"),
        403 => (Kind::Forbidden, "give the connection this capability in its settings in Notion"),
        404 => (
            Kind::NotFound,
            "check the address, and share the page with the connection (••• → Connections)",
        ),
        409 => (Kind::Conflict, "try again: it was changed at the same time"),
        413 => (Kind::TooLarge, "shorten the text"),
        429 => (Kind::RateLimited, "wait, then try again"),
        300..=399 => (Kind::Garbled, "check the address of Notion's API"),
        500.. => (Kind::Unavailable, "try again in a moment"),
        _ => (Kind::Refused, "change the request; it is not retryable"),
    };
    let what = format!("Notion answers {status}: {}", clip(words));
    NotionFault { retry_after, ..fault(kind, place, what, fix) }
}

pub(crate) fn unanswered(place: &str, why: &HttpFault) -> NotionFault {
    match why {
        HttpFault::Unsendable(why) => fault(
            Kind::Refused,
            place,
            format!("the request cannot be sent: {why}"),
            "check NOTION_TOKEN and the address of Notion's API",
        ),
        HttpFault::Unreachable(why) => fault(
            Kind::Unavailable,
            place,
            format!("Notion cannot be reached: {why}"),
            "check the network",
        ),
        HttpFault::Lost(why) => {
            let what = format!("the answer was lost: {why}");
            fault(Kind::Unavailable, place, what, "try again in a moment")
        }
        HttpFault::TimedOut => {
            fault(Kind::TimedOut, place, "Notion did not answer in time", "try again in a moment")
        }
        HttpFault::TooLarge => {
            fault(Kind::TooLarge, place, "the answer is too large", "take a smaller page")
        }
    }
}

pub(crate) fn garbled(place: &str, why: &str) -> NotionFault {
    let fix = "check the address of Notion's API";
    fault(Kind::Garbled, place, format!("the answer is not from Notion: {why}"), fix)
}

/// Neither a database nor a source of one has that id.
pub(crate) fn no_database(cause: NotionFault) -> NotionFault {
    let fix = "check NOTION_DATABASE_ID, and share the database with the connection";
    NotionFault { kind: Kind::NoDatabase, fix: fix.to_owned(), ..cause }
}

pub(crate) fn no_source(place: &str) -> NotionFault {
    let fix = "open the database in Notion and check that it has its own data source";
    fault(Kind::Refused, place, "the database has no data source", fix)
}

/// It is unknown whether the page was created.
pub(crate) fn unsure(place: &str, cause: &NotionFault) -> NotionFault {
    let what = format!("the page may be there: {}", cause.what);
    let fix = "check Notion before you write it again";
    NotionFault { retry_after: cause.retry_after, ..fault(Kind::Unsure, place, what, fix) }
}

const WORDS_CHARS_MAX: usize = 300;

/// Short enough to be read.
pub(crate) fn clip(words: &str) -> String {
    let words = words.trim();
    match words.char_indices().nth(WORDS_CHARS_MAX) {
        Some((end, _)) => format!("{}…", words.get(..end).unwrap_or_default()),
        None => words.to_owned(),
    }
}

/// The code and message in an error body of Notion.
pub(crate) fn words_of(body: &[u8]) -> (String, String) {
    let json: Value = serde_json::from_slice(body).unwrap_or_default();
    let field = |name: &str| json[name].as_str().unwrap_or_default().to_owned();
    match json["object"] == "error" {
        true => (field("code"), field("message")),
        false => (String::new(), "without a message from Notion".to_owned()),
    }
}
