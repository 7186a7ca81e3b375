//! A web page as text: what a reader of the page reads.
//!
//! Must hold: paragraphs, headings, list items and cells are blocks of their own; scripts,
//! styles, menus and forms are left out. Where a page marks its article, only that is read.

use std::cell::RefCell;

use html5ever::tendril::StrTendril;
use html5ever::tokenizer::states::RawKind;
use html5ever::tokenizer::{
    BufferQueue, Tag, TagKind, Token, TokenSink, TokenSinkResult, Tokenizer, TokenizerOpts,
};

use crate::text::manifest::normalise;

/// An article with fewer letters is not what the page is about.
const ARTICLE_CHARS_MIN: usize = 200;

/// The text of a page, and its title.
pub(super) fn read(page: &str) -> (String, Option<String>) {
    let sink = tokenize(page, TextSink::default());
    let Extracted { all, article, title, .. } = sink.out.into_inner();
    let article = tidy(&article);
    let text = match article.chars().count() >= ARTICLE_CHARS_MIN {
        true => article,
        false => tidy(&all),
    };
    (text, Some(normalise(&title)).filter(|title| !title.is_empty()))
}

/// Runs of a tokenizer over a page or an XML file.
pub(super) fn tokenize<S: TokenSink>(page: &str, sink: S) -> S {
    let queue = BufferQueue::default();
    queue.push_back(StrTendril::from_slice(page));
    let tokenizer = Tokenizer::new(sink, TokenizerOpts::default());
    let _ = tokenizer.feed(&queue);
    tokenizer.end();
    tokenizer.sink
}

/// The characters that a text with `&amp;` and the like means.
pub(super) fn unescape(text: &str) -> String {
    match text.contains('&') {
        true => read(&format!("<p>{}", text.replace('<', "&lt;"))).0,
        false => text.to_owned(),
    }
}

/// The value of an attribute.
pub(super) fn attribute(tag: &Tag, name: &str) -> Option<String> {
    let found = tag.attrs.iter().find(|attribute| &*attribute.name.local == name);
    found.map(|attribute| attribute.value.to_string())
}

#[derive(Default)]
struct TextSink {
    out: RefCell<Extracted>,
}

#[derive(Default)]
struct Extracted {
    all: String,
    article: String,
    title: String,
    /// Elements that are open and left out, the innermost last.
    skipped: Vec<String>,
    /// How many articles and main parts are open.
    articles: usize,
    in_title: bool,
    in_pre: usize,
}

/// What nobody reads as text.
const SKIPPED: [&str; 21] = [
    "script", "style", "noscript", "template", "svg", "math", "head", "title", "nav", "footer",
    "aside", "form", "button", "select", "textarea", "iframe", "object", "video", "audio", "rt",
    "rp",
];
/// What a head may hold. Any other element ends it, because pages may leave `</head>` out.
const IN_HEAD: [&str; 9] =
    ["head", "title", "meta", "link", "base", "style", "script", "noscript", "template"];
const BLOCKS: [&str; 30] = [
    "p",
    "div",
    "section",
    "article",
    "main",
    "header",
    "h1",
    "h2",
    "h3",
    "h4",
    "h5",
    "h6",
    "ul",
    "ol",
    "li",
    "dl",
    "dt",
    "dd",
    "table",
    "tr",
    "td",
    "th",
    "caption",
    "blockquote",
    "figure",
    "figcaption",
    "pre",
    "hr",
    "address",
    "body",
];
/// Elements without an end.
const VOID: [&str; 8] = ["br", "hr", "img", "input", "meta", "link", "wbr", "source"];

impl TokenSink for TextSink {
    type Handle = ();

    fn process_token(&self, token: Token, _line: u64) -> TokenSinkResult<()> {
        let mut out = self.out.borrow_mut();
        match token {
            Token::CharacterTokens(text) => out.write(&text),
            Token::TagToken(tag) => return out.tag(&tag),
            Token::NullCharacterToken
            | Token::CommentToken(_)
            | Token::DoctypeToken(_)
            | Token::ParseError(_)
            | Token::EOFToken => {}
        }
        TokenSinkResult::Continue
    }
}

impl Extracted {
    fn tag(&mut self, tag: &Tag) -> TokenSinkResult<()> {
        let name: &str = &tag.name;
        if name == "title" && !self.skipped.iter().any(|open| open == "svg") {
            self.in_title = tag.kind == TagKind::StartTag && self.title.is_empty();
        }
        match tag.kind {
            TagKind::StartTag => self.start(tag, name),
            TagKind::EndTag => self.end(name),
        }
        match (tag.kind, name) {
            (TagKind::StartTag, "title" | "textarea") => TokenSinkResult::RawData(RawKind::Rcdata),
            (TagKind::StartTag, "style" | "noscript" | "iframe") => {
                TokenSinkResult::RawData(RawKind::Rawtext)
            }
            (TagKind::StartTag, "script") => TokenSinkResult::RawData(RawKind::ScriptData),
            _ => TokenSinkResult::Continue,
        }
    }

    fn start(&mut self, tag: &Tag, name: &str) {
        if !IN_HEAD.contains(&name) {
            self.skipped.retain(|open| open != "head");
        }
        let hidden = attribute(tag, "hidden").is_some()
            || attribute(tag, "aria-hidden").is_some_and(|value| value == "true");
        let skip = SKIPPED.contains(&name) || hidden && !VOID.contains(&name);
        // The end of an element of the same name inside must not end it.
        let again = self.skipped.last().is_some_and(|open| open == name);
        if (skip || again) && !tag.self_closing {
            self.skipped.push(name.to_owned());
        }
        match name {
            "article" | "main" if !tag.self_closing => self.articles += 1,
            "pre" => self.in_pre += 1,
            _ => {}
        }
        self.part(name);
    }

    fn end(&mut self, name: &str) {
        if let Some(at) = self.skipped.iter().rposition(|open| open == name) {
            self.skipped.truncate(at);
        }
        self.part(name);
        match name {
            "article" | "main" => self.articles = self.articles.saturating_sub(1),
            "pre" => self.in_pre = self.in_pre.saturating_sub(1),
            _ => {}
        }
    }

    /// Ends a block or a line.
    fn part(&mut self, name: &str) {
        if !self.skipped.is_empty() {
            return;
        }
        match name {
            "br" => self.push("\n"),
            name if BLOCKS.contains(&name) => self.push("\n\n"),
            _ => {}
        }
    }

    fn write(&mut self, text: &str) {
        if self.in_title {
            self.title.push_str(text);
        }
        if self.skipped.is_empty() {
            match self.in_pre {
                // Line ends of the source are only space.
                0 => self.push(&text.replace(['\n', '\r', '\t'], " ")),
                _ => self.push(text),
            }
        }
    }

    fn push(&mut self, text: &str) {
        self.all.push_str(text);
        if self.articles > 0 {
            self.article.push_str(text);
        }
    }
}

/// One space between words, one blank line between blocks.
fn tidy(text: &str) -> String {
    let mut blocks: Vec<Vec<String>> = vec![Vec::new()];
    for line in text.lines() {
        let line = normalise(line);
        match (line.is_empty(), blocks.last_mut()) {
            (true, Some(block)) if !block.is_empty() => blocks.push(Vec::new()),
            (false, Some(block)) => block.push(line),
            _ => {}
        }
    }
    blocks.retain(|block| !block.is_empty());
    blocks.iter().map(|block| block.join("\n")).collect::<Vec<_>>().join("\n\n")
}
