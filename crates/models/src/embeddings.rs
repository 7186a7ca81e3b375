//! Vectors of texts, from OpenAI's `/embeddings` or Gemini's `batchEmbedContents`.
//!
//! In: at most [`EMBEDDED_TEXTS_MAX`] texts. Out: one vector for each, in their order. Must hold:
//! an answer with another number of vectors, or with vectors of different lengths, is a fault.

use contract::{EmbeddedTexts, ModelFault, Wire};
use hyper::body::Bytes;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::fault;
use crate::http::{Content, HttpClient, ProviderRequest};
use crate::provider::Provider;

/// Gemini takes no more texts in one request; OpenAI takes 2,048.
pub const EMBEDDED_TEXTS_MAX: usize = 100;
/// No model has longer vectors.
const DIMENSIONS_MAX: usize = 16_384;

/// Asks the provider for the vectors of some texts.
pub async fn embed(
    line: &HttpClient,
    provider: &Provider,
    model: &str,
    texts: &[String],
) -> Result<EmbeddedTexts, ModelFault> {
    if texts.is_empty() {
        return Ok(EmbeddedTexts::default());
    }
    if texts.len() > EMBEDDED_TEXTS_MAX {
        return Err(fault::too_many_texts(texts.len(), EMBEDDED_TEXTS_MAX));
    }
    let (path, body) = match provider.wire {
        Wire::Chat | Wire::Responses => {
            let body = json!({ "model": model, "input": texts, "encoding_format": "float" });
            ("/embeddings".to_owned(), body)
        }
        Wire::Gemini => (format!("/models/{model}:batchEmbedContents"), gemini_body(model, texts)),
        Wire::Anthropic => return Err(fault::no_embeddings(provider)),
    };
    let content = Content::Json(Bytes::from(body.to_string()));
    let ask = ProviderRequest { model, ..ProviderRequest::post(&path, content) };
    let total = line.limits.total_time_max;
    let asked = async {
        let answer = line.ask(provider, &ask).await?;
        if answer.is_page() {
            return Err(fault::bad_address(provider, "it answers with a web page"));
        }
        answer.body().json(line.limits.reply_bytes_max).await
    };
    let answer = tokio::time::timeout(total, asked).await;
    let answer =
        answer.map_err(|_| fault::timed_out(provider, "did not embed the texts", total))?;
    let embedded = read(provider.wire, answer?, texts.len())?;
    check(&embedded, texts.len())?;
    Ok(embedded)
}

fn gemini_body(model: &str, texts: &[String]) -> Value {
    let one = |text: &String| {
        let content = json!({ "parts": [{ "text": text }] });
        json!({ "model": format!("models/{model}"), "content": content })
    };
    json!({ "requests": texts.iter().map(one).collect::<Vec<_>>() })
}

#[derive(Deserialize)]
struct OpenAiAnswer {
    data: Vec<OpenAiVector>,
    usage: Option<OpenAiUsage>,
}

#[derive(Deserialize)]
struct OpenAiVector {
    index: Option<usize>,
    embedding: Vec<f32>,
}

#[derive(Deserialize)]
struct OpenAiUsage {
    total_tokens: Option<u64>,
}

#[derive(Deserialize)]
struct GeminiAnswer {
    embeddings: Vec<GeminiVector>,
}

#[derive(Deserialize)]
struct GeminiVector {
    values: Vec<f32>,
}

fn read(wire: Wire, answer: Value, texts: usize) -> Result<EmbeddedTexts, ModelFault> {
    let garbled = |error: serde_json::Error| fault::garbled(&format!("no vectors ({error})"));
    if wire == Wire::Gemini {
        let GeminiAnswer { embeddings } = serde_json::from_value(answer).map_err(garbled)?;
        let vectors = embeddings.into_iter().map(|one| one.values).collect();
        return Ok(EmbeddedTexts { vectors, tokens: None });
    }
    let OpenAiAnswer { data, usage } = serde_json::from_value(answer).map_err(garbled)?;
    // The order of `data` is by `index`; a server without one keeps the order of the texts.
    let mut vectors = vec![Vec::new(); texts.min(data.len())];
    for (at, OpenAiVector { index, embedding }) in data.into_iter().enumerate() {
        let index = index.unwrap_or(at);
        let place = vectors.get_mut(index).filter(|place| place.is_empty());
        let place = place.ok_or_else(|| fault::garbled(&format!("a vector {index} too many")))?;
        *place = embedding;
    }
    Ok(EmbeddedTexts { vectors, tokens: usage.and_then(|usage| usage.total_tokens) })
}

fn check(embedded: &EmbeddedTexts, texts: usize) -> Result<(), ModelFault> {
    let vectors = &embedded.vectors;
    if vectors.len() != texts {
        let why = format!("{} vectors for {texts} texts", vectors.len());
        return Err(fault::garbled(&why));
    }
    let length = vectors.first().map_or(0, Vec::len);
    let is_sound = |vector: &Vec<f32>| {
        vector.len() == length && vector.iter().all(|number| number.is_finite())
    };
    if !(1..=DIMENSIONS_MAX).contains(&length) || !vectors.iter().all(is_sound) {
        return Err(fault::garbled("the vectors are empty, too long or not of one length"));
    }
    Ok(())
}
