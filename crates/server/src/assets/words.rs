//! The languages of the page, and its texts in them.
//!
//! The English text is the key: it is in the page's modules as `t("…")`, in its HTML files as
//! `{{…}}`, and in HTML that the server writes as `language.text("…")`. The other languages are
//! tables, `page/words/LANGUAGE.toml`. A page in one of them has the texts of its first load
//! inside, so that nothing is shown in English first; the others are a file, which the page
//! fetches with the first bundle that it loads later. Must hold: both tables have every text of
//! the page and no other, which `tests/it/rendering/words.rs` checks.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use axum::http::{HeaderMap, HeaderValue, header};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A language of the page.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Language {
    En,
    Uk,
    Ru,
}

/// Has the language that a person chose, for the sign-in page.
const COOKIE: &str = "ghosthand-language";
const COOKIE_SECONDS: u64 = 365 * 24 * 60 * 60;

impl Language {
    pub(crate) const ALL: [Self; 3] = [Self::En, Self::Uk, Self::Ru];

    pub(crate) fn code(self) -> &'static str {
        match self {
            Self::En => "en",
            Self::Uk => "uk",
            Self::Ru => "ru",
        }
    }

    /// The language of a tag such as `uk-UA`.
    fn of_tag(tag: &str) -> Option<Self> {
        let code = tag.split('-').next().unwrap_or_default();
        Self::ALL.into_iter().find(|one| one.code().eq_ignore_ascii_case(code))
    }

    /// For a person who is not known: what was chosen in this browser, or what it prefers.
    pub(crate) fn of_browser(headers: &HeaderMap) -> Self {
        Self::of_cookie(headers).unwrap_or_else(|| Self::preferred(headers))
    }

    /// The first of the browser's languages that we have.
    pub(crate) fn preferred(headers: &HeaderMap) -> Self {
        Self::accepted(headers).unwrap_or(Self::En)
    }

    fn of_cookie(headers: &HeaderMap) -> Option<Self> {
        let all = headers.get_all(header::COOKIE).into_iter();
        all.filter_map(|cookies| cookies.to_str().ok())
            .flat_map(|cookies| cookies.split(';'))
            .filter_map(|cookie| cookie.trim().split_once('='))
            .find(|(name, _)| *name == COOKIE)
            .and_then(|(_, code)| Self::of_tag(code))
    }

    /// `Accept-Language`: the best weight counts, and the first of equal ones.
    fn accepted(headers: &HeaderMap) -> Option<Self> {
        let text = headers.get(header::ACCEPT_LANGUAGE)?.to_str().ok()?;
        let mut best: Option<(f32, Self)> = None;
        for range in text.split(',') {
            let (tag, weight) = range.split_once(';').unwrap_or((range, ""));
            let weight = weight.trim().strip_prefix("q=").map_or(Ok(1.0), str::parse::<f32>);
            let (Some(language), Ok(weight)) = (Self::of_tag(tag.trim()), weight) else { continue };
            if weight > best.map_or(0.0, |(weight, _)| weight) {
                best = Some((weight, language));
            }
        }
        best.map(|(_, language)| language)
    }

    /// The cookie that keeps a choice in this browser, or forgets the last one; none if nothing
    /// changes.
    pub(crate) fn cookie(chosen: Option<Self>, headers: &HeaderMap) -> Option<HeaderValue> {
        if Self::of_cookie(headers) == chosen {
            return None;
        }
        let (code, life) = chosen.map_or(("", 0), |chosen| (chosen.code(), COOKIE_SECONDS));
        let cookie = format!("{COOKIE}={code}; Path=/; SameSite=Strict; Max-Age={life}");
        HeaderValue::try_from(cookie).ok()
    }

    /// A text in this language, for HTML that the server writes: `language.text("…")`.
    pub(crate) fn text(self, english: &'static str) -> &'static str {
        self.table().get(english).map_or(english, String::as_str)
    }

    fn table(self) -> &'static Table {
        static ENGLISH: Table = Table::new();
        static UKRAINIAN: LazyLock<Table> =
            LazyLock::new(|| parse(include_str!("../../page/words/uk.toml")));
        static RUSSIAN: LazyLock<Table> =
            LazyLock::new(|| parse(include_str!("../../page/words/ru.toml")));
        match self {
            Self::En => &ENGLISH,
            Self::Uk => &UKRAINIAN,
            Self::Ru => &RUSSIAN,
        }
    }
}

type Table = BTreeMap<String, String>;

/// The files are part of the program; a test reads them.
fn parse(text: &str) -> Table {
    toml::from_str(text).unwrap_or_default()
}

/// A page in this language: its own texts `{{…}}`, and the table for its modules.
pub(crate) fn translated(page: &str, language: Language) -> String {
    let (table, code) = (language.table(), language.code());
    let mut text = String::with_capacity(page.len());
    let mut rest = page;
    while let Some((before, (key, after))) =
        rest.split_once("{{").and_then(|(before, rest)| Some((before, rest.split_once("}}")?)))
    {
        text.push_str(before);
        text.push_str(&in_html(table.get(key).map_or(key, String::as_str)));
        rest = after;
    }
    text.push_str(rest);
    text.replace("<html lang=\"en\">", &format!("<html lang=\"{code}\">"))
}

/// The page with the texts that its first bundles need, where they look for them.
pub(super) fn with_table(page: &str, language: Language, first: &[&str]) -> String {
    if language.table().is_empty() {
        return page.to_owned();
    }
    // In HTML, `</` or `<!` inside of a script could end it.
    let json = json(language, |key| is_used(key, first)).replace('<', "\\u003c");
    let script =
        format!("<script type=\"application/json\" id=\"page-words\">{json}</script>\n</body>");
    page.replace("</body>", &script)
}

/// The files with the texts that these bundles do not need.
pub(super) fn later(first: &[&str]) -> Vec<(String, String)> {
    let languages = Language::ALL.into_iter().filter(|one| !one.table().is_empty());
    let file = |one: Language| {
        (format!("words/{}.json", one.code()), json(one, |key| !is_used(key, first)))
    };
    languages.map(file).collect()
}

fn is_used(key: &str, bundles: &[&str]) -> bool {
    let written = format!("\"{key}\"");
    bundles.iter().any(|bundle| bundle.contains(&written))
}

fn json(language: Language, wanted: impl Fn(&str) -> bool) -> String {
    let texts = language.table().iter().filter(|(key, _)| wanted(key));
    serde_json::to_string(&texts.collect::<BTreeMap<_, _>>()).unwrap_or_default()
}

/// What is in backticks is code.
fn in_html(text: &str) -> String {
    let text = text.replace('&', "&amp;").replace('<', "&lt;").replace('"', "&quot;");
    let pieces = text.split('`').enumerate();
    pieces
        .map(|(at, one)| if at % 2 == 1 { format!("<code>{one}</code>") } else { one.to_owned() })
        .collect()
}

#[cfg(test)]
mod tests;
