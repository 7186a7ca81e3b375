//! The environment of one run, and rules for all services.

mod capabilities;
mod redaction;

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::{Arc, Mutex};

use contract::{Contract, Secret, SecretName};
use policy::{BoxFuture, ServiceFault, Services as _};
use serde_json::{Value, json};
use store::{SqliteOptions, SqliteStore, Store};
use tempfile::TempDir;

use crate::*;

/// There are no other conversations.
struct NoConversations;

impl Notices for NoConversations {
    fn leave(&self, notice: Notice) -> BoxFuture<'static, Result<(), NoticeFault>> {
        let fault = NoticeFault(format!("there is no conversation `{}`", notice.conversation.0));
        Box::pin(async { Err(fault) })
    }
}

/// The environment of runs; each `run` is a new one in the same environment.
pub(crate) struct World {
    pub(crate) folder: TempDir,
    pub(crate) store: Arc<dyn Store>,
    pub(crate) surface: Arc<Recorder>,
    pub(crate) network: Network,
    pub(crate) limits: ServiceLimits,
    pub(crate) secrets: BTreeMap<&'static str, &'static str>,
    pub(crate) owner: &'static str,
}

impl World {
    pub(crate) fn new() -> Self {
        World {
            folder: TempDir::new().unwrap(),
            store: Arc::new(SqliteStore::temporary(SqliteOptions::machine()).unwrap()),
            surface: Arc::default(),
            network: Network::new(NetworkAccess::Public).unwrap(),
            limits: ServiceLimits::ORDINARY,
            secrets: BTreeMap::new(),
            owner: "shared",
        }
    }

    pub(crate) fn run(&self, side_effects: &str, capabilities: Value) -> HandlerServices {
        HandlerServices::new(Grant {
            contract: Arc::new(contract(side_effects, capabilities)),
            guarded: vec!["guarded/".parse().unwrap()],
            owner: self.owner.to_owned(),
            project: self.folder.path().to_owned(),
            own_files: ["policy/own.toml", "handlers", "data/kept.sqlite"]
                .map(|name| self.folder.path().join(name))
                .into(),
            network: self.network.clone(),
            secrets: Arc::new(Held(self.secrets.clone())),
            store: Arc::clone(&self.store),
            surface: Arc::clone(&self.surface) as Arc<dyn Surface>,
            notices: Arc::new(NoConversations),
            clock: Arc::new(store::SystemClock),
            conversation: policy::ConversationId("chat".into()),
            in_turn: true,
            model: None,
            limits: self.limits,
            quota: Arc::default(),
        })
    }

    pub(crate) fn path(&self) -> &Path {
        self.folder.path()
    }

    pub(crate) fn put(&self, path: &str, text: &str) {
        let path = self.folder.path().join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }
}

pub(crate) fn contract(side_effects: &str, capabilities: Value) -> Contract {
    serde_json::from_value(json!({
        "toolId": "sample", "version": "1.0.0", "description": "A sample.",
        "category": "action", "sideEffects": side_effects, "idempotent": false,
        "requiresConfirmation": false, "allowedModes": ["text"], "latencyBudgetMs": 100,
        "parameters": {"type": "object"}, "capabilities": capabilities,
    }))
    .unwrap()
}

/// The result, or the code of the fault.
pub(crate) async fn ask(run: &HandlerServices, name: &str, args: Value) -> Result<Value, String> {
    run.call(name, args).await.map_err(|fault| fault.code)
}

pub(crate) async fn fault(run: &HandlerServices, name: &str, args: Value) -> ServiceFault {
    run.call(name, args).await.unwrap_err()
}

struct Held(BTreeMap<&'static str, &'static str>);

impl Secrets for Held {
    fn get(&self, name: &SecretName) -> Option<Secret> {
        self.0.get(name.as_str()).map(|value| Secret::new(*value))
    }
}

/// A surface that records events, and refuses messages that ask for it.
#[derive(Default)]
pub(crate) struct Recorder {
    events: Mutex<Vec<HandlerEvent>>,
}

impl Recorder {
    pub(crate) fn events(&self) -> Vec<HandlerEvent> {
        self.events.lock().unwrap().clone()
    }
}

impl Surface for Recorder {
    fn event(&self, event: HandlerEvent) -> BoxFuture<'static, Result<(), ServiceFault>> {
        if event == HandlerEvent::Message(json!("refuse me")) {
            return Box::pin(async { Err(FaultCode::Unavailable.fault("no client is connected")) });
        }
        self.events.lock().unwrap().push(event);
        Box::pin(async { Ok(()) })
    }
}

/// Placeholders are filled in notices only.
#[tokio::test]
async fn gd_16_names_are_filled_in_a_tools_notices() {
    let world = World::new();
    let run = world.run("writes", json!({}));
    let chunk = |channel: &str, text: &str| json!({"channel": channel, "text": text});
    ask(&run, "chunk", chunk("system", "{{char}} waits for [[user]] {{x}}")).await.unwrap();
    ask(&run, "chunk", chunk("assistant", "{{char}}")).await.unwrap();
    ask(&run, "messages.system", json!({"content": "[[char]]"})).await.unwrap();
    let texts = world.surface.events().into_iter().filter_map(|event| match event {
        HandlerEvent::Chunk(chunk) => Some(chunk.text),
        HandlerEvent::Progress { .. }
        | HandlerEvent::Message(_)
        | HandlerEvent::Audit { .. }
        | HandlerEvent::Console { .. } => None,
    });
    let texts: Vec<_> = texts.collect();
    assert_eq!(texts, ["Assistant waits for User {{x}}", "{{char}}", "Assistant"]);
}
