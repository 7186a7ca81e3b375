//! Converts Notion's Markdown to plain Markdown: removes its tags and attributes.
//!
//! In: the result of `GET /v1/pages/:id/markdown`. Out: Markdown. Must hold: pure; signed file
//! addresses are removed; code is left alone.

/// Notion escapes these outside of code.
const ESCAPED: &str = "\\*~`$[]<>{}|^";

/// Tags that are removed around their text.
const WRAPPERS: [&str; 16] = [
    "span",
    "columns",
    "column",
    "callout",
    "details",
    "summary",
    "synced_block",
    "synced_block_reference",
    "mention-user",
    "mention-page",
    "mention-database",
    "mention-data-source",
    "mention-agent",
    "meeting-notes",
    "notes",
    "transcript",
];

/// The text without Notion's extensions.
pub(crate) fn plain(text: &str) -> String {
    let mut lines = Vec::new();
    let mut fence: Option<usize> = None;
    for line in text.lines() {
        let marks = line.trim_start().chars().take_while(|c| *c == '`').count();
        let in_code = fence.is_some();
        fence = match fence {
            None if marks >= 3 => Some(marks),
            Some(open) if marks >= open => None,
            other => other,
        };
        match in_code || fence.is_some() {
            true => lines.push(line.to_owned()),
            false => lines.extend(plain_line(line)),
        }
    }
    lines.join("\n").trim().to_owned()
}

/// `None` for a line of Notion's tags only.
fn plain_line(line: &str) -> Option<String> {
    let words = line.trim_start_matches('\t');
    let depth = line.len() - words.len();
    if words.trim() == "<empty-block/>" {
        return Some(String::new());
    }
    if words.starts_with(":::") {
        return None;
    }
    let read = inline(without_attributes(words));
    let is_gone = read.trim().is_empty() && !words.trim().is_empty();
    (!is_gone).then(|| format!("{}{read}", "  ".repeat(depth)).trim_end().to_owned())
}

/// Without `{color="blue"}` at its end.
fn without_attributes(line: &str) -> &str {
    let attributes = line.strip_suffix('}').and_then(|rest| rest.rsplit_once('{'));
    match attributes {
        Some((before, inside)) if inside.ends_with('"') && inside.contains("=\"") => {
            before.trim_end()
        }
        _ => line,
    }
}

fn inline(line: &str) -> String {
    let mut out = String::new();
    let mut rest = line;
    while let Some(first) = rest.chars().next() {
        let step = match first {
            '\\' => escaped(rest),
            '`' => code(rest),
            '!' => image(rest),
            '<' => tag(rest),
            _ => None,
        };
        let (read, left) = step.unwrap_or_else(|| {
            let (one, left) = rest.split_at(first.len_utf8());
            (one.to_owned(), left)
        });
        out.push_str(&read);
        rest = left;
    }
    out
}

/// The converted text, and the rest.
type Step<'a> = Option<(String, &'a str)>;

fn escaped(text: &str) -> Step<'_> {
    let mut characters = text.strip_prefix('\\')?.chars();
    let escaped = characters.next().filter(|c| ESCAPED.contains(*c))?;
    Some((escaped.to_string(), characters.as_str()))
}

/// A code span with its backticks.
fn code(text: &str) -> Step<'_> {
    let ticks = text.chars().take_while(|c| *c == '`').count();
    let (fence, inside) = text.split_at(ticks);
    let end = ticks + inside.find(fence)? + ticks;
    let (code, left) = text.split_at(end);
    Some((code.to_owned(), left))
}

fn image(text: &str) -> Step<'_> {
    let (caption, rest) = text.strip_prefix("![")?.split_once("](")?;
    let (_, left) = rest.split_once(')')?;
    Some((media(&inline(caption), "image"), left))
}

fn media(caption: &str, kind: &str) -> String {
    let caption = caption.trim();
    format!("[media: {}]", if caption.is_empty() { kind } else { caption })
}

fn tag(text: &str) -> Step<'_> {
    let (inside, left) = text.strip_prefix('<')?.split_once('>')?;
    let inside = inside.trim_end_matches('/');
    let name = inside.trim_start_matches('/').split_whitespace().next()?;
    match name {
        "video" | "audio" | "file" | "pdf" => {
            let (caption, left) = left.split_once(&format!("</{name}>"))?;
            Some((media(&inline(caption), name), left))
        }
        "page" | "database" => {
            let (title, left) = left.split_once(&format!("</{name}>"))?;
            Some((format!("[{}]", inline(title)), left))
        }
        "unknown" => {
            let kind = attribute(inside, "alt").unwrap_or("unknown");
            Some((format!("[unsupported: {kind}]"), left))
        }
        "mention-date" => Some((date(inside), left)),
        "empty-block" | "table_of_contents" => Some((String::new(), left)),
        name if WRAPPERS.contains(&name) => Some((icon(inside), left)),
        _ => None,
    }
}

fn date(tag: &str) -> String {
    let start = attribute(tag, "start").unwrap_or_default();
    match attribute(tag, "end") {
        Some(end) => format!("{start} – {end}"),
        None => start.to_owned(),
    }
}

/// The icon of a callout, unless it is an address.
fn icon(tag: &str) -> String {
    let sign = attribute(tag, "icon").filter(|icon| icon.chars().all(|c| !c.is_ascii()));
    sign.map(str::to_owned).unwrap_or_default()
}

fn attribute<'a>(tag: &'a str, name: &str) -> Option<&'a str> {
    let (_, value) = tag.split_once(&format!(" {name}=\""))?;
    value.split_once('"').map(|(value, _)| value)
}

#[cfg(test)]
mod tests;
