//! What the codes of a font mean: the `ToUnicode` table of a font.

use std::collections::BTreeMap;

use super::object::{Object, Parser};
use crate::Unreadable;
use crate::budget::Budget;

/// Codes of one table; a font has at most 65,536.
const CODES_MAX: usize = 70_000;

#[derive(Debug, Default)]
pub(super) struct CMap {
    texts: BTreeMap<u32, String>,
    /// How many bytes a code has, if the table says it.
    pub code_bytes: Option<usize>,
}

impl CMap {
    pub(super) fn parse(data: &[u8], budget: &mut Budget) -> Result<Self, Unreadable> {
        let mut map = Self::default();
        let mut parser = Parser::new(data, 0);
        let mut operands: Vec<Object> = Vec::new();
        while let Some(object) = parser.object() {
            budget.step()?;
            let Object::Word(word) = &object else {
                operands.push(object);
                continue;
            };
            match word.as_str() {
                "endcodespacerange" => {
                    let bytes = operands.iter().filter_map(bytes_of).map(<[u8]>::len).max();
                    map.code_bytes = bytes.filter(|count| (1..=4).contains(count));
                }
                "endbfchar" => {
                    for pair in operands.chunks_exact(2) {
                        budget.step()?;
                        if let [code, text] = pair {
                            map.add(bytes_of(code), text, 0);
                        }
                    }
                }
                "endbfrange" => map.ranges(&operands, budget)?,
                _ => {}
            }
            operands.clear();
        }
        Ok(map)
    }

    fn ranges(&mut self, operands: &[Object], budget: &mut Budget) -> Result<(), Unreadable> {
        for range in operands.chunks_exact(3) {
            let [first, last, to] = range else { continue };
            let (Some(first), Some(last)) = (bytes_of(first), bytes_of(last)) else { continue };
            let (from, until) = (number(first), number(last));
            for (offset, code) in (from..=until).take(CODES_MAX).enumerate() {
                budget.step()?;
                let code = code.to_be_bytes();
                if let Object::Array(texts) = to {
                    if let Some(text) = texts.get(offset) {
                        self.add(Some(&code), text, 0);
                    }
                } else {
                    self.add(Some(&code), to, offset);
                }
            }
        }
        Ok(())
    }

    /// The text of a code; in a range, the last letter counts up.
    fn add(&mut self, code: Option<&[u8]>, text: &Object, offset: usize) {
        let (Some(code), Some(text)) = (code, bytes_of(text)) else { return };
        let units = text.chunks_exact(2).map(|two| u16::from_be_bytes([two[0], two[1]]));
        let mut text: String = char::decode_utf16(units.take(16)).flatten().collect();
        if offset > 0
            && let Some(last) = text.pop()
        {
            let next = u32::from(last).saturating_add(u32::try_from(offset).unwrap_or(0));
            text.extend(char::from_u32(next));
        }
        if self.texts.len() < CODES_MAX {
            self.texts.insert(number(code), text);
        }
    }

    pub(super) fn text(&self, code: u32) -> Option<&str> {
        self.texts.get(&code).map(String::as_str)
    }

    pub(super) fn is_empty(&self) -> bool {
        self.texts.is_empty()
    }
}

fn bytes_of(object: &Object) -> Option<&[u8]> {
    if let Object::Text(bytes) = object { Some(bytes) } else { None }
}

pub(super) fn number(bytes: &[u8]) -> u32 {
    bytes.iter().take(4).fold(0, |sum, byte| (sum << 8) | u32::from(*byte))
}
