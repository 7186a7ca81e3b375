//! Runs a foreign program in a sandbox and talks to it over its stdin and stdout.

use std::io;
use std::path::PathBuf;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use tokio::io::AsyncReadExt;
use tokio::net::UnixStream;
use tokio::sync::oneshot;

use super::{Exit, Launch, LaunchFault, Role, Running, launch};
use crate::protocol::FromChild;
use crate::sandbox::{Level, Sandbox, SandboxPolicy};

/// What to run.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Program {
    pub program: PathBuf,
    pub args: Vec<String>,
    /// Its whole environment.
    pub env: Vec<(String, String)>,
    pub dir: PathBuf,
}

/// A running program. Dropping it kills it and everything it started.
pub struct StdioChild {
    /// Its stdin and stdout.
    pub stream: UnixStream,
    pub running: Running,
    /// How it ended, with the end of its stderr.
    pub exit: oneshot::Receiver<Exit>,
    pub level: Level,
}

/// Why a program could not be started.
#[derive(Debug, thiserror::Error)]
pub enum StdioChildFault {
    #[error(transparent)]
    Launch(#[from] LaunchFault),
    #[error("its channel broke: {0}")]
    Channel(#[from] io::Error),
    #[error("it did not start in time")]
    Slow,
    #[error("{0}")]
    Sandbox(String),
}

/// How long the launcher may take to apply the sandbox and say hello.
const HELLO_MAX: Duration = Duration::from_secs(10);
const HELLO_BYTES_MAX: u32 = 64 << 10;

/// Starts a program in a sandbox. `launcher` is our own program.
pub async fn spawn_stdio_child(
    launcher: PathBuf,
    program: Program,
    sandbox: Sandbox,
    policy: SandboxPolicy,
) -> Result<StdioChild, StdioChildFault> {
    let order = Launch { program: launcher, sandbox: sandbox.clone(), role: Role::Stdio(program) };
    let mut running = launch(order).await?;
    let gone = || io::Error::other("the child has no channel");
    let channel = running.take_channel().ok_or_else(gone)?;
    let exit = running.take_exit().ok_or_else(gone)?;
    channel.set_nonblocking(true)?;
    let mut stream = UnixStream::from_std(channel)?;
    let hello = tokio::time::timeout(HELLO_MAX, hello(&mut stream)).await;
    let level = hello.map_err(|_| StdioChildFault::Slow)??;
    match sandbox.gap(&level, policy) {
        Some(gap) => Err(StdioChildFault::Sandbox(gap)),
        None => Ok(StdioChild { stream, running, exit, level }),
    }
}

/// The only frame before the program takes over the channel.
async fn hello(stream: &mut UnixStream) -> Result<Level, StdioChildFault> {
    let length = stream.read_u32_le().await?;
    if length > HELLO_BYTES_MAX {
        return Err(StdioChildFault::Sandbox("the child did not say hello".to_owned()));
    }
    let mut body = vec![0; usize::try_from(length).unwrap_or_default()];
    stream.read_exact(&mut body).await?;
    match serde_json::from_slice(&body) {
        Ok(FromChild::Hello { level }) => Ok(level),
        Ok(_) | Err(_) => Err(StdioChildFault::Sandbox("the child did not say hello".to_owned())),
    }
}
