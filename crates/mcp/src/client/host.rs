//! The host of imported tools: sends approved calls to their servers.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use contract::ErrorType;
use policy::{
    Approved, BoxFuture, HandlerException, HandlerFailure, HandlerOutcome, Host, Job, Run, Services,
};
use rmcp::model::{CallToolResult, ProgressNotificationParam};
use serde_json::{Value, json};

use super::connection::Connection;
use super::connection::fault::ConnectionFault;
use super::definition::Definition;
use super::mcp_lock::McpLock;
use super::sanitize::sanitize;
use super::server_config::ServerConfig;
use super::to_tool::{ImportedTools, MCP_HANDLER_PREFIX, import_tools};

/// Runs approved tools on their servers; passes other native tools to `fallback`.
pub struct McpHost {
    connections: BTreeMap<String, Arc<Connection>>,
    lock: McpLock,
    /// Where definitions that differ from the approved ones are stored.
    seen: PathBuf,
    fallback: Arc<dyn Host>,
}

const MESSAGE_CHARS_MAX: usize = 2_000;

impl McpHost {
    pub fn new(
        configs: impl IntoIterator<Item = ServerConfig>,
        lock: McpLock,
        seen: PathBuf,
        fallback: Arc<dyn Host>,
    ) -> Self {
        let connection =
            |config: ServerConfig| (config.name.to_string(), Arc::new(Connection::new(config)));
        Self { connections: configs.into_iter().map(connection).collect(), lock, seen, fallback }
    }

    /// The approved tools of all servers, for the registry.
    pub fn tools(&self) -> ImportedTools {
        let mut all = ImportedTools::default();
        for (name, connection) in &self.connections {
            let ImportedTools { tools, notes } =
                import_tools(&connection.config, self.lock.of(name), &self.lock);
            all.tools.extend(tools);
            all.notes.extend(notes.into_iter().map(|note| format!("{name}: {note}")));
        }
        all
    }

    /// The connection to a server.
    pub fn connection(&self, server: &str) -> Option<&Arc<Connection>> {
        self.connections.get(server)
    }

    async fn call(
        &self,
        server: &str,
        tool: &str,
        approved: &Approved,
        services: &Arc<dyn Services>,
    ) -> Result<Value, ConnectionFault> {
        let connection = self.connections.get(server).ok_or(ConnectionFault::Gone)?;
        let pinned = self.lock.get(server, tool).ok_or(ConnectionFault::Changed)?;
        let called = call_pinned(connection, pinned, approved, services).await;
        if called == Err(ConnectionFault::Changed) {
            self.save_seen(server, connection).await;
        }
        called
    }

    /// Stores the server's current definitions for `ghosthand diff`.
    async fn save_seen(&self, server: &str, connection: &Connection) {
        let Ok(now) = connection.listing().await else { return };
        if let Err(fault) = save_seen(&self.seen, server, &now.tools) {
            tracing::warn!(%fault, server, "failed to store a changed definition");
        }
    }
}

/// Writes a server's current definitions next to the store.
pub fn save_seen(folder: &Path, server: &str, now: &[Definition]) -> std::io::Result<()> {
    std::fs::create_dir_all(folder)?;
    let bytes = serde_json::to_vec_pretty(now)?;
    files::write_atomically(&folder.join(format!("{server}.json")), &bytes)
}

/// The definitions that were last stored for a server.
pub fn load_seen(folder: &Path, server: &str) -> Option<Vec<Definition>> {
    let bytes = std::fs::read(folder.join(format!("{server}.json"))).ok()?;
    serde_json::from_slice(&bytes).ok()
}

/// Sends an approved call to a server, if the tool still has its approved definition.
pub async fn call_pinned(
    connection: &Connection,
    pinned: &Definition,
    approved: &Approved,
    services: &Arc<dyn Services>,
) -> Result<Value, ConnectionFault> {
    let args = approved.call().args().as_object().cloned().unwrap_or_default();
    let services = Arc::clone(services);
    let on_progress =
        move |report: ProgressNotificationParam| send_progress(services.as_ref(), &report);
    let called = connection.call(pinned, args, &on_progress).await;
    data_of(called?, connection.config.limits.result_bytes_max)
}

/// The server and its name for the tool, in the handler of an imported tool.
pub fn place_of(handler: &str) -> Option<(&str, &str)> {
    handler.strip_prefix(MCP_HANDLER_PREFIX)?.split_once('#')
}

impl Host for McpHost {
    fn run<'a>(&'a self, job: Job<'a>) -> BoxFuture<'a, HandlerOutcome> {
        let place = place_of(job.handler).filter(|(server, _)| self.connection(server).is_some());
        let Some((server, tool)) = place else { return self.fallback.run(job) };
        Box::pin(async move {
            let approved = match job.run {
                Run::Approved(approved) => approved,
                Run::Dry(_) => return not_dry(),
            };
            match self.call(server, tool, approved, &job.services).await {
                Ok(data) => HandlerOutcome::Returned(json!({ "ok": true, "data": data })),
                Err(fault) => failed_call(server, &fault),
            }
        })
    }
}

/// The answer to a dry run.
pub fn not_dry() -> HandlerOutcome {
    let because = "an imported tool cannot ask before it runs".to_owned();
    HandlerOutcome::Broke(HandlerFailure::NotStarted { because })
}

fn send_progress(
    services: &dyn Services,
    report: &ProgressNotificationParam,
) -> BoxFuture<'static, ()> {
    let whole = report.total.filter(|total| *total > 0.0).unwrap_or(f64::INFINITY);
    let fraction = (report.progress / whole).clamp(0.0, 1.0);
    let note = report.message.as_deref().map(|text| sanitize(text, MESSAGE_CHARS_MAX));
    let sent = services.call("progress", json!({ "fraction": fraction, "note": note }));
    Box::pin(async move {
        // Progress is best effort.
        let _ = sent.await;
    })
}

/// Structured content if there is any, a single text as a string, anything else as content
/// blocks.
fn data_of(result: CallToolResult, bytes_max: usize) -> Result<Value, ConnectionFault> {
    let texts: Vec<_> = result.content.iter().map(|block| block.as_text()).collect();
    if result.is_error == Some(true) {
        let texts: Vec<_> = texts.iter().flatten().map(|text| text.text.as_str()).collect();
        return Err(ConnectionFault::Refused(sanitize(&texts.join("\n"), MESSAGE_CHARS_MAX)));
    }
    let data = match (result.structured_content, texts.as_slice()) {
        (Some(value), _) => value,
        (None, [Some(text)]) => Value::String(text.text.clone()),
        (None, _) => json!({ "content": result.content }),
    };
    match data.to_string().len() > bytes_max {
        true => Err(ConnectionFault::TooLong(bytes_max)),
        false => Ok(data),
    }
}

/// Maps a fault to an answer: whether anything has run and may have had effects.
pub fn failed_call(server: &str, fault: &ConnectionFault) -> HandlerOutcome {
    tracing::info!(server, %fault, "a call of an imported tool failed");
    let thrown = |kind, partial_side_effects, message: String| {
        HandlerOutcome::Threw(HandlerException {
            kind: Some(kind),
            message,
            retryable: false,
            partial_side_effects,
            details: Value::Null,
            place: Some(format!("the MCP server `{server}`")),
        })
    };
    let message = format!("The MCP server `{server}`: {fault}.");
    match fault {
        ConnectionFault::NotStarted(_)
        | ConnectionFault::Unreachable { .. }
        | ConnectionFault::NotUnderstood { .. }
        | ConnectionFault::SlowStart(_)
        | ConnectionFault::NoList(_)
        | ConnectionFault::BackingOff { .. } => thrown(ErrorType::Transient, false, message),
        ConnectionFault::BadHeader(_)
        | ConnectionFault::NotInstalled(_)
        | ConnectionFault::Changed
        | ConnectionFault::Gone
        | ConnectionFault::NeedsLogin { .. }
        | ConnectionFault::NeedsScope { .. }
        | ConnectionFault::NoLogin { .. } => thrown(ErrorType::Permanent, false, message),
        ConnectionFault::Refused(message) => thrown(ErrorType::Permanent, true, message.clone()),
        ConnectionFault::TooLong(_) | ConnectionFault::Unsupported(_) => {
            thrown(ErrorType::Permanent, true, message)
        }
        ConnectionFault::TimedOut(limit) => {
            let limit_ms = u64::try_from(limit.as_millis()).unwrap_or(u64::MAX);
            HandlerOutcome::Broke(HandlerFailure::TimedOut { limit_ms })
        }
        ConnectionFault::Lost(because) => {
            HandlerOutcome::Broke(HandlerFailure::Died { because: because.clone() })
        }
    }
}
