//! Streams with every line ending, split at every byte.

use super::*;

/// The frames of a text, which must not depend on where it is split.
#[track_caller]
fn frames(text: &str) -> Vec<String> {
    let bytes = text.as_bytes();
    let read = |pieces: &[&[u8]]| {
        let mut reader = FrameReader::new(1_000);
        let mut frames = Vec::new();
        for piece in pieces {
            frames.extend(reader.push(piece).unwrap());
        }
        frames.extend(reader.finish().unwrap());
        frames
    };
    let whole = read(&[bytes]);
    for cut in 0..=bytes.len() {
        let (left, right) = bytes.split_at(cut);
        assert_eq!(read(&[left, right]), whole, "cut at {cut}");
    }
    let single: Vec<&[u8]> = bytes.chunks(1).collect();
    assert_eq!(read(&single), whole, "byte by byte");
    let show = |frame: Frame| match frame {
        Frame::Json(value) => value.to_string(),
        Frame::Done => "done".to_owned(),
    };
    whole.into_iter().map(show).collect()
}

#[test]
fn every_line_ending_is_accepted() {
    for end in ["\n", "\r\n", "\r"] {
        let text =
            "event: a|data: {\"a\":1}||: keep-alive|id: 7|data: {|data: \"b\":2}||data:[DONE]||";
        assert_eq!(
            frames(&text.replace('|', end)),
            [r#"{"a":1}"#, r#"{"b":2}"#, "done"],
            "{end:?}"
        );
    }
}

#[test]
fn byte_order_marks_comments_and_empty_events_are_skipped() {
    assert_eq!(frames("\u{feff}data: 1\n\n"), ["1"]);
    assert_eq!(
        frames(": OPENROUTER PROCESSING\n\n\n\nevent: ping\n\ndatax: 2\n\ndata: \"ü\"\n\n"),
        ["\"ü\""]
    );
}

#[test]
fn a_missing_last_line_end_is_tolerated_and_a_cut_event_is_a_fault() {
    assert_eq!(frames("data: 1\n\ndata: [DONE]"), ["1", "done"]);
    let mut reader = FrameReader::new(100);
    reader.push(b"data: {\"a\":").unwrap();
    assert_eq!(reader.finish().unwrap_err().kind, contract::FaultKind::Truncated);
}

#[test]
fn the_size_of_a_frame_is_limited_over_all_its_lines() {
    let mut reader = FrameReader::new(20);
    reader.push(b"data: \"12345\n").unwrap();
    assert_eq!(reader.push(b"data: 6789012345").unwrap_err().kind, contract::FaultKind::TooLarge);
}

#[test]
fn invalid_json_is_garbled() {
    let fault = FrameReader::new(100).push(b"data: <html>\n\n").unwrap_err();
    assert_eq!(fault.kind, contract::FaultKind::Garbled);
}
