//! Files of other programs, and broken ones.

use super::{WavFault, read_wav, write_wav};
use crate::speech::Pcm;

fn pcm() -> Pcm {
    Pcm { rate: 22_050, samples: vec![0, 1, -1, i16::MAX, i16::MIN] }
}

#[test]
fn what_was_written_is_read() {
    assert_eq!(read_wav(&write_wav(&pcm())), Ok(pcm()));
}

#[test]
fn channels_are_averaged_and_other_chunks_are_skipped() {
    let mut bytes = write_wav(&Pcm { rate: 16_000, samples: vec![100, 300, -50, 50] });
    bytes[22] = 2;
    let note = [b"LIST".as_slice(), &3_u32.to_le_bytes(), b"abc\0"].concat();
    bytes.splice(36..36, note);
    assert_eq!(read_wav(&bytes), Ok(Pcm { rate: 16_000, samples: vec![200, 0] }));
}

#[test]
fn a_stream_of_unknown_length_is_read_to_its_end() {
    let mut bytes = write_wav(&pcm());
    bytes[40..44].copy_from_slice(&0x7FFF_F000_u32.to_le_bytes());
    assert_eq!(read_wav(&bytes), Ok(pcm()));
}

#[test]
fn what_cannot_be_read_is_named() {
    let check = |bytes: &[u8], fault: WavFault| assert_eq!(read_wav(bytes), Err(fault));
    check(b"", WavFault::NotWav);
    check(b"OggS and more than twelve bytes", WavFault::NotWav);
    let good = write_wav(&pcm());
    check(&good[..30], WavFault::CutOff);
    check(&good[..36], WavFault::CutOff);
    let mut wide = good;
    wide[34] = 24;
    check(&wide, WavFault::Unsupported("format 1 with 24 bits".to_owned()));
}

#[test]
fn no_file_stops_the_program() {
    let good = write_wav(&pcm());
    for end in 0..good.len() {
        let _ = read_wav(&good[..end]);
    }
    for at in 0..good.len() {
        for byte in 0..=u8::MAX {
            let mut bytes = good.clone();
            bytes[at] = byte;
            if let Ok(pcm) = read_wav(&bytes) {
                assert!(pcm.samples.len() <= 5 && pcm.rate >= 4_000, "byte {at} is {byte}");
            }
        }
    }
}
