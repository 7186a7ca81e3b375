//! `OpenDocument` texts, spreadsheets and presentations: paragraphs, rows with tabs, pages.

use super::package::Package;
use crate::budget::Budget;
use crate::xml::{Piece, Pieces};
use crate::{PAGE_BREAK, Unreadable};

pub(crate) fn open_document(bytes: &[u8], budget: &mut Budget) -> Result<String, Unreadable> {
    let mut package = Package::open(bytes)?;
    if let Some(manifest) = package.part("META-INF/manifest.xml", budget)?
        && manifest.contains("manifest:encryption-data")
    {
        return Err(Unreadable::Encrypted);
    }
    let Some(xml) = package.part("content.xml", budget)? else {
        return Err(Unreadable::Damaged("it has no content"));
    };
    let (mut text, mut pieces) = (String::new(), Pieces::of(&xml));
    let (mut paragraphs, mut cells, mut pages) = (0_usize, 0_usize, 0_usize);
    while let Some(piece) = pieces.next(budget)? {
        if budget.is_full(&text) {
            break;
        }
        match piece {
            Piece::Start { name: "text:p" | "text:h", .. } => paragraphs += 1,
            Piece::End { name: "text:p" | "text:h" } => {
                paragraphs = paragraphs.saturating_sub(1);
                text.push(if cells > 0 { ' ' } else { '\n' });
            }
            Piece::Start { name: "text:s", .. } => text.push(' '),
            Piece::Start { name: "text:tab", .. } => text.push('\t'),
            Piece::Start { name: "text:line-break", .. } => text.push('\n'),
            Piece::Start { name: "table:table-cell", .. } => cells += 1,
            Piece::End { name: "table:table-cell" } => {
                cells = cells.saturating_sub(1);
                text.truncate(text.trim_end_matches(' ').len());
                text.push('\t');
            }
            Piece::End { name: "table:table-row" } => {
                text.truncate(text.trim_end_matches(['\t', ' ']).len());
                text.push('\n');
            }
            Piece::Start { name: "draw:page", .. } => {
                if pages > 0 {
                    text.push(PAGE_BREAK);
                }
                pages += 1;
            }
            Piece::Text(words) if paragraphs > 0 => text.push_str(&words),
            Piece::Start { .. } | Piece::End { .. } | Piece::Text(_) => {}
        }
    }
    Ok(text)
}
