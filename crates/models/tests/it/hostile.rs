//! Frames that no provider would send give a fault or a reply, never a panic or a hang.

use contract::{Block, Message, Wire};
use models::wire::{CallIds, Frame, FrameReader, decoder, read_whole};
use proptest::prelude::*;
use proptest::test_runner::RngSeed;
use serde_json::{Map, Value};

/// The field names of all four protocols, so that random input goes deep.
const KEYS: [&str; 48] = [
    "type",
    "index",
    "delta",
    "content_block",
    "message",
    "usage",
    "error",
    "text",
    "thinking",
    "signature",
    "partial_json",
    "input",
    "id",
    "name",
    "choices",
    "finish_reason",
    "content",
    "tool_calls",
    "function",
    "arguments",
    "reasoning_details",
    "reasoning",
    "refusal",
    "response",
    "output",
    "item",
    "output_index",
    "status",
    "summary",
    "call_id",
    "candidates",
    "parts",
    "functionCall",
    "args",
    "finishReason",
    "promptFeedback",
    "blockReason",
    "thought",
    "usageMetadata",
    "stop_reason",
    "prompt_tokens",
    "prompt_tokens_details",
    "cached_tokens",
    "cache_write_tokens",
    "promptTokenCount",
    "candidatesTokenCount",
    "thoughtsTokenCount",
    "input_tokens",
];

const WORDS: [&str; 24] = [
    "message_start",
    "content_block_start",
    "content_block_delta",
    "content_block_stop",
    "message_delta",
    "message_stop",
    "tool_use",
    "text",
    "text_delta",
    "thinking",
    "input_json_delta",
    "citations_delta",
    "end_turn",
    "max_tokens",
    "stop",
    "length",
    "STOP",
    "response.output_item.done",
    "response.completed",
    "response.failed",
    "function_call",
    "reasoning",
    "message",
    "{\"a\":",
];

fn any_json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        prop_oneof![Just(0u64), Just(1), any::<u64>()].prop_map(Value::from),
        proptest::sample::select(WORDS.as_slice()).prop_map(Value::from),
    ];
    leaf.prop_recursive(5, 48, 6, |inner| {
        let key = proptest::sample::select(KEYS.as_slice());
        let members = prop::collection::vec((key, inner.clone()), 0..6);
        let object = |members: Vec<(&str, Value)>| {
            let members = members.into_iter().map(|(key, value)| (key.to_owned(), value));
            Value::Object(members.collect::<Map<_, _>>())
        };
        prop_oneof![
            1 => prop::collection::vec(inner, 0..4).prop_map(Value::from),
            4 => members.prop_map(object),
        ]
    })
}

fn fixed() -> ProptestConfig {
    ProptestConfig {
        rng_seed: RngSeed::Fixed(6),
        failure_persistence: None,
        ..ProptestConfig::default()
    }
}

fn ids() -> CallIds {
    CallIds::of(&[Message::user(vec![Block::text("Hi")])])
}

proptest! {
    #![proptest_config(fixed())]

    #[test]
    fn any_frames_end_in_a_reply_or_a_fault(frames in prop::collection::vec(any_json(), 0..8)) {
        for wire in Wire::ALL {
            let mut decoder = decoder(*wire, ids());
            for frame in &frames {
                if decoder.push(Frame::Json(frame.clone())).is_err() {
                    break;
                }
            }
            // The decoder ends in any case.
            let _ = decoder.finish();
            for frame in &frames {
                let _ = read_whole(*wire, ids(), frame.clone());
            }
        }
    }

    #[test]
    fn any_bytes_end_in_frames_or_a_fault(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        let mut reader = FrameReader::new(100);
        if reader.push(&bytes).is_ok() {
            let _ = reader.finish();
        }
    }
}
