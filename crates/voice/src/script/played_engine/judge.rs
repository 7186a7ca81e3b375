//! Judges a call with the real policy.

use std::sync::Arc;

use contract::{Call, Contract, Digest, Mode};
use dialect::{Arguments, UnknownArguments};
use policy::{
    Approver, Availability, CallFacts, CallTurn, CheckedCall, GuardFault, Judgement, Ledger,
    ListedTool, RejectedArguments, Switch, Timestamp, decide, judge_approval,
};
use serde_json::Value;

use super::PlayedEngine;
use crate::script::statement::ScriptTool;

impl PlayedEngine {
    pub(super) fn judge(
        &mut self,
        now: Timestamp,
        turn: u64,
        call: &Call,
        tool: Option<&ScriptTool>,
    ) -> Judgement {
        let names: Vec<&str> =
            self.tools.iter().map(|tool| tool.contract.tool_id.as_str()).collect();
        let contract = tool.map(|tool| Arc::new(tool.contract.clone()));
        let digest = Digest::of(call.tool.as_bytes());
        let known = self.calls.get(&call.id);
        let answers = known.map(|known| known.answers.clone()).unwrap_or_default();
        let arguments = match &contract {
            Some(contract) => checked(contract, call).map(|args| {
                let conversation = self.conversation.clone();
                let turn = CallTurn { conversation, mode: Mode::Voice, turn };
                CheckedCall::new(call.id.clone(), Arc::clone(contract), digest, args, answers, turn)
            }),
            None => Err(rejected("there is no such tool")),
        };
        let asked = known.and_then(|known| Some((known.request.as_ref()?, known.answer.as_ref())));
        // Without an answer the question stays open until it expires.
        let given = asked.filter(|(request, answer)| answer.is_some() || request.expires_at <= now);
        let approval = match (&given, &arguments) {
            (Some((request, answer)), Ok(call)) => {
                Some(judge_approval(Some(request), *answer, call, now))
            }
            (Some(_), Err(_)) | (None, _) => None,
        };
        decide(CallFacts {
            call,
            conversation: &self.conversation,
            mode: Mode::Voice,
            turn,
            now,
            tool: contract.map(|contract| ListedTool { contract, digest, switch: Switch::On }),
            known_tools: &names,
            condition: Ok(Availability::Available),
            arguments,
            rules: Ok::<_, GuardFault>(&self.rules),
            standing_answers: Ok(&self.standing),
            limits: &self.limits,
            spent: Ok(&self.spent),
            loops: Ok(&self.loops),
            memory: Ok(&self.memory),
            approval: Ok(approval),
            approver: Approver::Present,
            ledger: Ok(Ledger(&self.ledger)),
        })
    }
}

fn checked(contract: &Contract, call: &Call) -> Result<Value, RejectedArguments> {
    let arguments =
        Arguments::compile(&contract.parameters).map_err(|fault| rejected(&fault.to_string()))?;
    let args = arguments.check(call.args.clone(), UnknownArguments::Refuse);
    args.map(|args| args.args).map_err(|rejection| rejected(&rejection.to_string()))
}

fn rejected(message: &str) -> RejectedArguments {
    RejectedArguments { message: message.to_owned(), details: Value::Null }
}
