//! OpenAI Responses: output items, and the numbered events they are streamed in.

use contract::{StopReason, Usage};
use serde_json::{Value, json};

use super::{Asked, Frame, Rendered, scraps, words};
use crate::provider::turn::{Item, Source, Turn};

pub(crate) fn render(turn: &Turn, asked: &Asked<'_>) -> Rendered {
    let output: Vec<Value> = turn.items.iter().filter_map(|item| spell(item, asked)).collect();
    let begun = json!({
        "id": asked.ids.next("resp_"), "object": "response", "created_at": 1_794_787_200,
        "status": "in_progress", "error": null, "incomplete_details": null, "model": asked.model,
        "output": [], "parallel_tool_calls": true, "tool_choice": "auto", "tools": [],
        "usage": null,
    });
    let mut whole = begun.clone();
    let (status, reason) = end_of(turn);
    whole["status"] = status.into();
    if let Some(reason) = reason {
        whole["incomplete_details"] = json!({ "reason": reason });
    }
    whole["usage"] = usage_of(turn.usage);
    whole["output"] = output.clone().into();

    let mut events = vec![
        json!({ "type": "response.created", "response": begun }),
        json!({ "type": "response.in_progress", "response": begun }),
    ];
    for (index, item) in output.iter().enumerate() {
        events.extend(events_of(index, item));
    }
    events.push(json!({ "type": format!("response.{status}"), "response": whole }));
    for (number, event) in events.iter_mut().enumerate() {
        event["sequence_number"] = number.into();
    }
    Rendered { whole, frames: events.iter().map(Frame::named).collect() }
}

fn spell(item: &Item, asked: &Asked<'_>) -> Option<Value> {
    Some(match item {
        Item::Text(text) => message(asked, &output_text(text, &json!([]))),
        Item::Cited { text, source } => {
            message(asked, &output_text(text, &json!([citation(source, text)])))
        }
        Item::Thinking { text, signature } => reasoning(asked, Some(text), signature),
        Item::Redacted { data } => reasoning(asked, None, data),
        Item::Call { id, tool, args } => {
            let id = id.clone().unwrap_or_else(|| asked.ids.next("call_"));
            call(asked, &id, tool, &args.to_string(), "completed")
        }
        Item::TornCall { tool, text } => {
            call(asked, &asked.ids.next("call_"), tool, text, "incomplete")
        }
        Item::Search { query, found } => {
            let source = |source: &Source| json!({ "type": "url", "url": source.url });
            json!({
                "id": asked.ids.next("ws_"), "type": "web_search_call", "status": "completed",
                "action": { "type": "search", "query": query,
                            "sources": found.iter().map(source).collect::<Vec<_>>() },
            })
        }
        Item::Code { code, output } => json!({
            "id": asked.ids.next("ci_"), "type": "code_interpreter_call", "status": "completed",
            "code": code, "container_id": "cntr_fake",
            "outputs": [{ "type": "logs", "logs": output }],
        }),
        Item::Refusal(text) => message(asked, &json!({ "type": "refusal", "refusal": text })),
        Item::Native(item) => item.clone(),
    })
}

fn message(asked: &Asked<'_>, part: &Value) -> Value {
    json!({ "id": asked.ids.next("msg_"), "type": "message", "status": "completed",
            "role": "assistant", "content": [part] })
}

fn output_text(text: &str, annotations: &Value) -> Value {
    json!({ "type": "output_text", "text": text, "annotations": annotations, "logprobs": [] })
}

fn citation(source: &Source, text: &str) -> Value {
    json!({ "type": "url_citation", "url": source.url, "title": source.title,
            "start_index": 0, "end_index": text.chars().count() })
}

fn reasoning(asked: &Asked<'_>, text: Option<&String>, sealed: &str) -> Value {
    let summary: Vec<_> =
        text.iter().map(|text| json!({ "type": "summary_text", "text": text })).collect();
    json!({ "id": asked.ids.next("rs_"), "type": "reasoning", "summary": summary,
            "encrypted_content": sealed })
}

fn call(asked: &Asked<'_>, id: &str, tool: &str, arguments: &str, status: &str) -> Value {
    json!({ "id": asked.ids.next("fc_"), "type": "function_call", "status": status,
            "call_id": id, "name": tool, "arguments": arguments })
}

fn end_of(turn: &Turn) -> (&'static str, Option<String>) {
    let spoken = turn.items.iter().any(|item| matches!(item, Item::Refusal(_)));
    match turn.end() {
        StopReason::MaxTokens | StopReason::ContextExceeded => {
            ("incomplete", Some("max_output_tokens".into()))
        }
        StopReason::Refusal { .. } if !spoken => ("incomplete", Some("content_filter".into())),
        StopReason::EndTurn
        | StopReason::ToolUse
        | StopReason::StopSequence
        | StopReason::PauseTurn
        | StopReason::Refusal { .. } => ("completed", None),
        StopReason::Other { reason } => ("incomplete", Some(reason)),
    }
}

fn usage_of(usage: Usage) -> Value {
    let Usage { input, output, cache_read, cache_write, thinking } = usage;
    let prompt = input + cache_read + cache_write;
    json!({
        "input_tokens": prompt,
        "input_tokens_details": { "cached_tokens": cache_read, "cache_write_tokens": cache_write },
        "output_tokens": output,
        "output_tokens_details": { "reasoning_tokens": thinking },
        "total_tokens": prompt + output,
    })
}

fn events_of(index: usize, item: &Value) -> Vec<Value> {
    let mut begun = item.clone();
    begun["status"] = "in_progress".into();
    let middle = match item["type"].as_str().unwrap_or_default() {
        "message" => {
            begun["content"] = json!([]);
            message_events(item)
        }
        "reasoning" => {
            begun["summary"] = json!([]);
            begun["encrypted_content"] = "".into();
            reasoning_events(item)
        }
        "function_call" => {
            begun["arguments"] = "".into();
            call_events(item)
        }
        "web_search_call" => ["in_progress", "searching", "completed"]
            .map(|state| json!({ "type": format!("response.web_search_call.{state}") }))
            .into(),
        "code_interpreter_call" => {
            begun["code"] = "".into();
            begun["outputs"] = Value::Null;
            code_events(item)
        }
        _ => Vec::new(),
    };
    let place = |mut event: Value| {
        event["output_index"] = index.into();
        event["item_id"] = item["id"].clone();
        event
    };
    let around = |name: &str, item: &Value| {
        json!({ "type": format!("response.output_item.{name}"), "output_index": index,
                "item": item })
    };
    let first = around("added", &begun);
    [first].into_iter().chain(middle.into_iter().map(place)).chain([around("done", item)]).collect()
}

fn message_events(item: &Value) -> Vec<Value> {
    let mut events = Vec::new();
    for (index, part) in item["content"].as_array().into_iter().flatten().enumerate() {
        let (word, field) = match part["type"].as_str() {
            Some("refusal") => ("refusal", "refusal"),
            _ => ("output_text", "text"),
        };
        let text = part[field].as_str().unwrap_or_default();
        let mut begun = part.clone();
        begun[field] = "".into();
        if word == "output_text" {
            begun["annotations"] = json!([]);
        }
        let mut inside = vec![json!({ "type": "response.content_part.added", "part": begun })];
        let event = |name: &str, key: &str, text: &str| {
            let mut event = json!({ "type": format!("response.{word}.{name}"), key: text });
            if word == "output_text" {
                event["logprobs"] = json!([]);
            }
            event
        };
        inside.extend(words(text).map(|piece| event("delta", "delta", piece)));
        let annotations = part["annotations"].as_array().into_iter().flatten().enumerate();
        inside.extend(annotations.map(|(number, annotation)| {
            json!({ "type": "response.output_text.annotation.added",
                    "annotation_index": number, "annotation": annotation })
        }));
        inside.push(event("done", field, text));
        inside.push(json!({ "type": "response.content_part.done", "part": part }));
        events.extend(inside.into_iter().map(|mut event| {
            event["content_index"] = index.into();
            event
        }));
    }
    events
}

fn reasoning_events(item: &Value) -> Vec<Value> {
    let mut events = Vec::new();
    for (index, part) in item["summary"].as_array().into_iter().flatten().enumerate() {
        let text = part["text"].as_str().unwrap_or_default();
        let event = |name: &str, field: &str, value: Value| {
            json!({ "type": format!("response.reasoning_summary_{name}"),
                    "summary_index": index, field: value })
        };
        let begun = json!({ "type": "summary_text", "text": "" });
        events.push(event("part.added", "part", begun));
        events.extend(words(text).map(|piece| event("text.delta", "delta", piece.into())));
        events.push(event("text.done", "text", text.into()));
        events.push(event("part.done", "part", part.clone()));
    }
    events
}

fn call_events(item: &Value) -> Vec<Value> {
    let text = item["arguments"].as_str().unwrap_or_default();
    let delta = |piece| json!({ "type": "response.function_call_arguments.delta", "delta": piece });
    let mut events: Vec<_> = scraps(text).into_iter().map(delta).collect();
    // A truncated call never gets a `done` event.
    if item["status"] == "completed" {
        let done = json!({ "type": "response.function_call_arguments.done", "arguments": text });
        events.push(done);
    }
    events
}

fn code_events(item: &Value) -> Vec<Value> {
    let code = item["code"].as_str().unwrap_or_default();
    let event = |name: &str| format!("response.code_interpreter_call{name}");
    let mut events = vec![json!({ "type": event(".in_progress") })];
    let delta = |piece| json!({ "type": event("_code.delta"), "delta": piece });
    events.extend(words(code).map(delta));
    events.push(json!({ "type": event("_code.done"), "code": code }));
    events.push(json!({ "type": event(".interpreting") }));
    events.push(json!({ "type": event(".completed") }));
    events
}
