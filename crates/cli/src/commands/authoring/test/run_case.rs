//! Runs a tool in isolation: a new store, a new folder, a scripted network.
//!
//! A call takes the same path as everywhere, policy and ledger included; approvals are given
//! automatically. Nothing outside is touched.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use contract::{Call, CallId, Mode, Secret, SecretName};
use engine::{CallOrigin, Engine, Hosts, Settled, Waiting, Wiring};
use pen::remote::RemoteServices;
use pen::{Lang, Workspace};
use policy::{BoxFuture, ConversationId, ServiceFault};
use registry::{HandlerKind, LiveRegistry, Registry, Tool};
use serde_json::{Value, json};
use services::{HandlerEvent, Secrets, StubReplies, Surface, tool_kv_prefix};
use store::{BadName, Expected, Expiry, Json, Key, SqliteOptions, SqliteStore, Store};
use tempfile::TempDir;

use super::difference::{Keys, differences, texts};
use super::fixture::{After, Expect, FilePath, Fixture, Session};
use crate::exit::Failure;
use crate::wiring::pen_reads::StoredReads;
use crate::wiring::pen_tools;

/// Every case has the same call id and client, so that keys made from them are predictable.
const CALL: &str = "fixture-call";
const CLIENT: &str = "fixture";

/// What all cases share.
pub(super) struct Bench {
    pub registry: Registry,
    pub tools_dir: PathBuf,
    pub hosts: Hosts,
    pub lang: Lang,
}

impl Bench {
    /// Can handlers of this kind run here?
    pub(super) fn runs(&self, kind: HandlerKind) -> bool {
        match kind {
            HandlerKind::JavaScript | HandlerKind::Native => true,
            HandlerKind::Python => self.hosts.python.is_some(),
        }
    }

    /// Runs an example of a tool without side effects and compares the result with the one that
    /// is shown. Returns one line per difference.
    pub(super) async fn try_example(
        &self,
        tool: &Tool,
        args: &Value,
        shown: Option<&Value>,
    ) -> Result<Vec<String>, Failure> {
        let trial = Trial::open(self, BTreeMap::new(), StubReplies::default())?;
        let origin = origin(first_mode(tool), true);
        let settled = trial.settle(&origin, tool, args.clone()).await?;
        let lines = match (&settled.outcome, shown) {
            (Ok(data), Some(shown)) => differences(shown, data, Keys::All),
            (Ok(_), None) => Vec::new(),
            (Err(error), _) => vec![format!("it failed: {} {}", error.kind, error.message)],
        };
        Ok(trial.with_remarks(lines, &settled))
    }

    /// Runs a case of `fixtures.json`. Returns one line per difference.
    pub(super) async fn try_case(
        &self,
        tool: &Tool,
        case: Fixture,
    ) -> Result<Vec<String>, Failure> {
        let Fixture {
            name: _,
            args,
            mode,
            session: Session { is_active, seen_ids },
            kv,
            files,
            secrets,
            fetch,
            expect,
            kv_after,
            files_after,
            intents,
        } = case;
        let replies = fetch.into_iter().map(|exchange| exchange.0).collect();
        let trial = Trial::open(self, secrets, StubReplies::new(replies))?;
        for (path, text) in &files {
            trial.put(path, text)?;
        }
        for (key, value) in &kv {
            trial.set_key(key, value).await?;
        }
        let origin = origin(mode.unwrap_or_else(|| first_mode(tool)), is_active);
        for (tool, ids) in seen_ids {
            trial.engine.set_seen_ids(&origin, &tool, ids).await?;
        }
        let settled = trial.settle(&origin, tool, Value::Object(args)).await?;
        let mut lines = outcome_lines(&expect, &settled)?;
        if let Some(intents) = intents {
            let found = serde_json::to_value(&settled.intents)?;
            let wrong = differences(&Value::Array(intents), &found, Keys::Given);
            lines.extend(wrong.into_iter().map(|line| format!("intents: {line}")));
        }
        for (key, expected) in kv_after {
            let found = trial.key_value(&key).await?;
            lines.extend(value_lines(&key, expected, found));
        }
        for (path, expected) in files_after {
            lines.extend(file_lines(&path, expected, trial.text(&path)));
        }
        Ok(trial.with_remarks(lines, &settled))
    }
}

fn first_mode(tool: &Tool) -> Mode {
    tool.contract.allowed_modes.first().copied().unwrap_or(Mode::Text)
}

fn origin(mode: Mode, active: bool) -> CallOrigin {
    CallOrigin {
        conversation: ConversationId("fixture".to_owned()),
        client: CLIENT.to_owned(),
        mode,
        turn: 1,
        somebody_to_ask: true,
        can_ask: Vec::new(),
        model: None,
        active,
    }
}

fn outcome_lines(expect: &Expect, settled: &Settled) -> Result<Vec<String>, Failure> {
    Ok(match (expect, &settled.outcome) {
        (Expect::Data(expected), Ok(data)) => differences(expected, data, Keys::Given),
        (Expect::Error(expected), Err(error)) => {
            let (expected, found) = (Value::Object(expected.clone()), serde_json::to_value(error)?);
            differences(&expected, &found, Keys::Given)
        }
        (Expect::Data(_), Err(error)) => {
            vec![format!("it failed: {} {}", error.kind, error.message)]
        }
        (Expect::Error(_), Ok(data)) => vec![format!("expected an error, got {data}")],
    })
}

fn value_lines(key: &str, expected: Option<Value>, found: Option<Value>) -> Vec<String> {
    let key = format!("key `{key}`");
    match (expected, found) {
        (None, None) => Vec::new(),
        (None, Some(found)) => vec![format!("{key} should be absent; it is {found}")],
        (Some(_), None) => vec![format!("{key} is missing")],
        (Some(expected), Some(found)) => differences(&expected, &found, Keys::Given)
            .into_iter()
            .map(|line| format!("{key}: {line}"))
            .collect(),
    }
}

fn file_lines(path: &FilePath, expected: Option<After>, found: Option<String>) -> Vec<String> {
    let file = format!("file `{}`", path.as_str());
    match (expected, found) {
        (None, None) => Vec::new(),
        (None, Some(_)) => vec![format!("{file} should be absent")],
        (Some(_), None) => vec![format!("{file} is missing")],
        (Some(After::Whole(expected)), Some(found)) if expected != found => {
            texts(&file, &expected, &found).into()
        }
        (Some(After::Whole(_)), Some(_)) => Vec::new(),
        (Some(After::Parts(parts)), Some(found)) => {
            let missing = parts.contains.into_iter().filter(|part| !found.contains(part));
            missing.map(|part| format!("{file} does not contain {}", json!(part))).collect()
        }
    }
}

/// The environment of one run.
struct Trial {
    engine: Engine,
    project: TempDir,
    canned: Arc<StubReplies>,
    console: Arc<Console>,
}

impl Trial {
    fn open(
        bench: &Bench,
        secrets: BTreeMap<SecretName, String>,
        canned: StubReplies,
    ) -> Result<Self, Failure> {
        let project = tempfile::tempdir()?;
        let (canned, console) = (Arc::new(canned), Arc::new(Console::default()));
        let store: Arc<dyn Store> = Arc::new(SqliteStore::temporary(SqliteOptions::machine())?);
        let workspace = Workspace::new(project.path().join("data"));
        let reads = Arc::new(StoredReads::new(Arc::clone(&store)));
        let native = pen_tools::host(workspace, bench.lang, RemoteServices::default(), reads);
        let hosts = Hosts { native, ..bench.hosts.clone() };
        let notices = Arc::new(conversation::LogNotices::new(Arc::clone(&store)));
        let tools = (LiveRegistry::new(bench.registry.clone()), bench.tools_dir.as_path());
        let wiring = Wiring::usual(tools, store, hosts, notices)?;
        let engine = Engine::new(Wiring {
            project: project.path().to_owned(),
            secrets: Arc::new(Given(secrets)),
            network: wiring.network.with_stub(Arc::clone(&canned)),
            surface: Arc::clone(&console) as Arc<dyn Surface>,
            ..wiring
        });
        Ok(Self { engine, project, canned, console })
    }

    async fn settle(
        &self,
        origin: &CallOrigin,
        tool: &Tool,
        args: Value,
    ) -> Result<Settled, Failure> {
        let tool = tool.contract.tool_id.to_string();
        let call = Call { id: CallId(CALL.to_owned()), tool, args };
        let settled = self.engine.settle(origin, &call).await;
        let Some(Waiting::Approval(asked)) = &settled.waiting else { return Ok(settled) };
        let yes = json!({ "request": asked.request.id, "answer": "approve" }).to_string();
        let asked = self.engine.answer(&yes).await?;
        Ok(self.engine.resume(&asked).await)
    }

    fn put(&self, path: &FilePath, text: &str) -> Result<(), Failure> {
        let place = self.project.path().join(path.as_str());
        if let Some(folder) = place.parent() {
            std::fs::create_dir_all(folder)?;
        }
        Ok(std::fs::write(place, text)?)
    }

    fn text(&self, path: &FilePath) -> Option<String> {
        let bytes = std::fs::read(self.project.path().join(path.as_str())).ok()?;
        Some(String::from_utf8_lossy(&bytes).into_owned())
    }

    /// Sets a key that the handler finds with `context.kv`.
    async fn set_key(&self, key: &str, value: &Value) -> Result<(), Failure> {
        let (key, json) = (stored_key(key)?, Json::of(value)?);
        self.engine.store().kv().set(&key, json, Expected::Any, Expiry::Never).await?;
        Ok(())
    }

    async fn key_value(&self, key: &str) -> Result<Option<Value>, Failure> {
        let found = self.engine.store().kv().get(&stored_key(key)?).await?;
        Ok(found.map(|entry| entry.value.to()).transpose()?)
    }

    /// An unlisted request always fails the case; the console helps to explain other failures.
    fn with_remarks(&self, mut lines: Vec<String>, settled: &Settled) -> Vec<String> {
        let refused = self.canned.refused().into_iter();
        lines.extend(refused.map(|asked| format!("`fetch` has no reply for {asked}")));
        if !lines.is_empty() {
            lines.extend(settled.notes.iter().map(|note| format!("note: {note}")));
            lines.extend(self.console.lines());
        }
        lines
    }
}

fn stored_key(key: &str) -> Result<Key, BadName> {
    format!("{}{key}", tool_kv_prefix(CLIENT)).parse()
}

/// The secrets of a case.
struct Given(BTreeMap<SecretName, String>);

impl Secrets for Given {
    fn get(&self, name: &SecretName) -> Option<Secret> {
        self.0.get(name).map(|value| Secret::new(value.as_str()))
    }
}

/// Keeps the console output of the handler and drops other events.
#[derive(Default)]
struct Console(Mutex<Vec<String>>);

impl Console {
    fn lines(&self) -> Vec<String> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

impl Surface for Console {
    fn event(&self, event: HandlerEvent) -> BoxFuture<'static, Result<(), ServiceFault>> {
        match event {
            HandlerEvent::Console { text, .. } => {
                let line = format!("console: {}", text.trim_end());
                self.0.lock().unwrap_or_else(PoisonError::into_inner).push(line);
            }
            HandlerEvent::Chunk(_)
            | HandlerEvent::Progress { .. }
            | HandlerEvent::Message(_)
            | HandlerEvent::Audit { .. } => {}
        }
        Box::pin(async { Ok(()) })
    }
}
