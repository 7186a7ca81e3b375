//! Gathers the facts by which a call is judged. A fact that cannot be read denies.

use std::sync::Arc;

use contract::{Answers, Call, Mode, SideEffects};
use dialect::Rejection;
use policy::{
    ApprovalChoice, Availability, CallFacts, CheckedCall, GrantedApproval, Guard, GuardFault,
    InvalidApproval, Judgement, Ledger, LedgerEntry, Limits, ListedTool, RejectedArguments, Switch,
    Timestamp, ToolMemory, TurnUsage, decide, parse_answer,
};
use registry::{Feature, Lease, Tool};
use serde_json::{Value, json};

use crate::call::approvals::{ApprovalRecord, judge_record};
use crate::call::context::{CallContext, PaidBy};
use crate::call::ledger::LedgerLine;
use crate::call::origin::CallOrigin;
use crate::engine::Engine;
use crate::session::state::SessionState;
use crate::tools::prepared::PreparedTool;

/// What is known about one call before it is judged.
pub(crate) struct Facts<'a> {
    pub engine: &'a Engine,
    pub origin: &'a CallOrigin,
    pub call: &'a Call,
    pub context: &'a CallContext,
    pub now: Timestamp,
    /// Held for the whole call, so that its tool does not change meanwhile.
    lease: Lease,
    pub prepared: Guard<Option<Arc<PreparedTool>>>,
    pub session: Guard<SessionState>,
    pub ledger: Guard<Vec<LedgerLine>>,
    pub answers: Guard<Answers>,
    /// Why the tool is switched off; none if it is on.
    off: Guard<Option<String>>,
    condition: Availability,
    arguments: Result<CheckedCall, RejectedArguments>,
    /// JSON pointers of the arguments that were removed.
    stripped: Vec<String>,
    /// The arguments with which a person replaced the call's own, as checked.
    pub edited: Option<Value>,
}

impl<'a> Facts<'a> {
    pub(crate) async fn gather(
        engine: &'a Engine,
        origin: &'a CallOrigin,
        call: &'a Call,
        context: &'a CallContext,
    ) -> Self {
        let lease = engine.tools_of(context);
        let prepared = match callable(engine, &lease, &call.tool) {
            Some(tool) => engine
                .inner
                .prepared
                .of(tool)
                .map(Some)
                .map_err(|fault| GuardFault(format!("the schema of `{}`: {fault}", call.tool))),
            None => Ok(None),
        };
        let session = engine.session(&origin.conversation, origin.turn).await;
        let writes =
            |prepared: &Arc<PreparedTool>| prepared.contract.side_effects == SideEffects::Writes;
        let ledger = match &prepared {
            Ok(Some(prepared)) if writes(prepared) => engine.ledger_of(&origin.conversation).await,
            Ok(_) | Err(_) => Ok(Vec::new()),
        };
        let answers = match &prepared {
            Ok(Some(prepared)) if !prepared.contract.asks.is_empty() => {
                engine.answers_of(origin, call, prepared.digest).await
            }
            Ok(_) | Err(_) => Ok(Answers::default()),
        };
        let off = engine.why_off(&call.tool).await;
        let condition = match &prepared {
            Ok(Some(prepared)) => engine.available(origin, &prepared.tool).await,
            Ok(None) | Err(_) => Ok(()),
        };
        let condition = match condition {
            Ok(()) => Availability::Available,
            Err(because) => Availability::Unavailable { because },
        };
        let now = engine.now();
        let mut facts = Self {
            engine,
            origin,
            call,
            context,
            now,
            lease,
            prepared,
            session,
            ledger,
            answers,
            off,
            condition,
            arguments: Err(unchecked("there is no such tool")),
            stripped: Vec::new(),
            edited: None,
        };
        facts.take_arguments(call.args.clone());
        facts
    }

    fn take_arguments(&mut self, args: Value) {
        match self.checked(args) {
            Ok((call, stripped)) => {
                if !stripped.is_empty() {
                    let (tool, places) = (&self.call.tool, stripped.join(", "));
                    tracing::warn!(tool, places, "unknown arguments were removed");
                }
                (self.arguments, self.stripped) = (Ok(call), stripped);
            }
            Err(rejected) => (self.arguments, self.stripped) = (Err(rejected), Vec::new()),
        }
    }

    /// JSON pointers of the arguments that were removed, because the contract does not have them.
    pub(crate) fn stripped(&self) -> &[String] {
        &self.stripped
    }

    pub(crate) fn registry_version(&self) -> String {
        self.lease.version().to_string()
    }

    pub(crate) fn limits(&self) -> &'a Limits {
        match self.origin.mode {
            Mode::Text => &self.engine.wiring().text_limits,
            Mode::Voice => &self.engine.wiring().voice_limits,
        }
    }

    /// The arguments against the contract, with defaults filled in.
    fn checked(&self, args: Value) -> Result<(CheckedCall, Vec<String>), RejectedArguments> {
        let Ok(Some(prepared)) = &self.prepared else {
            return Err(unchecked("there is no such tool"));
        };
        let bytes = self.engine.wiring().limits.args_bytes_max;
        if args.to_string().len() > bytes {
            return Err(unchecked(&format!("the arguments have more than {bytes} bytes")));
        }
        let checked = prepared.parameters.check(args, self.engine.wiring().unknown_arguments);
        let checked = checked.map_err(|rejection| rejected(&rejection))?;
        let answers = self.answers.clone().map_err(|fault| unchecked(&fault.0))?;
        let (id, contract) = (self.call.id.clone(), Arc::clone(&prepared.contract));
        let turn = self.origin.call_turn();
        let call = CheckedCall::new(id, contract, prepared.digest, checked.args, answers, turn);
        Ok((call, checked.stripped))
    }

    pub(crate) fn checked_call(&self) -> Option<&CheckedCall> {
        self.arguments.as_ref().ok()
    }

    /// Takes over the arguments that a person edited, in this answer or before the question was
    /// asked again. They are checked like the model's.
    pub(crate) fn take_edited(&mut self, asked: &ApprovalRecord) {
        let answer = asked.answer.as_deref().and_then(|payload| parse_answer(payload).ok());
        let args = match answer.map(|answer| answer.choice) {
            Some(ApprovalChoice::Edit { args }) => args,
            _ if asked.edited => asked.request.args.clone(),
            _ => return,
        };
        let own = self.checked_call().map(|call| call.args().clone());
        self.take_arguments(args.clone());
        let taken = self.checked_call().map_or(args, |call| call.args().clone());
        self.edited = Some(taken).filter(|taken| own.as_ref() != Some(taken));
    }

    pub(crate) fn judge_answer(
        &self,
        asked: &ApprovalRecord,
    ) -> Guard<Option<Result<GrantedApproval, InvalidApproval>>> {
        Ok(match &self.arguments {
            Ok(call) => judge_record(asked, call, self.now),
            Err(_) => None,
        })
    }

    pub(crate) fn judge(
        &self,
        approval: Option<Guard<Option<Result<GrantedApproval, InvalidApproval>>>>,
    ) -> Judgement {
        let wiring = self.engine.wiring();
        let entries: Vec<LedgerEntry> = self
            .ledger
            .as_ref()
            .map(|lines| lines.iter().map(|line| line.entry.clone()).collect())
            .unwrap_or_default();
        // Only an unknown name is compared with all tools.
        let known: Vec<&str> = match &self.prepared {
            Ok(None) => self
                .engine
                .tools(&self.lease)
                .filter(|tool| tool.has(Feature::Callable))
                .map(|tool| tool.contract.tool_id.as_str())
                .take(500)
                .collect(),
            Ok(Some(_)) | Err(_) => Vec::new(),
        };
        let session = self.session.as_ref().map_err(Clone::clone);
        let condition = match (&self.prepared, &self.off) {
            (Ok(_), Ok(_)) => Ok(self.condition.clone()),
            (Err(fault), _) | (_, Err(fault)) => Err(fault.clone()),
        };
        let nothing = TurnUsage::nothing(self.origin.turn);
        let no_memory = ToolMemory::new(self.origin.conversation.clone());
        let (spent, memory) = match self.context.paid_by {
            PaidBy::Turn => (
                session.clone().map(|session| &session.spent),
                session.clone().map(|session| &session.memory),
            ),
            // A person who runs a tool by hand wants a new run, not a remembered result.
            PaidBy::Person => (Ok(&nothing), Ok(&no_memory)),
        };
        decide(CallFacts {
            call: self.call,
            conversation: &self.origin.conversation,
            mode: self.origin.mode,
            turn: self.origin.turn,
            now: self.now,
            tool: self.listing(),
            known_tools: &known,
            condition,
            arguments: self.arguments.clone(),
            rules: Ok(&wiring.rules),
            standing_answers: session.clone().map(|session| &session.standing_answers),
            limits: self.limits(),
            spent,
            loops: session.map(|session| &session.loops),
            memory,
            approval: approval.unwrap_or(Ok(None)),
            approver: self.origin.approver(),
            ledger: match &self.ledger {
                Ok(_) => Ok(Ledger(&entries)),
                Err(fault) => Err(fault.clone()),
            },
        })
    }

    fn listing(&self) -> Option<ListedTool> {
        let tool = callable(self.engine, &self.lease, &self.call.tool)?;
        let switch = match &self.off {
            Ok(Some(because)) => Switch::Off { because: because.clone() },
            // If the switches cannot be read, the guard of the condition denies.
            Ok(None) | Err(_) => Switch::On,
        };
        Some(match &self.prepared {
            Ok(Some(prepared)) => ListedTool {
                contract: Arc::clone(&prepared.contract),
                digest: prepared.digest,
                switch,
            },
            Ok(None) | Err(_) => ListedTool {
                contract: Arc::new(tool.contract.clone()),
                digest: tool.digests.whole(),
                switch,
            },
        })
    }
}

/// A tool that is only a form or a status line cannot be called.
fn callable<'a>(engine: &'a Engine, lease: &'a Lease, tool: &str) -> Option<&'a Arc<Tool>> {
    engine.tool(lease, tool).filter(|tool| tool.has(Feature::Callable))
}

fn unchecked(why: &str) -> RejectedArguments {
    RejectedArguments { message: why.to_owned(), details: Value::Null }
}

fn rejected(rejection: &Rejection) -> RejectedArguments {
    RejectedArguments { message: rejection.to_string(), details: json!(rejection.0) }
}
