//! One request, by hand, so that every byte is the attacker's.

use std::io::{Read, Write};
use std::net::{Shutdown, TcpStream};
use std::time::Duration;

use serde_json::Value;

/// What came back; the status is 0 where the server hung up without a word.
#[derive(Debug)]
pub(crate) struct Reply {
    pub status: u16,
    pub head: String,
    pub body: String,
}

impl Reply {
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_else(|_| panic!("no JSON: {self:?}"))
    }
}

/// What the server hung up on, or called too large, or could not read.
pub(crate) const UNREADABLE: &[u16] = &[0, 400, 404, 405, 408, 411, 413, 414, 415, 417, 422, 431];

/// Sends these bytes, and reads to the end, or until a stream says nothing more.
pub(crate) fn raw(address: &str, request: &[u8]) -> Reply {
    let mut socket = TcpStream::connect(address).unwrap();
    socket.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
    // A server that has heard enough does not read on.
    let _ = socket.write_all(request);
    let (mut bytes, mut piece) = (Vec::new(), [0; 16 << 10]);
    while let Ok(count) = socket.read(&mut piece) {
        bytes.extend_from_slice(&piece[..count]);
        let head = String::from_utf8_lossy(&bytes);
        let head = head.split_once("\r\n\r\n").map(|(head, _)| head.to_lowercase());
        if head.is_some_and(|head| head.contains("text/event-stream")) {
            // What it had to say at once is here; it may never end.
            socket.set_read_timeout(Some(Duration::from_secs(1))).unwrap();
        }
        if count == 0 {
            break;
        }
    }
    let _ = socket.shutdown(Shutdown::Both);
    let text = String::from_utf8_lossy(&bytes).into_owned();
    let (head, body) = text.split_once("\r\n\r\n").unwrap_or((&text, ""));
    let status = head.split(' ').nth(1).and_then(|status| status.parse().ok()).unwrap_or(0);
    Reply { status, head: head.to_lowercase(), body: body.to_owned() }
}

/// A request with these headers; `host`, the length and the end of the connection are added
/// unless they are given.
pub(crate) fn send(
    address: &str,
    method: &str,
    path: &str,
    headers: &[(&str, &str)],
    body: &str,
) -> Reply {
    let mut head = format!("{method} {path} HTTP/1.1\r\n");
    let length = body.len().to_string();
    let ours = [("host", address), ("content-length", length.as_str()), ("connection", "close")];
    let ours = ours.iter().filter(|(name, _)| headers.iter().all(|(given, _)| given != name));
    for (name, value) in ours.chain(headers) {
        head.push_str(&format!("{name}: {value}\r\n"));
    }
    raw(address, format!("{head}\r\n{body}").as_bytes())
}
