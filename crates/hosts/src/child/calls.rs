//! The calls of one child by number: open, abandoned and ended.
//!
//! Must hold: a message about a number that was never assigned violates the protocol.

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;

use rustix::rand::{GetRandomFlags, getrandom};

use crate::protocol::CallNo;

use super::call::OpenCall;

/// How many ended calls with random numbers are remembered.
const ENDED_MAX: usize = 64;

/// How calls are numbered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum CallNumbering {
    /// Sequentially.
    Counted,
    /// Randomly, so that code that knows one call cannot speak for another.
    Random,
}

#[derive(Default)]
pub(super) struct CallTable {
    /// The last sequential number.
    last: CallNo,
    pub(super) open: HashMap<CallNo, OpenCall>,
    /// Abandoned but still running.
    pub(super) abandoned: HashMap<CallNo, Arc<str>>,
    /// The last ended calls with random numbers, since messages about them may still arrive.
    ended: VecDeque<CallNo>,
}

impl CallTable {
    pub(super) fn next(&mut self, numbering: CallNumbering) -> Result<CallNo, String> {
        if numbering == CallNumbering::Counted {
            self.last += 1;
            return Ok(self.last);
        }
        let mut bytes = [0; 8];
        match getrandom(&mut bytes, GetRandomFlags::empty()) {
            Ok(count) if count == bytes.len() => {}
            Ok(_) | Err(_) => return Err("the system provides no random numbers".to_owned()),
        }
        // 53 bits, which every JSON parser preserves.
        Ok(u64::from_le_bytes(bytes) >> 11)
    }

    /// The open call with this number; `None` if it has ended. An unassigned number is an error.
    pub(super) fn known(&mut self, call: CallNo) -> Result<Option<&mut OpenCall>, String> {
        let was_given = call <= self.last && call > 0
            || self.open.contains_key(&call)
            || self.abandoned.contains_key(&call)
            || self.ended.contains(&call);
        match was_given {
            true => Ok(self.open.get_mut(&call)),
            false => Err(format!("it named call {call}, which does not exist")),
        }
    }

    pub(super) fn end(&mut self, call: CallNo) -> (Option<OpenCall>, Option<Arc<str>>) {
        if call > self.last && !self.ended.contains(&call) {
            self.ended.truncate(ENDED_MAX - 1);
            self.ended.push_front(call);
        }
        (self.open.remove(&call), self.abandoned.remove(&call))
    }
}
