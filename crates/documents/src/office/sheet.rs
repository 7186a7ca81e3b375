//! Spreadsheets (`.xlsx`): one page for each sheet, its name first, then its rows with tabs.
//! Cells have their values, not their formulas.

use super::package::Package;
use crate::budget::Budget;
use crate::xml::{Piece, Pieces, attribute};
use crate::{PAGE_BREAK, Unreadable};

/// Empty cells before a value are kept up to this many.
const GAP_MAX: usize = 64;

pub(crate) fn sheet(bytes: &[u8], budget: &mut Budget) -> Result<String, Unreadable> {
    let mut package = Package::open(bytes)?;
    let strings = match package.part("xl/sharedStrings.xml", budget)? {
        Some(xml) => shared_strings(&xml, budget)?,
        None => Vec::new(),
    };
    let names = match package.part("xl/workbook.xml", budget)? {
        Some(xml) => sheet_names(&xml, budget)?,
        None => Vec::new(),
    };
    let mut text = String::new();
    for (at, part) in package.numbered("xl/worksheets/sheet", ".xml").iter().enumerate() {
        if at > 0 {
            text.push(PAGE_BREAK);
        }
        if let Some(name) = names.get(at) {
            text.push_str(name);
            text.push('\n');
        }
        if let Some(xml) = package.part(part, budget)? {
            rows(&xml, &strings, budget, &mut text)?;
        }
        if budget.is_full(&text) {
            break;
        }
    }
    Ok(text)
}

fn shared_strings(xml: &str, budget: &mut Budget) -> Result<Vec<String>, Unreadable> {
    let (mut strings, mut pieces) = (Vec::new(), Pieces::of(xml));
    let (mut current, mut in_text) = (String::new(), false);
    while let Some(piece) = pieces.next(budget)? {
        match piece {
            Piece::Start { name: "t", .. } => in_text = true,
            Piece::End { name: "t" } => in_text = false,
            Piece::End { name: "si" } => strings.push(std::mem::take(&mut current)),
            Piece::Text(words) if in_text => current.push_str(&words),
            Piece::Start { .. } | Piece::End { .. } | Piece::Text(_) => {}
        }
    }
    Ok(strings)
}

fn sheet_names(xml: &str, budget: &mut Budget) -> Result<Vec<String>, Unreadable> {
    let (mut names, mut pieces) = (Vec::new(), Pieces::of(xml));
    while let Some(piece) = pieces.next(budget)? {
        if let Piece::Start { name: "sheet", attributes } = piece {
            names.push(attribute(attributes, "name").unwrap_or_default().into_owned());
        }
    }
    Ok(names)
}

/// What the value of a cell is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Cell {
    Shared,
    Boolean,
    AsIs,
}

fn rows(
    xml: &str,
    strings: &[String],
    budget: &mut Budget,
    text: &mut String,
) -> Result<(), Unreadable> {
    let mut pieces = Pieces::of(xml);
    let (mut cell, mut in_value, mut value) = (Cell::AsIs, false, String::new());
    let (mut column, mut written) = (0, 0);
    while let Some(piece) = pieces.next(budget)? {
        if budget.is_full(text) {
            return Ok(());
        }
        match piece {
            Piece::Start { name: "row", .. } => (column, written) = (0, 0),
            Piece::Start { name: "c", attributes } => {
                let place = attribute(attributes, "r");
                column = place.and_then(|place| column_of(&place)).unwrap_or(column + 1);
                cell = match attribute(attributes, "t").as_deref() {
                    Some("s") => Cell::Shared,
                    Some("b") => Cell::Boolean,
                    Some(_) | None => Cell::AsIs,
                };
            }
            Piece::Start { name: "v" | "t", .. } => in_value = true,
            Piece::End { name: "v" | "t" } => in_value = false,
            Piece::Text(words) if in_value => value.push_str(&words),
            Piece::End { name: "c" } => {
                let value = std::mem::take(&mut value);
                let shown = match cell {
                    Cell::Shared => value.parse().ok().and_then(|at: usize| strings.get(at)),
                    Cell::Boolean | Cell::AsIs => None,
                };
                let shown = match (cell, shown) {
                    (Cell::Shared, shown) => shown.map_or("", String::as_str),
                    (Cell::Boolean, _) => {
                        if value == "1" {
                            "TRUE"
                        } else {
                            "FALSE"
                        }
                    }
                    (Cell::AsIs, _) => &value,
                };
                if !shown.is_empty() {
                    let tabs = column.saturating_sub(written.max(1)).min(GAP_MAX);
                    text.extend(std::iter::repeat_n('\t', tabs));
                    text.extend(shown.chars().map(|c| if c == '\n' { ' ' } else { c }));
                    written = column;
                }
            }
            Piece::End { name: "row" } => text.push('\n'),
            Piece::Start { .. } | Piece::End { .. } | Piece::Text(_) => {}
        }
    }
    Ok(())
}

/// The number of a cell's column, from 1: `C7` is in the third.
fn column_of(place: &str) -> Option<usize> {
    let letters = place.bytes().take_while(u8::is_ascii_uppercase);
    let number = letters.take(3).fold(0, |sum, letter| sum * 26 + usize::from(letter - b'A') + 1);
    (number > 0).then_some(number)
}
