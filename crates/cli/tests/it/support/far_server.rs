//! A server at the far side of one of our programs: AnkiConnect, a speech server.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};

use serde_json::Value;

/// What was asked: the head and the body.
pub(crate) type Asked = Arc<Mutex<Vec<(String, Value)>>>;

/// Answers every POST as the closure says, until the program of the test ends.
pub(crate) fn far_server(
    answer: impl Fn(&Value) -> (u16, Vec<u8>) + Send + Sync + 'static,
) -> (String, Asked) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let asked = Asked::default();
    let (seen, answer) = (Arc::clone(&asked), Arc::new(answer));
    // A client may open a second connection while it keeps the first one.
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let Ok(stream) = stream else { return };
            let (seen, answer) = (Arc::clone(&seen), Arc::clone(&answer));
            std::thread::spawn(move || {
                while let Some((head, body)) = read(&stream) {
                    let (status, bytes) = answer(&body);
                    seen.lock().unwrap().push((head, body));
                    let head =
                        format!("HTTP/1.1 {status} X\r\ncontent-length: {}\r\n\r\n", bytes.len());
                    let mut to = &stream;
                    if to.write_all(&[head.as_bytes(), &bytes].concat()).is_err() {
                        break;
                    }
                }
            });
        }
    });
    (url, asked)
}

/// One request; none at the end of the connection.
fn read(stream: &TcpStream) -> Option<(String, Value)> {
    let mut from = BufReader::new(stream);
    let mut head = String::new();
    while !head.ends_with("\r\n\r\n") {
        if from.read_line(&mut head).ok()? == 0 {
            return None;
        }
    }
    let lower = head.to_lowercase();
    let length = lower.lines().find_map(|line| line.strip_prefix("content-length: ")).unwrap();
    let mut body = vec![0; length.parse().unwrap()];
    from.read_exact(&mut body).ok()?;
    Some((head, serde_json::from_slice(&body).unwrap()))
}
