//! What a child is told before anything else, and how: over a line of its own, never as
//! arguments, which every user of the machine can read and which have a limit.
//!
//! The line is the child's standard output, which is of no use to it otherwise.

use std::io::{self, Read, Write};
use std::os::fd::AsFd;
use std::os::unix::net::UnixStream;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::Role;
use super::namespace::Namespace;
use crate::sandbox::Fence;

const BYTES_MAX: u32 = 16 << 20;
/// How long a child may take to listen on a crowded machine.
const PATIENCE: Duration = Duration::from_secs(10);

#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Orders {
    pub parent: u32,
    pub landlock_abi_max: u8,
    pub stranger: Option<u32>,
    /// What its keeper puts around it.
    pub namespace: Namespace,
    /// Its keeper is there already.
    pub is_kept: bool,
    /// The kernel limits what it and all it starts hold together.
    pub is_grouped: bool,
    pub fence: Fence,
    pub role: Role,
}

impl Orders {
    /// Tells them to a child that has been started. One that does not listen ends by itself,
    /// and whoever waits for its end hears why.
    pub(super) fn tell(&self, mut line: &UnixStream) -> io::Result<()> {
        let text = serde_json::to_vec(self)?;
        let length = u32::try_from(text.len()).ok().filter(|length| *length <= BYTES_MAX);
        let length = length.ok_or_else(|| io::Error::other("the orders are too long"))?;
        line.set_write_timeout(Some(PATIENCE))?;
        line.write_all(&length.to_le_bytes())?;
        line.write_all(&text)
    }

    /// The child's side.
    pub(super) fn hear() -> io::Result<Self> {
        let line = rustix::stdio::stdout().as_fd().try_clone_to_owned()?;
        let mut line = UnixStream::from(line);
        let mut length = [0; 4];
        line.read_exact(&mut length)?;
        let length = u32::from_le_bytes(length);
        if length > BYTES_MAX {
            return Err(io::Error::other("the orders are too long"));
        }
        let mut text = vec![0; length as usize];
        line.read_exact(&mut text)?;
        Ok(serde_json::from_slice(&text)?)
    }
}
