//! The first message to a child. It goes over a socket and not in the arguments, which every user
//! of the machine can read and which are limited in size.
//!
//! The socket is the child's stdout, which it does not need otherwise.

use std::io::{self, Read, Write};
use std::os::fd::AsFd;
use std::os::unix::net::UnixStream;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::Role;
use super::namespace::Namespace;
use crate::sandbox::Sandbox;

const BYTES_MAX: u32 = 16 << 20;
/// How long a child may take to read it on a busy machine.
const PATIENCE: Duration = Duration::from_secs(10);

#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct LaunchMessage {
    pub parent: u32,
    pub landlock_abi_max: u8,
    pub unprivileged_uid: Option<u32>,
    /// The namespace that its supervisor creates.
    pub namespace: Namespace,
    /// The supervisor is already running.
    pub is_supervised: bool,
    /// A cgroup limits the program and everything it starts.
    pub in_cgroup: bool,
    pub sandbox: Sandbox,
    pub role: Role,
}

impl LaunchMessage {
    /// Sends the message to a started child. If the child does not read it, its exit says why.
    pub(super) fn send(&self, mut stream: &UnixStream) -> io::Result<()> {
        let text = serde_json::to_vec(self)?;
        let length = u32::try_from(text.len()).ok().filter(|length| *length <= BYTES_MAX);
        let length = length.ok_or_else(|| io::Error::other("the launch message is too long"))?;
        stream.set_write_timeout(Some(PATIENCE))?;
        stream.write_all(&length.to_le_bytes())?;
        stream.write_all(&text)
    }

    /// The child's side.
    pub(super) fn receive() -> io::Result<Self> {
        let stream = rustix::stdio::stdout().as_fd().try_clone_to_owned()?;
        let mut stream = UnixStream::from(stream);
        let mut length = [0; 4];
        stream.read_exact(&mut length)?;
        let length = u32::from_le_bytes(length);
        if length > BYTES_MAX {
            return Err(io::Error::other("the launch message is too long"));
        }
        let mut text = vec![0; length as usize];
        stream.read_exact(&mut text)?;
        Ok(serde_json::from_slice(&text)?)
    }
}
