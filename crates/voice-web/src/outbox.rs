//! What a client has not confirmed yet, in order, so that a new connection can go on.

use std::collections::VecDeque;

use axum::body::Bytes;
use axum::extract::ws::{Message, Utf8Bytes};
use serde_json::Value;

use crate::protocol::ServerEvent;

/// One message, with its number.
#[derive(Debug, Clone)]
pub(crate) struct Numbered {
    pub seq: u64,
    pub message: Message,
    bytes: usize,
}

/// The messages of a session; numbers count from 1.
#[derive(Debug, Default)]
pub(crate) struct Outbox {
    waiting: VecDeque<Numbered>,
    bytes: usize,
    last: u64,
    /// Nothing more will come.
    pub has_ended: bool,
}

/// The client has missed messages that are gone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Behind;

impl Outbox {
    pub(crate) fn event(&mut self, event: &ServerEvent) {
        let seq = self.last + 1;
        let mut json = serde_json::to_value(event).unwrap_or_default();
        if let Value::Object(fields) = &mut json {
            fields.insert("seq".to_owned(), seq.into());
        }
        let text = json.to_string();
        self.push(text.len(), Message::Text(Utf8Bytes::from(text)));
    }

    pub(crate) fn audio(&mut self, utterance: u32, samples: &[i16]) {
        let number = u32::try_from(self.last + 1).unwrap_or(u32::MAX);
        let mut bytes = Vec::with_capacity(8 + samples.len() * 2);
        bytes.extend(number.to_le_bytes());
        bytes.extend(utterance.to_le_bytes());
        bytes.extend(samples.iter().flat_map(|sample| sample.to_le_bytes()));
        self.push(bytes.len(), Message::Binary(Bytes::from(bytes)));
    }

    fn push(&mut self, bytes: usize, message: Message) {
        self.last += 1;
        self.bytes += bytes;
        self.waiting.push_back(Numbered { seq: self.last, message, bytes });
    }

    pub(crate) fn bytes(&self) -> usize {
        self.bytes
    }

    /// The client has everything up to this number.
    pub(crate) fn confirm(&mut self, seen: u64) {
        while self.waiting.front().is_some_and(|one| one.seq <= seen) {
            self.bytes -= self.waiting.pop_front().map_or(0, |one| one.bytes);
        }
    }

    /// Whether a client that has seen this number can go on.
    pub(crate) fn check(&self, seen: u64) -> Result<(), Behind> {
        let oldest = self.waiting.front().map_or(self.last + 1, |one| one.seq);
        match seen + 1 >= oldest && seen <= self.last {
            true => Ok(()),
            false => Err(Behind),
        }
    }

    /// The first message after this number.
    pub(crate) fn after(&self, sent: u64) -> Option<Numbered> {
        let oldest = self.waiting.front()?.seq;
        let at = usize::try_from((sent + 1).saturating_sub(oldest)).ok()?;
        self.waiting.get(at).cloned()
    }
}

#[cfg(test)]
mod tests {
    use super::{Behind, Outbox};
    use crate::protocol::ServerEvent;

    fn outbox(count: u32) -> Outbox {
        let mut outbox = Outbox::default();
        (1..=count).for_each(|utterance| outbox.event(&ServerEvent::Play { utterance }));
        outbox
    }

    #[test]
    fn messages_are_kept_until_they_are_confirmed() {
        let mut outbox = outbox(3);
        assert_eq!(outbox.after(0).unwrap().seq, 1);
        outbox.confirm(2);
        assert_eq!(outbox.after(2).unwrap().seq, 3);
        assert!(outbox.after(3).is_none());
        let one = outbox.bytes();
        outbox.audio(7, &[1, -1]);
        assert_eq!(outbox.bytes(), one + 12);
        let sent = outbox.after(3).unwrap().message.into_data();
        assert_eq!(&sent[..], [4, 0, 0, 0, 7, 0, 0, 0, 1, 0, 255, 255]);
        outbox.confirm(4);
        assert_eq!(outbox.bytes(), 0);
    }

    #[test]
    fn a_client_goes_on_only_where_nothing_is_missing() {
        let mut outbox = outbox(3);
        outbox.confirm(2);
        let check = |seen: u64, expected: Result<(), Behind>| {
            assert_eq!(outbox.check(seen), expected, "{seen}");
        };
        check(0, Err(Behind));
        check(1, Err(Behind));
        check(2, Ok(()));
        check(3, Ok(()));
        check(4, Err(Behind));
    }
}
