//! A store, a file for the sealing key, and a stand-in.

use std::sync::Arc;

use contract::{
    Block, Delta, Deltas, Model, ModelFacts, Reply, ReplyFuture, Request, Secret, StopReason, Usage,
};
use providers::{
    ConfiguredProvider, LocalServer, NewProvider, ProviderKind, Providers, ProvidersSetup, Sealer,
};
use store::{PageRequest, SqliteOptions, SqliteStore, Store};

/// Says the same to everybody, like the rehearsal of the program.
struct StandIn(ModelFacts);

impl Model for StandIn {
    fn facts(&self) -> &ModelFacts {
        &self.0
    }

    fn ask<'a>(&'a self, _request: &'a Request, deltas: Deltas<'a>) -> ReplyFuture<'a> {
        deltas(Delta::Text("Hello.".to_owned()));
        let reply = Reply {
            blocks: vec![Block::text("Hello.")],
            stop: StopReason::EndTurn,
            usage: Usage::default(),
            model: self.0.model.clone(),
            shaped: None,
        };
        Box::pin(async move { Ok(reply) })
    }
}

pub(crate) fn stand_in() -> Arc<dyn Model> {
    let word = || "rehearsal".to_owned();
    let facts = ModelFacts::named(word(), word());
    Arc::new(StandIn(facts))
}

pub(crate) struct World {
    pub dir: tempfile::TempDir,
    pub store: Arc<SqliteStore>,
}

impl World {
    pub(crate) fn new() -> Self {
        let store = Arc::new(SqliteStore::temporary(SqliteOptions::machine()).unwrap());
        Self { dir: tempfile::tempdir().unwrap(), store }
    }

    /// The providers as a new process has them.
    pub(crate) fn providers(
        &self,
        configured: Vec<ConfiguredProvider>,
        local: Vec<LocalServer>,
    ) -> Providers {
        let setup = ProvidersSetup {
            configured,
            model: None,
            stand_in: stand_in(),
            store: self.store.clone(),
            sealer: Sealer::new(self.dir.path().join("secret")),
            local,
        };
        Providers::new(setup).unwrap()
    }

    /// Everything that is stored.
    pub(crate) async fn stored(&self) -> String {
        let prefix = "providers/".parse().unwrap();
        let page = self.store.kv().list(&prefix, PageRequest::first(100)).await.unwrap();
        page.items.iter().map(|entry| format!("{} {}\n", entry.key, entry.value.as_str())).collect()
    }
}

/// A server with this key at this address.
pub(crate) fn compatible(address: &str, key: Option<&str>) -> NewProvider {
    NewProvider {
        kind: ProviderKind::Compatible,
        wire: None,
        address: Some(address.to_owned()),
        key: key.map(Secret::new),
        model: None,
    }
}
