//! A client that expects connections to break.

use serde_json::Value;
use std::io::{Read as _, Write as _};
use std::net::TcpStream;

use super::Servers;
use super::project::token;

pub(super) struct Client<'a> {
    pub servers: &'a dyn Servers,
    pub owner: &'static str,
}

/// A complete answer.
pub(super) struct HttpResponse {
    pub status: u16,
    /// It had run before, and the first answer was repeated.
    pub replayed: bool,
    pub body: Value,
}

/// What a client knows after one request.
pub(super) enum Sent {
    Answer(HttpResponse),
    /// No connection, so nothing was sent.
    NotConnected,
    /// It was sent, and may have been received.
    CutOff,
}

impl Client<'_> {
    pub(super) fn get(&self, path: &str) -> Sent {
        self.send("GET", path, "", None)
    }

    pub(super) fn post(&self, path: &str, body: &Value) -> Sent {
        self.send("POST", path, "", Some(body))
    }

    /// With further headers, each with the end of its line.
    pub(super) fn send(
        &self,
        method: &str,
        path: &str,
        headers: &str,
        body: Option<&Value>,
    ) -> Sent {
        let Some(address) = self.servers.address() else { return Sent::NotConnected };
        let Ok(mut socket) = TcpStream::connect(&address) else { return Sent::NotConnected };
        let (token, body) = (token(self.owner), body.map(Value::to_string).unwrap_or_default());
        let request = format!(
            "{method} {path} HTTP/1.1\r\nhost: {address}\r\nconnection: close\r\n{headers}\
             authorization: Bearer {token}\r\ncontent-type: application/json\r\n\
             content-length: {}\r\n\r\n{body}",
            body.len()
        );
        let mut answer = String::new();
        let read = socket
            .set_read_timeout(Some(self.servers.answer_time_max()))
            .and_then(|()| socket.write_all(request.as_bytes()))
            .and_then(|()| socket.read_to_string(&mut answer));
        // A kill may also close the connection cleanly, after a part of the answer.
        read.ok().and_then(|_| whole(&answer)).map_or(Sent::CutOff, Sent::Answer)
    }
}

/// The answer, if it is complete.
fn whole(answer: &str) -> Option<HttpResponse> {
    let (head, body) = answer.split_once("\r\n\r\n")?;
    let head = head.to_lowercase();
    let length = head.lines().find_map(|line| line.strip_prefix("content-length:"));
    if length.is_some_and(|length| length.trim().parse() != Ok(body.len())) {
        return None;
    }
    let status = head.split(' ').nth(1)?.parse().ok()?;
    let replayed = head.contains("\r\nidempotent-replayed: true");
    Some(HttpResponse { status, replayed, body: serde_json::from_str(body).unwrap_or_default() })
}
