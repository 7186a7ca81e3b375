//! A server with OpenAI's `/audio/transcriptions` and `/audio/speech`: OpenAI itself, speaches,
//! Kokoro-FastAPI, whisper.cpp's server.

use std::time::Duration;

use models::{HttpClient, HttpFault, HttpRequest, HttpResponse, Key, Limits, Provider, redact};
use policy::BoxFuture;
use serde_json::{Value, json};

use super::{Pcm, Speaks, SpeechFault, Transcribes, words_only};
use crate::wav::{read_wav, samples_of, write_wav};

/// How long one piece may take.
const TIME_MAX: Duration = Duration::from_secs(30);
/// The longest answer: ten minutes of speech at 24 kHz.
const BYTES_MAX: usize = 32 << 20;
/// How much of an error people see.
const FAULT_CHARS_MAX: usize = 300;
/// The rate of raw PCM, where a server says nothing.
const RAW_RATE: u32 = 24_000;
/// Between the parts of a form. No sound contains it by accident.
const BOUNDARY: &str = "ghosthand-7d0c1f52a94e4b6f8f3b";

/// A speech server.
pub struct SpeechServer {
    http: HttpClient,
    provider: Provider,
    model: String,
    /// A voice for speech, or a language for transcription.
    detail: Option<String>,
}

/// Why a server cannot be used at all.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SpeechServerFault {
    #[error("`{provider}` needs a key, and `{key}` is not set")]
    NoKey { provider: String, key: String },
    #[error("{0}")]
    NoClient(String),
}

impl SpeechServer {
    /// For transcription, `detail` is the language; for speech, the voice.
    pub fn new(
        provider: Provider,
        model: &str,
        detail: Option<String>,
    ) -> Result<Self, SpeechServerFault> {
        if provider.key == Key::Missing {
            let Provider { name, key_name, .. } = provider;
            return Err(SpeechServerFault::NoKey { provider: name, key: key_name });
        }
        let http = HttpClient::new(Limits::usual())
            .map_err(|fault| SpeechServerFault::NoClient(fault.message))?;
        Ok(Self { http, provider, model: model.to_owned(), detail })
    }

    async fn post(
        &self,
        path: &str,
        content_type: &str,
        body: Vec<u8>,
    ) -> Result<HttpResponse, SpeechFault> {
        let url = format!("{}{path}", self.provider.base_url.trim_end_matches('/'));
        let bearer = match &self.provider.key {
            Key::Given(key) => Some(format!("Bearer {}", key.expose())),
            Key::Missing | Key::NotNeeded => None,
        };
        let mut headers = vec![("content-type", content_type)];
        headers.extend(bearer.as_deref().map(|bearer| ("authorization", bearer)));
        headers.extend(
            self.provider.headers.iter().map(|(name, value)| (name.as_str(), value.expose())),
        );
        let request = HttpRequest {
            method: "POST",
            url: &url,
            headers: &headers,
            json: None,
            time_max: TIME_MAX,
            bytes_max: BYTES_MAX,
        };
        let name = self.server_name();
        let response = self.http.exchange_bytes(&request, body).await;
        let response = response.map_err(|fault| SpeechFault(in_words(&name, &fault)))?;
        match response.status {
            200..=299 => Ok(response),
            status => {
                let text = String::from_utf8_lossy(&response.bytes);
                let text: String = text.trim().chars().take(FAULT_CHARS_MAX).collect();
                let text = match &self.provider.key {
                    Key::Given(key) => redact(&text, std::iter::once(key)),
                    Key::Missing | Key::NotNeeded => text,
                };
                Err(SpeechFault(format!("{name} answers {status}: {text}")))
            }
        }
    }

    fn server_name(&self) -> String {
        format!("{}:{}", self.provider.name, self.model)
    }
}

fn in_words(name: &str, fault: &HttpFault) -> String {
    match fault {
        HttpFault::Unsendable(why) => format!("{name} cannot be asked: {why}"),
        HttpFault::Unreachable(why) => format!("{name} cannot be reached: {why}"),
        HttpFault::Lost(why) => format!("the connection to {name} broke: {why}"),
        HttpFault::TimedOut => format!("{name} did not answer within {} s", TIME_MAX.as_secs()),
        HttpFault::TooLarge => format!("the answer of {name} is too large"),
    }
}

impl Transcribes for SpeechServer {
    fn transcribe(&self, speech: Pcm) -> BoxFuture<'_, Result<String, SpeechFault>> {
        Box::pin(async move {
            let fields = [("model", Some(&self.model)), ("language", self.detail.as_ref())];
            let body = form(&fields, &write_wav(&speech));
            let kind = format!("multipart/form-data; boundary={BOUNDARY}");
            let response = self.post("/audio/transcriptions", &kind, body).await?;
            let json: Value = serde_json::from_slice(&response.bytes).unwrap_or_default();
            match json.get("text").and_then(Value::as_str) {
                Some(text) => Ok(words_only(text)),
                None => Err(SpeechFault(format!("{} sent no text", self.server_name()))),
            }
        })
    }

    fn name(&self) -> String {
        self.server_name()
    }
}

impl Speaks for SpeechServer {
    fn speak<'a>(&'a self, sentence: &'a str) -> BoxFuture<'a, Result<Pcm, SpeechFault>> {
        Box::pin(async move {
            let mut body = json!({
                "model": self.model, "input": sentence, "response_format": "wav",
            });
            if let Some(voice) = &self.detail {
                body["voice"] = voice.as_str().into();
            }
            let body = body.to_string().into_bytes();
            let response = self.post("/audio/speech", "application/json", body).await?;
            let bytes = response.bytes;
            // Some servers send raw samples whatever was asked for.
            match bytes.starts_with(b"RIFF") {
                true => read_wav(&bytes)
                    .map_err(|fault| SpeechFault(format!("{}: {fault}", self.server_name()))),
                false if bytes.starts_with(b"ID3") || bytes.starts_with(&[0xFF, 0xFB]) => {
                    Err(SpeechFault(format!("{} sent MP3 instead of WAV", self.server_name())))
                }
                false => Ok(Pcm { rate: RAW_RATE, samples: samples_of(&bytes).collect() }),
            }
        })
    }

    fn name(&self) -> String {
        self.server_name()
    }
}

/// A form with these fields and one sound.
fn form(fields: &[(&str, Option<&String>)], wav: &[u8]) -> Vec<u8> {
    let mut body = Vec::new();
    for (name, value) in fields {
        let Some(value) = value else { continue };
        let part = format!(
            "--{BOUNDARY}\r\ncontent-disposition: form-data; name=\"{name}\"\r\n\r\n{value}\r\n"
        );
        body.extend(part.into_bytes());
    }
    let head = format!(
        "--{BOUNDARY}\r\ncontent-disposition: form-data; name=\"file\"; \
         filename=\"speech.wav\"\r\ncontent-type: audio/wav\r\n\r\n"
    );
    body.extend(head.into_bytes());
    body.extend(wav);
    body.extend(format!("\r\n--{BOUNDARY}--\r\n").into_bytes());
    body
}
