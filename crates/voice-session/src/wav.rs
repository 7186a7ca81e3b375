//! WAV files: 16-bit PCM in, mono out.

use crate::speech::Pcm;

/// Why a file cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum WavFault {
    #[error("this is not a WAV file")]
    NotWav,
    #[error("the WAV file ends too early")]
    CutOff,
    #[error("the WAV file has {0}; only 16-bit PCM can be read")]
    Unsupported(String),
}

/// The whole file as mono samples. Channels are averaged.
pub fn read_wav(bytes: &[u8]) -> Result<Pcm, WavFault> {
    if bytes.get(..4) != Some(b"RIFF".as_slice()) || bytes.get(8..12) != Some(b"WAVE".as_slice()) {
        return Err(WavFault::NotWav);
    }
    let mut format: Option<(u16, u32)> = None;
    let mut rest = &bytes[12..];
    while rest.len() >= 8 {
        let size = u32_at(rest, 4).ok_or(WavFault::CutOff)? as usize;
        let (name, body) = (&rest[..4], &rest[8..]);
        // A program that writes to a pipe does not know the length, and gives a huge one.
        let whole = body.get(..size).unwrap_or(body);
        if name == b"fmt " {
            format = Some(read_format(whole)?);
        } else if name == b"data" {
            let (channels, rate) = format.ok_or(WavFault::NotWav)?;
            return Ok(Pcm { rate, samples: mono(whole, channels) });
        }
        let next = size.saturating_add(size % 2);
        rest = body.get(next..).ok_or(WavFault::CutOff)?;
    }
    Err(WavFault::CutOff)
}

/// The number of channels and the rate.
fn read_format(body: &[u8]) -> Result<(u16, u32), WavFault> {
    let word = |at| u16_at(body, at).ok_or(WavFault::CutOff);
    let (kind, channels, bits) = (word(0)?, word(2)?, word(14)?);
    let rate = u32_at(body, 4).ok_or(WavFault::CutOff)?;
    // 0xFFFE: the extended form, whose samples are PCM in practice.
    if ![1, 0xFFFE].contains(&kind) || bits != 16 {
        return Err(WavFault::Unsupported(format!("format {kind} with {bits} bits")));
    }
    if channels == 0 || channels > 8 || !(4_000..=192_000).contains(&rate) {
        return Err(WavFault::Unsupported(format!("{channels} channels at {rate} Hz")));
    }
    Ok((channels, rate))
}

fn mono(body: &[u8], channels: u16) -> Vec<i16> {
    let frame = usize::from(channels) * 2;
    body.chunks_exact(frame)
        .map(|frame| {
            let sum: i32 = samples_of(frame).map(i32::from).sum();
            i16::try_from(sum / i32::from(channels)).unwrap_or_default()
        })
        .collect()
}

/// Samples of little-endian bytes.
pub(crate) fn samples_of(bytes: &[u8]) -> impl Iterator<Item = i16> {
    bytes.chunks_exact(2).map(|pair| i16::from_le_bytes([pair[0], pair[1]]))
}

/// A mono file with these samples.
pub fn write_wav(pcm: &Pcm) -> Vec<u8> {
    let data = u32::try_from(pcm.samples.len() * 2).unwrap_or(u32::MAX);
    let mut bytes = Vec::with_capacity(44 + pcm.samples.len() * 2);
    bytes.extend(b"RIFF");
    bytes.extend((data.saturating_add(36)).to_le_bytes());
    bytes.extend(b"WAVEfmt ");
    bytes.extend(16_u32.to_le_bytes());
    bytes.extend([1_u16, 1].iter().flat_map(|word| word.to_le_bytes()));
    bytes.extend([pcm.rate, pcm.rate * 2].iter().flat_map(|word| word.to_le_bytes()));
    bytes.extend([2_u16, 16].iter().flat_map(|word| word.to_le_bytes()));
    bytes.extend(b"data");
    bytes.extend(data.to_le_bytes());
    bytes.extend(pcm.samples.iter().flat_map(|sample| sample.to_le_bytes()));
    bytes
}

fn u16_at(bytes: &[u8], at: usize) -> Option<u16> {
    let pair = bytes.get(at..at + 2)?;
    Some(u16::from_le_bytes([pair[0], pair[1]]))
}

fn u32_at(bytes: &[u8], at: usize) -> Option<u32> {
    let four = bytes.get(at..at + 4)?;
    Some(u32::from_le_bytes([four[0], four[1], four[2], four[3]]))
}

#[cfg(test)]
mod tests;
