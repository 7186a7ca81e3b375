//! A server whose conversations choose among the models of a fake provider.

use std::sync::Arc;

use contract::{ModelFacts, Secret};
use fake_providers::{FakeProvider, Turn};
use models::{Key, Provider};
use providers::{ConfiguredProvider, LocalServer, ProviderKind, Providers, ProvidersSetup, Sealer};
use serde_json::Value;
use testkit::script::{ScriptedModel, Step};

use crate::support::test_server::{Served, World};

/// The far side, and what survives a restart.
pub(crate) struct ModelWorld {
    pub world: World,
    pub far: FakeProvider,
    secrets: tempfile::TempDir,
}

impl ModelWorld {
    pub(crate) async fn new() -> Self {
        let far = FakeProvider::compatible().await.unwrap();
        Self { world: World::new(), far, secrets: tempfile::tempdir().unwrap() }
    }

    /// The provider `far` is in the settings, with a key of the environment.
    pub(crate) fn configured(&self) -> Vec<ConfiguredProvider> {
        let key = Key::Given(Secret::new("sk-env"));
        let provider = Provider::compatible("far", &format!("{}/v1", self.far.base_url()), key);
        let provider = Provider { key_name: "FAR_KEY".into(), ..provider };
        vec![ConfiguredProvider { provider, first_model: None }]
    }

    /// The model of the settings says these; without them there is none.
    pub(crate) async fn serve(
        &self,
        configured: Vec<ConfiguredProvider>,
        own: Option<Vec<Step>>,
    ) -> Served {
        let stand_in = Arc::new(
            ScriptedModel::new([]).with_facts(ModelFacts::named("rehearsal", "rehearsal")),
        );
        let own = own.map(|steps| Arc::new(ScriptedModel::new(steps)));
        let setup = ProvidersSetup {
            configured,
            model: own.map(|model| model as Arc<dyn contract::Model>),
            stand_in: stand_in.clone(),
            store: self.world.store.clone(),
            sealer: Sealer::new(self.secrets.path().join("secret")),
            local: vec![LocalServer {
                title: "Far",
                kind: ProviderKind::Compatible,
                port: self.far.address().port(),
            }],
        };
        self.world.serve_with(stand_in, Providers::new(setup).unwrap()).await
    }

    /// The models that were asked, in order.
    pub(crate) fn asked(&self) -> Vec<String> {
        let requests = self.far.requests().into_iter();
        requests.filter_map(|one| one.body["model"].as_str().map(str::to_owned)).collect()
    }

    pub(crate) fn last_body(&self) -> Value {
        self.far.requests().last().unwrap().body.clone()
    }

    pub(crate) fn says(&self, text: &str) {
        self.far.then(Turn::says(text));
    }
}
