//! The calls of one child by their numbers: which are open, which were given up, which ended.
//!
//! Must hold: a number that this child was never given is against the rules, whatever it says
//! about it.

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;

use rustix::rand::{GetRandomFlags, getrandom};

use crate::wire::CallNo;

use super::call::OpenCall;

/// How many calls that have ended are remembered by their random numbers.
const ENDED_MAX: usize = 64;

/// How the calls of a child are numbered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Numbers {
    /// One after the other.
    Counted,
    /// By chance: what knows one call cannot speak for another.
    Random,
}

#[derive(Default)]
pub(super) struct Calls {
    /// The last one that was counted.
    last: CallNo,
    pub(super) open: HashMap<CallNo, OpenCall>,
    /// Given up, and not yet gone.
    pub(super) ghosts: HashMap<CallNo, Arc<str>>,
    /// The last ones with a random number that have ended: a word about them may still come.
    ended: VecDeque<CallNo>,
}

impl Calls {
    pub(super) fn next(&mut self, numbers: Numbers) -> Result<CallNo, String> {
        if numbers == Numbers::Counted {
            self.last += 1;
            return Ok(self.last);
        }
        let mut bytes = [0; 8];
        match getrandom(&mut bytes, GetRandomFlags::empty()) {
            Ok(count) if count == bytes.len() => {}
            Ok(_) | Err(_) => return Err("the system has no random numbers".to_owned()),
        }
        // As many bits as every reader of JSON keeps.
        Ok(u64::from_le_bytes(bytes) >> 11)
    }

    /// The open call of that number; none if it has ended. A number that was never given is
    /// against the rules.
    pub(super) fn known(&mut self, call: CallNo) -> Result<Option<&mut OpenCall>, String> {
        let was_given = call <= self.last && call > 0
            || self.open.contains_key(&call)
            || self.ghosts.contains_key(&call)
            || self.ended.contains(&call);
        match was_given {
            true => Ok(self.open.get_mut(&call)),
            false => Err(format!("it spoke of call {call}, which does not exist")),
        }
    }

    pub(super) fn end(&mut self, call: CallNo) -> (Option<OpenCall>, Option<Arc<str>>) {
        if call > self.last && !self.ended.contains(&call) {
            self.ended.truncate(ENDED_MAX - 1);
            self.ended.push_front(call);
        }
        (self.open.remove(&call), self.ghosts.remove(&call))
    }
}
