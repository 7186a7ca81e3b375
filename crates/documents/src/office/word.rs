//! Word documents (`.docx`): paragraphs, tables as lines of cells, notes at the end.

use super::package::Package;
use crate::Unreadable;
use crate::budget::Budget;
use crate::xml::{Piece, Pieces, attribute};

pub(crate) fn word(bytes: &[u8], budget: &mut Budget) -> Result<String, Unreadable> {
    let mut package = Package::open(bytes)?;
    let mut text = String::new();
    let parts = ["word/document.xml", "word/footnotes.xml", "word/endnotes.xml"];
    for part in parts {
        if let Some(xml) = package.part(part, budget)? {
            paragraphs(&xml, budget, &mut text)?;
        }
    }
    Ok(text)
}

fn paragraphs(xml: &str, budget: &mut Budget, text: &mut String) -> Result<(), Unreadable> {
    let mut pieces = Pieces::of(xml);
    let mut in_text = false;
    let mut is_first_cell = true;
    while let Some(piece) = pieces.next(budget)? {
        if budget.is_full(text) {
            return Ok(());
        }
        match piece {
            Piece::Start { name: "w:t", .. } => in_text = true,
            Piece::End { name: "w:t" } => in_text = false,
            Piece::Start { name: "w:tab", .. } => text.push('\t'),
            Piece::Start { name: "w:br" | "w:cr", .. } => text.push('\n'),
            Piece::Start { name: "w:pStyle", attributes } => {
                text.push_str(heading(attribute(attributes, "w:val").as_deref()));
            }
            Piece::Start { name: "w:numPr", .. } => text.push_str("- "),
            Piece::Start { name: "w:tr", .. } => is_first_cell = true,
            Piece::Start { name: "w:tc", .. } => {
                if !is_first_cell {
                    // The paragraph of the cell before ended its line.
                    text.truncate(text.trim_end_matches('\n').len());
                    text.push_str(" | ");
                }
                is_first_cell = false;
            }
            Piece::End { name: "w:p" } => text.push('\n'),
            Piece::Text(words) if in_text => text.push_str(&words),
            Piece::Start { .. } | Piece::End { .. } | Piece::Text(_) => {}
        }
    }
    Ok(())
}

/// The Markdown of a heading's style.
fn heading(style: Option<&str>) -> &'static str {
    match style {
        Some("Title" | "Heading1") => "# ",
        Some("Heading2") => "## ",
        Some("Heading3") => "### ",
        Some(_) | None => "",
    }
}
