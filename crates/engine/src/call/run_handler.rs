//! Runs the handler of a call, and retries it where that is safe.

use std::sync::Arc;
use std::time::Duration;

use contract::{Contract, KeyPrefix};
use policy::{Approved, Job, LedgerEvent, Retry, Run, may_retry};
use serde_json::{Value, json};
use services::{Grant, HandlerServices, Surface};
use tokio::time::Instant;

use crate::call::facts::Facts;
use crate::call::ledger::LedgerLine;
use crate::call::origin::CallOrigin;
use crate::call::outcome::RunOutcome;
use crate::engine::Engine;

impl Engine {
    /// Runs to the end, with the retries and pauses that the limits allow.
    pub(crate) async fn run(
        &self,
        facts: &Facts<'_>,
        approved: &Approved,
        mut begun: Option<LedgerLine>,
    ) -> (RunOutcome, Option<LedgerLine>) {
        let start = Instant::now();
        let mut tries = 1;
        loop {
            let ended = self.run_once(facts, approved).await;
            let pause = match ended.outcome() {
                Ok(_) => None,
                Err(_) if facts.context.cancel.is_cancelled() => None,
                Err(error) => {
                    let contract = approved.call().contract();
                    let seed = facts.now.0 ^ u64::from(tries);
                    match may_retry(error, contract, tries, &facts.limits().retry, seed) {
                        Retry::No(_) => None,
                        Retry::After { ms } => Some(Duration::from_millis(ms)),
                    }
                }
            };
            let Some(pause) = pause else {
                return (ended.after_tries(tries, start.elapsed()), begun);
            };
            tokio::time::sleep(pause).await;
            if let Some(line) = begun.take() {
                match self.step(line.clone(), LedgerEvent::Start).await {
                    Ok(line) => begun = Some(line),
                    Err(_) => return (ended.after_tries(tries, start.elapsed()), Some(line)),
                }
            }
            tries += 1;
        }
    }

    async fn run_once(&self, facts: &Facts<'_>, approved: &Approved) -> RunOutcome {
        let grant = self.grant_of(facts, approved);
        self.run_granted(facts, Run::Approved(approved), grant).await
    }

    /// One run of the handler, with what it is granted.
    pub(crate) async fn run_granted(
        &self,
        facts: &Facts<'_>,
        run: Run<'_>,
        grant: Grant,
    ) -> RunOutcome {
        let Ok(Some(prepared)) = &facts.prepared else {
            return RunOutcome::not_started("the tool is gone");
        };
        if self.inner.builtin.has(&prepared.tool) {
            let start = Instant::now();
            let call = run.call();
            let answer = self.run_builtin(call.tool().as_str(), facts, call.args()).await;
            let services = HandlerServices::new(grant);
            let limits = self.wiring().limits;
            return RunOutcome::read(answer, prepared, start.elapsed(), limits, &services);
        }
        let host = match self.wiring().hosts.of(prepared.tool.handler.kind) {
            Ok(host) => Arc::clone(host),
            Err(missing) => return RunOutcome::not_started(&missing.to_string()),
        };
        let services = Arc::new(HandlerServices::new(grant));
        let start = Instant::now();
        let job = Job {
            run,
            owner: &facts.origin.client,
            tools_dir: &self.wiring().tools_dir,
            code: &prepared.tool.code,
            handler: &prepared.tool.handler.path,
            context: self.handler_context(facts, run),
            services: services.clone(),
            time_limit: prepared.contract.timeout(),
        };
        tokio::select! {
            answer = host.run(job) => {
                RunOutcome::read(answer, prepared, start.elapsed(), self.wiring().limits, &services)
            }
            () = facts.context.cancel.cancelled() => RunOutcome::stopped(start.elapsed()),
        }
    }

    fn grant_of(&self, facts: &Facts<'_>, approved: &Approved) -> Grant {
        let contract = Arc::clone(approved.call().contract());
        self.grant(contract, facts.origin, Arc::clone(&facts.context.surface), true)
    }

    /// What a run of a tool is granted; `in_turn` if the surface belongs to a turn.
    pub(crate) fn grant(
        &self,
        contract: Arc<Contract>,
        origin: &CallOrigin,
        surface: Arc<dyn Surface>,
        in_turn: bool,
    ) -> Grant {
        let wiring = self.wiring();
        Grant {
            guarded: self.guarded(&contract),
            contract,
            owner: origin.client.clone(),
            project: wiring.project.clone(),
            own_files: Arc::clone(&wiring.own_files),
            network: wiring.network.clone(),
            secrets: Arc::clone(&wiring.secrets),
            store: Arc::clone(&wiring.store),
            surface,
            notices: Arc::clone(&wiring.notices),
            clock: Arc::clone(&wiring.clock),
            conversation: origin.conversation.clone(),
            in_turn,
            model: wiring.model.clone(),
            limits: wiring.service_limits,
            quota: Arc::clone(&self.inner.quota),
        }
    }

    /// Keys of other tools that change only with a person's approval. A tool that may write
    /// every key may not write these.
    fn guarded(&self, contract: &Contract) -> Vec<KeyPrefix> {
        if !contract.capabilities.kv.iter().any(KeyPrefix::is_every) {
            return Vec::new();
        }
        let lease = self.registry().lease();
        let others = lease.tools().map(|tool| &tool.contract);
        others
            .filter(|other| other.requires_confirmation && other.tool_id != contract.tool_id)
            .flat_map(|other| &other.capabilities.kv)
            .filter(|prefix| !prefix.is_every())
            .cloned()
            .collect()
    }

    /// The plain part of the handler's context.
    fn handler_context(&self, facts: &Facts<'_>, run: Run<'_>) -> Value {
        let call = run.call();
        let contract = call.contract();
        let (idempotency_key, may_only_ask) = match run {
            Run::Approved(approved) => (approved.idempotency_key(), false),
            Run::Dry(_) => ("", true),
        };
        let contract::Capabilities { net, kv, secrets, files, attachments } =
            &contract.capabilities;
        let session = facts.session.as_ref();
        let state = session.map(|session| session.for_handler()).unwrap_or_default();
        let calls = session.map_or(0, |session| session.spent.calls(facts.origin.turn));
        json!({
            "clientId": facts.origin.client,
            "tool": {
                "id": contract.tool_id,
                "version": contract.version,
                "idempotent": contract.idempotent,
            },
            "session": {
                "isActive": facts.origin.active,
                "toolsVersion": facts.registry_version(),
                "mode": facts.origin.mode,
                "state": state,
            },
            "voice": { "isActive": facts.origin.mode == contract::Mode::Voice },
            "metadata": {
                "conversationId": facts.origin.conversation,
                "modelName": facts.origin.model,
                "toolCallCount": calls,
            },
            "call": {
                "id": call.id(),
                "idempotencyKey": idempotency_key,
                "mayOnlyAsk": may_only_ask,
            },
            "answers": call.answers(),
            "canAsk": self.can_ask(facts.origin),
            "capabilities": {
                "net": !net.is_empty(),
                "kv": !kv.is_empty(),
                "secrets": !secrets.is_empty(),
                "files": !files.is_empty(),
                "attachments": !attachments.is_empty(),
            },
        })
    }
}
