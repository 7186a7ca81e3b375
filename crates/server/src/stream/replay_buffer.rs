//! The newest frames of a stream, for readers that are slow or reconnect.
//!
//! Must hold: a reader gets everything after its position, once. When there are too many
//! frames, deltas of one message are joined and replaced frames are dropped; only then the
//! oldest frames go.

use std::collections::VecDeque;
use std::sync::Arc;

use serde_json::{Value, json};

use crate::stream::event::{Event, Frame, Position};

pub(crate) struct ReplayBuffer {
    frames: VecDeque<BufferedFrame>,
    bytes: usize,
    /// Frames since deltas were last joined.
    fresh: usize,
    replay_events_max: usize,
    bytes_max: usize,
    /// The position just before the oldest buffered frame.
    first: Position,
}

struct BufferedFrame {
    /// The position just before the first delta of this frame.
    since: Position,
    frame: Arc<Frame>,
}

/// The reader's position is no longer buffered; the oldest one that it can resume from.
#[derive(Debug, PartialEq)]
pub(crate) struct Expired(pub Position);

impl ReplayBuffer {
    pub(crate) fn new(first: Position, replay_events_max: usize, bytes_max: usize) -> Self {
        Self { frames: VecDeque::new(), bytes: 0, fresh: 0, replay_events_max, bytes_max, first }
    }

    /// Adds a frame that follows the position `since`.
    pub(crate) fn put(&mut self, since: Position, frame: Frame) {
        if let Some(name) = &frame.instead_of {
            let old = self
                .frames
                .iter()
                .rposition(|buffered| buffered.frame.instead_of.as_ref() == Some(name));
            let old = old.and_then(|at| self.frames.remove(at));
            self.bytes -= old.map_or(0, |buffered| buffered.frame.data.len());
        }
        self.bytes += frame.data.len();
        self.fresh += 1;
        self.frames.push_back(BufferedFrame { since, frame: Arc::new(frame) });
        if self.frames.len() > self.replay_events_max && self.fresh > self.replay_events_max / 2 {
            self.join_words();
        }
        while self.frames.len() > self.replay_events_max || self.bytes > self.bytes_max {
            let Some(oldest) = self.frames.pop_front() else { return };
            self.bytes -= oldest.frame.data.len();
            self.first = oldest.frame.place;
        }
    }

    /// At most this many frames after a position.
    pub(crate) fn after(&self, place: Position, count: usize) -> Result<Vec<Arc<Frame>>, Expired> {
        if place < self.first {
            return Err(Expired(self.first));
        }
        let from = self.frames.partition_point(|buffered| buffered.frame.place <= place);
        let frames = || self.frames.iter().skip(from);
        match frames().next() {
            // It was joined from deltas of which this reader has some.
            Some(next) if place > next.since => Err(Expired(next.since)),
            Some(_) | None => {
                Ok(frames().take(count).map(|buffered| Arc::clone(&buffered.frame)).collect())
            }
        }
    }

    fn join_words(&mut self) {
        let mut joined = VecDeque::with_capacity(self.frames.len());
        let mut run: Option<TextRun> = None;
        for buffered in self.frames.drain(..) {
            match (TextRun::of(&buffered), &mut run) {
                (Some(next), Some(run)) if run.id == next.id && run.kind == next.kind => {
                    run.text.push_str(&next.text);
                    run.place = next.place;
                }
                (Some(next), _) => joined.extend(run.replace(next).map(TextRun::buffered)),
                (None, _) => {
                    joined.extend(run.take().map(TextRun::buffered));
                    joined.push_back(buffered);
                }
            }
        }
        joined.extend(run.map(TextRun::buffered));
        self.bytes = joined.iter().map(|buffered| buffered.frame.data.len()).sum();
        self.frames = joined;
        self.fresh = 0;
    }
}

/// Consecutive deltas of one message.
struct TextRun {
    since: Position,
    place: Position,
    kind: &'static str,
    id: Value,
    text: String,
}

impl TextRun {
    fn of(BufferedFrame { since, frame }: &BufferedFrame) -> Option<Self> {
        let Frame { place, kind, data, .. } = frame.as_ref();
        if !kind.ends_with("_MESSAGE_CONTENT") {
            return None;
        }
        let mut data: Value = serde_json::from_str(data).ok()?;
        let (id, text) = (data["messageId"].take(), data["delta"].as_str()?.to_owned());
        Some(Self { since: *since, place: *place, kind, id, text })
    }

    fn buffered(self) -> BufferedFrame {
        let Self { since, place, kind, id, text } = self;
        let event = Event::new(kind, json!({ "messageId": id, "delta": text }));
        BufferedFrame { since, frame: Arc::new(Frame::new(place, &event)) }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::{Expired, ReplayBuffer};
    use crate::stream::event::{Event, Frame, Position};
    use crate::stream::text_message::content_of;

    const START: Position = Position { sequence: 1, live: 0, epoch: 0 };

    struct Fixture {
        buffer: ReplayBuffer,
        last: Position,
    }

    impl Fixture {
        fn new(replay_events_max: usize, bytes_max: usize) -> Self {
            Self { buffer: ReplayBuffer::new(START, replay_events_max, bytes_max), last: START }
        }

        fn put(&mut self, event: &Event) -> Position {
            let place = self.last.next_live(7);
            self.buffer.put(self.last, Frame::new(place, event));
            self.last = place;
            place
        }

        /// The text and blocks after a position.
        fn after(&self, place: Position) -> Result<String, Expired> {
            let frames = self.buffer.after(place, 1_000)?;
            let texts = frames.iter().map(|frame| {
                let data: Value = serde_json::from_str(&frame.data).unwrap();
                data["delta"].as_str().unwrap_or(&data["value"].to_string()).to_owned()
            });
            Ok(texts.collect())
        }
    }

    fn word(key: &str, text: &str) -> Event {
        content_of("assistant", key, text)
    }

    #[test]
    fn deltas_are_joined_before_frames_are_dropped() {
        let mut fixture = Fixture::new(8, 10_000);
        let places: Vec<_> =
            (0..100).map(|at| fixture.put(&word("a", &format!("{at} ")))).collect();
        let whole: String = (0..100).map(|at| format!("{at} ")).collect();
        assert_eq!(fixture.after(START), Ok(whole));
        assert_eq!(fixture.after(*places.last().unwrap()), Ok(String::new()));
        assert_eq!(fixture.after(places[98]), Ok("99 ".to_owned()));
        assert_eq!(fixture.after(places[3]), Err(Expired(START)));
        assert!(fixture.buffer.frames.len() <= 8);
    }

    #[test]
    fn deltas_of_two_messages_are_not_joined() {
        let mut fixture = Fixture::new(4, 10_000);
        for _ in 0..3 {
            fixture.put(&word("a", "x"));
        }
        for _ in 0..3 {
            fixture.put(&word("b", "y"));
        }
        let frames = fixture.buffer.after(START, 10).unwrap();
        let ids = frames
            .iter()
            .map(|frame| serde_json::from_str::<Value>(&frame.data).unwrap()["messageId"].clone());
        let mut ids: Vec<_> = ids.collect();
        ids.dedup();
        assert_eq!(ids, [json!("a"), json!("b")]);
        assert_eq!(fixture.after(START), Ok("xxxyyy".to_owned()));
    }

    #[test]
    fn a_replaced_frame_is_dropped() {
        let mut fixture = Fixture::new(100, 10_000);
        let block = |at: u32| Event::custom("rendered", json!(at)).instead_of("a 0".into());
        let first = fixture.put(&block(1));
        fixture.put(&word("a", "x"));
        let second = fixture.put(&block(2));
        assert_eq!(fixture.after(START), Ok("x2".to_owned()));
        assert_eq!(fixture.after(first), Ok("x2".to_owned()));
        fixture.put(&block(3));
        assert_eq!(fixture.after(second), Ok("3".to_owned()));
    }

    #[test]
    fn the_oldest_frames_are_dropped_above_the_byte_limit() {
        let mut fixture = Fixture::new(100, 200);
        for at in 0..20 {
            fixture.put(&Event::custom("progress", json!(at)));
        }
        assert!(fixture.buffer.bytes <= 200);
        assert!(matches!(fixture.after(START), Err(Expired(_))));
    }
}
