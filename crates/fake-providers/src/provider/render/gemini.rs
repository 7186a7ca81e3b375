//! Gemini generateContent: parts, and the chunks they are streamed in.

use contract::{StopReason, Usage, Wire};
use serde_json::{Value, json};

use super::{Asked, Frame, Rendered, words};
use crate::provider::model_families;
use crate::provider::turn::{Item, Source, Turn};

pub(crate) fn render(turn: &Turn, asked: &Asked<'_>) -> Rendered {
    let response_id = asked.ids.next("resp-");
    let answer = |candidates: Value| {
        let mut answer = json!({
            "candidates": candidates, "usageMetadata": usage_of(turn.usage),
            "modelVersion": asked.model, "responseId": response_id,
        });
        if candidates.is_null()
            && let Some(fields) = answer.as_object_mut()
        {
            fields.shift_remove("candidates");
        }
        answer
    };
    if let Some(blocked) = &turn.blocked {
        let mut whole = answer(Value::Null);
        whole["promptFeedback"] =
            json!({ "blockReason": blocked.reason, "blockReasonMessage": blocked.message });
        let frames = vec![Frame::plain(&whole)];
        return Rendered { whole, frames };
    }
    let parts = parts_of(turn, asked);
    let mut end = end_of(&turn.end());
    if let Some(grounding) = grounding(turn) {
        end["groundingMetadata"] = grounding;
    }
    let candidate = |parts: Vec<Value>, end: &Value| {
        let mut candidate = json!({ "content": { "parts": parts, "role": "model" }, "index": 0 });
        for (key, value) in end.as_object().into_iter().flatten() {
            candidate[key.as_str()] = value.clone();
        }
        answer(json!([candidate]))
    };
    let whole = candidate(parts.clone(), &end);
    let pieces: Vec<Value> = parts.iter().flat_map(pieces_of).collect();
    let chunks = pieces.into_iter().map(|piece| candidate(vec![piece], &json!({})));
    let last = candidate(vec![json!({ "text": "" })], &end);
    let frames = chunks.chain([last]).map(|chunk| Frame::plain(&chunk)).collect();
    Rendered { whole, frames }
}

/// The signature of a thought is on the next part; the first call of an answer always has one,
/// where the model signs calls.
fn parts_of(turn: &Turn, asked: &Asked<'_>) -> Vec<Value> {
    let mut parts = Vec::new();
    let mut carried: Option<String> = None;
    let mut called = false;
    let signs = model_families::family(Wire::Gemini, asked.model).is_some_and(|it| it.signed_calls);
    for item in &turn.items {
        if let Item::Thinking { text, signature } = item {
            parts.push(json!({ "text": text, "thought": true }));
            carried = Some(signature.clone());
            continue;
        }
        let mut spelled = spell(item, asked);
        let is_call = matches!(item, Item::Call { .. });
        if is_call && !called && signs && carried.is_none() {
            carried = Some(asked.ids.next("sigs"));
        }
        called |= is_call;
        if let (Some(first), Some(_)) = (spelled.first_mut(), &carried) {
            first["thoughtSignature"] = carried.take().into();
        }
        parts.append(&mut spelled);
    }
    if let Some(signature) = carried {
        parts.push(json!({ "text": "", "thoughtSignature": signature }));
    }
    parts
}

fn spell(item: &Item, asked: &Asked<'_>) -> Vec<Value> {
    match item {
        Item::Text(text) | Item::Cited { text, .. } => vec![json!({ "text": text })],
        Item::Call { id, tool, args } => {
            let id = id.clone().unwrap_or_else(|| asked.ids.next("fc-"));
            vec![json!({ "functionCall": { "id": id, "name": tool, "args": args } })]
        }
        Item::Search { query, found } => {
            let id = asked.ids.next("search-");
            let urls: Vec<_> = found.iter().map(|source| source.url.as_str()).collect();
            vec![
                json!({ "toolCall": { "id": id, "toolType": "GOOGLE_SEARCH_WEB",
                                      "args": { "queries": [query] } } }),
                json!({ "toolResponse": { "id": id, "toolType": "GOOGLE_SEARCH_WEB",
                                          "response": { "urls": urls } } }),
            ]
        }
        Item::Code { code, output } => {
            let id = asked.ids.next("code-");
            vec![
                json!({ "executableCode": { "id": id, "language": "PYTHON", "code": code } }),
                json!({ "codeExecutionResult": { "id": id, "outcome": "OUTCOME_OK",
                                                 "output": output } }),
            ]
        }
        Item::Native(part) => vec![part.clone()],
        // A refusal is the finish message, calls are complete or absent, and nothing is redacted
        // here; the caller has written the thoughts.
        Item::Refusal(_)
        | Item::TornCall { .. }
        | Item::Redacted { .. }
        | Item::Thinking { .. } => Vec::new(),
    }
}

/// Text streams word by word, everything else in one piece; a signature comes last.
fn pieces_of(part: &Value) -> Vec<Value> {
    let text = part["text"].as_str().unwrap_or_default();
    let mut pieces: Vec<Value> = words(text).map(|word| json!({ "text": word })).collect();
    if pieces.is_empty() {
        return vec![part.clone()];
    }
    if part["thought"] == true {
        pieces.iter_mut().for_each(|piece| piece["thought"] = true.into());
    }
    if let (Some(last), false) = (pieces.last_mut(), part["thoughtSignature"].is_null()) {
        last["thoughtSignature"] = part["thoughtSignature"].clone();
    }
    pieces
}

fn end_of(stop: &StopReason) -> Value {
    match stop {
        StopReason::EndTurn
        | StopReason::ToolUse
        | StopReason::StopSequence
        | StopReason::PauseTurn => {
            json!({ "finishReason": "STOP" })
        }
        StopReason::MaxTokens | StopReason::ContextExceeded => {
            json!({ "finishReason": "MAX_TOKENS" })
        }
        StopReason::Refusal { text } => json!({ "finishReason": "SAFETY", "finishMessage": text }),
        StopReason::Other { reason } => json!({ "finishReason": reason }),
    }
}

fn grounding(turn: &Turn) -> Option<Value> {
    let (mut chunks, mut supports, mut queries) = (Vec::new(), Vec::new(), Vec::new());
    let mut bytes = 0;
    for item in &turn.items {
        match item {
            Item::Search { query, .. } => queries.push(query.clone()),
            Item::Cited { text, source } => {
                supports.push(support(chunks.len(), bytes, text));
                chunks.push(web(source));
                bytes += text.len();
            }
            Item::Text(text) => bytes += text.len(),
            Item::Thinking { .. }
            | Item::Redacted { .. }
            | Item::Call { .. }
            | Item::TornCall { .. }
            | Item::Code { .. }
            | Item::Refusal(_)
            | Item::Native(_) => {}
        }
    }
    (!chunks.is_empty()).then(|| {
        json!({ "webSearchQueries": queries, "groundingChunks": chunks,
                "groundingSupports": supports })
    })
}

fn web(source: &Source) -> Value {
    json!({ "web": { "uri": source.url, "title": source.title } })
}

fn support(chunk: usize, start: usize, text: &str) -> Value {
    json!({ "groundingChunkIndices": [chunk],
            "segment": { "startIndex": start, "endIndex": start + text.len(), "text": text } })
}

fn usage_of(usage: Usage) -> Value {
    let Usage { input, output, cache_read, cache_write, thinking } = usage;
    let prompt = input + cache_read + cache_write;
    let mut spelled = json!({
        "promptTokenCount": prompt,
        "candidatesTokenCount": output.saturating_sub(thinking),
        "totalTokenCount": prompt + output,
    });
    if cache_read > 0 {
        spelled["cachedContentTokenCount"] = cache_read.into();
    }
    if thinking > 0 {
        spelled["thoughtsTokenCount"] = thinking.into();
    }
    spelled
}
