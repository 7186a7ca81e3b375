//! PDF: the text of each page, in the order of its drawing.
//!
//! The file is read from its objects and not from its cross-reference table, so a damaged table
//! does not matter. Must hold: every loop takes steps from the budget, and nothing recurses
//! deeper than its constant.

mod cmap;
mod content;
mod file;
mod filter;
mod font;
mod glyph_names;
mod object;

use std::collections::BTreeSet;

use content::{Fonts, PageText};
use file::PdfFile;
use object::{Dict, Object};

use crate::budget::Budget;
use crate::{PAGE_BREAK, Unreadable};

/// Levels of the tree of pages.
const TREE_DEPTH_MAX: usize = 32;
const PAGES_MAX: usize = 10_000;

pub(crate) fn text(bytes: &[u8], budget: &mut Budget) -> Result<String, Unreadable> {
    let file = PdfFile::read(bytes, budget)?;
    let pages = pages(&file, budget)?;
    if pages.is_empty() {
        return Err(Unreadable::Damaged("it has no pages"));
    }
    let (mut text, mut fonts) = (String::new(), Fonts::new());
    for (at, page) in pages.iter().enumerate() {
        if at > 0 {
            text.push(PAGE_BREAK);
        }
        let words = PageText::of(&file, page, &mut fonts, budget)?;
        text.push_str(&words);
        if budget.is_full(&text) {
            break;
        }
    }
    Ok(text)
}

/// A page with the resources that it has or inherits.
struct Page<'a> {
    dict: &'a Dict,
    resources: Option<&'a Dict>,
}

/// The pages in their order.
fn pages<'a>(file: &'a PdfFile, budget: &mut Budget) -> Result<Vec<Page<'a>>, Unreadable> {
    let root = file.catalog().and_then(|root| file.dict(root.get("Pages")?));
    let mut found = Vec::new();
    if let Some(root) = root {
        let mut seen = BTreeSet::new();
        walk(file, root, None, 0, &mut seen, &mut found, budget)?;
    }
    if found.is_empty() {
        // Without a tree: all pages, in the order of their numbers.
        for object in file.objects() {
            budget.step()?;
            if let Object::Dict(dict) = object
                && dict.is_type("Page")
                && found.len() < PAGES_MAX
            {
                let resources = dict.get("Resources").and_then(|one| file.dict(one));
                found.push(Page { dict, resources });
            }
        }
    }
    Ok(found)
}

fn walk<'a>(
    file: &'a PdfFile,
    node: &'a Dict,
    inherited: Option<&'a Dict>,
    depth: usize,
    seen: &mut BTreeSet<u32>,
    found: &mut Vec<Page<'a>>,
    budget: &mut Budget,
) -> Result<(), Unreadable> {
    budget.step()?;
    let resources = node.get("Resources").and_then(|one| file.dict(one)).or(inherited);
    let Some(Object::Array(kids)) = node.get("Kids").map(|kids| file.resolved(kids)) else {
        if found.len() < PAGES_MAX {
            found.push(Page { dict: node, resources });
        }
        return Ok(());
    };
    if depth >= TREE_DEPTH_MAX {
        return Ok(());
    }
    for kid in kids {
        // A kid that is its own parent would never end.
        let is_new = if let Object::Reference(number) = kid { seen.insert(*number) } else { true };
        if let (true, Some(kid)) = (is_new, file.dict(kid)) {
            walk(file, kid, resources, depth + 1, seen, found, budget)?;
        }
    }
    Ok(())
}
