//! A speech server that writes down what a test says, and speaks in tones.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};

use voice_session::{Pcm, write_wav};

const RATE: u32 = 24_000;

pub(super) struct SpeechServer {
    pub address: String,
    said: Sender<String>,
}

impl SpeechServer {
    /// Every sentence lasts this long.
    pub(super) fn start(sentence_ms: u32) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap().to_string();
        let (said, heard) = channel();
        let heard = Arc::new(Mutex::new(heard));
        // Ends with the process of the test.
        std::thread::spawn(move || {
            for socket in listener.incoming().map_while(Result::ok) {
                let heard = Arc::clone(&heard);
                std::thread::spawn(move || answer(socket, &heard, sentence_ms));
            }
        });
        Self { address, said }
    }

    /// What the next stretch of speech is written down as.
    pub(super) fn hears(&self, words: &str) {
        self.said.send(words.to_owned()).unwrap();
    }
}

fn answer(mut socket: TcpStream, heard: &Mutex<Receiver<String>>, sentence_ms: u32) {
    let Some(head) = request(&mut socket) else { return };
    let (kind, answer) = match head.contains("/audio/transcriptions") {
        true => {
            let words = heard.lock().unwrap().try_recv().unwrap_or_default();
            ("application/json", serde_json::json!({ "text": words }).to_string().into_bytes())
        }
        false => ("audio/wav", tone(sentence_ms)),
    };
    let length = answer.len();
    let head = format!(
        "HTTP/1.1 200 OK\r\ncontent-type: {kind}\r\ncontent-length: {length}\r\n\
         connection: close\r\n\r\n"
    );
    let _ = socket.write_all(head.as_bytes());
    let _ = socket.write_all(&answer);
}

/// The head of a request whose body has come.
fn request(socket: &mut TcpStream) -> Option<String> {
    let (mut bytes, mut piece) = (Vec::new(), [0; 65_536]);
    loop {
        let count = socket.read(&mut piece).ok().filter(|count| *count > 0)?;
        bytes.extend_from_slice(&piece[..count]);
        let Some(at) = bytes.windows(4).position(|four| four == b"\r\n\r\n") else { continue };
        let head = String::from_utf8_lossy(&bytes[..at]).to_ascii_lowercase();
        let length = head.lines().find_map(|line| line.strip_prefix("content-length: "));
        let length: usize = length.and_then(|length| length.trim().parse().ok()).unwrap_or(0);
        if bytes.len() >= at + 4 + length {
            return Some(head);
        }
    }
}

fn tone(ms: u32) -> Vec<u8> {
    let wave = |at: u32| (f64::from(at) * 330.0 * std::f64::consts::TAU / f64::from(RATE)).sin();
    #[expect(clippy::cast_possible_truncation, reason = "the wave is small")]
    let samples = (0..RATE / 1_000 * ms).map(|at| (wave(at) * 6_000.0) as i16).collect();
    write_wav(&Pcm { rate: RATE, samples })
}
