//! Accepts connections: the handshake, with its key and its refusals.

use std::sync::Arc;

use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinSet;
use tokio_tungstenite::accept_hdr_async;
use tokio_tungstenite::tungstenite::handshake::server::{ErrorResponse, Request, Response};
use tokio_tungstenite::tungstenite::http::StatusCode;

use super::{VoiceHandshake, VoiceState, VoiceWire, connection};

pub(super) async fn accept(listener: TcpListener, state: Arc<VoiceState>) {
    let mut connections = JoinSet::new();
    // The set ends its tasks with this one.
    while let Ok((stream, _)) = listener.accept().await {
        connections.spawn(serve(stream, Arc::clone(&state)));
    }
}

async fn serve(stream: TcpStream, state: Arc<VoiceState>) {
    // Answers are small, and wanted at once.
    let _ = stream.set_nodelay(true);
    let known = Arc::clone(&state);
    #[expect(clippy::result_large_err, reason = "the type is the library's")]
    let look = move |request: &Request, response: Response| match refusal(&known, request) {
        None => Ok(response),
        Some((status, body)) => Err(refused(status, body)),
    };
    let Ok(socket) = accept_hdr_async(stream, look).await else { return };
    let number = {
        let inner = state.lock();
        inner.handshakes.len()
    };
    connection::run(socket, number, &state).await;
}

fn refused(status: u16, body: String) -> ErrorResponse {
    let mut response = ErrorResponse::new(Some(body));
    *response.status_mut() = StatusCode::from_u16(status).unwrap_or(StatusCode::BAD_REQUEST);
    response
}

/// Why the handshake is refused, if it is. Error bodies show the key, as some servers do.
fn refusal(state: &VoiceState, request: &Request) -> Option<(u16, String)> {
    let header = |name: &str| {
        request.headers().get(name).and_then(|value| value.to_str().ok()).unwrap_or_default()
    };
    let given = match state.wire {
        VoiceWire::Gemini => header("x-goog-api-key"),
        VoiceWire::Realtime | VoiceWire::RealtimeBeta | VoiceWire::Live => {
            header("authorization").trim_start_matches("Bearer ")
        }
    };
    let mut inner = state.lock();
    if let Some(status) = inner.refusals.pop_front() {
        return Some((status, format!("not now, {given}")));
    }
    if inner.key.as_deref().is_some_and(|key| key != given) {
        return Some((401, format!("incorrect key: {given}")));
    }
    let target = request.uri().to_string();
    let is_known = match state.wire {
        VoiceWire::Realtime | VoiceWire::RealtimeBeta => target.starts_with("/v1/realtime?model="),
        VoiceWire::Live => target == "/v1/live/sessions",
        VoiceWire::Gemini => {
            target
                == "/ws/google.ai.generativelanguage.v1beta.GenerativeService.\
                       BidiGenerateContent"
        }
    };
    if !is_known {
        return Some((404, format!("there is nothing at {target}")));
    }
    let pairs = request.headers().iter();
    let headers = pairs
        .map(|(name, value)| (name.to_string(), value.to_str().unwrap_or_default().to_owned()))
        .collect();
    inner.handshakes.push(VoiceHandshake { target, headers });
    None
}
