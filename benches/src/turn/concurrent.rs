//! Many concurrent conversations: all have asked before the first is answered.

use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use fake_providers::{FakeProvider, Turn};
use serde_json::json;
use testkit::Gate;
use tokio::task::JoinSet;

use super::CALLED;
use super::conversation::{BenchConversation, answers};
use crate::measure::rounds::Lane;

const WAIT_MAX: Duration = Duration::from_secs(120);
const LOOK_EVERY: Duration = Duration::from_millis(1);

/// Answers after a turn that everybody makes beforehand: calls behind a gate, then texts.
pub(crate) struct Crowd {
    pub provider: Arc<FakeProvider>,
    gate: Gate,
    size: usize,
}

impl Crowd {
    pub(crate) async fn new(size: usize) -> Result<Self> {
        let provider = Arc::new(FakeProvider::compatible().await?);
        let gate = Gate::new();
        provider.script(answers(1));
        let call = Turn::calls(CALLED, json!({"a": 1, "b": 1})).gate(&gate);
        provider.script((0..size).map(|_| call.clone()));
        provider.script((0..size).map(|_| Turn::says("There it is.")));
        Ok(Self { provider, gate, size })
    }

    /// Opens the gate once everybody stands before it.
    pub(crate) async fn let_in(&self) -> Result<()> {
        let all_wait = async {
            while self.provider.left() > self.size {
                tokio::time::sleep(LOOK_EVERY).await;
            }
        };
        let waited = tokio::time::timeout(WAIT_MAX, all_wait).await;
        self.gate.open();
        waited.context("not everybody asked in time")
    }

    /// Fails unless everything was asked for and nothing refused.
    pub(crate) fn check(&self) -> Result<()> {
        super::check(&self.provider)
    }
}

/// Runs one turn of each conversation at once; each has its own conversation.
pub(crate) async fn talk(crowd: &Crowd, conversations: Vec<BenchConversation>) -> Result<Duration> {
    ensure!(conversations.len() == crowd.size, "as many conversations as the crowd has");
    let start = Instant::now();
    let mut running = JoinSet::new();
    for mut conversation in conversations {
        running.spawn(async move { conversation.call().await });
    }
    crowd.let_in().await?;
    while let Some(ended) = running.join_next().await {
        ended??;
    }
    let took = start.elapsed();
    crowd.check()?;
    Ok(took)
}
