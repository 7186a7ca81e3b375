//! What models used outside of the logs of conversations: voice sessions, Ghostpen, flashcards.
//!
//! In: the usage of each answer, as it comes. Out: sums of an hour, by owner, purpose and model,
//! kept for a little more than a month. Must hold: only counts are stored, never a text.

use std::sync::Arc;
use std::time::Duration;

use contract::{
    BoxFuture, Deltas, Digest, Model, ModelFacts, ModelFault, RejectedTool, ReplyFuture, Request,
    RungMemory, Sight, Usage,
};
use serde::{Deserialize, Serialize};
use store::{Clock, Expected, Expiry, Json, Key, Pages, Prefix, Store, StoreFault};

const HOUR_MS: u64 = 60 * 60 * 1_000;
const KEPT: Duration = Duration::from_secs(32 * 24 * 60 * 60);
const TRIES_MAX: usize = 20;

/// The counts of all owners. Clones share the store.
#[derive(Clone)]
pub struct UsageBook {
    store: Arc<dyn Store>,
    clock: Arc<dyn Clock>,
}

/// What an owner used in one hour, of one model, for one purpose.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct HourUsage {
    /// When the hour began, in milliseconds since 1970.
    pub at: u64,
    pub purpose: Purpose,
    /// `provider:name`.
    pub model: String,
    /// The name that the provider gave.
    pub answered: String,
    pub requests: u64,
    pub usage: Usage,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Purpose {
    Voice,
    Pen,
    Cards,
}

impl Purpose {
    fn name(self) -> &'static str {
        match self {
            Purpose::Voice => "voice",
            Purpose::Pen => "pen",
            Purpose::Cards => "cards",
        }
    }
}

impl UsageBook {
    pub fn new(store: Arc<dyn Store>, clock: Arc<dyn Clock>) -> Self {
        Self { store, clock }
    }

    /// The same model; each of its answers is counted for this owner.
    pub fn metered(&self, model: Arc<dyn Model>, owner: &str, purpose: Purpose) -> Arc<dyn Model> {
        Arc::new(MeteredModel { model, book: self.clone(), owner: owner.to_owned(), purpose })
    }

    /// Counts an answer.
    pub async fn add(
        &self,
        owner: &str,
        purpose: Purpose,
        (model, answered): (&str, &str),
        usage: Usage,
    ) -> Result<(), StoreFault> {
        let at = self.clock.now().as_millis() / HOUR_MS * HOUR_MS;
        let of = Digest::of(format!("{model} {answered}").as_bytes()).hex(16);
        let hour = at / HOUR_MS;
        let key: Key = format!("{}{hour:010}/{}/{of}", home(owner), purpose.name()).parse()?;
        for _ in 0..TRIES_MAX {
            let entry = self.store.kv().get(&key).await?;
            let known = entry.as_ref().and_then(|entry| entry.value.to::<HourUsage>().ok());
            let mut hour = known.unwrap_or_else(|| HourUsage {
                at,
                purpose,
                model: model.to_owned(),
                answered: answered.to_owned(),
                requests: 0,
                usage: Usage::default(),
            });
            hour.requests = hour.requests.saturating_add(1);
            hour.usage += usage;
            let expected =
                entry.map_or(Expected::Absent, |entry| Expected::Revision(entry.revision));
            let set = self.store.kv().set(&key, Json::of(&hour)?, expected, Expiry::After(KEPT));
            match set.await {
                Ok(_) => return Ok(()),
                Err(StoreFault::Conflict { .. }) => {}
                Err(fault) => return Err(fault),
            }
        }
        Err(StoreFault::Busy { because: "usage is counted by many at once".to_owned() })
    }

    /// The hours of an owner that began then or later.
    pub async fn since(&self, owner: &str, then: u64) -> Result<Vec<HourUsage>, StoreFault> {
        let (prefix, mut pages): (Prefix, _) = (home(owner).parse()?, Pages::of(500));
        let mut found: Vec<HourUsage> = Vec::new();
        while let Some(request) = pages.request() {
            for entry in pages.items(self.store.kv().list(&prefix, request).await?) {
                found.extend(entry.value.to::<HourUsage>().ok().filter(|hour| hour.at >= then));
            }
        }
        Ok(found)
    }
}

fn home(owner: &str) -> String {
    format!("usage/{}/", Digest::of(owner.as_bytes()).hex(32))
}

/// A model whose answers are counted.
struct MeteredModel {
    model: Arc<dyn Model>,
    book: UsageBook,
    owner: String,
    purpose: Purpose,
}

impl Model for MeteredModel {
    fn facts(&self) -> &ModelFacts {
        self.model.facts()
    }

    fn ask<'a>(&'a self, request: &'a Request, deltas: Deltas<'a>) -> ReplyFuture<'a> {
        Box::pin(async move {
            let reply = self.model.ask(request, deltas).await?;
            let (asked, answered) = (self.facts().to_string(), reply.model.as_str());
            let counted =
                self.book.add(&self.owner, self.purpose, (&asked, answered), reply.usage).await;
            if let Err(fault) = counted {
                tracing::warn!(%fault, "an answer is not counted in the usage");
            }
            Ok(reply)
        })
    }

    fn tools_max(&self) -> Option<usize> {
        self.model.tools_max()
    }

    fn sight(&self) -> Sight {
        self.model.sight()
    }

    fn blamed<'a>(
        &'a self,
        request: &'a Request,
        fault: &'a ModelFault,
    ) -> BoxFuture<'a, Vec<RejectedTool>> {
        self.model.blamed(request, fault)
    }

    fn rung_memory(&self) -> Option<&dyn RungMemory> {
        self.model.rung_memory()
    }
}
