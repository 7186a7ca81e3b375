//! Presentations (`.pptx`): one page for each slide, with its notes.

use super::package::Package;
use crate::budget::Budget;
use crate::xml::{Piece, Pieces};
use crate::{PAGE_BREAK, Unreadable};

pub(crate) fn slides(bytes: &[u8], budget: &mut Budget) -> Result<String, Unreadable> {
    let mut package = Package::open(bytes)?;
    let mut text = String::new();
    for (at, part) in package.numbered("ppt/slides/slide", ".xml").iter().enumerate() {
        if at > 0 {
            text.push(PAGE_BREAK);
        }
        let notes = part.replace("ppt/slides/slide", "ppt/notesSlides/notesSlide");
        for part in [part, &notes] {
            if let Some(xml) = package.part(part, budget)? {
                paragraphs(&xml, budget, &mut text)?;
            }
        }
        if budget.is_full(&text) {
            break;
        }
    }
    Ok(text)
}

fn paragraphs(xml: &str, budget: &mut Budget, text: &mut String) -> Result<(), Unreadable> {
    let mut pieces = Pieces::of(xml);
    let mut in_text = false;
    while let Some(piece) = pieces.next(budget)? {
        match piece {
            Piece::Start { name: "a:t", .. } => in_text = true,
            Piece::End { name: "a:t" } => in_text = false,
            Piece::Start { name: "a:br", .. } | Piece::End { name: "a:p" } => text.push('\n'),
            Piece::Text(words) if in_text => text.push_str(&words),
            Piece::Start { .. } | Piece::End { .. } | Piece::Text(_) => {}
        }
    }
    Ok(())
}
