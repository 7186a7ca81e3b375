//! How the bytes of an answer arrive: in which pieces, how far, and past which gates.
//!
//! Must hold: an answer whose client disconnects early is counted as abandoned.

use std::collections::VecDeque;
use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use contract::BoxFuture;
use hyper::body::{Body, Bytes, Frame as BodyFrame};
use tokio::sync::watch;

use super::render::Frame;
use super::turn::{Quirk, Turn};
use crate::Gate;

/// Where the answer is split on its way.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Pieces {
    /// One piece for each frame.
    Frames,
    /// Pieces of this many bytes; 1 splits everywhere.
    Bytes(usize),
    /// Split at these places, counted in bytes from the start.
    At(Vec<usize>),
}

/// Where the answer ends too early, counted in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cut {
    /// The body ends as if it were complete.
    Ends(usize),
    /// The connection breaks.
    Breaks(usize),
}

/// One step of a delivery.
#[derive(Debug)]
pub(crate) enum Part {
    Bytes(Bytes),
    Wait(Gate),
    /// Flushes the bytes so far.
    Flush,
    Break,
}

/// The frames as event-stream text, split into pieces.
pub(crate) fn stream(turn: &Turn, frames: &[Frame], pings: bool) -> Vec<Part> {
    let mut bytes = Vec::new();
    let mut starts = Vec::new();
    if turn.has(Quirk::ByteOrderMark) {
        bytes.extend("\u{feff}".as_bytes());
    }
    for frame in frames {
        starts.push(bytes.len());
        if turn.has(Quirk::KeepAlive) {
            bytes.extend(b": keep-alive\n\n");
            if pings {
                bytes.extend(b"event: ping\ndata: {\"type\": \"ping\"}\n\n");
            }
        }
        bytes.extend(frame.to_string().as_bytes());
    }
    if turn.has(Quirk::Crlf) {
        let before = |end: usize| {
            bytes.get(..end).unwrap_or_default().iter().filter(|byte| **byte == b'\n').count()
        };
        starts = starts.iter().map(|start| start + before(*start)).collect();
        bytes = bytes.iter().fold(Vec::new(), with_carriage_return);
    }
    parts(turn, bytes, &starts)
}

fn with_carriage_return(mut bytes: Vec<u8>, byte: &u8) -> Vec<u8> {
    if *byte == b'\n' {
        bytes.push(b'\r');
    }
    bytes.push(*byte);
    bytes
}

/// A whole answer; every gate is before its first byte.
pub(crate) fn whole(turn: &Turn, text: String) -> Vec<Part> {
    parts(turn, text.into_bytes(), &[0])
}

fn parts(turn: &Turn, mut bytes: Vec<u8>, starts: &[usize]) -> Vec<Part> {
    let end = match turn.cut {
        Some(Cut::Ends(at) | Cut::Breaks(at)) => at.min(bytes.len()),
        None => bytes.len(),
    };
    bytes.truncate(end);
    let place = |frame: usize| starts.get(frame.saturating_sub(1)).copied().unwrap_or(end);
    let gates = turn.gates.iter().filter(|(frame, _)| *frame > 0);
    let mut gates: Vec<_> = gates.map(|(frame, gate)| (place(*frame).min(end), gate)).collect();
    gates.sort_by_key(|(at, _)| *at);
    let mut splits: Vec<usize> = match &turn.pieces {
        Pieces::Frames => starts.to_vec(),
        Pieces::Bytes(size) => (0..end).step_by((*size).max(1)).collect(),
        Pieces::At(places) => places.clone(),
    };
    splits.extend(gates.iter().map(|(at, _)| *at).chain([0, end]));
    splits.retain(|at| *at <= end);
    splits.sort_unstable();
    splits.dedup();

    let mut bytes = Bytes::from(bytes);
    let mut parts = Vec::new();
    for (index, at) in splits.iter().enumerate() {
        let here = gates.iter().filter(|(place, _)| place == at);
        parts.extend(here.map(|(_, gate)| Part::Wait((*gate).clone())));
        let next = splits.get(index + 1).copied().unwrap_or(end);
        if next > *at {
            parts.push(Part::Bytes(bytes.split_to(next - at)));
        }
    }
    if let Some(Cut::Breaks(_)) = turn.cut {
        parts.extend([Part::Flush, Part::Break]);
    }
    parts
}

/// Counts the answers whose reader disconnected.
#[derive(Debug)]
pub(crate) struct Unread {
    pub(crate) abandoned: Arc<watch::Sender<usize>>,
    pub(crate) done: bool,
}

impl Drop for Unread {
    fn drop(&mut self) {
        if !self.done {
            self.abandoned.send_modify(|count| *count += 1);
        }
    }
}

/// The body of an answer.
pub(crate) struct Delivery {
    parts: VecDeque<Part>,
    waiting: Option<BoxFuture<'static, ()>>,
    unread: Option<Unread>,
}

impl Delivery {
    pub(crate) fn new(parts: Vec<Part>, unread: Option<Unread>) -> Self {
        Self { parts: parts.into(), waiting: None, unread }
    }

    fn finish(&mut self) {
        if let Some(unread) = &mut self.unread {
            unread.done = true;
        }
    }
}

impl Body for Delivery {
    type Data = Bytes;
    type Error = io::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<BodyFrame<Bytes>, io::Error>>> {
        let this = &mut *self;
        loop {
            if let Some(waiting) = &mut this.waiting {
                ready!(waiting.as_mut().poll(context));
                this.waiting = None;
            }
            match this.parts.pop_front() {
                Some(Part::Bytes(bytes)) => return Poll::Ready(Some(Ok(BodyFrame::data(bytes)))),
                Some(Part::Wait(gate)) => {
                    this.waiting = Some(Box::pin(async move { gate.pass().await }));
                }
                Some(Part::Flush) => this.waiting = Some(Box::pin(tokio::task::yield_now())),
                Some(Part::Break) => {
                    this.finish();
                    return Poll::Ready(Some(Err(io::Error::other(
                        "cut off, as the script requests",
                    ))));
                }
                None => {
                    this.finish();
                    return Poll::Ready(None);
                }
            }
        }
    }
}
