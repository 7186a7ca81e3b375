//! Every recording in `tests/recordings`, complete and cut at every byte.

use std::fs;
use std::path::{Path, PathBuf};

use contract::{Block, Delta, Message, ModelFault, Part, Reply, Wire};
use models::wire::{CallIds, Decoder, Frame, FrameReader, decoder, read_whole};
use serde_json::{Value, json};

use crate::conversation::{body_for, model_at};
use crate::goldens;

/// The recordings of a wire, by name.
fn recordings(wire: Wire, ending: &str) -> Vec<PathBuf> {
    let folder = goldens::folder("recordings").join(wire.as_str());
    let files = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let mut files: Vec<_> = files.filter(|path| path.to_string_lossy().ends_with(ending)).collect();
    files.sort();
    assert!(!files.is_empty(), "no recordings of {wire}");
    files
}

fn ids() -> CallIds {
    CallIds::of(&[Message::user(vec![Block::text("Which weather?")])])
}

fn frames(pieces: &[&[u8]]) -> Result<Vec<Frame>, ModelFault> {
    let mut reader = FrameReader::new(1 << 20);
    let mut frames = Vec::new();
    for piece in pieces {
        frames.extend(reader.push(piece)?);
    }
    frames.extend(reader.finish()?);
    Ok(frames)
}

/// What a person and a caller get from a recording.
fn read(wire: Wire, bytes: &[u8]) -> (Vec<Delta>, Result<Reply, ModelFault>) {
    let mut deltas = Vec::new();
    let mut decoder = decoder(wire, ids());
    let mut read = || -> Result<(), ModelFault> {
        let mut reader = FrameReader::new(1 << 20);
        let mut take = |frames: Vec<Frame>, decoder: &mut dyn Decoder| {
            for frame in frames {
                deltas.extend(decoder.push(frame)?);
            }
            Ok(())
        };
        for byte in bytes {
            take(reader.push(&[*byte])?, decoder.as_mut())?;
        }
        take(reader.finish()?.into_iter().collect(), decoder.as_mut())
    };
    let reply = read().and_then(|()| decoder.finish());
    (deltas, reply)
}

fn shown(deltas: &[Delta], reply: &Result<Reply, ModelFault>) -> Value {
    let show = |delta: &Delta| match delta {
        Delta::Text(text) => format!("text: {text}"),
        Delta::Thinking(text) => format!("thinking: {text}"),
        Delta::CallBegun { id, tool } => format!("call: {id} {tool}"),
    };
    let deltas: Vec<_> = deltas.iter().map(show).collect();
    match reply {
        Ok(reply) => json!({ "deltas": deltas, "reply": reply }),
        Err(fault) => json!({
            "deltas": deltas,
            "fault": {
                "kind": fault.kind, "message": fault.message, "retryable": fault.kind.is_retryable(),
            },
        }),
    }
}

#[test]
fn goldens_of_every_recording() {
    for wire in Wire::ALL {
        for path in recordings(*wire, ".sse") {
            let (deltas, reply) = read(*wire, &fs::read(&path).unwrap());
            goldens::check(&path.with_extension("json"), &shown(&deltas, &reply));
        }
    }
}

#[track_caller]
fn check_cuts(wire: Wire) {
    for path in recordings(wire, ".sse") {
        let bytes = fs::read(&path).unwrap();
        let whole = frames(&[&bytes]);
        for cut in 1..bytes.len() {
            let (left, right) = bytes.split_at(cut);
            assert!(frames(&[left, right]) == whole, "{} cut at {cut}", path.display());
        }
    }
}

#[test]
fn an_anthropic_stream_can_be_split_anywhere() {
    check_cuts(Wire::Anthropic);
}

#[test]
fn a_chat_stream_can_be_split_anywhere() {
    check_cuts(Wire::Chat);
}

#[test]
fn a_responses_stream_can_be_split_anywhere() {
    check_cuts(Wire::Responses);
}

#[test]
fn a_gemini_stream_can_be_split_anywhere() {
    check_cuts(Wire::Gemini);
}

#[test]
fn a_recording_that_ends_early_is_never_a_reply() {
    for wire in Wire::ALL {
        let path = goldens::folder("recordings").join(wire.as_str());
        let name = match wire {
            Wire::Anthropic => "thinking_text_two_calls.sse",
            Wire::Chat | Wire::Responses => "reasoning_text_two_calls.sse",
            Wire::Gemini => "thoughts_text_two_calls.sse",
        };
        let text = fs::read_to_string(path.join(name)).unwrap();
        let end = match wire {
            Wire::Anthropic => "event: message_stop",
            Wire::Chat => "\"finish_reason\":\"tool_calls\"",
            Wire::Responses => "event: response.completed",
            Wire::Gemini => "\"finishReason\"",
        };
        let end = text.find(end).unwrap();
        for (cut, _) in text.char_indices().filter(|(cut, _)| *cut <= end) {
            let kind = ended_early(*wire, &text.as_bytes()[..cut]);
            assert_eq!(kind, contract::FaultKind::Truncated, "{wire} cut at {cut}");
        }
    }
}

fn ended_early(wire: Wire, bytes: &[u8]) -> contract::FaultKind {
    let mut decoder = decoder(wire, ids());
    let read = frames(&[bytes]).and_then(|frames| {
        frames.into_iter().try_for_each(|frame| decoder.push(frame).map(drop))?;
        decoder.finish()
    });
    read.unwrap_err().kind
}

#[test]
fn an_unstreamed_reply_is_read_like_its_stream() {
    for wire in Wire::ALL {
        for path in recordings(*wire, ".whole.json") {
            let whole: Value = serde_json::from_slice(&fs::read(&path).unwrap()).unwrap();
            let streamed = path.to_string_lossy().replace(".whole.json", ".sse");
            let (_, streamed) = read(*wire, &fs::read(Path::new(&streamed)).unwrap());
            assert_eq!(read_whole(*wire, ids(), whole).unwrap(), streamed.unwrap(), "{wire}");
        }
    }
}

/// The reply as the client would return it.
fn stamped(mut reply: Reply, from: &str) -> Vec<Block> {
    for native in reply.blocks.iter_mut().filter_map(|block| block.native.as_mut()) {
        native.from = from.to_owned();
    }
    reply.blocks
}

/// The blocks of a recording, as the client would return them.
pub(crate) fn recorded_blocks(wire: Wire, name: &str) -> Vec<Block> {
    let path = goldens::folder("recordings").join(wire.as_str()).join(format!("{name}.sse"));
    let (_, reply) = read(wire, &fs::read(path).unwrap());
    stamped(reply.unwrap(), &model_at(wire))
}

fn holds(body: &Value, item: &Value) -> bool {
    let has_fields = |map: &serde_json::Map<String, Value>| {
        item.as_object()
            .is_some_and(|item| item.iter().all(|(key, value)| map.get(key) == Some(value)))
    };
    match body {
        Value::Object(map) => {
            body == item || has_fields(map) || map.values().any(|value| holds(value, item))
        }
        Value::Array(items) => items.iter().any(|value| holds(value, item)),
        _ => body == item,
    }
}

#[test]
fn native_items_are_sent_back_verbatim_and_only_to_their_sender() {
    for wire in Wire::ALL {
        for path in recordings(*wire, ".sse") {
            let (_, Ok(reply)) = read(*wire, &fs::read(&path).unwrap()) else { continue };
            let own = model_at(*wire);
            let blocks = stamped(reply, &own);
            for to in Wire::ALL {
                let body = body_for(*to, blocks.clone());
                for native in blocks.iter().filter_map(|block| block.native.as_ref()) {
                    let empty = native.item == json!({ "type": "text", "text": "" });
                    let goes = holds(&body, &native.item);
                    let plain = native.item == json!({ "text": native.item.get("text") });
                    assert!(
                        empty || plain || goes == (to == wire),
                        "{} to {to}: {}\nin {body:#}",
                        path.display(),
                        native.item
                    );
                }
            }
        }
    }
}

#[test]
fn a_torn_call_is_never_sent_back() {
    for wire in Wire::ALL {
        for path in recordings(*wire, ".sse") {
            let (_, Ok(reply)) = read(*wire, &fs::read(&path).unwrap()) else { continue };
            let torn: Vec<_> = reply.blocks.iter().filter_map(torn_id).collect();
            let blocks = stamped(reply, &model_at(*wire));
            for to in Wire::ALL {
                let body = body_for(*to, blocks.clone()).to_string();
                for id in &torn {
                    assert!(!body.contains(id.as_str()), "{} to {to}", path.display());
                }
            }
        }
    }
}

fn torn_id(block: &Block) -> Option<String> {
    match &block.part {
        Part::TornCall { id, .. } => Some(format!("\"{id}\"")),
        _ => None,
    }
}
