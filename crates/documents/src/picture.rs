//! The size of a picture in pixels, from its header.

use crate::Kind;

/// Width and height; none if the header does not say.
pub fn size_of(kind: Kind, bytes: &[u8]) -> Option<(u32, u32)> {
    match kind {
        Kind::Png => {
            Some((u32::from_be_bytes(four(bytes, 16)?), u32::from_be_bytes(four(bytes, 20)?)))
        }
        Kind::Gif => Some((little(bytes, 6, 2)?, little(bytes, 8, 2)?)),
        Kind::Jpeg => jpeg(bytes),
        Kind::Webp => webp(bytes),
        Kind::Text | Kind::Pdf | Kind::Word | Kind::Sheet | Kind::Slides | Kind::OpenDocument => {
            None
        }
    }
}

fn four(bytes: &[u8], at: usize) -> Option<[u8; 4]> {
    bytes.get(at..at.checked_add(4)?)?.try_into().ok()
}

fn little(bytes: &[u8], at: usize, count: usize) -> Option<u32> {
    let bytes = bytes.get(at..at.checked_add(count)?)?;
    Some(bytes.iter().rev().fold(0, |sum, byte| (sum << 8) | u32::from(*byte)))
}

fn big(bytes: &[u8], at: usize) -> Option<u32> {
    let bytes: [u8; 2] = bytes.get(at..at.checked_add(2)?)?.try_into().ok()?;
    Some(u32::from(u16::from_be_bytes(bytes)))
}

/// Walks the segments to the frame header.
fn jpeg(bytes: &[u8]) -> Option<(u32, u32)> {
    let mut at = 2;
    loop {
        if *bytes.get(at)? != 0xFF {
            return None;
        }
        match *bytes.get(at + 1)? {
            0xFF => at += 1,
            0x01 | 0xD0..=0xD8 => at += 2,
            0xC0..=0xC3 | 0xC5..=0xC7 | 0xC9..=0xCB | 0xCD..=0xCF => {
                return Some((big(bytes, at + 7)?, big(bytes, at + 5)?));
            }
            _ => at = at.checked_add(2)?.checked_add(usize::try_from(big(bytes, at + 2)?).ok()?)?,
        }
    }
}

fn webp(bytes: &[u8]) -> Option<(u32, u32)> {
    match bytes.get(12..16)? {
        b"VP8X" => Some((little(bytes, 24, 3)? + 1, little(bytes, 27, 3)? + 1)),
        b"VP8 " => Some((little(bytes, 26, 2)? & 0x3FFF, little(bytes, 28, 2)? & 0x3FFF)),
        b"VP8L" => {
            let bits = little(bytes, 21, 4)?;
            Some(((bits & 0x3FFF) + 1, ((bits >> 14) & 0x3FFF) + 1))
        }
        _ => None,
    }
}
