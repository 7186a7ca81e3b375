//! The dry run of a handler that may ask: before the call is approved and before anything is
//! recorded, without anything that it could change. Its result counts only if it asks.

use std::sync::Arc;

use contract::{Call, SideEffects};
use policy::{DryRun, Judgement, Run, Verdict};
use services::{DropEvents, Grant};

use crate::call::context::CallContext;
use crate::call::facts::Facts;
use crate::call::origin::CallOrigin;
use crate::call::settle::Settled;
use crate::engine::Engine;

impl Engine {
    /// Settles the call with the handler's questions; none if it has none, so that the call
    /// continues as usual.
    pub(crate) async fn ask_first(
        &self,
        context: &CallContext,
        origin: &CallOrigin,
        call: &Call,
    ) -> Option<Settled> {
        let lease = self.tools_of(context);
        if self.tool(&lease, &call.tool).is_none_or(|tool| tool.contract.asks.is_empty()) {
            return None;
        }
        let guard = self.inner.conversation_locks.lock(&origin.conversation.0).await;
        let facts = Facts::gather(self, origin, call, context).await;
        let judgement = facts.judge(None);
        drop(guard);
        let dry_run = self.dry_run(&facts, &judgement).await?;
        let grant = self.dry_run_grant(&facts, &dry_run);
        let asks = self.run_granted(&facts, Run::Dry(&dry_run), grant).await.into_asks()?;
        let error = contract::ToolError::broken("the call was not run");
        let mut settled = Settled::new(call, judgement, Err(error));
        self.wait_for_input(&facts, asks, &mut settled).await;
        settled.complete(&facts);
        self.record(&facts, &settled).await;
        Some(settled)
    }

    /// A call that only reads and needs no approval has no dry run: it asks in its own run. A
    /// call that a person was asked about has had its dry run.
    async fn dry_run(&self, facts: &Facts<'_>, judgement: &Judgement) -> Option<DryRun> {
        let checked = facts.checked_call()?;
        let writes = checked.contract().side_effects == SideEffects::Writes;
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
        DryRun::of(judgement, checked)
    }

    /// Its events are dropped, and it cannot ask a model.
    fn dry_run_grant(&self, facts: &Facts<'_>, dry_run: &DryRun) -> Grant {
        let contract = Arc::clone(dry_run.call().contract());
        let grant = self.grant(contract, facts.origin, Arc::new(DropEvents), true);
        Grant { model: None, ..grant }
    }
}
