//! Sample tools, and the facts around one call, for the tests of this crate.

use std::sync::Arc;

use contract::{Answers, Call, CallId, Contract, Digest, Mode};
use serde_json::{Value, json};

use crate::*;

/// A tool by name: `kb_search` reads, `send_mail` writes, `set_status` writes and may be
/// repeated, `pay` writes and always asks, `roll` computes, `once` may be used once.
pub(crate) fn contract(tool: &str) -> Contract {
    let (category, effects, idempotent, confirm) = match tool {
        "kb_search" | "kb_get" => ("retrieval", "read_only", true, false),
        "send_mail" => ("action", "writes", false, false),
        "set_status" => ("action", "writes", true, false),
        "pay" => ("action", "writes", false, true),
        _ => ("utility", "none", false, false),
    };
    serde_json::from_value(json!({
        "toolId": tool, "version": "1.0.0", "description": format!("Sample {tool}."),
        "category": category, "sideEffects": effects, "idempotent": idempotent,
        "requiresConfirmation": confirm, "allowedModes": ["text", "voice"],
        "latencyBudgetMs": 800, "oneTime": tool == "once",
        "parameters": {"type": "object", "additionalProperties": false, "properties": {}}
    }))
    .unwrap()
}

pub(crate) fn digest(text: &str) -> Digest {
    Digest::of(text.as_bytes())
}

/// One call, and facts that let it run.
pub(crate) struct World {
    pub(crate) id: &'static str,
    pub(crate) name: String,
    pub(crate) contract: Contract,
    pub(crate) listed: bool,
    pub(crate) digest: Digest,
    pub(crate) args: Value,
    pub(crate) answers: Answers,
    pub(crate) rejected: bool,
    pub(crate) conversation: &'static str,
    pub(crate) mode: Mode,
    pub(crate) turn: u64,
    pub(crate) now: u64,
    pub(crate) switch: Switch,
    pub(crate) available: Availability,
    pub(crate) rules: ConfigRules,
    pub(crate) standing: StandingAnswers,
    pub(crate) limits: Limits,
    pub(crate) spent: TurnUsage,
    pub(crate) loops: LoopDetector,
    pub(crate) memory: ToolMemory,
    pub(crate) approval: Option<Result<GrantedApproval, InvalidApproval>>,
    pub(crate) approver: Approver,
    pub(crate) ledger: Vec<LedgerEntry>,
    /// The guard that is broken.
    pub(crate) broken: &'static str,
}

pub(crate) const HERE: &str = "here";

pub(crate) fn here() -> ConversationId {
    ConversationId(HERE.to_owned())
}

impl World {
    pub(crate) fn new(tool: &str, args: Value) -> Self {
        Self {
            id: "call_0123456789",
            name: tool.to_owned(),
            contract: contract(tool),
            listed: true,
            digest: digest(tool),
            args,
            answers: Answers::default(),
            rejected: false,
            conversation: HERE,
            mode: Mode::Text,
            turn: 7,
            now: 1_000_000,
            switch: Switch::On,
            available: Availability::Available,
            rules: ConfigRules::none(),
            standing: StandingAnswers::nothing(here()),
            limits: Limits::text(),
            spent: TurnUsage::nothing(7),
            loops: LoopDetector::default(),
            memory: ToolMemory::new(here()),
            approval: None,
            approver: Approver::Present,
            ledger: Vec::new(),
            broken: "",
        }
    }

    pub(crate) fn with(mut self, change: impl FnOnce(&mut World)) -> Self {
        change(&mut self);
        self
    }

    pub(crate) fn rules(self, text: &str) -> Self {
        let rules = parse_rules("policy.toml", text).unwrap();
        self.with(|world| world.rules = rules)
    }

    pub(crate) fn call(&self) -> CheckedCall {
        let turn = CallTurn {
            conversation: ConversationId(self.conversation.to_owned()),
            mode: self.mode,
            turn: self.turn,
        };
        CheckedCall::new(
            CallId(self.id.to_owned()),
            Arc::new(self.contract.clone()),
            self.digest,
            self.args.clone(),
            self.answers.clone(),
            turn,
        )
    }

    pub(crate) fn judge(&mut self) -> Judgement {
        let checked = self.call();
        let call =
            Call { id: checked.id().clone(), tool: self.name.clone(), args: self.args.clone() };
        let conversation = checked.conversation().clone();
        let contract = checked.contract().clone();
        let rejected = RejectedArguments { message: "/to: is required".into(), details: json!([]) };
        let broken = self.broken;
        fn guard<T>(name: &str, broken: &str, value: T) -> Guard<T> {
            if name == broken { Err(GuardFault("disk full".into())) } else { Ok(value) }
        }
        decide(CallFacts {
            call: &call,
            conversation: &conversation,
            mode: self.mode,
            turn: self.turn,
            now: Timestamp(self.now),
            tool: self.listed.then(|| ListedTool {
                contract,
                digest: self.digest,
                switch: self.switch.clone(),
            }),
            known_tools: &["kb_search", "send_mail"],
            condition: guard("condition", broken, self.available.clone()),
            arguments: if self.rejected { Err(rejected) } else { Ok(checked) },
            rules: guard("rules", broken, &self.rules),
            standing_answers: guard("standing answers", broken, &self.standing),
            limits: &self.limits,
            spent: guard("spent", broken, &self.spent),
            loops: guard("loops", broken, &self.loops),
            memory: guard("memory", broken, &self.memory),
            approval: guard("approval", broken, self.approval.take()),
            approver: self.approver,
            ledger: guard("ledger", broken, Ledger(&self.ledger)),
        })
    }

    /// The verdict in a few words: `run default.run`, `refuse NOT_FOUND tool.unknown`,
    /// `ask pay: contract.confirmation`.
    pub(crate) fn verdict(&mut self) -> String {
        shown(&self.judge())
    }

    /// The request, if a person is asked.
    pub(crate) fn asked(&mut self) -> ApprovalRequest {
        match self.judge().verdict {
            Verdict::Ask { question: Question::MayItRun(request), .. } => *request,
            other @ (Verdict::Run(_)
            | Verdict::Ask { .. }
            | Verdict::Refuse { .. }
            | Verdict::Reuse(_)) => panic!("not asked, but {}", other.kind()),
        }
    }

    /// The ledger's entry of this call, after the events.
    pub(crate) fn entry(&self, events: Vec<LedgerEvent>) -> LedgerEntry {
        let approved = Approved::new(self.call(), idempotency_key(&self.call(), IdUse::Unique));
        let entry = LedgerEntry::intend(&approved, Timestamp(self.now));
        let step = |entry: LedgerEntry, event| entry.advance(event, Timestamp(self.now)).unwrap();
        events.into_iter().fold(entry, step)
    }
}

pub(crate) fn shown(judgement: &Judgement) -> String {
    let rule = &judgement.reason.rule;
    match &judgement.verdict {
        Verdict::Run(_) => format!("run {rule}"),
        Verdict::Ask { why, .. } => {
            let rules: Vec<_> = why.iter().map(|reason| reason.rule.as_str()).collect();
            format!("ask {}", rules.join(", "))
        }
        Verdict::Refuse { error } => format!("refuse {} {rule}", error.kind),
        Verdict::Reuse(_) => format!("reuse {rule}"),
    }
}

pub(crate) fn approve(
    request: &ApprovalRequest,
    call: &CheckedCall,
    now: u64,
) -> Result<GrantedApproval, InvalidApproval> {
    let answer = ApprovalAnswer {
        request: request.id.clone(),
        choice: ApprovalChoice::Approve { scope: ApprovalScope::ThisCall },
    };
    judge_approval(Some(request), Some(&answer), call, Timestamp(now))
}
