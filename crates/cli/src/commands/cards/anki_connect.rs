//! Calls a running Anki through the add-on AnkiConnect.
//!
//! Must hold: what AnkiConnect refuses is told in words that say what to do in Anki; the key is in
//! no message.

use std::time::Duration;

use cards::AnkiCaller;
use contract::Secret;
use models::{HttpClient, HttpRequest, Limits};
use serde_json::{Value, json};

use super::settings::key_in;
use super::speech;
use crate::exit::Failure;

const TIME_MAX: Duration = Duration::from_secs(120);
const ANSWER_BYTES_MAX: usize = 64 << 20;
/// The version of AnkiConnect's protocol.
const PROTOCOL: u32 = 6;
const KEY: &str = "ANKICONNECT_API_KEY";

/// Calls the AnkiConnect at this address.
pub(in crate::commands) fn anki_connect(url: &str) -> Result<AnkiCaller, Failure> {
    let anki = AnkiConnect::new(url)?;
    Ok(std::sync::Arc::new(move |action, with| {
        let anki = anki.clone();
        Box::pin(async move { anki.call(action, with).await })
    }))
}

#[derive(Clone)]
struct AnkiConnect {
    http: HttpClient,
    url: String,
    /// Where AnkiConnect is set up to ask for one.
    key: Option<Secret>,
}

impl AnkiConnect {
    fn new(url: &str) -> Result<Self, Failure> {
        if !url.starts_with("http://") && !url.starts_with("https://") {
            let what = format!("`{url}` is not the address of AnkiConnect");
            return Err(Failure::message(what, "give one such as `http://127.0.0.1:8765`"));
        }
        let http = HttpClient::new(Limits::usual())
            .map_err(|fault| Failure::message(fault.message, fault.fix))?;
        Ok(Self { http, url: url.to_owned(), key: key_in(KEY) })
    }

    async fn call(&self, action: &str, with: Value) -> Result<Value, String> {
        let mut body = json!({ "action": action, "version": PROTOCOL, "params": with });
        if let Some(key) = &self.key {
            body["key"] = json!(key.expose());
        }
        let body = body.to_string();
        let request = HttpRequest {
            method: "POST",
            url: &self.url,
            headers: &[],
            json: Some(&body),
            time_max: TIME_MAX,
            bytes_max: ANSWER_BYTES_MAX,
        };
        let answer = self.http.exchange(&request).await;
        let answer = answer.map_err(|why| speech::fault(why, TIME_MAX))?;
        if answer.status != 200 {
            return Err(format!("AnkiConnect answered {}", answer.status));
        }
        let answer: Value = serde_json::from_slice(&answer.bytes)
            .map_err(|_| "the answer is not that of AnkiConnect".to_owned())?;
        match answer.get("error") {
            Some(Value::Null) | None => Ok(answer.get("result").cloned().unwrap_or_default()),
            Some(error) => Err(readable(action, error.as_str().unwrap_or("unknown error"))),
        }
    }
}

/// What AnkiConnect says, as what to do about it.
fn readable(action: &str, error: &str) -> String {
    let says = |part: &str| error.to_lowercase().contains(part);
    if says("api key") {
        format!("AnkiConnect asks for a key: set {KEY} to the `apiKey` of its configuration")
    } else if says("collection is not available") {
        "no profile is open in Anki: choose one, and wait until its decks are shown".to_owned()
    } else if says("unsupported action") {
        format!("this AnkiConnect is too old for `{action}`: update the add-on")
    } else {
        format!("AnkiConnect refused `{action}`: {error}")
    }
}

#[cfg(test)]
mod tests {
    use super::readable;

    #[test]
    fn refusals_say_what_to_do() {
        for (error, words) in [
            ("valid api key must be provided", "set ANKICONNECT_API_KEY"),
            ("collection is not available", "no profile is open in Anki"),
            ("unsupported action", "too old for `findNotes`"),
            ("deck was not found: X", "refused `findNotes`: deck was not found: X"),
        ] {
            let told = readable("findNotes", error);
            assert!(told.contains(words), "{error}: {told}");
        }
    }
}
