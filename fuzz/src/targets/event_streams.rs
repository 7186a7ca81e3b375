//! The decoders of event streams: any bytes end in a reply or a fault, and it does not matter
//! where they are cut.

use contract::{Block, Message, Reply, Wire};
use fake_providers::scenarios;
use models::wire::{CallIds, Frame, FrameReader, decoder, read_whole};

use super::{Check, Target};

pub(super) const TARGET: Target =
    Target { name: "event-streams", seeds, words: WORDS, check: || -> Check { Box::new(check) } };

const FRAME_BYTES_MAX: usize = 32 << 10;

const WORDS: &[&str] = &[
    "data: ",
    "data:",
    "event: message_stop\n",
    "\n\n",
    "\r\n\r\n",
    "\r",
    ": comment\n",
    "id: 1\nretry: 5\n",
    "data: [DONE]\n\n",
    "data: {}\n\n",
    "\"index\":18446744073709551615,",
    "\"index\":-1,",
    "\"type\":\"content_block_start\",",
    "\"type\":\"tool_use\",",
    "\"type\":\"response.completed\",",
    "\"delta\":null,",
    "\"usage\":{\"input_tokens\":1e30},",
    "\"tool_calls\":[{\"index\":999999999}],",
    "\"partial_json\":\"{\\\"a\\\":\"",
    "\"finish_reason\":\"tool_calls\"",
];

fn seeds() -> Vec<Vec<u8>> {
    scenarios::all().into_iter().map(|scenario| scenario.frames).collect()
}

fn check(input: &[u8]) -> Result<(), String> {
    let whole = frames(input, input.len().max(1));
    for size in [1, 7] {
        if frames(input, size) != whole {
            return Err(format!("pieces of {size} bytes give other frames"));
        }
    }
    for wire in Wire::ALL {
        // Whatever came, the decoder says how it ends.
        let _: Option<Reply> = decoded(*wire, &whole);
        for frame in &whole {
            if let Frame::Json(value) = frame {
                let _ = read_whole(*wire, ids(), value.clone());
            }
        }
    }
    Ok(())
}

fn frames(input: &[u8], size: usize) -> Vec<Frame> {
    let mut reader = FrameReader::new(FRAME_BYTES_MAX);
    let mut frames = Vec::new();
    for piece in input.chunks(size) {
        match reader.push(piece) {
            Ok(some) => frames.extend(some),
            // How much came before the fault depends on the pieces; the fault does not.
            Err(_) => return Vec::new(),
        }
    }
    frames.extend(reader.finish().ok().flatten());
    frames
}

fn decoded(wire: Wire, frames: &[Frame]) -> Option<Reply> {
    let mut decoder = decoder(wire, ids());
    for frame in frames {
        if decoder.push(frame.clone()).is_err() {
            break;
        }
    }
    decoder.finish().ok()
}

fn ids() -> CallIds {
    CallIds::of(&[Message::user(vec![Block::text("Hello")])])
}
