//! Reaches a server, by pipe or over HTTP, in whichever era it speaks.

use std::collections::{BTreeMap, HashMap};
use std::str::FromStr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use hosts::sandbox::{Calls, Fence, Gap, Sandbox};
use hosts::spawn::{Exit, Program, Running, talk};
use http::{HeaderName, HeaderValue};
use rmcp::model::ProtocolVersion;
use rmcp::service::{ClientLifecycleMode, ClientServiceExt, RunningService};
use rmcp::transport::async_rw::AsyncRwTransport;
use rmcp::transport::streamable_http_client::StreamableHttpClientTransportConfig;
use rmcp::transport::{AuthClient, StreamableHttpClientTransport};
use rmcp::{Peer, RoleClient};
use tokio::sync::oneshot;

use super::clean::clean;
use super::ear::Ear;
use super::in_order::InOrder;
use super::line_fault::{LineFault, NotInstalled};
use super::lines_limit::LimitedLines;
use super::listing::Listing;
use super::neighbour::{Neighbour, Reach, ServerProgram};
use super::oauth::{OAuth, http_client, refusal_at_start};
use super::reads;
use super::runner;
use super::unreachable::{why_not_heard, why_not_opened};

/// An open connection. Dropping it ends the server if it is a child of ours.
pub(super) struct Connection {
    pub service: RunningService<RoleClient, Ear>,
    pub ear: Ear,
    child: Option<Running>,
    exit: Option<oneshot::Receiver<Exit>>,
    too_long: Arc<AtomicBool>,
}

/// Of one process, and of all together.
const MEMORY_BYTES_MAX: u64 = 2 << 30;
const FILE_BYTES_MAX: u64 = 1 << 30;
const OPEN_FILES_MAX: u64 = 1_024;
const PROCESSES_MAX: u64 = 256;
/// An answer is a little longer than the result in it.
const ENVELOPE_BYTES: usize = 256 << 10;
/// How long the end of a program that broke off may take to be known.
const LAST_WORDS_MAX: Duration = Duration::from_millis(500);
const FAULT_CHARS_MAX: usize = 500;

impl Connection {
    pub(super) async fn open(neighbour: &Neighbour) -> Result<Self, LineFault> {
        let opened = async {
            let (first, second) = eras(&neighbour.reach);
            let opened = speak(neighbour, first).await;
            if !is_about_the_era(&opened) {
                return opened;
            }
            let again = speak(neighbour, second).await;
            // Of two failures the first says more.
            if is_about_the_era(&again) { opened } else { again }
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

async fn speak(neighbour: &Neighbour, era: ClientLifecycleMode) -> Result<Connection, LineFault> {
    match &neighbour.reach {
        Reach::Program(program) => by_pipe(program, neighbour, era).await,
        Reach::Address { url, headers, oauth } => {
            over_http(url, headers, oauth.as_ref(), neighbour, era).await
        }
    }
}

async fn by_pipe(
    server: &ServerProgram,
    neighbour: &Neighbour,
    era: ClientLifecycleMode,
) -> Result<Connection, LineFault> {
    let server = &startable(server)?;
    let fence = fence(server).map_err(LineFault::NotStarted)?;
    let program = Program {
        program: server.program.clone(),
        args: server.args.clone(),
        env: server
            .env
            .iter()
            .cloned()
            .chain(reads::git::variables(server, &fence.files))
            .collect(),
        dir: server.dir.clone(),
    };
    let launched = talk(server.launcher.clone(), program, fence, server.sandbox).await;
    let launched = launched.map_err(|fault| LineFault::NotStarted(fault.to_string()))?;
    let too_long = Arc::new(AtomicBool::new(false));
    let (read, write) = tokio::io::split(launched.stream);
    let max = neighbour.limits.result_bytes_max.saturating_mul(2) + ENVELOPE_BYTES;
    let read = LimitedLines::new(read, max, Arc::clone(&too_long));
    let transport = AsyncRwTransport::<RoleClient, _, _>::new(read, write);
    let (child, exit) = (launched.running, launched.exit);
    let ear = Ear::new(neighbour.questions);
    let transport = InOrder { wire: transport, ear: ear.clone() };
    match ear.clone().serve_with_lifecycle(transport, era).await {
        Ok(service) => {
            Ok(Connection { service, ear, child: Some(child), exit: Some(exit), too_long })
        }
        Err(fault) => {
            Err(LineFault::NotStarted(why_not(&child, exit, why_not_heard(&fault)).await))
        }
    }
}

/// A program that ended by itself says it best; otherwise the protocol does.
async fn why_not(child: &Running, exit: oneshot::Receiver<Exit>, fault: String) -> String {
    let ended = tokio::time::timeout(LAST_WORDS_MAX, exit).await;
    child.kill();
    match ended {
        Ok(Ok(exit)) => format!("it {exit}"),
        Ok(Err(_)) | Err(_) => fault,
    }
}

/// The program that runs in the end. One that may do what installing takes does it itself.
fn startable(server: &ServerProgram) -> Result<ServerProgram, NotInstalled> {
    match server.sandbox.accepts(Gap::Modes) {
        true => Ok(server.clone()),
        false => runner::resolved(server),
    }
}

/// The fence of a server: it reads, writes where it may, and reaches the network if it may.
fn fence(server: &ServerProgram) -> Result<Fence, String> {
    let networked = server.network || server.sandbox == Sandbox::BestEffort;
    Ok(Fence {
        files: reads::files(server)?,
        calls: if networked { Calls::Networked } else { Calls::Program },
        memory_bytes_max: MEMORY_BYTES_MAX,
        file_bytes_max: FILE_BYTES_MAX,
        open_files_max: OPEN_FILES_MAX,
        processes_max: PROCESSES_MAX,
        modes: server.sandbox.accepts(Gap::Modes),
    })
}

async fn over_http(
    url: &str,
    headers: &BTreeMap<String, String>,
    oauth: Option<&OAuth>,
    neighbour: &Neighbour,
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
    config.max_sse_event_size =
        neighbour.limits.result_bytes_max.saturating_mul(2) + ENVELOPE_BYTES;
    provide_tls();
    let ear = Ear::new(neighbour.questions);
    let served = match oauth {
        None => {
            let wire = StreamableHttpClientTransport::from_config(config);
            let transport = InOrder { wire, ear: ear.clone() };
            ear.clone().serve_with_lifecycle(transport, era).await
        }
        Some(oauth) => {
            let failed = |fault: String| LineFault::NotStarted(clean(&fault, FAULT_CHARS_MAX));
            let manager = oauth.manager(url).await.map_err(|fault| failed(fault.to_string()))?;
            let client = http_client().map_err(|fault| failed(fault.to_string()))?;
            let client = AuthClient::new(client, manager);
            let wire = StreamableHttpClientTransport::with_client(client, config);
            let transport = InOrder { wire, ear: ear.clone() };
            ear.clone().serve_with_lifecycle(transport, era).await
        }
    };
    let service = served.map_err(|fault| match refusal_at_start(&fault) {
        Some(refusal) => refusal.fault(neighbour),
        None => why_not_opened(url, &fault),
    })?;
    let too_long = Arc::default();
    Ok(Connection { service, ear, child: None, exit: None, too_long })
}

/// May a server that did not begin to talk do so in the other era?
fn is_about_the_era(opened: &Result<Connection, LineFault>) -> bool {
    matches!(opened, Err(LineFault::NotStarted(_) | LineFault::NotUnderstood { .. }))
}

/// What a server says to somebody it does not know, if it says anything; a fault only if
/// nothing is there.
pub(super) async fn challenge(neighbour: &Neighbour) -> Result<Option<String>, LineFault> {
    let mut stranger = neighbour.clone();
    if let Reach::Address { oauth, .. } = &mut stranger.reach {
        *oauth = None;
    }
    let asked = async {
        let connection = Connection::open(&stranger).await?;
        Listing::ask(connection.peer(), &stranger).await
    };
    match asked.await {
        Err(LineFault::NoLogin { challenge, .. }) => Ok(challenge),
        Err(fault @ LineFault::Unreachable { .. }) => Err(fault),
        Ok(_) | Err(_) => Ok(None),
    }
}

/// The program's one provider of TLS; a second try finds it set.
pub(super) fn provide_tls() {
    let _ = rustls::crypto::ring::default_provider().install_default();
}

/// Which protocol to try first, and which then.
///
/// A program is asked in the way of the old era, which those of the new one that can be
/// reached by pipe answer too, or refuse at once: some of the old one never answer a question
/// that they do not know. Over HTTP there is always an answer.
fn eras(reach: &Reach) -> (ClientLifecycleMode, ClientLifecycleMode) {
    let preferred_versions = vec![ProtocolVersion::V_2026_07_28];
    let old = ClientLifecycleMode::Initialize;
    match reach {
        Reach::Program(_) => (old, ClientLifecycleMode::Discover { preferred_versions }),
        Reach::Address { .. } => {
            let legacy_version = Some(ProtocolVersion::V_2025_11_25);
            (ClientLifecycleMode::Auto { preferred_versions, legacy_version }, old)
        }
    }
}

impl Connection {
    /// What a child said on its way out.
    pub(super) fn last_words(&mut self) -> Option<String> {
        self.exit.as_mut().and_then(|exit| exit.try_recv().ok()).map(|exit| exit.to_string())
    }
}
