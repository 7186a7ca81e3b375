//! Where each provider's socket is, and what the handshake carries.

use models::{Key, Secret};
use tokio_tungstenite::tungstenite::client::IntoClientRequest;
use tokio_tungstenite::tungstenite::http::header::AUTHORIZATION;
use tokio_tungstenite::tungstenite::http::{HeaderName, HeaderValue, Request, Uri};
use voice::RoadKind;

use super::{ProviderRoad, RoadFault};

/// Where Gemini takes its key.
const GOOGLE_KEY: HeaderName = HeaderName::from_static("x-goog-api-key");

impl ProviderRoad {
    /// The handshake, with the key in its headers.
    pub(crate) fn request(&self) -> Result<Request<()>, RoadFault> {
        let base_url = &self.provider.base_url;
        let bad = |why: String| RoadFault::BadAddress { url: base_url.clone(), why };
        let address = socket_address(self.model.road, base_url, &self.model.name).map_err(bad)?;
        let uri: Uri = address.parse().map_err(|_| bad("this is no address".to_owned()))?;
        let request = uri.into_client_request();
        let mut request = request.map_err(|_| bad("this is no address".to_owned()))?;
        let headers = request.headers_mut();
        if let Key::Given(key) = &self.provider.key {
            let (name, value) = match self.model.road {
                RoadKind::Gemini => (GOOGLE_KEY, key.expose().to_owned()),
                RoadKind::Realtime | RoadKind::Live | RoadKind::Cascade => {
                    (AUTHORIZATION, format!("Bearer {}", key.expose()))
                }
            };
            headers.insert(name, secret_value(&value).ok_or_else(|| bad(bad_key()))?);
        }
        for (name, value) in &self.provider.headers {
            let name = HeaderName::try_from(name);
            let name = name.map_err(|_| bad("a header's name is wrong".to_owned()))?;
            let value = header_value(value).ok_or_else(|| bad(bad_key()))?;
            headers.insert(name, value);
        }
        Ok(request)
    }
}

fn bad_key() -> String {
    "the key has characters that no header can have".to_owned()
}

fn header_value(value: &Secret) -> Option<HeaderValue> {
    secret_value(value.expose())
}

/// A value that debug output does not show.
fn secret_value(text: &str) -> Option<HeaderValue> {
    let mut value = HeaderValue::try_from(text).ok()?;
    value.set_sensitive(true);
    Some(value)
}

/// The socket below a provider's usual address.
fn socket_address(road: RoadKind, base_url: &str, model: &str) -> Result<String, String> {
    let base = match base_url.trim_end_matches('/').split_once("://") {
        Some(("https" | "wss", rest)) => format!("wss://{rest}"),
        Some(("http" | "ws", rest)) => format!("ws://{rest}"),
        Some(_) | None => return Err("an address begins with http:// or https://".to_owned()),
    };
    Ok(match road {
        RoadKind::Realtime => format!("{base}/realtime?model={}", escaped(model)),
        RoadKind::Live => format!("{base}/live/sessions"),
        RoadKind::Gemini => {
            let (host, version) = match base.rsplit_once('/') {
                Some((host, version)) if is_version(version) => (host, version),
                Some(_) | None => (base.as_str(), "v1beta"),
            };
            let service = "GenerativeService.BidiGenerateContent";
            format!("{host}/ws/google.ai.generativelanguage.{version}.{service}")
        }
        RoadKind::Cascade => return Err("our own parts have no socket".to_owned()),
    })
}

/// `v1`, `v1beta`.
fn is_version(text: &str) -> bool {
    text.strip_prefix('v').is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()))
}

/// A model's name in a query.
fn escaped(name: &str) -> String {
    let mut text = String::new();
    for byte in name.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' => {
                text.push(char::from(byte));
            }
            other => text.push_str(&format!("%{other:02X}")),
        }
    }
    text
}

#[cfg(test)]
mod tests;
