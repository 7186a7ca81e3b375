//! The host of imported tools: an approved call goes down the line of its server.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use contract::ErrorType;
use policy::{BoxFuture, HandlerException, HandlerFailure, HandlerOutcome, Host, Job, Services};
use rmcp::model::{CallToolResult, ProgressNotificationParam};
use serde_json::{Value, json};

use super::adopt::{Adopted, IMPORTED, adopt};
use super::clean::clean;
use super::definition::Definition;
use super::line::Line;
use super::line_fault::LineFault;
use super::neighbour::Neighbour;
use super::pins::Pins;

/// Every configured server with its approved tools; other native tools go on as before.
pub struct Neighbours {
    lines: BTreeMap<String, Arc<Line>>,
    pins: Pins,
    /// Where definitions are kept that were seen and differ from the approved ones.
    seen: PathBuf,
    otherwise: Arc<dyn Host>,
}

const MESSAGE_CHARS_MAX: usize = 2_000;

impl Neighbours {
    pub fn new(
        neighbours: impl IntoIterator<Item = Neighbour>,
        pins: Pins,
        seen: PathBuf,
        otherwise: Arc<dyn Host>,
    ) -> Self {
        let line =
            |neighbour: Neighbour| (neighbour.name.to_string(), Arc::new(Line::new(neighbour)));
        Self { lines: neighbours.into_iter().map(line).collect(), pins, seen, otherwise }
    }

    /// The approved tools of all servers, for the registry.
    pub fn tools(&self) -> Adopted {
        let mut all = Adopted::default();
        for (name, line) in &self.lines {
            let Adopted { tools, notes } = adopt(&line.neighbour, self.pins.of(name), &self.pins);
            all.tools.extend(tools);
            all.notes.extend(notes.into_iter().map(|note| format!("{name}: {note}")));
        }
        all
    }

    /// The line to a server.
    pub fn line(&self, server: &str) -> Option<&Arc<Line>> {
        self.lines.get(server)
    }

    async fn call(&self, server: &str, tool: &str, job: &Job<'_>) -> Result<Value, LineFault> {
        let line = self.lines.get(server).ok_or(LineFault::Gone)?;
        let pinned = self.pins.get(server, tool).ok_or(LineFault::Changed)?;
        let args = job.approved.call().args.as_object().cloned().unwrap_or_default();
        let services = Arc::clone(&job.services);
        let say = move |said: ProgressNotificationParam| report(services.as_ref(), &said);
        let called = line.call(pinned, args, &say).await;
        if called == Err(LineFault::Changed) {
            self.keep_seen(server, line).await;
        }
        data_of(called?, line.neighbour.limits.result_bytes_max)
    }

    /// Keeps what the server says now, for `ghosthand diff`.
    async fn keep_seen(&self, server: &str, line: &Line) {
        let Ok(now) = line.listing().await else { return };
        if let Err(fault) = keep_seen(&self.seen, server, &now.tools) {
            tracing::warn!(%fault, server, "a changed definition was not kept");
        }
    }
}

/// Writes what a server has now beside the store.
pub fn keep_seen(folder: &Path, server: &str, now: &[Definition]) -> std::io::Result<()> {
    std::fs::create_dir_all(folder)?;
    let bytes = serde_json::to_vec_pretty(now)?;
    registry::write_atomically(&folder.join(format!("{server}.json")), &bytes)
}

/// What a server had when it was last seen to differ.
pub fn seen(folder: &Path, server: &str) -> Option<Vec<Definition>> {
    let bytes = std::fs::read(folder.join(format!("{server}.json"))).ok()?;
    serde_json::from_slice(&bytes).ok()
}

impl Host for Neighbours {
    fn run<'a>(&'a self, job: Job<'a>) -> BoxFuture<'a, HandlerOutcome> {
        let place = job.handler.strip_prefix(IMPORTED).and_then(|place| place.split_once('#'));
        let Some((server, tool)) = place else { return self.otherwise.run(job) };
        Box::pin(async move {
            match self.call(server, tool, &job).await {
                Ok(data) => HandlerOutcome::Returned(json!({ "ok": true, "data": data })),
                Err(fault) => answer_of(server, &fault),
            }
        })
    }
}

fn report(services: &dyn Services, said: &ProgressNotificationParam) -> BoxFuture<'static, ()> {
    let whole = said.total.filter(|total| *total > 0.0).unwrap_or(f64::INFINITY);
    let fraction = (said.progress / whole).clamp(0.0, 1.0);
    let note = said.message.as_deref().map(|text| clean(text, MESSAGE_CHARS_MAX));
    let told = services.call("progress", json!({ "fraction": fraction, "note": note }));
    Box::pin(async move {
        // Progress that cannot be shown changes nothing.
        let _ = told.await;
    })
}

/// The value if there is one; a single text as text; anything else as content blocks.
fn data_of(result: CallToolResult, bytes_max: usize) -> Result<Value, LineFault> {
    let texts: Vec<_> = result.content.iter().map(|block| block.as_text()).collect();
    if result.is_error == Some(true) {
        let said: Vec<_> = texts.iter().flatten().map(|text| text.text.as_str()).collect();
        return Err(LineFault::Refused(clean(&said.join("\n"), MESSAGE_CHARS_MAX)));
    }
    let data = match (result.structured_content, texts.as_slice()) {
        (Some(value), _) => value,
        (None, [Some(text)]) => Value::String(text.text.clone()),
        (None, _) => json!({ "content": result.content }),
    };
    match data.to_string().len() > bytes_max {
        true => Err(LineFault::TooLong(bytes_max)),
        false => Ok(data),
    }
}

/// What a fault means for the call: has anything run, may anything have happened?
fn answer_of(server: &str, fault: &LineFault) -> HandlerOutcome {
    tracing::info!(server, %fault, "a neighbour's tool gave no result");
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
    let said = format!("The MCP server `{server}`: {fault}.");
    match fault {
        LineFault::NotStarted(_)
        | LineFault::Unreachable { .. }
        | LineFault::NotUnderstood { .. }
        | LineFault::SlowStart(_)
        | LineFault::NoList(_)
        | LineFault::Resting { .. } => thrown(ErrorType::Transient, false, said),
        LineFault::BadHeader(_)
        | LineFault::NotInstalled(_)
        | LineFault::Changed
        | LineFault::Gone
        | LineFault::NeedsLogin { .. }
        | LineFault::NeedsScope { .. }
        | LineFault::NoLogin { .. } => thrown(ErrorType::Permanent, false, said),
        LineFault::Refused(message) => thrown(ErrorType::Permanent, true, message.clone()),
        LineFault::TooLong(_) | LineFault::Unsupported(_) => {
            thrown(ErrorType::Permanent, true, said)
        }
        LineFault::TimedOut(limit) => {
            let limit_ms = u64::try_from(limit.as_millis()).unwrap_or(u64::MAX);
            HandlerOutcome::Broke(HandlerFailure::TimedOut { limit_ms })
        }
        LineFault::Lost(because) => {
            HandlerOutcome::Broke(HandlerFailure::Died { because: because.clone() })
        }
    }
}
