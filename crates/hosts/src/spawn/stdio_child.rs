//! A program of others that talks over its standard input and output, behind a fence.

use std::io;
use std::path::PathBuf;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use tokio::io::AsyncReadExt;
use tokio::net::UnixStream;
use tokio::sync::oneshot;

use super::{Exit, Launch, LaunchFault, Role, Running, launch};
use crate::sandbox::{Fence, Level, Sandbox};
use crate::wire::FromChild;

/// What to run.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Program {
    pub program: PathBuf,
    pub args: Vec<String>,
    /// All of its environment.
    pub env: Vec<(String, String)>,
    pub dir: PathBuf,
}

/// A program that runs. Dropping it kills it and what it started.
pub struct Talk {
    /// Its standard input and output.
    pub stream: UnixStream,
    pub running: Running,
    /// How it ended, and its last words on standard error.
    pub exit: oneshot::Receiver<Exit>,
    pub level: Level,
}

/// Why a program cannot be talked to.
#[derive(Debug, thiserror::Error)]
pub enum TalkFault {
    #[error(transparent)]
    Launch(#[from] LaunchFault),
    #[error("its channel broke: {0}")]
    Channel(#[from] io::Error),
    #[error("it did not start in time")]
    Slow,
    #[error("{0}")]
    Fence(String),
}

/// How long the launcher may take to raise the fence and say hello.
const HELLO_MAX: Duration = Duration::from_secs(10);
const HELLO_BYTES_MAX: u32 = 64 << 10;

/// Starts a program behind the fence. `launcher` is our own program.
pub async fn talk(
    launcher: PathBuf,
    program: Program,
    fence: Fence,
    sandbox: Sandbox,
) -> Result<Talk, TalkFault> {
    let order = Launch { program: launcher, fence: fence.clone(), role: Role::Talk(program) };
    let mut running = launch(order).await?;
    let gone = || io::Error::other("the child has no channel");
    let channel = running.take_channel().ok_or_else(gone)?;
    let exit = running.take_exit().ok_or_else(gone)?;
    channel.set_nonblocking(true)?;
    let mut stream = UnixStream::from_std(channel)?;
    let hello = tokio::time::timeout(HELLO_MAX, hello(&mut stream)).await;
    let level = hello.map_err(|_| TalkFault::Slow)??;
    match fence.gap(&level, sandbox) {
        Some(gap) => Err(TalkFault::Fence(gap)),
        None => Ok(Talk { stream, running, exit, level }),
    }
}

/// The one frame before the program has the channel.
async fn hello(stream: &mut UnixStream) -> Result<Level, TalkFault> {
    let length = stream.read_u32_le().await?;
    if length > HELLO_BYTES_MAX {
        return Err(TalkFault::Fence("the child did not say hello".to_owned()));
    }
    let mut body = vec![0; usize::try_from(length).unwrap_or_default()];
    stream.read_exact(&mut body).await?;
    match serde_json::from_slice(&body) {
        Ok(FromChild::Hello { level }) => Ok(level),
        Ok(_) | Err(_) => Err(TalkFault::Fence("the child did not say hello".to_owned())),
    }
}
