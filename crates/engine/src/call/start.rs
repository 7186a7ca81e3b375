//! Starts a call that may run: ledger, approval, host, ledger; in this order.
//!
//! 1. a write is recorded as intended; 2. the person's approval is used up; 3. the write is
//!    recorded as started, which only one process can do; 4. the handler runs; 5. the end is
//!    recorded. A crash between two steps leaves the write not started or in doubt.

use contract::{ErrorType, SideEffects, ToolError};
use policy::{
    ApprovalScope, Approved, Judgement, LedgerEntry, LedgerEvent, LedgerState, Verdict, VerdictKind,
};
use store::{KeyedLockGuard, Revision, StoreFault};

use crate::call::approvals::ApprovalRecord;
use crate::call::context::PaidBy;
use crate::call::facts::Facts;
use crate::call::ledger::{LedgerFault, LedgerLine};
use crate::call::outcome::RunOutcome;
use crate::call::settle::Settled;
use crate::engine::Engine;

impl Engine {
    pub(crate) async fn start(
        &self,
        facts: &Facts<'_>,
        mut judgement: Judgement,
        asked: Option<(ApprovalRecord, Revision)>,
        guard: KeyedLockGuard,
    ) -> Settled {
        let verdict = std::mem::replace(
            &mut judgement.verdict,
            Verdict::Refuse { error: ToolError::broken("the call was not run") },
        );
        let Verdict::Run(approved) = verdict else {
            unreachable!("only a verdict that runs comes here")
        };
        let writes = approved.call().contract().side_effects == SideEffects::Writes;
        let uses = judgement.uses.clone();
        let mut settled = Settled::new(facts.call, judgement, Ok(serde_json::Value::Null));
        settled.verdict = VerdictKind::Run;
        let begun = match self.begin(facts, &approved, asked.as_ref()).await {
            Ok(begun) => begun,
            Err(error) => {
                settled.verdict = VerdictKind::Refuse;
                settled.outcome = Err(error);
                return settled;
            }
        };
        if let Some((_, ApprovalScope::Conversation)) = uses {
            let call = approved.call();
            let (tool, digest) = (call.tool().clone(), call.digest());
            self.update_session(&facts.origin.conversation, facts.origin.turn, |session| {
                session.standing_answers = session.standing_answers.clone().always(tool, digest);
            });
        }
        if facts.context.paid_by == PaidBy::Turn {
            self.update_session(&facts.origin.conversation, facts.origin.turn, |session| {
                session.spent = session.spent.add(approved.call());
                // A call that continues with answers is not a loop: its rounds are limited.
                if approved.call().answers().is_empty() || writes {
                    session.loops.note_call(approved.call());
                }
            });
        }
        drop(guard);
        let (mut ended, begun) = self.run(facts, &approved, begun).await;
        let asks = ended.take_asks(&approved);
        let written = self.end(begun, &ended).await;
        ended.into_settled(facts, &approved, &mut settled);
        if let Err(fault) = written {
            settled.notes.push(format!("the end of the call was not recorded: {fault}"));
        }
        if let Some(asks) = asks {
            self.wait_for_input(facts, asks, &mut settled).await;
            return settled;
        }
        let now = self.now();
        let most = self.wiring().limits.seen_ids_max;
        self.update_session(&facts.origin.conversation, facts.origin.turn, |session| {
            session.note_outcome(approved.call(), &settled.outcome, now, most);
        });
        settled
    }

    /// Steps 1 to 3. If one fails, nothing has run.
    async fn begin(
        &self,
        facts: &Facts<'_>,
        approved: &Approved,
        asked: Option<&(ApprovalRecord, Revision)>,
    ) -> Result<Option<LedgerLine>, ToolError> {
        let writes = approved.call().contract().side_effects == SideEffects::Writes;
        let line = match writes {
            true => Some(self.intended(facts, approved).await.map_err(|f| not_started(&f))?),
            false => None,
        };
        if let Some((question, revision)) = asked {
            self.use_up(question, *revision).await.map_err(|fault| {
                let message = "The person's approval was used before; the call was not run.";
                tracing::warn!(%fault, "failed to use up an approval");
                ToolError::before_start(ErrorType::Conflict, message)
            })?;
        }
        match line {
            Some(line) => self
                .step(line, LedgerEvent::Start)
                .await
                .map(Some)
                .map_err(|fault| not_started(&fault)),
            None => Ok(None),
        }
    }

    /// The ledger's entry of this call, or a new one.
    async fn intended(
        &self,
        facts: &Facts<'_>,
        approved: &Approved,
    ) -> Result<LedgerLine, LedgerFault> {
        let key = approved.idempotency_key();
        let known = facts
            .ledger
            .as_ref()
            .ok()
            .and_then(|lines| lines.iter().find(|line| line.entry.idempotency_key == key));
        match known {
            Some(line) => Ok(line.clone()),
            None => self.intend(LedgerEntry::intend(approved, facts.now)).await,
        }
    }

    /// Step 5. A call that did not end by itself is in doubt.
    async fn end(&self, begun: Option<LedgerLine>, ended: &RunOutcome) -> Result<(), LedgerFault> {
        let Some(line) = begun else { return Ok(()) };
        if !matches!(line.entry.state, LedgerState::Started { .. }) {
            return Ok(());
        }
        let event = match ended.lost() {
            Some(because) => LedgerEvent::Lose { because },
            None => LedgerEvent::End(ended.outcome().clone()),
        };
        self.step(line, event).await.map(|_| ())
    }
}

fn not_started(fault: &LedgerFault) -> ToolError {
    let message = match fault {
        LedgerFault::Store(StoreFault::Conflict { .. }) => {
            "The same call is being run elsewhere; it was not started a second time."
        }
        LedgerFault::Store(_)
        | LedgerFault::Wrong(_)
        | LedgerFault::NoEntry(_)
        | LedgerFault::Unreadable(_) => "The call could not be recorded first, so it was not run.",
    };
    tracing::warn!(%fault, "a write was not started");
    ToolError::before_start(ErrorType::Conflict, message)
}
