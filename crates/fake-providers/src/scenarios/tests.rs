//! The scenarios are complete, and their expectations can be met and missed.

use std::collections::BTreeSet;
use std::path::Path;

use contract::{
    Block, CallId, FaultKind, ModelFault, Native, Part, Reply, StopReason, Usage, Wire,
};
use serde_json::{Value, json};

use super::files::FILES;
use super::{Expect, Form, Scenario, all, of, parse};

#[test]
fn every_file_is_listed_and_read() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("scenarios");
    let mut found = BTreeSet::new();
    for wire in ["anthropic", "chat", "responses", "gemini"] {
        for group in ["replies", "framing", "errors"] {
            for entry in std::fs::read_dir(folder.join(wire).join(group)).unwrap() {
                let name = entry.unwrap().file_name().into_string().unwrap();
                found.insert(format!("{wire}/{}", name.strip_suffix(".txt").unwrap()));
            }
        }
    }
    let listed: BTreeSet<_> =
        FILES.iter().map(|(wire, name, _)| format!("{wire}/{name}")).collect();
    assert_eq!(found, listed);
    for (wire, name, text) in FILES {
        parse::parse(*wire, name, text).unwrap_or_else(|why| panic!("{wire}/{name}: {why}"));
    }
    assert_eq!(all().len(), listed.len());
}

#[test]
fn every_frame_is_json_unless_it_is_torn() {
    for scenario in all() {
        let text = String::from_utf8(scenario.frames.clone()).unwrap();
        assert!(!scenario.about.is_empty(), "{scenario}");
        if scenario.form == Form::Whole {
            let page = scenario.headers.iter().any(|(name, _)| name == "content-type");
            assert!(page || serde_json::from_str::<Value>(&text).is_ok(), "{scenario}");
            continue;
        }
        let torn =
            matches!(&scenario.expect, Expect::Fault(fault) if fault.kind == FaultKind::Truncated);
        let data: Vec<_> = text.lines().filter_map(|line| line.strip_prefix("data: ")).collect();
        let bad = data.iter().filter(|data| serde_json::from_str::<Value>(data).is_err());
        let bad = bad.filter(|data| **data != "[DONE]").count();
        let raw = scenario.name == "no_space_after_data";
        assert!(bad == 0 || raw || torn && bad == 1, "{scenario}");
    }
}

#[test]
fn the_documented_cases_are_covered() {
    let names = |wire: Wire| -> BTreeSet<_> { of(wire).iter().map(|s| s.name).collect() };
    for (wire, wanted) in [
        (
            Wire::Anthropic,
            "thinking_text_two_calls interleaved_and_redacted_thinking \
            web_search_citations_pause_turn refusal_with_explanation max_tokens_inside_arguments \
            cut_midway overload_midway rate_limited keep_alives code_execution_kept crlf",
        ),
        (
            Wire::Chat,
            "two_calls_in_one_delta missing_index arguments_as_object no_done \
            overload_midway null_ids empty_ids crlf keep_alives empty_first_chunk stop_with_calls \
            max_tokens_inside_arguments cut_midway refusal rate_limited reasoning_details",
        ),
        (
            Wire::Responses,
            "reasoning_text_two_calls interleaved_and_sealed_reasoning refusal \
            web_search_with_citations max_tokens_inside_arguments cut_midway overload_midway \
            rate_limited keep_alives code_execution_kept crlf",
        ),
        (
            Wire::Gemini,
            "thoughts_text_two_calls two_calls_in_one_chunk signature_after_text \
            code_execution_kept server_side_search_kept blocked_prompt safety_stop max_tokens \
            cut_midway overload_midway rate_limited keep_alives crlf",
        ),
    ] {
        let has = names(wire);
        let missing: Vec<_> =
            wanted.split_whitespace().filter(|name| !has.contains(name)).collect();
        assert!(missing.is_empty(), "{wire:?}: {missing:?}");
    }
}

#[test]
fn splits_lose_nothing() {
    let scenario = of(Wire::Chat).into_iter().find(|scenario| scenario.name == "crlf").unwrap();
    let splits: Vec<_> = scenario.splits().collect();
    assert_eq!(splits.len(), scenario.frames.len() + 1);
    assert!(splits.iter().all(|pieces| pieces.concat() == scenario.frames));
    assert!(splits[1].iter().all(|piece| piece.len() == 1));
    assert!(String::from_utf8_lossy(&scenario.frames).contains("}\r\n\r\ndata: "));
}

fn find(wire: Wire, name: &str) -> Scenario {
    of(wire).into_iter().find(|scenario| scenario.name == name).unwrap()
}

/// A reply that is exactly what is expected.
fn reply(scenario: &Scenario) -> Reply {
    let Expect::Reply(expected) = &scenario.expect else { panic!("{scenario}") };
    let mut number = 0;
    let mut blocks = expected.blocks.clone();
    for block in &mut blocks {
        if let Part::Call(call) = &mut block.part
            && call.id.0 == "*"
        {
            number += 1;
            call.id = CallId(format!("made-{number}"));
        }
    }
    if !expected.keeps.is_empty() {
        let field = |item: &String| (item.trim_matches('"').to_owned(), Value::Null);
        let item = Value::Object(expected.keeps.iter().map(field).collect());
        let native = Native { wire: scenario.wire, from: String::new(), item };
        let item = blocks.iter_mut().find(|block| block.native.is_none()).unwrap();
        item.native = Some(native);
    }
    Reply {
        blocks,
        stop: expected.stop.clone().unwrap(),
        usage: expected.usage,
        model: expected.model.clone(),
        shaped: None,
    }
}

fn fault(kind: FaultKind) -> ModelFault {
    ModelFault { kind, message: "x".into(), fix: "y".into(), status: None, retry_after: None }
}

#[test]
fn a_matching_result_passes() {
    for scenario in all() {
        let got = match &scenario.expect {
            Expect::Reply(_) => Ok(reply(&scenario)),
            Expect::Fault(expected) => {
                Err(ModelFault { retry_after: expected.retry_after, ..fault(expected.kind) })
            }
        };
        scenario.expect.check(&got).unwrap_or_else(|why| panic!("{scenario}: {why}"));
    }
}

#[track_caller]
fn misses(scenario: &Scenario, change: impl Fn(&mut Reply), expected: &str) {
    let mut reply = reply(scenario);
    change(&mut reply);
    let why = scenario.expect.check(&Ok(reply)).unwrap_err();
    assert!(why.contains(expected), "{why}");
}

#[test]
fn a_different_result_fails() {
    let scenario = find(Wire::Anthropic, "thinking_text_two_calls");
    misses(&scenario, |reply| drop(reply.blocks.pop()), "blocks were expected");
    misses(&scenario, |reply| reply.blocks.swap(2, 3), "block 2");
    misses(&scenario, |reply| reply.blocks[0].native = None, "native");
    misses(&scenario, |reply| reply.stop = StopReason::EndTurn, "ToolUse");
    misses(&scenario, |reply| reply.usage = Usage::default(), "Usage");
    misses(&scenario, |reply| reply.model = "x".into(), "model");
    let scenario = find(Wire::Chat, "null_ids");
    misses(
        &scenario,
        |reply| {
            reply.blocks.iter_mut().for_each(|block| {
                if let Part::Call(call) = &mut block.part {
                    call.id = CallId("same".into());
                }
            })
        },
        "must be present and unique",
    );
    let scenario = find(Wire::Gemini, "blocked_prompt");
    misses(&scenario, |reply| reply.stop = StopReason::Refusal { text: "no".into() }, "PROHIBITED");
    let scenario = find(Wire::Gemini, "signature_after_text");
    misses(&scenario, |reply| reply.blocks[0].native = None, "c2lnLWxhc3Q=");
    misses(&scenario, |reply| reply.blocks.push(Block::text("more")), "blocks were expected");

    let scenario = find(Wire::Anthropic, "rate_limited");
    let late = scenario.expect.check(&Err(fault(FaultKind::RateLimited))).unwrap_err();
    assert!(late.contains("2s"), "{late}");
    let other = scenario.expect.check(&Err(fault(FaultKind::SpendCap))).unwrap_err();
    assert!(other.contains("rate_limited"), "{other}");
    let reply = reply(&find(Wire::Chat, "no_done"));
    assert!(scenario.expect.check(&Ok(reply)).is_err());
}

#[test]
fn a_block_without_text_may_have_either_kind() {
    let scenario = find(Wire::Responses, "interleaved_and_sealed_reasoning");
    let mut got = reply(&scenario);
    got.blocks[0].part = Part::Other { label: "reasoning".into() };
    scenario.expect.check(&Ok(got.clone())).unwrap();
    got.blocks[0].native.as_mut().unwrap().item = json!({});
    scenario.expect.check(&Ok(got)).unwrap_err();
}
