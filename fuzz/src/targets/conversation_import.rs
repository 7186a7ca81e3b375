//! Conversations from files: refused as a whole, or begun with entries of which nothing is
//! open, and given out as a file that is read back as the same.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use anyhow::{Result, bail, ensure};
use contract::Mode;
use conversation::{Conversations, Entry, Opened, PromptForm, StepState, view};
use engine::{Engine, Hosts, Wiring};
use hosts::NativeHost;
use policy::ConversationId;
use registry::{LiveRegistry, Registry};
use serde_json::{Value, json};
use store::{SqliteOptions, SqliteStore, Store};
use tokio::runtime::{Builder, Runtime};

use super::{Check, Target, texts};

pub(super) const TARGET: Target =
    Target { name: "conversation-import", seeds, words: WORDS, check: made };

const RESULT_BYTES_MAX: usize = 1 << 20;

const WORDS: &[&str] = &[
    "{\"entry\":\"user\",\"turn\":1,\"text\":\"Hello\"},",
    "{\"entry\":\"user\",\"turn\":2,\"text\":\"Again\"},",
    "{\"entry\":\"user\",\"turn\":18446744073709551615,\"text\":\"\"},",
    "{\"entry\":\"assistant\",\"turn\":1,\"text\":\"Yes\"},",
    "{\"entry\":\"thinking\",\"turn\":1,\"text\":\"Hm\"},",
    "{\"entry\":\"system\",\"turn\":0,\"text\":\"Note\"},",
    "{\"entry\":\"system\",\"turn\":1,\"text\":\"Note\"},",
    "{\"entry\":\"broke_off\",\"turn\":1},",
    "{\"entry\":\"ended\",\"turn\":1,\"how\":{\"how\":\"cancelled\"}},",
    "\"state\":{\"state\":\"open\"}",
    "\"state\":{\"state\":\"in_doubt\"}",
    "\"state\":{\"state\":\"asked\",\"request\":\"r\",\"preview\":\"p\"}",
    "\"call\":\"a\",",
    "\"tool\":\"\",",
    "\"changed_from\":{},",
    "\"auto\":true,",
];

fn seeds() -> Vec<Vec<u8>> {
    let step = "{\"entry\":\"step\",\"turn\":1,\"call\":\"a\",\"tool\":\"roll\",\"args\":{\"sides\":6},\
                \"state\":{\"state\":\"done\",\"content\":{\"ok\":true,\"data\":{\"sum\":4}},\
                \"duration\":3,\"verdict\":\"run\"}}";
    let failed = "{\"entry\":\"step\",\"turn\":1,\"call\":\"b\",\"tool\":\"pay\",\"args\":{},\
                  \"state\":{\"state\":\"failed\",\"content\":{\"ok\":false},\"duration\":null,\
                  \"verdict\":\"deny\",\"notes\":[\"no\"]}}";
    let user = "{\"entry\":\"user\",\"turn\":1,\"text\":\"Roll\"}";
    let says = "{\"entry\":\"assistant\",\"turn\":1,\"text\":\"A four.\"}";
    let note = "{\"entry\":\"system\",\"turn\":1,\"text\":\"rolling\"}";
    let off = "{\"entry\":\"broke_off\",\"turn\":1}";
    let ended = "{\"entry\":\"ended\",\"turn\":1,\"how\":{\"how\":\"cancelled\"}}";
    texts(&[
        &format!("[{user},{step},{note},{says}]"),
        &format!("[{user},{says},{off},{step},{failed},{says}]"),
        &format!("[{user},{says},{ended}]"),
        &format!("[{{\"entry\":\"system\",\"turn\":0,\"text\":\"First\"}},{user},{step}]"),
    ])
}

fn made() -> Check {
    let reader = Reader::new();
    Box::new(move |input| {
        let reader = reader.as_ref().map_err(|fault| format!("the engine opens: {fault}"))?;
        let Ok(entries) = serde_json::from_slice::<Vec<Entry>>(input) else { return Ok(()) };
        reader.runtime.block_on(reader.check(entries)).map_err(|fault| fault.to_string())
    })
}

/// An engine without tools, on a store of its own.
struct Reader {
    conversations: Conversations,
    runtime: Runtime,
    /// No name is used twice.
    names: AtomicU64,
}

impl Reader {
    fn new() -> Result<Self> {
        let runtime = Builder::new_current_thread().enable_all().build()?;
        let store: Arc<dyn Store> = Arc::new(SqliteStore::temporary(SqliteOptions::machine())?);
        let native = Arc::new(NativeHost::new(RESULT_BYTES_MAX));
        let entered = runtime.enter();
        let hosts = Hosts { javascript: native.clone(), python: None, native };
        let notices = Arc::new(conversation::LogNotices::new(Arc::clone(&store)));
        let tools = (LiveRegistry::new(Registry::empty()), Path::new("."));
        let engine = Engine::new(Wiring::usual(tools, store, hosts, notices)?);
        drop(entered);
        let conversations = Conversations::new(engine);
        Ok(Self { conversations, runtime, names: AtomicU64::new(0) })
    }

    async fn check(&self, entries: Vec<Entry>) -> Result<()> {
        let Some(first) = self.imported(entries).await? else { return Ok(()) };
        let Some(second) = self.imported(first.clone()).await? else {
            bail!("our own export is refused");
        };
        ensure!(as_file(&first) == as_file(&second), "our own export reads as {second:?}");
        Ok(())
    }

    /// What people see of a file once it is imported; nothing where it is refused.
    async fn imported(&self, entries: Vec<Entry>) -> Result<Option<Vec<Entry>>> {
        let id = ConversationId(self.names.fetch_add(1, Ordering::Relaxed).to_string());
        let opened = Opened {
            client: "fuzz".to_owned(),
            mode: Mode::Text,
            model: "none".to_owned(),
            system: String::new(),
            rounds_max: 8,
            prompt: PromptForm::InResult,
        };
        let settings = conversation::ConversationSettings::default();
        if self.conversations.import(&id, opened, settings, entries).await.is_err() {
            return Ok(None);
        }
        let shown = view(&*self.conversations.get(&id).await?);
        self.conversations.delete(&id).await?;
        for entry in &shown {
            ensure!(!is_open(entry), "something can still run: {entry:?}");
        }
        Ok(Some(shown))
    }
}

fn is_open(entry: &Entry) -> bool {
    let Entry::Step(step) = entry else { return false };
    matches!(step.state, StepState::Open | StepState::Asked { .. } | StepState::Questioned { .. })
}

/// Entries as a file has them: without the numbers of their events.
fn as_file(entries: &[Entry]) -> Vec<Value> {
    let file = |entry: &Entry| {
        let mut value = json!(entry);
        if let Some(fields) = value.as_object_mut() {
            fields.remove("event");
        }
        value
    };
    entries.iter().map(file).collect()
}
