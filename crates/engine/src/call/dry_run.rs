//! The first run of a handler that may ask: before anybody agrees to the call and before
//! anything is written down, with nothing that it could change. What it returns counts only
//! if it asks.

use std::sync::Arc;

use contract::{Call, SideEffects};
use policy::{Approved, BoxFuture, Judgement, ServiceFault, Verdict};
use services::{Grant, HandlerEvent, Surface};

use crate::call::context::CallContext;
use crate::call::facts::Facts;
use crate::call::origin::CallOrigin;
use crate::call::settle::Settled;
use crate::engine::Engine;

impl Engine {
    /// The questions of the handler as the end of this try; none if it has none, so that the
    /// call goes its usual way.
    pub(crate) async fn hear(
        &self,
        context: &CallContext,
        origin: &CallOrigin,
        call: &Call,
    ) -> Option<Settled> {
        let lease = self.registry().lease();
        if self.tool(&lease, &call.tool).is_none_or(|tool| tool.contract.asks.is_empty()) {
            return None;
        }
        let guard = self.inner.conversation_locks.lock(&origin.conversation.0).await;
        let facts = Facts::gather(self, origin, call, context).await;
        let judgement = facts.judge(None);
        drop(guard);
        let approved = self.first_run(&facts, &judgement).await?;
        let grant = self.bare_grant(&facts, &approved);
        let asks = self.run_granted(&facts, &approved, grant).await.into_asks()?;
        let error = contract::ToolError::broken("the call was not run");
        let mut settled = Settled::new(call, judgement, Err(error));
        self.want(&facts, asks, &mut settled).await;
        settled.complete(&facts);
        self.record(&facts, &settled).await;
        Some(settled)
    }

    /// A call that only reads and needs nobody's agreement runs once: if it asks, it asks. A
    /// call that a person was asked about has been heard before.
    async fn first_run(&self, facts: &Facts<'_>, judgement: &Judgement) -> Option<Approved> {
        let checked = facts.checked_call()?;
        let writes = checked.contract.side_effects == SideEffects::Writes;
        match &judgement.verdict {
            Verdict::Run(_) if !writes => return None,
            Verdict::Run(_) => {}
            Verdict::Ask { .. } => {
                if !matches!(self.question_about(facts.origin, facts.call).await, Ok(None)) {
                    return None;
                }
            }
            Verdict::Refuse { .. } | Verdict::Reuse(_) => return None,
        }
        judgement.first_run(checked)
    }

    /// Nobody hears it, and no model can be asked by it.
    fn bare_grant(&self, facts: &Facts<'_>, approved: &Approved) -> Grant {
        let contract = Arc::clone(&approved.call().contract);
        let grant = self.grant(contract, facts.origin, Arc::new(Silence), true);
        Grant { model: None, ..grant }
    }
}

struct Silence;

impl Surface for Silence {
    fn event(&self, _: HandlerEvent) -> BoxFuture<'static, Result<(), ServiceFault>> {
        Box::pin(async { Ok(()) })
    }
}
