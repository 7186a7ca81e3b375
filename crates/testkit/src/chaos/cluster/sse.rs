//! A follower of a conversation's stream that moves from server to server.

use std::io::{BufRead as _, BufReader, ErrorKind, Write as _};
use std::net::TcpStream;
use std::time::Duration;

use super::super::Servers;
use super::super::project::token;

/// How long a read waits before the follower looks whether it should end.
const READ_TIME: Duration = Duration::from_millis(300);
/// A server that sends nothing for so long is left for another one.
const SILENCE_MAX: u32 = 20;

/// What a follower got.
#[derive(Debug, Default)]
pub(super) struct Feed {
    /// The events at positions of the log.
    pub events: Vec<(u64, String)>,
    /// What it was told to read again instead: after the first, up to the second.
    pub reloaded: Vec<(u64, u64)>,
    pub faults: Vec<String>,
    pub connections: u32,
    last: String,
    place: Place,
}

/// A position: of the log, and the frames after it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Place {
    sequence: u64,
    live: u64,
    epoch: u32,
}

fn place(text: &str) -> Option<Place> {
    let mut parts = text.split('.');
    let sequence = parts.next()?.parse().ok()?;
    let live = parts.next().map_or(Some(0), |live| live.parse().ok())?;
    let epoch = parts.next().map_or(Some(0), |epoch| u32::from_str_radix(epoch, 16).ok())?;
    Some(Place { sequence, live, epoch })
}

impl Feed {
    pub(super) fn from_the_start() -> Self {
        Self { last: "0".to_owned(), ..Self::default() }
    }

    /// The newest position of the log that it has seen.
    pub(super) fn reached(&self) -> u64 {
        self.place.sequence
    }

    /// Follows over all servers until this returns true.
    pub(super) fn follow(
        &mut self,
        servers: &dyn Servers,
        owner: &str,
        path: &str,
        is_over: &dyn Fn(&Self) -> bool,
    ) {
        while !is_over(self) {
            let Some(address) = servers.address() else {
                super::super::pause(READ_TIME);
                continue;
            };
            if self.connection(&address, owner, path, is_over).is_none() {
                super::super::pause(Duration::from_millis(20));
            }
        }
    }

    /// One connection to its end.
    fn connection(
        &mut self,
        address: &str,
        owner: &str,
        path: &str,
        is_over: &dyn Fn(&Self) -> bool,
    ) -> Option<()> {
        let mut socket = TcpStream::connect(address).ok()?;
        socket.set_read_timeout(Some(READ_TIME)).ok()?;
        // Version 1.0: the body ends with the connection, and is not chunked.
        let request = format!(
            "GET {path}/stream HTTP/1.0\r\nhost: {address}\r\nauthorization: Bearer {}\r\n\
             last-event-id: {}\r\n\r\n",
            token(owner),
            self.last
        );
        socket.write_all(request.as_bytes()).ok()?;
        self.connections += 1;
        let mut reader = BufReader::new(socket);
        let (mut line, mut id, mut event, mut data) =
            (Vec::new(), String::new(), String::new(), String::new());
        let mut silent = 0;
        loop {
            match reader.read_until(b'\n', &mut line) {
                Ok(0) => return None,
                Ok(_) => {}
                Err(error)
                    if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut) =>
                {
                    silent += 1;
                    if is_over(self) || silent > SILENCE_MAX {
                        return Some(());
                    }
                    continue;
                }
                Err(_) => return None,
            }
            silent = 0;
            if line.last() != Some(&b'\n') {
                return None; // the connection ended within a line
            }
            let text = String::from_utf8_lossy(&line).trim_end().to_owned();
            line.clear();
            match text.split_once(':').map(|(name, value)| (name, value.trim_start())) {
                Some(("id", value)) => value.clone_into(&mut id),
                Some(("event", value)) => value.clone_into(&mut event),
                Some(("data", value)) => value.clone_into(&mut data),
                Some(_) => {}
                None if text.is_empty() => {
                    self.take(&id, &event, &data);
                    (id, event, data) = (String::new(), String::new(), String::new());
                    if is_over(self) {
                        return Some(());
                    }
                }
                None => {}
            }
        }
    }

    /// The next event, with its position.
    fn take(&mut self, id: &str, event: &str, data: &str) {
        let Some(at) = place(id) else { return };
        let before = self.place;
        if data.contains("\"name\":\"reload\"") {
            self.reloaded.push((before.sequence, at.sequence));
        } else {
            let is_after = match (at.sequence > before.sequence, at.epoch == before.epoch) {
                (true, _) => true,
                (false, true) => at.sequence == before.sequence && at.live > before.live,
                // Frames of another server count from the start.
                (false, false) => at.sequence == before.sequence && at.live > 0,
            };
            if !is_after {
                self.faults.push(format!("{event} at {id} came after {}", self.last));
            }
            // Parts of a text come live or from the log, never both, and so in other places.
            let is_part = event.starts_with("TEXT_MESSAGE")
                || event.starts_with("REASONING")
                || ["\"name\":\"rendered\"", "\"entry\":\"assistant\"", "\"entry\":\"thinking\""]
                    .iter()
                    .any(|part| data.contains(part));
            if at.live == 0 && !is_part {
                self.events.push((at.sequence, event.to_owned()));
            }
        }
        self.place = at;
        id.clone_into(&mut self.last);
    }
}
