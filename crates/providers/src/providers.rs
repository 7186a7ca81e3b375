//! All providers of a server: those of its settings, then those that the page added.
//!
//! Those of the page are read from the store each time, so that every process on it has the same.

mod lists;
mod price_book;

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use addresses::{Reach, Resolver, SystemResolver};
use contract::{Model, ModelFault, Secret, Wire};
use models::{Client, Family, Key, Limits, Provider};
use schemars::JsonSchema;
use serde::Serialize;
use store::{Pages, Prefix, Store, StoreFault};

use crate::gone_model::GoneModel;
use crate::kind::ProviderKind;
use crate::lines::Lines;
use crate::local_servers::LocalServer;
use crate::sealer::Sealer;
use crate::stored_provider::{PREFIX, StoredProvider};
use lists::Lists;
pub use lists::{ModelList, UnlistedModels};
pub(crate) use lists::{lines, short_limits};
pub use price_book::{PriceBook, Spent};

/// The providers of one server. Clones share them.
#[derive(Clone)]
pub struct Providers(pub(crate) Arc<Inner>);

pub(crate) struct Inner {
    configured: Vec<ConfiguredProvider>,
    model: Option<Arc<dyn Model>>,
    stand_in: Arc<dyn Model>,
    pub(crate) kept: Option<Kept>,
    pub(crate) local: Vec<LocalServer>,
    pub(crate) lines: Lines,
    pub(crate) resolver: Arc<dyn Resolver>,
    clients: Mutex<Vec<OpenClient>>,
    pub(crate) lists: Lists,
}

/// Where the providers of the page are.
pub(crate) struct Kept {
    pub store: Arc<dyn Store>,
    pub sealer: Sealer,
}

struct OpenClient {
    provider: Provider,
    reach: Option<Reach>,
    client: Arc<Client>,
}

/// How many clients are kept open.
const CLIENTS_MAX: usize = 64;
/// How many providers the page may add.
pub(crate) const STORED_MAX: usize = 50;

/// What the providers of a server are made of.
pub struct ProvidersSetup {
    /// The providers of the settings, with the model to use if none is named.
    pub configured: Vec<ConfiguredProvider>,
    /// The model of the settings; none if they name none and have no key.
    pub model: Option<Arc<dyn Model>>,
    /// Answers without a key.
    pub stand_in: Arc<dyn Model>,
    pub store: Arc<dyn Store>,
    pub sealer: Sealer,
    /// Where servers of this machine usually listen.
    pub local: Vec<LocalServer>,
}

/// A provider of the settings.
#[derive(Debug, Clone)]
pub struct ConfiguredProvider {
    pub provider: Provider,
    pub first_model: Option<String>,
}

/// Where the key of a provider comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum KeyFrom {
    /// A variable of the environment, or `.env`.
    Environment,
    /// A file that the settings name.
    File,
    Page,
    NotNeeded,
    /// There is none, and the provider needs one.
    Missing,
}

/// A provider as the operator sees it. Of a key of the page it has at most the last characters.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ProviderLine {
    pub name: String,
    pub kind: ProviderKind,
    pub wire: String,
    pub address: String,
    pub key_from: KeyFrom,
    /// The variable or file with the key, if the settings name one.
    pub key_name: Option<String>,
    /// `••••` and the last four characters of a key that the page sent.
    pub key_end: Option<String>,
    pub first_model: Option<String>,
    /// Whether the page added it, and may change and remove it.
    pub of_page: bool,
    /// Why it cannot be used.
    pub fault: Option<String>,
}

/// A provider with where it comes from.
pub(crate) struct Known {
    pub provider: Provider,
    pub kind: ProviderKind,
    pub first_model: Option<String>,
    pub key_from: KeyFrom,
    pub of_page: bool,
    /// Where it may be; none if the settings give its address.
    pub reach: Option<Reach>,
    pub fault: Option<String>,
}

impl Providers {
    pub fn new(setup: ProvidersSetup) -> Result<Self, ModelFault> {
        Self::with_resolver(setup, Arc::new(SystemResolver))
    }

    /// As [`Providers::new`], with another resolver for the addresses of the page.
    pub fn with_resolver(
        setup: ProvidersSetup,
        resolver: Arc<dyn Resolver>,
    ) -> Result<Self, ModelFault> {
        let ProvidersSetup { configured, model, stand_in, store, sealer, local } = setup;
        let kept = Some(Kept { store, sealer });
        Self::with(configured, model, stand_in, kept, local, resolver)
    }

    /// Only this model: nothing else can be chosen or added.
    pub fn only(model: Arc<dyn Model>) -> Result<Self, ModelFault> {
        let resolver = Arc::new(SystemResolver);
        Self::with(Vec::new(), Some(Arc::clone(&model)), model, None, Vec::new(), resolver)
    }

    fn with(
        configured: Vec<ConfiguredProvider>,
        model: Option<Arc<dyn Model>>,
        stand_in: Arc<dyn Model>,
        kept: Option<Kept>,
        local: Vec<LocalServer>,
        resolver: Arc<dyn Resolver>,
    ) -> Result<Self, ModelFault> {
        let lines = Lines::new(Limits::usual(), &resolver)?;
        let (clients, lists) = (Mutex::default(), Lists::new(&resolver)?);
        let inner =
            Inner { configured, model, stand_in, kept, local, lines, resolver, clients, lists };
        Ok(Self(Arc::new(inner)))
    }

    /// The model of this name, as `provider:name`. One that is not there answers with its fault.
    pub async fn open(&self, id: &str) -> Arc<dyn Model> {
        match self.find(id).await {
            Ok(model) => model,
            Err(because) => Arc::new(GoneModel::new(id, because)),
        }
    }

    /// Why a conversation cannot use this model; none if it can be asked.
    pub async fn why_gone(&self, id: &str) -> Option<String> {
        self.find(id).await.err()
    }

    /// Answers where nothing was chosen: the model of the settings, else the first one of the
    /// page, else the stand-in.
    pub async fn default_model(&self) -> Arc<dyn Model> {
        if let Some(model) = &self.0.model {
            return Arc::clone(model);
        }
        let known = self.all().await.unwrap_or_default();
        let of_page = known.into_iter().filter(|one| one.of_page && one.fault.is_none());
        for Known { provider, first_model, reach, .. } in of_page {
            let Some(first) = first_model else { continue };
            if let Ok(model) = self.client(&provider, reach, &first) {
                return model;
            }
        }
        Arc::clone(&self.0.stand_in)
    }

    async fn find(&self, id: &str) -> Result<Arc<dyn Model>, String> {
        for own in self.0.model.iter().chain([&self.0.stand_in]) {
            let facts = own.facts();
            if facts.to_string() == id || format!("{}:{}", facts.provider, facts.model) == id {
                return Ok(Arc::clone(own));
            }
        }
        let (Known { provider, reach, .. }, model) = self.provider_of(id).await?;
        self.client(&provider, reach, &model).map_err(|fault| fault.message)
    }

    /// The provider of a model, and its name there.
    pub(crate) async fn provider_of(&self, id: &str) -> Result<(Known, String), String> {
        let (name, model) = id.split_once(':').unwrap_or((id, ""));
        if model.is_empty() {
            return Err("a model is named as provider:name".to_owned());
        }
        let known = self.all().await.map_err(|_| "the store cannot be read".to_owned())?;
        let found = known.into_iter().find(|one| one.provider.name == name);
        let found = found.ok_or_else(|| format!("there is no provider `{name}`"))?;
        match found.fault {
            Some(fault) => Err(fault),
            None => Ok((Known { fault: None, ..found }, model.to_owned())),
        }
    }

    /// A client of the provider; the same as before if nothing changed.
    fn client(
        &self,
        provider: &Provider,
        reach: Option<Reach>,
        model: &str,
    ) -> Result<Arc<dyn Model>, ModelFault> {
        let mut clients = lock(&self.0.clients);
        let is_same = |open: &&OpenClient| {
            open.provider == *provider && open.reach == reach && open.client.facts().model == model
        };
        if let Some(open) = clients.iter().find(is_same) {
            return Ok(open.client.clone());
        }
        let client =
            Arc::new(Client::over(self.0.lines.of(reach).clone(), provider.clone(), model)?);
        if clients.len() >= CLIENTS_MAX {
            clients.remove(0);
        }
        clients.push(OpenClient { provider: provider.clone(), reach, client: Arc::clone(&client) });
        Ok(client)
    }

    /// All providers, for the operator.
    pub async fn providers(&self) -> Result<Vec<ProviderLine>, StoreFault> {
        Ok(self.all().await?.iter().map(Known::line).collect())
    }

    pub(crate) async fn all(&self) -> Result<Vec<Known>, StoreFault> {
        let mut stored = self.stored().await?;
        let mut all = Vec::new();
        for ConfiguredProvider { provider, first_model } in &self.0.configured {
            let at = stored.iter().position(|(name, _)| *name == provider.name);
            let of_page = at.map(|at| stored.remove(at).1);
            let mut known = Known::configured(provider.clone(), first_model.clone());
            // A key of the environment wins.
            if let (KeyFrom::Missing, Some(of_page)) = (known.key_from, of_page) {
                known = self.filled(known, &of_page);
            }
            all.push(known);
        }
        all.extend(stored.iter().map(|(name, one)| self.of_page(name, one)));
        Ok(all)
    }

    /// A provider of the settings with the key of the page. It is opened only if the address is
    /// the one that it was given for.
    fn filled(&self, known: Known, stored: &StoredProvider) -> Known {
        let Some(Kept { sealer, .. }) = &self.0.kept else { return known };
        let Known { mut provider, kind, .. } = known;
        let opened = stored.key(&provider.name, &provider.base_url, sealer);
        let fault = opened.as_ref().err().map(|fault| format!("its key cannot be used: {fault}"));
        if let Ok(Some(key)) = opened {
            provider.key = Key::Given(key);
        }
        let first_model = Some(stored.first_model.clone());
        let (key_from, reach) = (KeyFrom::Page, None);
        Known { provider, kind, first_model, key_from, of_page: true, reach, fault }
    }

    fn of_page(&self, name: &str, stored: &StoredProvider) -> Known {
        let opened = self.0.kept.as_ref().map(|kept| stored.provider(name, &kept.sealer));
        let (provider, fault) = match opened {
            Some(Ok(provider)) => (provider, None),
            Some(Err(fault)) => (bare(name, stored), Some(format!("it cannot be used: {fault}"))),
            None => (bare(name, stored), Some("this server keeps no keys".to_owned())),
        };
        let key_from = match &stored.sealed {
            Some(_) => KeyFrom::Page,
            None => KeyFrom::NotNeeded,
        };
        let first_model = Some(stored.first_model.clone());
        let (kind, reach) = (stored.kind, Some(stored.reach));
        Known { provider, kind, first_model, key_from, of_page: true, reach, fault }
    }

    /// The providers of the page by name. One that cannot be read is left out.
    pub(crate) async fn stored(&self) -> Result<Vec<(String, StoredProvider)>, StoreFault> {
        let Some(Kept { store, .. }) = &self.0.kept else { return Ok(Vec::new()) };
        let prefix: Prefix = PREFIX.parse()?;
        let mut found = Vec::new();
        let mut pages = Pages::of(STORED_MAX);
        while let Some(request) = pages.request() {
            for entry in pages.items(store.kv().list(&prefix, request).await?) {
                let name = entry.key.as_str().strip_prefix(PREFIX).map(str::to_owned);
                found.extend(name.zip(entry.value.to().ok()));
            }
        }
        Ok(found)
    }

    pub(crate) fn is_configured_with_key(&self, name: &str) -> bool {
        let same = |one: &&ConfiguredProvider| one.provider.name == name;
        let found = self.0.configured.iter().find(same);
        found.is_some_and(|one| !matches!(one.provider.key, Key::Missing))
    }

    /// The address that the settings give to a provider.
    pub(crate) fn configured_address(&self, name: &str) -> Option<&str> {
        let same = |one: &&ConfiguredProvider| one.provider.name == name;
        self.0.configured.iter().find(same).map(|one| one.provider.base_url.as_str())
    }

    pub(crate) fn stand_in(&self) -> &Arc<dyn Model> {
        &self.0.stand_in
    }

    pub(crate) fn own_model(&self) -> Option<&Arc<dyn Model>> {
        self.0.model.as_ref()
    }
}

/// The provider without its key, to be shown.
fn bare(name: &str, stored: &StoredProvider) -> Provider {
    let wire = stored.wire.unwrap_or(Wire::Chat);
    Provider { wire, ..Provider::compatible(name, &stored.address, Key::Missing) }
}

impl Known {
    fn configured(provider: Provider, first_model: Option<String>) -> Self {
        let key_from = match &provider.key {
            Key::Given(_) if provider.key_name.starts_with("the file") => KeyFrom::File,
            Key::Given(_) => KeyFrom::Environment,
            Key::NotNeeded => KeyFrom::NotNeeded,
            Key::Missing => KeyFrom::Missing,
        };
        let fault = (key_from == KeyFrom::Missing)
            .then(|| format!("there is no key for `{}`", provider.name));
        let kind = match provider.family {
            Family::Anthropic => ProviderKind::Anthropic,
            Family::OpenAi => ProviderKind::OpenAi,
            Family::Gemini => ProviderKind::Gemini,
            Family::Ollama => ProviderKind::Ollama,
            Family::Other => ProviderKind::Compatible,
        };
        Self { provider, kind, first_model, key_from, of_page: false, reach: None, fault }
    }

    fn line(&self) -> ProviderLine {
        let Self { provider, kind, first_model, key_from, of_page, fault, reach: _ } = self;
        let named = matches!(key_from, KeyFrom::Environment | KeyFrom::File | KeyFrom::Missing);
        let key_end = match (&provider.key, key_from) {
            (Key::Given(key), KeyFrom::Page) => end_of(key),
            (Key::Given(_) | Key::Missing | Key::NotNeeded, _) => None,
        };
        ProviderLine {
            name: provider.name.clone(),
            kind: *kind,
            wire: provider.wire.to_string(),
            address: provider.shown_url(),
            key_from: *key_from,
            key_name: (named && !of_page).then(|| provider.key_name.clone()),
            key_end,
            first_model: first_model.clone(),
            of_page: *of_page,
            fault: fault.clone(),
        }
    }
}

/// A short key is not shown at all.
fn end_of(key: &Secret) -> Option<String> {
    let count = key.expose().chars().count();
    let end: String = key.expose().chars().skip(count.saturating_sub(4)).collect();
    (count >= 20).then(|| format!("••••{end}"))
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
