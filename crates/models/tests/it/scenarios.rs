//! The answers of `fake_providers::scenarios`, written independently of these decoders, are read
//! as they are meant.

use contract::{Block, Message, Model, ModelFault, Reply, Request, Wire};
use fake_providers::scenarios::{self, Form, Scenario};
use models::wire::{CallIds, Frame, FrameReader, decoder};
use models::{Client, Limits, Provider};

use crate::conversation::{model, provider, user};
use crate::server::{Server, ServerAction, line};

/// The scenario as a server sends it, one chunk per piece.
fn action(scenario: &Scenario, pieces: &[&[u8]]) -> ServerAction {
    let typed = scenario.headers.iter().any(|(name, _)| name == "content-type");
    let kind = match scenario.form {
        _ if typed => "",
        Form::Events => "content-type: text/event-stream\r\n",
        Form::Whole => "content-type: application/json\r\n",
    };
    let headers: String =
        scenario.headers.iter().map(|(name, value)| format!("{name}: {value}\r\n")).collect();
    let mut bytes = format!(
        "HTTP/1.1 {} As Said\r\n{kind}{headers}transfer-encoding: chunked\r\nconnection: close\r\n\r\n",
        scenario.status
    )
    .into_bytes();
    for piece in pieces.iter().filter(|piece| !piece.is_empty()) {
        bytes.extend(format!("{:x}\r\n", piece.len()).bytes());
        bytes.extend(*piece);
        bytes.extend(b"\r\n");
    }
    bytes.extend(b"0\r\n\r\n");
    ServerAction::Bytes(bytes)
}

/// The client's result, without retries.
async fn asked(scenario: &Scenario, pieces: &[&[u8]]) -> Result<Reply, ModelFault> {
    let server = Server::new(vec![action(scenario, pieces)]).await;
    let (line, _) = line(Limits { retries_max: 0, ..Limits::usual() });
    let base_url = server.address.clone();
    let provider = Provider { base_url, ..provider(scenario.wire) };
    let client = Client::over(line, provider, model(scenario.wire)).unwrap();
    let request = Request { messages: vec![user("Which weather?")], ..Request::default() };
    client.ask(&request, &mut |_| {}).await
}

#[tokio::test]
async fn the_client_reads_every_scenario_correctly() {
    let mut wrong = Vec::new();
    for scenario in scenarios::all() {
        // The first two splits: complete, and byte by byte.
        for pieces in scenario.splits().take(2) {
            let got = asked(&scenario, &pieces).await;
            if let Err(why) = scenario.expect.check(&got) {
                wrong.push(format!("{scenario} in {} pieces: {why}", pieces.len()));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// The frames, and the fault that ended them if one did.
fn frames(pieces: &[&[u8]]) -> (Vec<Frame>, Option<ModelFault>) {
    let mut reader = FrameReader::new(1 << 20);
    let mut frames = Vec::new();
    for piece in pieces {
        match reader.push(piece) {
            Ok(more) => frames.extend(more),
            Err(fault) => return (frames, Some(fault)),
        }
    }
    match reader.finish() {
        Ok(last) => (frames.into_iter().chain(last).collect(), None),
        Err(fault) => (frames, Some(fault)),
    }
}

fn decoded(
    wire: Wire,
    (frames, broken): (Vec<Frame>, Option<ModelFault>),
) -> Result<Reply, ModelFault> {
    let asked = [Message::user(vec![Block::text("Which weather?")])];
    let mut decoder = decoder(wire, CallIds::of(&asked));
    for frame in frames {
        decoder.push(frame)?;
    }
    broken.map_or_else(|| decoder.finish(), Err)
}

/// A decoder sees only frames, so equal frames give equal replies.
#[track_caller]
fn check_splits(wire: Wire) {
    for scenario in scenarios::of(wire).into_iter().filter(|one| one.form == Form::Events) {
        let whole = frames(&[&scenario.frames]);
        for pieces in scenario.splits() {
            let first = pieces.first().map_or(0, |piece| piece.len());
            assert!(frames(&pieces) == whole, "{scenario} split at {first}");
        }
        let checked = scenario.expect.check(&decoded(wire, whole));
        assert!(checked.is_ok(), "{scenario}: {checked:?}");
    }
}

#[test]
fn an_anthropic_scenario_can_be_split_at_every_byte() {
    check_splits(Wire::Anthropic);
}

#[test]
fn a_chat_scenario_can_be_split_at_every_byte() {
    check_splits(Wire::Chat);
}

#[test]
fn a_responses_scenario_can_be_split_at_every_byte() {
    check_splits(Wire::Responses);
}

#[test]
fn a_gemini_scenario_can_be_split_at_every_byte() {
    check_splits(Wire::Gemini);
}
