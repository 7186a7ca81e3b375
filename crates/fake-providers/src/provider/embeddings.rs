//! Embeddings, as OpenAI and Gemini give them: vectors that the test's groups of words determine.

use std::sync::Arc;

use serde_json::{Value, json};

use super::answer::Page;
use super::check::fields::{Lines, known, list, text};
use super::state::{State, Strictness};
use super::wire_error::Trouble;

/// The limits of OpenAI: texts in a request, tokens of a text, tokens of a request.
const TEXTS_MAX: usize = 2_048;
const TEXT_TOKENS_MAX: usize = 8_192;
const REQUEST_TOKENS_MAX: usize = 300_000;
const GEMINI_TEXTS_MAX: usize = 100;

/// `POST /v1/embeddings`.
pub(crate) fn openai(state: &Arc<State>, body: &[u8]) -> Result<Page, Trouble> {
    let body = parsed(body)?;
    let mut lines = Lines::default();
    known(&mut lines, "", &body, &["model", "input", "encoding_format", "dimensions", "user"]);
    let model = text(&mut lines, "body", &body, "model").to_owned();
    let input = list(&mut lines, "input", &body["input"]);
    let texts = texts(&mut lines, "input", input.iter(), TEXTS_MAX);
    if !matches!(body["encoding_format"].as_str(), None | Some("float")) {
        lines.say("encoding_format", "this server gives `float` only");
    }
    let is_known = state.strictness == Strictness::Compatible
        || ["text-embedding-3-small", "text-embedding-3-large"].contains(&model.as_str());
    let (vectors, tokens) = answered(state, lines, is_known, &model, texts)?;
    let vector = |(index, vector): (usize, Vec<f32>)| -> Value {
        json!({ "object": "embedding", "index": index, "embedding": vector })
    };
    // Clients go by `index`, so the order of the list is not that of the texts.
    let mut data: Vec<Value> = vectors.into_iter().enumerate().map(vector).collect();
    data.reverse();
    let usage = json!({ "prompt_tokens": tokens, "total_tokens": tokens });
    Ok(json!({ "object": "list", "model": model, "data": data, "usage": usage }).into())
}

/// `POST /v1beta/models/MODEL:batchEmbedContents`.
pub(crate) fn gemini(state: &Arc<State>, model: &str, body: &[u8]) -> Result<Page, Trouble> {
    let body = parsed(body)?;
    let mut lines = Lines::default();
    known(&mut lines, "", &body, &["requests"]);
    let requests = list(&mut lines, "requests", &body["requests"]);
    for request in requests {
        let fields = ["model", "content", "taskType", "title", "outputDimensionality"];
        known(&mut lines, "requests", request, &fields);
        if request["model"] != format!("models/{model}") {
            lines.say("requests.model", "must be the model of the address");
        }
        if request["content"]["parts"].as_array().map(Vec::len) != Some(1) {
            lines.say("requests.content.parts", "this server takes one part");
        }
    }
    let inputs = requests.iter().map(|request| &request["content"]["parts"][0]["text"]);
    let texts = texts(&mut lines, "requests", inputs, GEMINI_TEXTS_MAX);
    let (vectors, _) = answered(state, lines, model.contains("embedding"), model, texts)?;
    let embeddings: Vec<Value> =
        vectors.into_iter().map(|vector| json!({ "values": vector })).collect();
    Ok(json!({ "embeddings": embeddings }).into())
}

fn parsed(body: &[u8]) -> Result<Value, Trouble> {
    let bad = |error: serde_json::Error| Trouble::BadRequest(vec![format!("body: {error}")]);
    serde_json::from_slice(body).map_err(bad)
}

fn texts<'a>(
    lines: &mut Lines,
    place: &str,
    input: impl Iterator<Item = &'a Value>,
    texts_max: usize,
) -> Vec<String> {
    let texts: Vec<String> = input.map(|one| one.as_str().unwrap_or_default().to_owned()).collect();
    if texts.iter().any(String::is_empty) {
        lines.say(place, "must be texts that are not empty");
    }
    if texts.len() > texts_max {
        lines.say(place, &format!("at most {texts_max} at once"));
    }
    if texts.iter().any(|text| tokens(text) > TEXT_TOKENS_MAX) {
        lines.say(place, "a text is longer than the model's window");
    }
    if texts.iter().map(|text| tokens(text)).sum::<usize>() > REQUEST_TOKENS_MAX {
        lines.say(place, "too many tokens in one request");
    }
    texts
}

/// A quarter of the bytes, as for English.
fn tokens(text: &str) -> usize {
    text.len().div_ceil(4)
}

fn answered(
    state: &State,
    lines: Lines,
    is_known: bool,
    model: &str,
    texts: Vec<String>,
) -> Result<(Vec<Vec<f32>>, usize), Trouble> {
    let found = lines.into_found();
    if !found.is_empty() {
        return Err(Trouble::BadRequest(found));
    }
    if !is_known {
        return Err(Trouble::UnknownModel(model.to_owned()));
    }
    let mut inner = state.lock();
    if let Some(fault) = inner.embedding_faults.pop_front() {
        return Err(fault.trouble);
    }
    let vectors = texts.iter().map(|text| vector(&inner.meanings, text)).collect();
    let tokens = texts.iter().map(|text| tokens(text)).sum();
    inner.embedded.push(texts);
    Ok((vectors, tokens))
}

/// How many words of each group the text has. The last number keeps it from being zero.
fn vector(meanings: &[Vec<String>], text: &str) -> Vec<f32> {
    let text = text.to_lowercase();
    let words: Vec<&str> = text.split(|c: char| !c.is_alphanumeric()).collect();
    let count = |group: &Vec<String>| {
        let hits = words.iter().filter(|word| group.iter().any(|one| one == *word));
        hits.fold(0.0, |sum, _| sum + 1.0)
    };
    meanings.iter().map(count).chain([0.1]).collect()
}
