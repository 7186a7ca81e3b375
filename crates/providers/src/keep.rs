//! Adds a provider: asks it a small question with the key, and keeps the key only if it answers.

use addresses::Reach;
use contract::{Block, Message, Model, Request, Secret, Wire};
use models::{Client, HttpClient, ListedModel, Provider, list_models};
use schemars::JsonSchema;
use serde::Serialize;
use store::{Expected, Expiry, Json};

use crate::address::Address;
use crate::fault::ProviderFault;
use crate::kind::ProviderKind;
use crate::model_line::ModelLine;
use crate::model_table::first_models;
use crate::providers::{Kept, Providers, STORED_MAX};
use crate::stored_provider::{StoredProvider, is_name, place, store_key};

/// A provider as a person describes it.
pub struct NewProvider {
    pub kind: ProviderKind,
    /// The protocol of a compatible server; Chat Completions if it is not given.
    pub wire: Option<Wire>,
    /// The provider's own address if it is not given.
    pub address: Option<String>,
    /// The key of before if it is not given, and the address is the same.
    pub key: Option<Secret>,
    /// The model to ask; by default one that the provider lists.
    pub model: Option<String>,
}

/// A provider that answered and is kept.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct KeptProvider {
    pub name: String,
    /// The model that answered the small request, as `provider:name`.
    pub asked: String,
    pub models: Vec<ModelLine>,
}

const KEY_BYTES_MAX: usize = 4_096;
const MODEL_BYTES_MAX: usize = 200;

impl Providers {
    /// Tries a provider with a small request, and keeps it with its key if that is answered.
    pub async fn keep(&self, name: &str, new: NewProvider) -> Result<KeptProvider, ProviderFault> {
        let kept = self.0.kept.as_ref().ok_or(ProviderFault::NoStore)?;
        let (address, key, reach) = self.described(kept, name, &new).await?;
        // The settings decide where their own provider is.
        let guard = self.configured_address(name).is_none().then_some(reach);
        let NewProvider { kind, wire, model, .. } = new;
        let provider = kind.described(name, &address, wire, key.clone());
        let line = self.0.lists.line(guard);
        let listed = list(line, &provider, model.is_some()).await?;
        let asked = match model {
            Some(model) => model,
            None => first_of(&provider, &listed)
                .ok_or_else(|| ProviderFault::NoModel(provider.shown_url()))?,
        };
        ask(line, &provider, &asked).await?;
        let sealed = key.map(|key| kept.sealer.seal(&key, &place(name, address.as_str())));
        let stored = StoredProvider {
            kind,
            wire,
            address: address.as_str().to_owned(),
            sealed: sealed.transpose()?,
            first_model: asked.clone(),
            reach,
        };
        let json = Json::of(&stored).map_err(store::StoreFault::from)?;
        let key = store_key(name).map_err(store::StoreFault::from)?;
        kept.store.kv().set(&key, json, Expected::Any, Expiry::Never).await?;
        self.0.lists.put(&provider, Ok(listed.clone()));
        let models = crate::providers::lines(&provider, &listed);
        let asked = models::facts(&provider, &asked).to_string();
        Ok(KeptProvider { name: name.to_owned(), asked, models })
    }

    /// The address and key of a new provider, checked.
    async fn described(
        &self,
        kept: &Kept,
        name: &str,
        new: &NewProvider,
    ) -> Result<(Address, Option<Secret>, Reach), ProviderFault> {
        if !is_name(name) {
            return Err(ProviderFault::Name(name.to_owned()));
        }
        if self.is_configured_with_key(name) {
            return Err(ProviderFault::Configured(name.to_owned()));
        }
        let long = |text: &Option<String>, max| text.as_ref().is_some_and(|text| text.len() > max);
        if long(&new.model, MODEL_BYTES_MAX) {
            return Err(ProviderFault::Needs("a shorter name of a model"));
        }
        // The settings decide where the key of their provider goes.
        let configured = self.configured_address(name).map(str::to_owned);
        let typed = new.address.clone().filter(|address| !address.trim().is_empty());
        let address = configured.or(typed).or_else(|| new.kind.own_address());
        let address = Address::parse(&address.ok_or(ProviderFault::Needs("an address"))?)?;
        let stored = self.stored().await?;
        let before = stored.iter().find(|(known, _)| known == name).map(|(_, one)| one);
        if before.is_none() && stored.len() >= STORED_MAX {
            return Err(ProviderFault::TooMany);
        }
        let typed = new.key.as_ref().map(|key| key.expose().trim()).filter(|key| !key.is_empty());
        let key = match (typed, before) {
            (Some(key), _) => Some(Secret::new(key)),
            (None, Some(before)) => before.key(name, address.as_str(), &kept.sealer)?,
            (None, None) => None,
        };
        check_key(key.as_ref(), new.kind)?;
        if key.is_some() {
            address.check_key_is_safe()?;
        }
        let reach = address.reach(self.0.resolver.as_ref()).await?;
        Ok((address, key, reach))
    }

    /// Removes a provider of the page, with its key.
    pub async fn remove(&self, name: &str) -> Result<(), ProviderFault> {
        let kept = self.0.kept.as_ref().ok_or(ProviderFault::NoStore)?;
        if !self.stored().await?.iter().any(|(known, _)| known == name) {
            return Err(ProviderFault::Unknown(name.to_owned()));
        }
        let key = store_key(name).map_err(store::StoreFault::from)?;
        kept.store.kv().delete(&key, Expected::Any).await?;
        self.0.lists.forget(name);
        Ok(())
    }
}

/// The models of the provider. One that has no list is accepted if a model was named.
async fn list(
    line: &HttpClient,
    provider: &Provider,
    is_named: bool,
) -> Result<Vec<ListedModel>, ProviderFault> {
    match list_models(line, provider).await {
        Ok(listed) => Ok(listed),
        Err(fault) if is_named && fault.status == Some(404) => Ok(Vec::new()),
        Err(fault) => Err(fault.into()),
    }
}

/// A real request, as small as can be.
async fn ask(line: &HttpClient, provider: &Provider, model: &str) -> Result<(), ProviderFault> {
    let client = Client::over(line.clone(), provider.clone(), model)?;
    let request = Request {
        messages: vec![Message::user(vec![Block::text("Answer with the word OK.")])],
        output_tokens_max: Some(ANSWER_TOKENS_MAX),
        ..Request::default()
    };
    client.without_retries().ask(&request, &mut |_| {}).await?;
    Ok(())
}

/// Some models think before they answer.
const ANSWER_TOKENS_MAX: u32 = 256;

fn check_key(key: Option<&Secret>, kind: ProviderKind) -> Result<(), ProviderFault> {
    match key {
        None if kind.needs_key() => Err(ProviderFault::Needs("a key")),
        None => Ok(()),
        Some(key) => {
            let key = key.expose();
            let is_sendable =
                key.len() <= KEY_BYTES_MAX && key.bytes().all(|b| b.is_ascii_graphic());
            is_sendable.then_some(()).ok_or(ProviderFault::Needs("a key of plain characters"))
        }
    }
}

/// The first known model that is listed, else the first one.
fn first_of(provider: &Provider, listed: &[ListedModel]) -> Option<String> {
    let chats = crate::providers::lines(provider, listed);
    let is_listed = |name: &&String| chats.iter().any(|line| line.name == **name);
    let known = first_models(provider.family).iter().find(is_listed).cloned();
    known.or_else(|| chats.first().map(|line| line.name.clone()))
}
