//! As much of WebSocket (RFC 6455) as Chromium's DevTools speak: whole text messages.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::{Shutdown, TcpStream};
use std::sync::Mutex;

const TEXT: u8 = 1;
const CLOSE: u8 = 8;
const IS_LAST: u8 = 0x80;
const IS_MASKED: u8 = 0x80;

pub(super) struct WebSocket {
    stream: TcpStream,
    /// One message at a time.
    sending: Mutex<()>,
}

impl WebSocket {
    /// Connects to an address such as `ws://127.0.0.1:9222/devtools/browser/ID`.
    pub(super) fn connect(url: &str) -> io::Result<Self> {
        let place = url.strip_prefix("ws://").and_then(|rest| rest.split_once('/'));
        let (host, path) =
            place.ok_or_else(|| io::Error::other(format!("not an address: {url}")))?;
        let mut stream = TcpStream::connect(host)?;
        stream.set_nodelay(true)?;
        write!(
            stream,
            "GET /{path} HTTP/1.1\r\nHost: {host}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\
             Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: Z2hvc3RoYW5kIHRlc3RzIQ==\r\n\r\n"
        )?;
        let mut head = Vec::new();
        // Byte by byte: what follows the head is the first message.
        while !head.ends_with(b"\r\n\r\n") {
            let mut byte = [0];
            stream.read_exact(&mut byte)?;
            head.push(byte[0]);
        }
        match head.starts_with(b"HTTP/1.1 101") {
            true => Ok(Self { stream, sending: Mutex::default() }),
            false => Err(io::Error::other(String::from_utf8_lossy(&head).into_owned())),
        }
    }

    pub(super) fn send(&self, text: &str) -> io::Result<()> {
        let mut frame = vec![IS_LAST | TEXT];
        match text.len() {
            short @ 0..126 => frame.push(IS_MASKED | short as u8),
            long => {
                frame.push(IS_MASKED | 127);
                frame.extend((long as u64).to_be_bytes());
            }
        }
        // The mask, which changes nothing.
        frame.extend([0; 4]);
        frame.extend(text.as_bytes());
        let _one = self.sending.lock().unwrap();
        (&self.stream).write_all(&frame)
    }

    /// Every message that comes, until the other side or [`Self::close`] ends it.
    pub(super) fn messages(&self) -> io::Result<impl Iterator<Item = Vec<u8>> + Send + use<>> {
        let mut reader = BufReader::new(self.stream.try_clone()?);
        Ok(std::iter::from_fn(move || read_message(&mut reader).ok().flatten()))
    }

    pub(super) fn close(&self) {
        // It may be closed already.
        let _ = self.stream.shutdown(Shutdown::Both);
    }
}

fn read_message(from: &mut impl BufRead) -> io::Result<Option<Vec<u8>>> {
    loop {
        let [kind, length] = read_array(from)?;
        let length = match length {
            126 => u64::from(u16::from_be_bytes(read_array(from)?)),
            127 => u64::from_be_bytes(read_array(from)?),
            short => u64::from(short),
        };
        let mut content = Vec::new();
        from.take(length).read_to_end(&mut content)?;
        match kind & !IS_LAST {
            TEXT => return Ok(Some(content)),
            CLOSE => return Ok(None),
            _ => {}
        }
    }
}

fn read_array<const N: usize>(from: &mut impl Read) -> io::Result<[u8; N]> {
    let mut bytes = [0; N];
    from.read_exact(&mut bytes)?;
    Ok(bytes)
}
