//! Fonts: how the bytes of a shown text become characters, and how wide they are.

use std::collections::BTreeMap;

use encoding_rs::{Encoding, MACINTOSH, WINDOWS_1252};

use super::cmap::{CMap, number};
use super::file::PdfFile;
use super::glyph_names::character;
use super::object::{Dict, Object};
use crate::Unreadable;
use crate::budget::Budget;

/// The width of a glyph that the font does not state, in thousandths of its size.
const WIDTH: f64 = 500.0;

pub(super) struct Font {
    to_unicode: CMap,
    code_bytes: usize,
    base: &'static Encoding,
    differences: BTreeMap<u32, char>,
    widths: BTreeMap<u32, f64>,
    default_width: f64,
}

impl Font {
    pub(super) fn read(
        file: &PdfFile<'_>,
        dict: &Dict,
        budget: &mut Budget,
    ) -> Result<Self, Unreadable> {
        let to_unicode = match dict.get("ToUnicode") {
            Some(stream) => CMap::parse(&file.data(stream, budget)?, budget)?,
            None => CMap::default(),
        };
        let is_composite = dict.name("Subtype") == Some("Type0");
        let encoding = dict.get("Encoding").map(|encoding| file.resolved(encoding));
        let base = match encoding {
            Some(Object::Name(name)) => Some(name.as_str()),
            Some(Object::Dict(dict)) => dict.name("BaseEncoding"),
            Some(_) | None => None,
        };
        let mut font = Self {
            code_bytes: match is_composite {
                true => to_unicode.code_bytes.unwrap_or(2),
                false => 1,
            },
            to_unicode,
            base: if base == Some("MacRomanEncoding") { MACINTOSH } else { WINDOWS_1252 },
            differences: BTreeMap::new(),
            widths: BTreeMap::new(),
            default_width: if is_composite { 1000.0 } else { WIDTH },
        };
        if let Some(Object::Dict(encoding)) = encoding {
            font.read_differences(file, encoding, budget)?;
        }
        match is_composite {
            true => font.read_composite_widths(file, dict, budget)?,
            false => font.read_widths(file, dict, budget)?,
        }
        Ok(font)
    }

    /// `[65 /A /B 97 /a]`: names for codes, counting up.
    fn read_differences(
        &mut self,
        file: &PdfFile<'_>,
        encoding: &Dict,
        budget: &mut Budget,
    ) -> Result<(), Unreadable> {
        let list = encoding.get("Differences").map(|list| file.resolved(list));
        let Some(Object::Array(list)) = list else { return Ok(()) };
        let mut code = 0_u32;
        for item in list {
            budget.step()?;
            if let Object::Name(name) = item {
                if let Some(c) = character(name) {
                    self.differences.insert(code, c);
                }
                code = code.saturating_add(1);
            } else {
                code = item.count().and_then(|at| u32::try_from(at).ok()).unwrap_or(code);
            }
        }
        Ok(())
    }

    fn read_widths(
        &mut self,
        file: &PdfFile<'_>,
        dict: &Dict,
        budget: &mut Budget,
    ) -> Result<(), Unreadable> {
        let first = dict.get("FirstChar").and_then(Object::count).unwrap_or(0);
        let widths = dict.get("Widths").map(|widths| file.resolved(widths));
        let Some(Object::Array(widths)) = widths else { return Ok(()) };
        for (offset, width) in widths.iter().enumerate() {
            budget.step()?;
            self.add_width(first.saturating_add(offset), file.resolved(width).number());
        }
        Ok(())
    }

    /// `[5 [300 400] 10 20 500]`: widths from a code on, or one for a range of codes.
    fn read_composite_widths(
        &mut self,
        file: &PdfFile<'_>,
        dict: &Dict,
        budget: &mut Budget,
    ) -> Result<(), Unreadable> {
        let inner = dict.get("DescendantFonts").map(|fonts| file.resolved(fonts));
        let Some(Object::Array(inner)) = inner else { return Ok(()) };
        let Some(inner) = inner.first().and_then(|font| file.dict(font)) else { return Ok(()) };
        if let Some(width) = inner.get("DW").and_then(|width| file.resolved(width).number()) {
            self.default_width = width;
        }
        let list = inner.get("W").map(|list| file.resolved(list));
        let Some(Object::Array(list)) = list else { return Ok(()) };
        let mut at = 0;
        while let (Some(first), Some(second)) = (list.get(at), list.get(at + 1)) {
            budget.step()?;
            let Some(first) = file.resolved(first).count() else { break };
            let second = file.resolved(second);
            if let Object::Array(widths) = second {
                for (offset, width) in widths.iter().enumerate() {
                    budget.step()?;
                    self.add_width(first.saturating_add(offset), width.number());
                }
                at += 2;
                continue;
            }
            let width = list.get(at + 2).and_then(Object::number);
            let last = second.count().unwrap_or(first).min(0xFFFF);
            for code in first..=last {
                budget.step()?;
                self.add_width(code, width);
            }
            at += 3;
        }
        Ok(())
    }

    fn add_width(&mut self, code: usize, width: Option<f64>) {
        if let (Ok(code @ 0..=0xFFFF), Some(width)) = (u32::try_from(code), width) {
            self.widths.insert(code, width);
        }
    }

    /// Adds the characters of a shown text, and returns its width in thousandths, and how many
    /// codes and spaces it has.
    pub(super) fn show(&self, bytes: &[u8], text: &mut String) -> Shown {
        let mut shown = Shown::default();
        for code in bytes.chunks(self.code_bytes) {
            let code_number = number(code);
            shown.codes += 1;
            shown.spaces += usize::from(code == b" ");
            shown.width += self.widths.get(&code_number).copied().unwrap_or(self.default_width);
            if let Some(known) = self.to_unicode.text(code_number) {
                text.extend(known.chars().flat_map(plain));
            } else if let Some(c) = self.differences.get(&code_number) {
                text.extend(plain(*c));
            } else if self.code_bytes == 1 && (self.to_unicode.is_empty() || code.is_ascii()) {
                let (decoded, _) = self.base.decode_without_bom_handling(code);
                text.extend(decoded.chars().filter(|c| !c.is_control()));
            }
        }
        shown
    }
}

/// A ligature as its letters, so that words can be found; nothing for a control character.
fn plain(c: char) -> impl Iterator<Item = char> {
    let mut own = [0; 4];
    let letters = match c {
        'ﬀ' => "ff",
        'ﬁ' => "fi",
        'ﬂ' => "fl",
        'ﬃ' => "ffi",
        'ﬄ' => "ffl",
        c if c.is_control() => "",
        c => c.encode_utf8(&mut own),
    };
    letters.chars().collect::<Vec<_>>().into_iter()
}

#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Shown {
    pub width: f64,
    pub codes: usize,
    pub spaces: usize,
}
