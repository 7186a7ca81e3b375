//! The filters of streams that text is packed with.

use std::io::Read as _;

use flate2::read::ZlibDecoder;

use super::object::is_space;
use crate::Unreadable;
use crate::budget::Budget;

/// More filters on one stream than any program writes.
const FILTERS_MAX: usize = 4;

/// Unpacks data; empty if a filter is unknown, because then it is not text.
pub(super) fn decoded(
    packed: &[u8],
    filters: &[&str],
    budget: &mut Budget,
) -> Result<Vec<u8>, Unreadable> {
    let mut data = packed.to_vec();
    budget.unpacked(data.len())?;
    for filter in filters.iter().take(FILTERS_MAX) {
        data = match *filter {
            "FlateDecode" | "Fl" => inflated(&data, budget)?,
            "ASCII85Decode" | "A85" => ascii_85(&data),
            "ASCIIHexDecode" | "AHx" => ascii_hex(&data),
            _ => return Ok(Vec::new()),
        };
    }
    Ok(data)
}

/// Data that is cut off gives what came before.
fn inflated(data: &[u8], budget: &mut Budget) -> Result<Vec<u8>, Unreadable> {
    let limit = u64::try_from(budget.unpacked_left()).unwrap_or(u64::MAX).saturating_add(1);
    let mut out = Vec::new();
    let _cut_off = ZlibDecoder::new(data).take(limit).read_to_end(&mut out);
    budget.unpacked(out.len())?;
    Ok(out)
}

fn ascii_hex(data: &[u8]) -> Vec<u8> {
    let digits = data.iter().take_while(|byte| **byte != b'>');
    let digits: Vec<_> = digits.filter_map(|byte| char::from(*byte).to_digit(16)).collect();
    let byte = |pair: &[u32]| {
        let low = pair.get(1).copied().unwrap_or(0);
        u8::try_from(pair.first().map_or(0, |high| high * 16 + low)).unwrap_or(0)
    };
    digits.chunks(2).map(byte).collect()
}

fn ascii_85(data: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(data.len() / 5 * 4);
    let mut group: Vec<u32> = Vec::with_capacity(5);
    for byte in data.iter().filter(|byte| !is_space(**byte)) {
        match byte {
            b'z' if group.is_empty() => out.extend([0; 4]),
            b'!'..=b'u' => group.push(u32::from(byte - b'!')),
            _ => break,
        }
        if group.len() == 5 {
            out.extend(number_of(&group).to_be_bytes());
            group.clear();
        }
    }
    if group.len() > 1 {
        let kept = group.len() - 1;
        group.resize(5, 84);
        out.extend(number_of(&group).to_be_bytes().iter().take(kept));
    }
    out
}

fn number_of(group: &[u32]) -> u32 {
    group.iter().fold(0, |sum: u32, digit| sum.wrapping_mul(85).wrapping_add(*digit))
}
