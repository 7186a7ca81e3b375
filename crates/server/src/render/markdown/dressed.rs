//! The events of the Markdown parser with our own rendering of some: code, tables, footnotes,
//! pictures, and addresses that are links.

use std::collections::{BTreeMap, VecDeque};

use pulldown_cmark::{Alignment, CodeBlockKind, CowStr, Event, LinkType, Parser, Tag, TagEnd};

use super::autolink::{Piece, pieces};
use super::limits::{DEPTH_MAX, OwnHtml, is_known};
use super::{ARTIFACT, Code, is_data_picture};
use crate::artifacts::block::{CodeBlock, Info, Labels};
use crate::render::highlight::{escape, highlighted};

pub(super) struct Dressed<'a> {
    parser: Parser<'a>,
    code: Code,
    own: OwnHtml,
    /// How many elements are open, including those that are left out.
    depth: usize,
    /// Events that come before the parser's next one.
    ready: VecDeque<Event<'a>>,
    /// How many links are open; there are no links in links.
    links: usize,
    table: Table,
    /// The numbers of footnotes, in the order of the text.
    notes: BTreeMap<String, usize>,
}

#[derive(Default)]
struct Table {
    alignments: Vec<Alignment>,
    is_head: bool,
    column: usize,
}

impl Table {
    fn cell(&self) -> &'static str {
        if self.is_head { "th" } else { "td" }
    }

    fn cell_start(&self) -> String {
        let align = match self.alignments.get(self.column) {
            Some(Alignment::Left) => " align=\"left\"",
            Some(Alignment::Center) => " align=\"center\"",
            Some(Alignment::Right) => " align=\"right\"",
            Some(Alignment::None) | None => "",
        };
        format!("<{}{align}>", self.cell())
    }
}

impl<'a> Dressed<'a> {
    pub(super) fn new(parser: Parser<'a>, code: Code, own: OwnHtml) -> Self {
        let (table, notes, ready) = (Table::default(), BTreeMap::new(), VecDeque::new());
        Self { parser, code, own, depth: 0, ready, links: 0, table, notes }
    }

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
        // Only we say what an artifact is.
        let is_marked = piece.to_ascii_lowercase().contains(ARTIFACT);
        self.own == OwnHtml::Kept && is_known(piece) && !is_marked
    }

    /// Joins the text up to the next other event, and makes links of its addresses.
    fn text(&mut self, text: &str) -> Option<Event<'a>> {
        let mut whole = text.to_owned();
        let next = loop {
            match self.next_shallow() {
                Some(Event::Text(more)) => whole.push_str(&more),
                other => break other,
            }
        };
        let mut events = match self.links {
            0 => linked(&whole),
            _ => vec![Event::Text(whole.into())],
        };
        // What `dressed` makes ready comes after its own event.
        events.extend(next.and_then(|next| self.dressed(next)));
        events.into_iter().rev().for_each(|event| self.ready.push_front(event));
        self.ready.pop_front()
    }

    #[expect(
        clippy::wildcard_enum_match_arm,
        reason = "the events are the parser's; what we do not change stays"
    )]
    fn dressed(&mut self, event: Event<'a>) -> Option<Event<'a>> {
        Some(match event {
            Event::Start(Tag::CodeBlock(kind)) => {
                // Its end is consumed with it.
                self.depth -= 1;
                Event::Html(self.code_block(&kind).into())
            }
            Event::Html(piece) if !self.keeps(&piece) => Event::Text(piece),
            Event::InlineHtml(piece) if !self.keeps(&piece) => Event::Text(piece),
            // A line break stays a line break.
            Event::SoftBreak => Event::HardBreak,
            Event::TaskListMarker(done) => Event::Text(if done { "☑ " } else { "☐ " }.into()),
            Event::Start(Tag::Image { dest_url, title, .. }) => self.picture(dest_url, title),
            Event::Start(Tag::Link { .. }) => {
                self.links += 1;
                event
            }
            Event::End(TagEnd::Link) => {
                self.links = self.links.saturating_sub(1);
                event
            }
            Event::FootnoteReference(name) => {
                let number = self.note(&name);
                html(format!("<sup class=\"note-{number}\">{number}</sup>"))
            }
            Event::Start(Tag::FootnoteDefinition(name)) => {
                let number = self.note(&name);
                html(format!(
                    "<div class=\"note-text\"><sup class=\"note-{number}\">{number}</sup>\n"
                ))
            }
            Event::End(TagEnd::FootnoteDefinition) => html("</div>\n"),
            Event::Start(Tag::Table(alignments)) => {
                self.table = Table { alignments: alignments.clone(), ..Table::default() };
                Event::Start(Tag::Table(alignments))
            }
            Event::Start(Tag::TableHead | Tag::TableRow) => {
                self.table.is_head = matches!(event, Event::Start(Tag::TableHead));
                self.table.column = 0;
                event
            }
            Event::Start(Tag::TableCell) => html(self.table.cell_start()),
            Event::End(TagEnd::TableCell) => {
                self.table.column += 1;
                html(format!("</{}>", self.table.cell()))
            }
            other => other,
        })
    }

    fn note(&mut self, name: &str) -> usize {
        let next = self.notes.len() + 1;
        *self.notes.entry(name.to_owned()).or_insert(next)
    }

    /// A picture in the text itself is shown. One from elsewhere is a link, which the page shows
    /// on request.
    #[expect(
        clippy::wildcard_enum_match_arm,
        reason = "the parser's events; the others are left out"
    )]
    fn picture(&mut self, dest_url: CowStr<'a>, title: CowStr<'a>) -> Event<'a> {
        let (mut alt, mut open) = (String::new(), 1);
        while open > 0
            && let Some(event) = self.parser.next()
        {
            match event {
                Event::Start(_) => open += 1,
                Event::End(_) => open -= 1,
                Event::Text(text) | Event::Code(text) => alt.push_str(&text),
                Event::SoftBreak | Event::HardBreak => alt.push(' '),
                _ => {}
            }
        }
        self.depth = self.depth.saturating_sub(1);
        if is_data_picture(&dest_url) {
            let mut image = format!("<img src=\"{dest_url}\" alt=\"");
            escape(&alt, &mut image);
            return html(image + "\">");
        }
        let text = if alt.trim().is_empty() { dest_url.to_string() } else { alt };
        if self.links > 0 {
            return Event::Text(text.into());
        }
        let (link_type, id) = (LinkType::Inline, CowStr::Borrowed(""));
        let after = [
            Event::Start(Tag::Link { link_type, dest_url, title, id }),
            Event::Text(text.into()),
            Event::End(TagEnd::Link),
            Event::InlineHtml("</span>".into()),
        ];
        self.ready.extend(after);
        Event::InlineHtml("<span class=\"picture\">".into())
    }

    fn code_block(&mut self, kind: &CodeBlockKind<'_>) -> String {
        let block = read_code(kind, &mut self.parser);
        let (language, code) = (block.info.language.as_str(), &block.code);
        let labels = labels(&block);
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
        format!("<pre{labels}><code{class}>{}</code></pre>\n", highlighted(code, language))
    }
}

/// What follows the start of a code block, up to its end.
#[expect(clippy::wildcard_enum_match_arm, reason = "a code block holds text alone")]
pub(super) fn read_code<'a>(
    kind: &CodeBlockKind<'_>,
    events: &mut impl Iterator<Item = Event<'a>>,
) -> CodeBlock {
    let info = match kind {
        CodeBlockKind::Fenced(info) => Info::of(info),
        CodeBlockKind::Indented => Info::default(),
    };
    let mut code = String::new();
    for event in events {
        match event {
            Event::Text(text) => code.push_str(&text),
            Event::End(TagEnd::CodeBlock) => break,
            _ => {}
        }
    }
    CodeBlock { info, code }
}

/// The page makes a card of an artifact.
fn labels(block: &CodeBlock) -> String {
    let Some(Labels { kind, title, file, name, .. }) = block.labels() else {
        return String::new();
    };
    let mut labels = format!(" {ARTIFACT}=\"{}\" data-title=\"", kind.as_str());
    escape(&title, &mut labels);
    labels.push_str("\" data-file=\"");
    escape(&file, &mut labels);
    labels.push('"');
    if name.is_some() {
        labels.push_str(" data-named=\"yes\"");
    }
    labels
}

impl<'a> Iterator for Dressed<'a> {
    type Item = Event<'a>;

    fn next(&mut self) -> Option<Event<'a>> {
        if let Some(event) = self.ready.pop_front() {
            return Some(event);
        }
        let event = self.next_shallow()?;
        if let Event::Text(text) = &event {
            return self.text(text);
        }
        self.dressed(event)
    }
}

fn html<'a>(html: impl Into<CowStr<'a>>) -> Event<'a> {
    Event::Html(html.into())
}

/// The text with links where it has addresses.
fn linked<'a>(text: &str) -> Vec<Event<'a>> {
    let events = pieces(text).into_iter().flat_map(|piece| match piece {
        Piece::Text(text) => vec![Event::Text(text.to_owned().into())],
        Piece::Link { text, url } => {
            let (dest_url, title, id) = (url.into(), "".into(), "".into());
            let link_type = LinkType::Inline;
            vec![
                Event::Start(Tag::Link { link_type, dest_url, title, id }),
                Event::Text(text.to_owned().into()),
                Event::End(TagEnd::Link),
            ]
        }
    });
    events.collect()
}
