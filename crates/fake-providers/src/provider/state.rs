//! The state of the server between requests.

use std::collections::{BTreeMap, VecDeque};
use std::fmt;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use serde_json::Value;
use tokio::sync::watch;

use super::Step;
use super::batches::Batch;
use super::fault::Fault;
use super::files::File;
use super::recorded::RecordedRequest;
use super::render::Ids;
use super::signatures::Signatures;

/// How strict the server is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Strictness {
    /// Like the provider's own server.
    Original,
    /// Like compatible servers.
    Compatible,
}

/// A test's function from a request body to an answer.
#[derive(Clone)]
pub(crate) struct Answering(pub(crate) Arc<dyn Fn(&Value) -> Step + Send + Sync>);

impl fmt::Debug for Answering {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Answering")
    }
}

#[derive(Debug)]
pub(crate) struct State {
    pub(crate) strictness: Strictness,
    pub(crate) address: SocketAddr,
    pub(crate) ids: Ids,
    pub(crate) signatures: Signatures,
    pub(crate) abandoned: Arc<watch::Sender<usize>>,
    /// Held for single steps only, never across an await.
    inner: Mutex<Inner>,
}

#[derive(Debug)]
pub(crate) struct Inner {
    steps: VecDeque<Step>,
    otherwise: Option<Step>,
    answering: Option<Answering>,
    key: Option<String>,
    batch_polls: usize,
    requests: Vec<RecordedRequest>,
    pub(crate) batches: BTreeMap<String, Batch>,
    pub(crate) files: BTreeMap<String, File>,
    /// Groups of words with one meaning.
    pub(crate) meanings: Vec<Vec<String>>,
    pub(crate) embedding_faults: VecDeque<Fault>,
    pub(crate) embedded: Vec<Vec<String>>,
}

impl State {
    pub(crate) fn new(strictness: Strictness, address: SocketAddr) -> Self {
        let inner = Inner {
            steps: VecDeque::new(),
            otherwise: None,
            answering: None,
            key: None,
            batch_polls: 1,
            requests: Vec::new(),
            batches: BTreeMap::new(),
            files: BTreeMap::new(),
            meanings: Vec::new(),
            embedding_faults: VecDeque::new(),
            embedded: Vec::new(),
        };
        Self {
            strictness,
            address,
            ids: Ids::default(),
            signatures: Signatures::default(),
            abandoned: Arc::new(watch::Sender::new(0)),
            inner: Mutex::new(inner),
        }
    }

    pub(crate) fn lock(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn push(&self, step: Step) {
        self.lock().steps.push_back(step);
    }

    pub(crate) fn set_otherwise(&self, step: Step) {
        self.lock().otherwise = Some(step);
    }

    pub(crate) fn set_answering(&self, answering: Answering) {
        self.lock().answering = Some(answering);
    }

    pub(crate) fn set_key(&self, key: &str) {
        self.lock().key = Some(key.to_owned());
    }

    pub(crate) fn set_batch_polls(&self, polls: usize) {
        self.lock().batch_polls = polls;
    }

    pub(crate) fn batch_polls(&self) -> usize {
        self.lock().batch_polls
    }

    pub(crate) fn left(&self) -> usize {
        self.lock().steps.len()
    }

    /// The next answer of the script, otherwise that of the test's function.
    pub(crate) fn take(&self, body: &Value) -> Option<Step> {
        let mut inner = self.lock();
        let scripted = inner.steps.pop_front();
        let answering = inner.answering.clone();
        let otherwise = inner.otherwise.clone();
        drop(inner);
        scripted.or_else(|| answering.map(|Answering(answer)| answer(body))).or(otherwise)
    }

    pub(crate) fn requests(&self) -> Vec<RecordedRequest> {
        self.lock().requests.clone()
    }

    /// Records a request and returns its number.
    pub(crate) fn record(&self, request: RecordedRequest) -> usize {
        let requests = &mut self.lock().requests;
        requests.push(request);
        requests.len() - 1
    }

    pub(crate) fn refuse(&self, number: usize, lines: &[String]) {
        if let Some(request) = self.lock().requests.get_mut(number) {
            request.refused = lines.to_vec();
        }
    }

    /// Whether the key is accepted.
    pub(crate) fn accepts(&self, key: Option<&str>) -> bool {
        match (&self.lock().key, key) {
            (Some(wanted), key) => key == Some(wanted),
            (None, Some(key)) => !key.is_empty(),
            (None, None) => self.strictness == Strictness::Compatible,
        }
    }
}
