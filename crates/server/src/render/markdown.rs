//! Markdown as safe HTML: rendered, then sanitised.
//!
//! Must hold: no script, style or event attribute; no image or frame from elsewhere; links
//! lead to `http`, `https` or `mailto` and send no referrer. The work is linear in the text;
//! [`RenderPool`](crate::render::render_pool::RenderPool) limits how much of it runs.

pub(super) mod limits;

use std::sync::LazyLock;

use ammonia::{Builder, UrlRelative};
use pulldown_cmark::{CodeBlockKind, Event, Options, Parser, Tag, TagEnd, html};

use self::limits::{DEPTH_MAX, OwnHtml, TEXT_BYTES_MAX, is_known, plain, shallow};
use super::highlight::{escape, highlighted};

/// The text as sanitised HTML. Code has the class `language-NAME`, and highlights `hl-…`.
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
    let text = &shallow(text);
    let mut rendered = String::with_capacity(text.len() * 3 / 2);
    let own = OwnHtml::of(text);
    html::push_html(&mut rendered, Dressed { parser: parser(text), code, own, depth: 0 });
    CLEANER.clean(&rendered).to_string()
}

pub(super) fn parser(text: &str) -> Parser<'_> {
    let options =
        Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH | Options::ENABLE_TASKLISTS;
    Parser::new_ext(text, options)
}

/// The parser's events, with our own rendering of some.
struct Dressed<'a> {
    parser: Parser<'a>,
    code: Code,
    own: OwnHtml,
    /// How many elements are open, including those that are left out.
    depth: usize,
}

impl<'a> Iterator for Dressed<'a> {
    type Item = Event<'a>;

    #[expect(
        clippy::wildcard_enum_match_arm,
        reason = "the events are the parser's; what we do not change stays"
    )]
    fn next(&mut self) -> Option<Event<'a>> {
        Some(match self.next_shallow()? {
            Event::Start(Tag::CodeBlock(kind)) => {
                // Its end is consumed with it.
                self.depth -= 1;
                Event::Html(self.code(&kind).into())
            }
            Event::Html(piece) if !self.keeps(&piece) => Event::Text(piece),
            Event::InlineHtml(piece) if !self.keeps(&piece) => Event::Text(piece),
            // A line break stays a line break.
            Event::SoftBreak => Event::HardBreak,
            Event::TaskListMarker(done) => Event::Text(if done { "☑ " } else { "☐ " }.into()),
            // Images would be fetched from anywhere; links are not.
            Event::Start(Tag::Image { link_type, dest_url, title, id }) => {
                Event::Start(Tag::Link { link_type, dest_url, title, id })
            }
            Event::End(TagEnd::Image) => Event::End(TagEnd::Link),
            other => other,
        })
    }
}

impl<'a> Dressed<'a> {
    /// The next event that is not nested too deeply.
    #[expect(
        clippy::wildcard_enum_match_arm,
        reason = "the parser's events; the others have no depth"
    )]
    fn next_shallow(&mut self) -> Option<Event<'a>> {
        loop {
            let event = self.parser.next()?;
            let is_code = matches!(event, Event::Start(Tag::CodeBlock(_)));
            let is_deep = match &event {
                Event::Start(_) => {
                    self.depth += 1;
                    self.depth > DEPTH_MAX && !is_code
                }
                Event::End(_) => {
                    self.depth = self.depth.saturating_sub(1);
                    self.depth >= DEPTH_MAX
                }
                _ => false,
            };
            if !is_deep {
                return Some(event);
            }
        }
    }

    fn keeps(&self, piece: &str) -> bool {
        self.own == OwnHtml::Kept && is_known(piece)
    }

    #[expect(clippy::wildcard_enum_match_arm, reason = "a code block holds text alone")]
    fn code(&mut self, kind: &CodeBlockKind<'_>) -> String {
        let language = match kind {
            CodeBlockKind::Fenced(info) => info.split([' ', ',', '{']).next().unwrap_or_default(),
            CodeBlockKind::Indented => "",
        };
        let mut code = String::new();
        for event in self.parser.by_ref() {
            match event {
                Event::Text(text) => code.push_str(&text),
                Event::End(TagEnd::CodeBlock) => break,
                _ => {}
            }
        }
        let mut class = String::new();
        if !language.is_empty() {
            class.push_str(" class=\"language-");
            escape(language, &mut class);
            class.push('"');
        }
        let language = match self.code {
            Code::Coloured => language,
            Code::Plain => "",
        };
        format!("<pre><code{class}>{}</code></pre>\n", highlighted(&code, language))
    }
}

static CLEANER: LazyLock<Builder<'static>> = LazyLock::new(|| {
    let mut cleaner = Builder::default();
    cleaner
        .rm_tags(["img", "area", "map", "figure"])
        .url_schemes(["http", "https", "mailto"].into())
        .url_relative(UrlRelative::Deny)
        .link_rel(Some("noopener noreferrer nofollow"))
        .add_tag_attributes("code", ["class"])
        .add_tag_attributes("span", ["class"])
        .attribute_filter(|element, attribute, value| match (element, attribute) {
            ("code", "class") => is_language(value).then(|| value.into()),
            ("span", "class") => is_colour(value).then(|| value.into()),
            _ => Some(value.into()),
        });
    cleaner
});

fn is_language(class: &str) -> bool {
    class.strip_prefix("language-").is_some_and(|name| {
        !name.is_empty()
            && name.len() <= 32
            && name.chars().all(|c| c.is_ascii_alphanumeric() || "+-_#".contains(c))
    })
}

fn is_colour(class: &str) -> bool {
    class
        .strip_prefix("hl-")
        .is_some_and(|name| !name.is_empty() && name.chars().all(|c| c.is_ascii_lowercase()))
}

#[cfg(test)]
pub(super) mod tests;
