//! Connects to a server over stdio or HTTP, in the generation of the protocol that it supports.

use std::collections::{BTreeMap, HashMap};
use std::str::FromStr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use addresses::AddressGuard;
use hosts::sandbox::{Calls, Gap, Sandbox, SandboxPolicy};
use hosts::spawn::{Exit, Program, Running, spawn_stdio_child};
use http::{HeaderName, HeaderValue};
use rmcp::model::ProtocolVersion;
use rmcp::service::{ClientLifecycleMode, ClientServiceExt, RunningService};
use rmcp::transport::async_rw::AsyncRwTransport;
use rmcp::transport::streamable_http_client::StreamableHttpClientTransportConfig;
use rmcp::transport::{AuthClient, StreamableHttpClientTransport};
use rmcp::{Peer, RoleClient};
use tokio::sync::oneshot;

use super::client_handler::McpClientHandler;
use super::error_text::{handshake_error, open_fault};
use super::fault::{ConnectionFault, NotInstalled};
use super::line_length_limit::LimitedLines;
use super::ordered_progress::OrderedProgress;
use crate::client::listing::Listing;
use crate::client::oauth::{OAuth, http_client, refusal_at_start};
use crate::client::package_runner;
use crate::client::readable_files;
use crate::client::sanitize::sanitize;
use crate::client::server_config::{Endpoint, ServerConfig, ServerProgram};

/// An open transport. Dropping it ends the server if it is our child.
pub(crate) struct Transport {
    pub service: RunningService<RoleClient, McpClientHandler>,
    pub handler: McpClientHandler,
    child: Option<Running>,
    exit: Option<oneshot::Receiver<Exit>>,
    too_long: Arc<AtomicBool>,
}

/// Per process, and for all processes together.
const MEMORY_BYTES_MAX: u64 = 2 << 30;
const FILE_BYTES_MAX: u64 = 1 << 30;
const OPEN_FILES_MAX: u64 = 1_024;
const PROCESSES_MAX: u64 = 256;
/// How much longer a message may be than the result in it.
const ENVELOPE_BYTES: usize = 256 << 10;
/// How long to wait for the exit status of a server that broke the connection.
const LAST_WORDS_MAX: Duration = Duration::from_millis(500);
const FAULT_CHARS_MAX: usize = 500;

impl Transport {
    pub(crate) async fn open(config: &ServerConfig) -> Result<Self, ConnectionFault> {
        let opened = async {
            let (first, second) = lifecycle_order(&config.endpoint);
            let opened = open_with(config, first).await;
            if !may_be_other_protocol(&opened) {
                return opened;
            }
            let again = open_with(config, second).await;
            // Of two failures, the first is more informative.
            if may_be_other_protocol(&again) { opened } else { again }
        };
        let start = config.limits.start;
        tokio::time::timeout(start, opened).await.unwrap_or(Err(ConnectionFault::SlowStart(start)))
    }

    pub(crate) fn peer(&self) -> &Peer<RoleClient> {
        self.service.peer()
    }

    pub(crate) fn is_closed(&self) -> bool {
        self.service.is_closed() || self.peer().is_transport_closed()
    }

    pub(crate) fn pid(&self) -> Option<u32> {
        self.child.as_ref().map(Running::pid)
    }

    /// Whether it was closed because a message was too long.
    pub(crate) fn was_too_long(&self) -> bool {
        self.too_long.load(Ordering::Relaxed)
    }
}

async fn open_with(
    config: &ServerConfig,
    lifecycle: ClientLifecycleMode,
) -> Result<Transport, ConnectionFault> {
    match &config.endpoint {
        Endpoint::Program(program) => open_stdio(program, config, lifecycle).await,
        Endpoint::Http { url, headers, oauth, guard } => {
            open_http(url, headers, oauth.as_ref(), guard.as_ref(), config, lifecycle).await
        }
    }
}

async fn open_stdio(
    server: &ServerProgram,
    config: &ServerConfig,
    lifecycle: ClientLifecycleMode,
) -> Result<Transport, ConnectionFault> {
    let server = &resolve_program(server)?;
    let sandbox = sandbox(server).map_err(ConnectionFault::NotStarted)?;
    let program = Program {
        program: server.program.clone(),
        args: server.args.clone(),
        env: server
            .env
            .iter()
            .cloned()
            .chain(readable_files::git::variables(server, &sandbox.files))
            .collect(),
        dir: server.dir.clone(),
    };
    let launched =
        spawn_stdio_child(server.launcher.clone(), program, sandbox, server.sandbox).await;
    let launched = launched.map_err(|fault| ConnectionFault::NotStarted(fault.to_string()))?;
    let too_long = Arc::new(AtomicBool::new(false));
    let (read, write) = tokio::io::split(launched.stream);
    let max = config.limits.result_bytes_max.saturating_mul(2) + ENVELOPE_BYTES;
    let read = LimitedLines::new(read, max, Arc::clone(&too_long));
    let transport = AsyncRwTransport::<RoleClient, _, _>::new(read, write);
    let (child, exit) = (launched.running, launched.exit);
    let handler = McpClientHandler::new(config.elicitation);
    let transport = OrderedProgress { wire: transport, handler: handler.clone() };
    match handler.clone().serve_with_lifecycle(transport, lifecycle).await {
        Ok(service) => {
            Ok(Transport { service, handler, child: Some(child), exit: Some(exit), too_long })
        }
        Err(fault) => {
            Err(ConnectionFault::NotStarted(exit_or(&child, exit, handshake_error(&fault)).await))
        }
    }
}

/// The exit of a program explains more than the protocol error that it causes.
async fn exit_or(child: &Running, exit: oneshot::Receiver<Exit>, fault: String) -> String {
    let ended = tokio::time::timeout(LAST_WORDS_MAX, exit).await;
    child.kill();
    match ended {
        Ok(Ok(exit)) => format!("it {exit}"),
        Ok(Err(_)) | Err(_) => fault,
    }
}

/// Replaces `npx` and `uvx` by the program that they would start, unless the sandbox lets them
/// install packages.
fn resolve_program(server: &ServerProgram) -> Result<ServerProgram, NotInstalled> {
    match server.sandbox.accepts(Gap::Modes) {
        true => Ok(server.clone()),
        false => package_runner::resolve(server),
    }
}

/// The sandbox of a server: the files and the network that its configuration allows.
fn sandbox(server: &ServerProgram) -> Result<Sandbox, String> {
    let networked = server.network || server.sandbox == SandboxPolicy::BestEffort;
    Ok(Sandbox {
        files: readable_files::files(server)?,
        calls: if networked { Calls::Networked } else { Calls::Program },
        memory_bytes_max: MEMORY_BYTES_MAX,
        file_bytes_max: FILE_BYTES_MAX,
        open_files_max: OPEN_FILES_MAX,
        processes_max: PROCESSES_MAX,
        modes: server.sandbox.accepts(Gap::Modes),
    })
}

async fn open_http(
    url: &str,
    headers: &BTreeMap<String, String>,
    oauth: Option<&OAuth>,
    guard: Option<&AddressGuard>,
    config: &ServerConfig,
    lifecycle: ClientLifecycleMode,
) -> Result<Transport, ConnectionFault> {
    let mut custom_headers = HashMap::new();
    for (name, value) in headers {
        let bad = || ConnectionFault::BadHeader(name.clone());
        let header = HeaderName::from_str(name).map_err(|_| bad())?;
        let mut value = HeaderValue::from_str(value).map_err(|_| bad())?;
        value.set_sensitive(true);
        custom_headers.insert(header, value);
    }
    let mut http_config =
        StreamableHttpClientTransportConfig::with_uri(url).custom_headers(custom_headers);
    http_config.max_sse_event_size =
        config.limits.result_bytes_max.saturating_mul(2) + ENVELOPE_BYTES;
    provide_tls();
    let handler = McpClientHandler::new(config.elicitation);
    let failed = |fault: String| ConnectionFault::NotStarted(sanitize(&fault, FAULT_CHARS_MAX));
    let served = match (oauth, guard) {
        (None, None) => {
            let wire = StreamableHttpClientTransport::from_config(http_config);
            let transport = OrderedProgress { wire, handler: handler.clone() };
            handler.clone().serve_with_lifecycle(transport, lifecycle).await
        }
        (None, Some(_)) => {
            let client = http_client(url, guard).map_err(failed)?;
            let wire = StreamableHttpClientTransport::with_client(client, http_config);
            let transport = OrderedProgress { wire, handler: handler.clone() };
            handler.clone().serve_with_lifecycle(transport, lifecycle).await
        }
        (Some(oauth), _) => {
            let manager = oauth.manager(url).await.map_err(|fault| failed(fault.to_string()))?;
            let client = http_client(url, guard).map_err(failed)?;
            let client = AuthClient::new(client, manager);
            let wire = StreamableHttpClientTransport::with_client(client, http_config);
            let transport = OrderedProgress { wire, handler: handler.clone() };
            handler.clone().serve_with_lifecycle(transport, lifecycle).await
        }
    };
    let service = served.map_err(|fault| match refusal_at_start(&fault) {
        Some(refusal) => refusal.fault(config),
        None => open_fault(url, &fault),
    })?;
    let too_long = Arc::default();
    Ok(Transport { service, handler, child: None, exit: None, too_long })
}

/// Whether the failure may be due to the protocol version.
fn may_be_other_protocol(opened: &Result<Transport, ConnectionFault>) -> bool {
    matches!(opened, Err(ConnectionFault::NotStarted(_) | ConnectionFault::NotUnderstood { .. }))
}

/// The server's `WWW-Authenticate` challenge, if it sends one; an error only if the server is
/// unreachable.
pub(crate) async fn challenge(config: &ServerConfig) -> Result<Option<String>, ConnectionFault> {
    let mut anonymous = config.clone();
    if let Endpoint::Http { oauth, .. } = &mut anonymous.endpoint {
        *oauth = None;
    }
    let asked = async {
        let connection = Transport::open(&anonymous).await?;
        Listing::ask(connection.peer(), &anonymous).await
    };
    match asked.await {
        Err(ConnectionFault::NoLogin { challenge, .. }) => Ok(challenge),
        Err(fault @ ConnectionFault::Unreachable { .. }) => Err(fault),
        Ok(_) | Err(_) => Ok(None),
    }
}

/// Installs the TLS provider; a second call has no effect.
pub(crate) fn provide_tls() {
    let _ = rustls::crypto::ring::default_provider().install_default();
}

/// Which protocol to try first and second.
///
/// A program is first sent `initialize`: stateless servers answer it or refuse it at once, while
/// some older servers never answer a method that they do not know. An HTTP server always answers.
fn lifecycle_order(endpoint: &Endpoint) -> (ClientLifecycleMode, ClientLifecycleMode) {
    let preferred_versions = vec![ProtocolVersion::V_2026_07_28];
    let old = ClientLifecycleMode::Initialize;
    match endpoint {
        Endpoint::Program(_) => (old, ClientLifecycleMode::Discover { preferred_versions }),
        Endpoint::Http { .. } => {
            let legacy_version = Some(ProtocolVersion::V_2025_11_25);
            (ClientLifecycleMode::Auto { preferred_versions, legacy_version }, old)
        }
    }
}

impl Transport {
    /// How the child exited, with the end of its stderr.
    pub(crate) fn last_words(&mut self) -> Option<String> {
        self.exit.as_mut().and_then(|exit| exit.try_recv().ok()).map(|exit| exit.to_string())
    }
}
