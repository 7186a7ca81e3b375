//! Markdown as safe HTML: rendered, then sanitised.
//!
//! Must hold: no script, style or event attribute; no picture or frame from elsewhere; links
//! lead to `http`, `https` or `mailto` and send no referrer. The work is linear in the text;
//! [`RenderPool`](crate::render::render_pool::RenderPool) limits how much of it runs.

mod autolink;
mod dressed;
pub(super) mod limits;
pub(super) mod mask;
mod math;

use std::sync::LazyLock;

use ammonia::{Builder, UrlRelative};
use pulldown_cmark::{Event, Options, Parser, Tag, html};

use self::dressed::{Dressed, read_code};
use self::limits::{OwnHtml, TEXT_BYTES_MAX, plain, shallow};
use self::mask::Masked;
use crate::artifacts::Kind;
use crate::artifacts::block::CodeBlock;

/// The mark of an artifact on its element.
const ARTIFACT: &str = "data-artifact";

/// The text as sanitised HTML. Code has the class `language-NAME`, and highlights `hl-…`; formulas
/// are MathML.
pub fn to_html(text: &str) -> String {
    rendered(text, Code::Coloured)
}

/// Code that is being written is not highlighted: the colours would change with each letter.
#[derive(Clone, Copy)]
pub(super) enum Code {
    Coloured,
    Plain,
}

pub(super) fn rendered(text: &str, code: Code) -> String {
    if text.len() > TEXT_BYTES_MAX {
        return plain(text);
    }
    rendered_masked(&Masked::of(text), code)
}

/// Renders a text whose formulas are masked.
pub(super) fn rendered_masked(masked: &Masked, code: Code) -> String {
    let text = &shallow(&masked.text);
    let mut rendered = String::with_capacity(text.len() * 3 / 2);
    html::push_html(&mut rendered, Dressed::new(parser(text), code, OwnHtml::of(text)));
    let html = CLEANER.clean(&rendered).to_string();
    if masked.is_masked() { masked.unmask(&html) } else { html }
}

/// The code blocks of a text, in the order in which [`to_html`] shows them.
pub(crate) fn code_blocks(text: &str) -> Vec<CodeBlock> {
    if text.len() > TEXT_BYTES_MAX || !(text.contains("```") || text.contains("~~~")) {
        return Vec::new();
    }
    let masked = Masked::of(text);
    let text = shallow(&masked.text);
    let (mut events, mut blocks) = (parser(&text), Vec::new());
    while let Some(event) = events.next() {
        if let Event::Start(Tag::CodeBlock(kind)) = event {
            blocks.push(read_code(&kind, &mut events));
        }
    }
    blocks
}

pub(super) fn parser(text: &str) -> Parser<'_> {
    let options = Options::ENABLE_TABLES
        | Options::ENABLE_STRIKETHROUGH
        | Options::ENABLE_TASKLISTS
        | Options::ENABLE_FOOTNOTES
        | Options::ENABLE_DEFINITION_LIST;
    Parser::new_ext(text, options)
}

static CLEANER: LazyLock<Builder<'static>> = LazyLock::new(|| {
    let mut cleaner = Builder::default();
    cleaner
        .rm_tags(["area", "map", "figure"])
        .rm_tag_attributes("img", ["align", "height", "width"])
        // Of `data`, the filter below leaves pictures. `document` is a citation, which the page
        // opens.
        .url_schemes(["http", "https", "mailto", "data", "document"].into())
        .url_relative(UrlRelative::Deny)
        .link_rel(Some("noopener noreferrer nofollow"))
        .add_tag_attributes("code", ["class"])
        .add_tag_attributes("pre", [ARTIFACT, "data-title", "data-file", "data-named"])
        .add_tag_attributes("div", ["class"])
        .add_tag_attributes("span", ["class"])
        .add_tag_attributes("sup", ["class"])
        .attribute_filter(|element, attribute, value| match (element, attribute) {
            ("pre", ARTIFACT) => is_kind(value).then(|| value.into()),
            ("code", "class") => is_language(value).then(|| value.into()),
            ("span", "class") => (is_colour(value) || value == "picture").then(|| value.into()),
            ("div", "class") => (value == "note-text").then(|| value.into()),
            ("sup", "class") => is_note(value).then(|| value.into()),
            ("img", "src") => is_data_picture(value).then(|| value.into()),
            (_, "href" | "cite") => (!is_data(value)).then(|| value.into()),
            _ => Some(value.into()),
        });
    cleaner
});

fn is_kind(value: &str) -> bool {
    Kind::ALL.iter().any(|kind| kind.as_str() == value)
}

fn is_language(class: &str) -> bool {
    class.strip_prefix("language-").is_some_and(|name| {
        !name.is_empty()
            && name.len() <= 32
            && name.chars().all(|c| c.is_ascii_alphanumeric() || "+-_#".contains(c))
    })
}

fn is_note(class: &str) -> bool {
    class.strip_prefix("note-").is_some_and(|number| number.parse::<u32>().is_ok())
}

fn is_data(url: &str) -> bool {
    url.trim_start().get(..5).is_some_and(|scheme| scheme.eq_ignore_ascii_case("data:"))
}

/// A picture that is in the text itself, in a format without scripts.
fn is_data_picture(url: &str) -> bool {
    let kinds = ["png", "jpeg", "gif", "webp"];
    let data = kinds.iter().find_map(|kind| {
        url.strip_prefix("data:image/")?.strip_prefix(kind)?.strip_prefix(";base64,")
    });
    let is_base64 = |c: char| c.is_ascii_alphanumeric() || "+/=".contains(c);
    data.is_some_and(|data| !data.is_empty() && data.chars().all(is_base64))
}

fn is_colour(class: &str) -> bool {
    class
        .strip_prefix("hl-")
        .is_some_and(|name| !name.is_empty() && name.chars().all(|c| c.is_ascii_lowercase()))
}

#[cfg(test)]
pub(super) mod tests;
