//! Reaches a server, by pipe or over HTTP, in whichever era it speaks.

use std::collections::HashMap;
use std::path::PathBuf;
use std::str::FromStr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use hosts::sandbox::{Calls, Fence, Files, Sandbox};
use hosts::spawn::{Exit, Program, Running, talk};
use http::{HeaderName, HeaderValue};
use rmcp::model::{PaginatedRequestParams, ProtocolVersion};
use rmcp::service::{ClientLifecycleMode, ClientServiceExt, RunningService};
use rmcp::transport::StreamableHttpClientTransport;
use rmcp::transport::async_rw::AsyncRwTransport;
use rmcp::transport::streamable_http_client::StreamableHttpClientTransportConfig;
use rmcp::{Peer, RoleClient};
use tokio::sync::oneshot;

use super::definition::Definition;
use super::ear::Ear;
use super::line::LineFault;
use super::lines_limit::LimitedLines;
use super::neighbour::{Limits, Neighbour, Reach, ServerProgram};

/// An open connection. Dropping it ends the server if it is a child of ours.
pub(super) struct Connection {
    pub service: RunningService<RoleClient, Ear>,
    pub ear: Ear,
    child: Option<Running>,
    exit: Option<oneshot::Receiver<Exit>>,
    too_long: Arc<AtomicBool>,
}

const MEMORY_BYTES_MAX: u64 = 4 << 30;
const FILE_BYTES_MAX: u64 = 1 << 30;
const OPEN_FILES_MAX: u64 = 1_024;
/// What no server can do without, beside what it may read.
const DEVICES: [&str; 2] = ["/dev/null", "/dev/tty"];
/// An answer is a little longer than the result in it.
const ENVELOPE_BYTES: usize = 256 << 10;
/// How long the end of a program that broke off may take to be known.
const LAST_WORDS_MAX: Duration = Duration::from_millis(500);
const PAGES_MAX: usize = 50;
const TOOLS_MAX: usize = 500;

impl Connection {
    pub(super) async fn open(neighbour: &Neighbour) -> Result<Self, LineFault> {
        let opened = async {
            match speak(neighbour, either_era()).await {
                // Some servers of the old era stumble over the question for the new one.
                Err(LineFault::NotStarted(_)) => {
                    speak(neighbour, ClientLifecycleMode::Initialize).await
                }
                opened => opened,
            }
        };
        let start = neighbour.limits.start;
        tokio::time::timeout(start, opened).await.unwrap_or(Err(LineFault::SlowStart(start)))
    }

    pub(super) fn peer(&self) -> &Peer<RoleClient> {
        self.service.peer()
    }

    pub(super) fn is_closed(&self) -> bool {
        self.service.is_closed() || self.peer().is_transport_closed()
    }

    pub(super) fn pid(&self) -> Option<u32> {
        self.child.as_ref().map(Running::pid)
    }

    /// Was it closed because an answer was longer than allowed?
    pub(super) fn was_too_long(&self) -> bool {
        self.too_long.load(Ordering::Relaxed)
    }
}

/// What a server has, within limits: a list without an end is cut.
pub(super) async fn definitions(peer: &Peer<RoleClient>) -> Result<Vec<Definition>, LineFault> {
    let (mut found, mut cursor) = (Vec::new(), None);
    for _ in 0..PAGES_MAX {
        let page = PaginatedRequestParams::default().with_cursor(cursor);
        let listed = peer.list_tools(Some(page)).await;
        let listed = listed.map_err(|fault| LineFault::NoList(fault.to_string()))?;
        found.extend(listed.tools.into_iter().map(Definition::of));
        cursor = listed.next_cursor;
        if cursor.is_none() || found.len() >= TOOLS_MAX {
            break;
        }
    }
    found.truncate(TOOLS_MAX);
    Ok(found)
}

async fn speak(neighbour: &Neighbour, era: ClientLifecycleMode) -> Result<Connection, LineFault> {
    match &neighbour.reach {
        Reach::Program(program) => by_pipe(program, &neighbour.limits, era).await,
        Reach::Address { url, headers } => {
            over_http(url, headers, neighbour.limits.result_bytes_max, era).await
        }
    }
}

async fn by_pipe(
    server: &ServerProgram,
    limits: &Limits,
    era: ClientLifecycleMode,
) -> Result<Connection, LineFault> {
    let program = Program {
        program: server.program.clone(),
        args: server.args.clone(),
        env: server.env.clone(),
        dir: server.dir.clone(),
    };
    let launched = talk(server.launcher.clone(), program, fence(server), server.sandbox).await;
    let launched = launched.map_err(|fault| LineFault::NotStarted(fault.to_string()))?;
    let too_long = Arc::new(AtomicBool::new(false));
    let (read, write) = tokio::io::split(launched.stream);
    let max = limits.result_bytes_max.saturating_mul(2) + ENVELOPE_BYTES;
    let read = LimitedLines::new(read, max, Arc::clone(&too_long));
    let transport = AsyncRwTransport::<RoleClient, _, _>::new(read, write);
    let (child, exit) = (launched.running, launched.exit);
    let ear = Ear::default();
    match ear.clone().serve_with_lifecycle(transport, era).await {
        Ok(service) => {
            Ok(Connection { service, ear, child: Some(child), exit: Some(exit), too_long })
        }
        Err(fault) => Err(LineFault::NotStarted(why_not(&child, exit, &fault.to_string()).await)),
    }
}

/// A program that ended by itself says it best; otherwise the protocol does.
async fn why_not(child: &Running, exit: oneshot::Receiver<Exit>, fault: &str) -> String {
    let ended = tokio::time::timeout(LAST_WORDS_MAX, exit).await;
    child.kill();
    match ended {
        Ok(Ok(exit)) => format!("it {exit}"),
        // What follows are names of types.
        Ok(Err(_)) | Err(_) => fault.split(" Transport [").next().unwrap_or(fault).to_owned(),
    }
}

/// The fence of a server: it reads, writes where it may, and reaches the network if it may.
fn fence(server: &ServerProgram) -> Fence {
    let devices = DEVICES.iter().map(PathBuf::from).filter(|path| path.exists());
    let mut write: Vec<_> = server.write.iter().cloned().chain(devices).collect();
    if server.sandbox == Sandbox::BestEffort {
        write.push(PathBuf::from("/"));
    }
    let networked = server.network || server.sandbox == Sandbox::BestEffort;
    Fence {
        files: Files { read: server.read.clone(), write },
        calls: if networked { Calls::Networked } else { Calls::Program },
        memory_bytes_max: MEMORY_BYTES_MAX,
        file_bytes_max: FILE_BYTES_MAX,
        open_files_max: OPEN_FILES_MAX,
    }
}

async fn over_http(
    url: &str,
    headers: &std::collections::BTreeMap<String, String>,
    result_bytes_max: usize,
    era: ClientLifecycleMode,
) -> Result<Connection, LineFault> {
    let mut given = HashMap::new();
    for (name, value) in headers {
        let bad = || LineFault::BadHeader(name.clone());
        let header = HeaderName::from_str(name).map_err(|_| bad())?;
        let mut value = HeaderValue::from_str(value).map_err(|_| bad())?;
        value.set_sensitive(true);
        given.insert(header, value);
    }
    let mut config = StreamableHttpClientTransportConfig::with_uri(url).custom_headers(given);
    config.max_sse_event_size = result_bytes_max.saturating_mul(2) + ENVELOPE_BYTES;
    // The program's one provider of TLS; a second try finds it set.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let transport = StreamableHttpClientTransport::from_config(config);
    let ear = Ear::default();
    let service = ear.clone().serve_with_lifecycle(transport, era).await;
    let service = service.map_err(|fault| LineFault::NotStarted(fault.to_string()))?;
    let too_long = Arc::default();
    Ok(Connection { service, ear, child: None, exit: None, too_long })
}

/// The new era if the server knows it, else the old one.
fn either_era() -> ClientLifecycleMode {
    ClientLifecycleMode::Auto {
        preferred_versions: vec![ProtocolVersion::V_2026_07_28],
        legacy_version: Some(ProtocolVersion::V_2025_11_25),
    }
}

impl Connection {
    /// What a child said on its way out.
    pub(super) fn last_words(&mut self) -> Option<String> {
        self.exit.as_mut().and_then(|exit| exit.try_recv().ok()).map(|exit| exit.to_string())
    }
}
