//! Batches: many requests at half the price, answered within a day.
//!
//! In: requests with names. Out: the id of a batch, which is all that has to be stored; with it
//! and the same requests the results are read later, by any process. Must hold: bodies and
//! decoders are those of single requests; a batch is created at most once per call, so a
//! connection that breaks during creation is a fault and is not retried.

mod anthropic;
mod jsonl;
mod openai;

use std::collections::{BTreeMap, BTreeSet};

use contract::{ModelFault, Reply, Request, Wire};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::client::Client;
use crate::fault;
use crate::http::{Content, ProviderRequest};
use crate::prepare::PreparedRequest;
use crate::provider::Provider;
use crate::wire::{ResponseMode, read_whole};

/// One request of a batch.
#[derive(Debug, Clone, PartialEq)]
pub struct BatchRequest {
    /// 1 to 64 characters of `a-z A-Z 0-9 _ -`; unique in the batch.
    pub name: String,
    pub request: Request,
}

/// The provider's name for a batch.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct BatchId(pub String);

/// The state of a batch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum BatchState {
    AtWork {
        done: u64,
        total: u64,
    },
    Cancelling,
    /// There are results, possibly not for every request.
    Ended,
    /// The provider refused the whole batch.
    Refused {
        why: String,
    },
}

/// The outcome of one request.
#[derive(Debug, Clone, PartialEq)]
pub struct BatchResult {
    pub name: String,
    pub answer: Result<Reply, ModelFault>,
}

/// The batches of one model.
pub struct Batches<'a> {
    client: &'a Client,
}

impl Client {
    /// The batches of this model, if the provider supports them.
    pub fn batches(&self) -> Result<Batches<'_>, ModelFault> {
        match self.provider().wire {
            Wire::Anthropic | Wire::Chat | Wire::Responses => Ok(Batches { client: self }),
            Wire::Gemini => Err(fault::no_batches(self.provider())),
        }
    }
}

impl Batches<'_> {
    /// Sends a batch. Store the id: without it the results cannot be read.
    pub async fn submit(&self, requests: &[BatchRequest]) -> Result<BatchId, ModelFault> {
        check_names(requests)?;
        let mut bodies = Vec::with_capacity(requests.len());
        for BatchRequest { name, request } in requests {
            bodies.push((name.as_str(), self.prepare(request)?.body));
        }
        match self.is_anthropic() {
            true => anthropic::submit(self, &bodies).await,
            false => openai::submit(self, &bodies).await,
        }
    }

    pub async fn poll(&self, id: &BatchId) -> Result<BatchState, ModelFault> {
        let batch = self.get(&self.path(id, "")?).await?;
        Ok(if self.is_anthropic() { anthropic::state(&batch) } else { openai::state(&batch) })
    }

    pub async fn cancel(&self, id: &BatchId) -> Result<(), ModelFault> {
        self.post(&self.path(id, "/cancel")?, Content::None).await.map(drop)
    }

    /// The results of a finished batch, in the order of its requests.
    pub async fn results(
        &self,
        id: &BatchId,
        requests: &[BatchRequest],
    ) -> Result<Vec<BatchResult>, ModelFault> {
        let mut read = BTreeMap::new();
        let mut wanted: BTreeMap<&str, PreparedRequest> = BTreeMap::new();
        for BatchRequest { name, request } in requests {
            wanted.insert(name, self.prepare(request)?);
        }
        let mut take = |line: &Value| {
            let name = line.get("custom_id").and_then(Value::as_str).unwrap_or_default();
            if let Some(prepared) = wanted.get(name) {
                read.insert(name.to_owned(), self.read(prepared, line));
            }
        };
        match self.is_anthropic() {
            true => anthropic::results(self, id, &mut take).await?,
            false => openai::results(self, id, &mut take).await?,
        }
        let result = |BatchRequest { name, .. }: &BatchRequest| BatchResult {
            name: name.clone(),
            answer: read.remove(name).unwrap_or_else(|| Err(fault::batch_item("it was not run"))),
        };
        Ok(requests.iter().map(result).collect())
    }

    fn read(&self, prepared: &PreparedRequest, line: &Value) -> Result<Reply, ModelFault> {
        let whole = match self.is_anthropic() {
            true => anthropic::answer(line),
            false => openai::answer(self.provider(), &self.client.preparer.facts.model, line),
        }?;
        let reply = read_whole(self.provider().wire, prepared.ids.clone(), whole)?;
        Ok(prepared.read(reply, &self.client.preparer.facts))
    }

    fn prepare(&self, request: &Request) -> Result<PreparedRequest, ModelFault> {
        self.client.preparer.prepare(request, ResponseMode::Whole)
    }

    fn provider(&self) -> &Provider {
        self.client.provider()
    }

    fn is_anthropic(&self) -> bool {
        self.provider().wire == Wire::Anthropic
    }

    fn path(&self, id: &BatchId, rest: &str) -> Result<String, ModelFault> {
        let folder = if self.is_anthropic() { "/v1/messages/batches" } else { "/batches" };
        Ok(format!("{folder}/{}{rest}", plain_id(&id.0)?))
    }

    async fn get(&self, path: &str) -> Result<Value, ModelFault> {
        let line = &self.client.line;
        let answer = line.ask(self.provider(), &ProviderRequest::get(path)).await?;
        answer.body().json(line.limits.reply_bytes_max).await
    }

    async fn post(&self, path: &str, content: Content) -> Result<Value, ModelFault> {
        let line = &self.client.line;
        let ask = ProviderRequest {
            bytes_max: Some(line.limits.batch_bytes_max),
            ..ProviderRequest::post(path, content)
        };
        let answer = line.create(self.provider(), &ask).await?;
        answer.body().json(line.limits.reply_bytes_max).await
    }
}

fn check_names(requests: &[BatchRequest]) -> Result<(), ModelFault> {
    let mut seen = BTreeSet::new();
    for BatchRequest { name, .. } in requests {
        if plain_id(name).is_err() || name.len() > 64 {
            let why =
                format!("the name `{name}` may only have the characters a-z, A-Z, 0-9, _ and -");
            return Err(fault::bad_batch(&why));
        }
        if !seen.insert(name) {
            return Err(fault::bad_batch(&format!("the name `{name}` is used twice")));
        }
    }
    if seen.is_empty() { Err(fault::bad_batch("it is empty")) } else { Ok(()) }
}

/// Checks that an id can be part of a URL.
fn plain_id(id: &str) -> Result<&str, ModelFault> {
    let plain = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    match !id.is_empty() && id.chars().all(plain) {
        true => Ok(id),
        false => Err(fault::bad_batch(&format!("`{id}` is not a batch id"))),
    }
}

/// The id of an object that the provider created.
fn id_of(made: &Value) -> Result<String, ModelFault> {
    match made.get("id").and_then(Value::as_str) {
        Some(id) => plain_id(id).map(str::to_owned),
        None => Err(fault::garbled("the created object has no `id`")),
    }
}
