//! Finds the headings and code fences of a Markdown document, with their locations.
//!
//! Only what the checks need: ATX headings and fenced blocks, as CommonMark defines
//! them. A heading inside a fence is code.

use std::ops::Range;

/// The outline of a document.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Outline {
    pub headings: Vec<Heading>,
    pub fences: Vec<Fence>,
}

#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Heading {
    pub level: usize,
    pub title: String,
    pub span: Range<usize>,
}

#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Fence {
    /// The words after the opening marks.
    pub info: String,
    pub open: Range<usize>,
    pub body: Range<usize>,
    pub end: FenceEnd,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum FenceEnd {
    Closed,
    EndOfFile,
}

/// Reads the outline of a text.
pub(crate) fn outline(text: &str) -> Outline {
    let mut outline = Outline::default();
    let mut open: Option<(char, usize, Fence)> = None;
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let span = at..at + line.trim_end().len();
        let start = at;
        at += line.len();
        let indent = line.len() - line.trim_start_matches(' ').len();
        let body = line.trim();
        match &mut open {
            Some((mark, length, fence)) => {
                let closes = indent < 4
                    && body.chars().all(|c| c == *mark)
                    && body.chars().count() >= *length;
                match closes {
                    true => {
                        fence.end = FenceEnd::Closed;
                        outline.fences.extend(open.take().map(|(_, _, fence)| fence));
                    }
                    false => fence.body.end = at,
                }
            }
            None if indent >= 4 => {}
            None => match fence_mark(body) {
                Some((mark, length)) => {
                    let info = body[length..].trim().to_owned();
                    let fence = Fence { info, open: span, body: at..at, end: FenceEnd::EndOfFile };
                    open = Some((mark, length, fence));
                }
                None => outline.headings.extend(heading(body, start + indent..span.end)),
            },
        }
    }
    outline.fences.extend(open.map(|(_, _, fence)| fence));
    outline
}

fn fence_mark(line: &str) -> Option<(char, usize)> {
    let mark = line.chars().next().filter(|c| matches!(c, '`' | '~'))?;
    let length = line.chars().take_while(|c| *c == mark).count();
    let inline = mark == '`' && line[length..].contains('`');
    (length >= 3 && !inline).then_some((mark, length))
}

fn heading(line: &str, span: Range<usize>) -> Option<Heading> {
    let level = line.chars().take_while(|c| *c == '#').count();
    let rest = &line[level..];
    let fits = (1..=6).contains(&level) && (rest.is_empty() || rest.starts_with([' ', '\t']));
    let title = rest.trim().trim_end_matches('#').trim().to_owned();
    fits.then_some(Heading { level, title, span })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headings_in_fences_are_code_and_fences_close_with_their_own_marker() {
        let text = "# A\n\n````json x\n## B\n```\n````\n   ## C ##\n    ## D\n#E\n~~~\nend";
        let found = outline(text);
        let titles: Vec<_> = found.headings.iter().map(|h| (h.level, h.title.as_str())).collect();
        assert_eq!(titles, [(1, "A"), (2, "C")]);
        assert_eq!(found.fences[0].info, "json x");
        assert_eq!(&text[found.fences[0].body.clone()], "## B\n```\n");
        assert_eq!(found.fences[1].end, FenceEnd::EndOfFile);
        assert_eq!(&text[found.headings[1].span.clone()], "## C ##");
    }
}
