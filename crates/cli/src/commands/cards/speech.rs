//! Reads words aloud with a speech server that speaks OpenAI's `/v1/audio/speech`.
//!
//! In: a text and its language. Out: an MP3. Must hold: the same text is paid for once; the
//! key is in no message.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use cards::{Language, Sound, Speaker};
use contract::{Digest, Secret};
use files::write_atomically;
use models::{HttpClient, HttpFault, HttpRequest, Limits};
use serde_json::json;

use super::settings::key_in;
use crate::config::Config;
use crate::exit::Failure;

/// A sentence has less; a book is not read aloud.
const TEXT_CHARS_MAX: usize = 1_000;
const SOUND_BYTES_MAX: usize = 8 << 20;
const TIME_MAX: Duration = Duration::from_secs(60);
/// Kept sounds; beyond, new ones are asked for every time.
const KEPT_MAX: usize = 20_000;

struct SpeechServer {
    http: HttpClient,
    url: String,
    model: String,
    voice: String,
    key: Option<Secret>,
    /// Where sounds are kept.
    folder: PathBuf,
}

/// The speech server of `[cards.speech]`; none if no address is set.
pub(in crate::commands) fn speaker(config: &Config) -> Result<Option<Speaker>, Failure> {
    let Some(url) = config.get("cards.speech.url") else { return Ok(None) };
    let text = |name: &str| config.get(name).unwrap_or_default().to_owned();
    let store = config.path("store.file").unwrap_or_default();
    let server = SpeechServer {
        http: HttpClient::new(Limits::usual())
            .map_err(|fault| Failure::message(fault.message, fault.fix))?,
        url: address(url)?,
        model: text("cards.speech.model"),
        voice: text("cards.speech.voice"),
        key: key_in(&text("cards.speech.key_env")),
        folder: store.with_file_name("speech"),
    };
    let server = Arc::new(server);
    Ok(Some(Arc::new(move |text, language| {
        let server = Arc::clone(&server);
        Box::pin(async move { server.speak(&text, &language).await })
    })))
}

/// The whole address; a base such as `http://127.0.0.1:8000/v1` is enough.
fn address(url: &str) -> Result<String, Failure> {
    if !url.starts_with("http://") && !url.starts_with("https://") {
        let what = format!("`cards.speech.url` is not an address: `{url}`");
        return Err(Failure::message(what, "give one such as `http://127.0.0.1:8000/v1`"));
    }
    let url = url.trim_end_matches('/');
    Ok(match url.ends_with("/audio/speech") {
        true => url.to_owned(),
        false => format!("{url}/audio/speech"),
    })
}

impl SpeechServer {
    async fn speak(&self, text: &str, language: &Language) -> Result<Sound, String> {
        let text = cards::normalise(text);
        if text.chars().count() > TEXT_CHARS_MAX {
            return Err(format!("the text has more than {TEXT_CHARS_MAX} characters"));
        }
        let path = self.path(&text, language);
        if let Ok(bytes) = std::fs::read(&path) {
            return Ok(Sound { ending: "mp3", bytes });
        }
        let bytes = self.ask(&text).await?;
        self.keep(&path, &bytes);
        Ok(Sound { ending: "mp3", bytes })
    }

    fn path(&self, text: &str, language: &Language) -> PathBuf {
        let Self { url, model, voice, .. } = self;
        let all = json!([url, model, voice, language.as_str(), text]).to_string();
        let digest = Digest::of(all.as_bytes()).to_string();
        let name = digest.trim_start_matches("sha256:");
        self.folder.join(format!("{}.mp3", name.get(..40).unwrap_or(name)))
    }

    async fn ask(&self, text: &str) -> Result<Vec<u8>, String> {
        let Self { url, model, voice, .. } = self;
        let body = json!({
            "model": model, "voice": voice, "input": text, "response_format": "mp3",
        });
        let body = body.to_string();
        let authorization = self.key.as_ref().map(|key| format!("Bearer {}", key.expose()));
        let authorization = authorization.as_deref();
        let headers: Vec<_> = authorization.map(|key| ("authorization", key)).into_iter().collect();
        let request = HttpRequest {
            method: "POST",
            url,
            headers: &headers,
            json: Some(&body),
            time_max: TIME_MAX,
            bytes_max: SOUND_BYTES_MAX,
        };
        let answer = self.http.exchange(&request).await;
        let answer = answer.map_err(|why| fault(why, TIME_MAX))?;
        match answer.status {
            200 if answer.bytes.is_empty() => Err("the answer has no sound".to_owned()),
            200 if answer.bytes.starts_with(b"{") => Err("the answer is no sound".to_owned()),
            200 => Ok(answer.bytes),
            status => Err(format!("the server answered {status}")),
        }
    }

    /// A sound that cannot be kept is asked for again.
    fn keep(&self, path: &std::path::Path, bytes: &[u8]) {
        let kept = std::fs::read_dir(&self.folder).map_or(0, Iterator::count);
        let written = match kept < KEPT_MAX {
            true => std::fs::create_dir_all(&self.folder)
                .map_err(|error| error.to_string())
                .and_then(|()| write_atomically(path, bytes).map_err(|error| error.to_string())),
            false => Err(format!("{} has {KEPT_MAX} files", self.folder.display())),
        };
        if let Err(why) = written {
            tracing::warn!(why, "a sound is not kept");
        }
    }
}

/// What went wrong with a request that had this long.
pub(super) fn fault(fault: HttpFault, time_max: Duration) -> String {
    match fault {
        HttpFault::Unsendable(why) => format!("the request cannot be sent: {why}"),
        HttpFault::Unreachable(why) => format!("no connection: {why}"),
        HttpFault::Lost(why) => format!("the connection broke: {why}"),
        HttpFault::TimedOut => format!("no answer within {} seconds", time_max.as_secs()),
        HttpFault::TooLarge => "the answer is too large".to_owned(),
    }
}
