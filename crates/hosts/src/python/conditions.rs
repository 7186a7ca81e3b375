//! Polls the conditions of tools in one place, by a clock that the caller holds.
//!
//! In: ticks. Out: for every condition whose answer is not what it was at the tick before, one
//! [`ConditionChange`]; at the first tick, one for each.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use policy::Services;
use serde_json::Value;
use tokio::sync::mpsc;
use tokio::task::JoinSet;
use tokio::time::MissedTickBehavior;

use super::{PyHost, SideCall, SideKind};

/// Longer than a condition may take, it hides its tool.
const CONDITION_MAX: Duration = Duration::from_secs(5);

/// A tool whose condition is polled.
#[derive(Clone)]
pub struct Condition {
    /// Names it in the changes; for a tool in several conversations, each has its own.
    pub id: String,
    /// Whose conversation it is.
    pub owner: String,
    pub tools_dir: PathBuf,
    /// `core/calculator.py#calculator`.
    pub handler: String,
    /// See [`SideCall::context`].
    pub context: Value,
    pub services: Arc<dyn Services>,
}

/// A tool has come or gone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConditionChange {
    pub id: String,
    pub is_available: bool,
    /// Why its condition could not be asked; then the tool is hidden.
    pub because: Option<String>,
}

/// A clock for [`watch_conditions`]. A tick that nobody waits for is left out.
pub fn every(period: Duration) -> mpsc::Receiver<()> {
    let (tick, ticks) = mpsc::channel(1);
    tokio::spawn(async move {
        let mut clock = tokio::time::interval(period);
        clock.set_missed_tick_behavior(MissedTickBehavior::Skip);
        while !tick.is_closed() {
            clock.tick().await;
            // It is full while the last round still goes on.
            let _ = tick.try_send(());
        }
    });
    ticks
}

/// Asks all conditions at every tick. Ends with the ticks, or when nobody hears the changes.
pub async fn watch_conditions(
    host: Arc<PyHost>,
    conditions: Vec<Condition>,
    mut ticks: mpsc::Receiver<()>,
    changes: mpsc::Sender<ConditionChange>,
) {
    let conditions: Arc<[Condition]> = conditions.into();
    let mut known: HashMap<usize, bool> = HashMap::new();
    while ticks.recv().await.is_some() {
        let mut round = JoinSet::new();
        for index in 0..conditions.len() {
            let (host, conditions) = (Arc::clone(&host), Arc::clone(&conditions));
            round.spawn(async move { (index, ask(&host, conditions.get(index)).await) });
        }
        let mut answers = round.join_all().await;
        answers.sort_by_key(|(index, _)| *index);
        for (index, (is_available, because)) in answers {
            let Some(condition) = conditions.get(index) else { continue };
            if known.insert(index, is_available) == Some(is_available) {
                continue;
            }
            let change = ConditionChange { id: condition.id.clone(), is_available, because };
            if changes.send(change).await.is_err() {
                return;
            }
        }
    }
}

async fn ask(host: &PyHost, condition: Option<&Condition>) -> (bool, Option<String>) {
    let Some(condition) = condition else { return (false, None) };
    let call = SideCall {
        owner: &condition.owner,
        tools_dir: &condition.tools_dir,
        code: None,
        handler: &condition.handler,
        kind: SideKind::Condition,
        params: &Value::Null,
        context: &condition.context,
        services: Arc::clone(&condition.services),
        time_limit: CONDITION_MAX,
    };
    match host.side(call).await {
        Ok(value) => (value == Value::Bool(true), None),
        Err(fault) => (false, Some(fault.to_string())),
    }
}
