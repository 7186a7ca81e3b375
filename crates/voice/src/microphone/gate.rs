//! Holds the person's audio back until the provider takes it.

use std::collections::VecDeque;

/// Audio in the order in which it came. What does not fit is dropped from the front, and said.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AudioGate {
    held: VecDeque<Vec<i16>>,
    frames_max: usize,
    is_open: bool,
    dropped: u64,
}

/// What passes the gate.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Passed {
    pub frames: Vec<Vec<i16>>,
    /// For people, when audio is lost: once for each time that the gate was closed.
    pub notice: Option<String>,
}

impl AudioGate {
    /// Closed, with room for so many frames.
    pub fn new(frames_max: usize) -> Self {
        Self { held: VecDeque::new(), frames_max, is_open: false, dropped: 0 }
    }

    /// Takes a frame: it passes, or waits.
    pub fn push(&mut self, frame: Vec<i16>) -> Passed {
        if self.is_open {
            return Passed { frames: vec![frame], notice: None };
        }
        self.held.push_back(frame);
        let mut notice = None;
        while self.held.len() > self.frames_max {
            self.held.pop_front();
            self.dropped += 1;
            if self.dropped == 1 {
                let text = "the connection is not ready; the oldest audio is dropped";
                notice = Some(text.to_owned());
            }
        }
        Passed { frames: Vec::new(), notice }
    }

    /// The provider takes audio: what waited goes first.
    pub fn open(&mut self) -> Passed {
        self.is_open = true;
        let notice = match std::mem::take(&mut self.dropped) {
            0 => None,
            1 => Some("1 frame of audio was dropped before the connection was ready".to_owned()),
            lost => {
                Some(format!("{lost} frames of audio were dropped before the connection was ready"))
            }
        };
        Passed { frames: self.held.drain(..).collect(), notice }
    }

    /// The connection is gone.
    pub fn close(&mut self) {
        self.is_open = false;
    }
}

#[cfg(test)]
mod tests;
