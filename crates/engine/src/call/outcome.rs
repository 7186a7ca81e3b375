//! Reads a handler's result, checks it against the contract, and cuts what the model sees.

use std::time::Duration;

use contract::{
    Artifact, Asks, BadAsk, ErrorType, Intent, Meta, RESPONSE_SCHEMA_VERSION, SideEffects,
    ToolError, ToolResponse, failure_in,
};
use policy::{
    Approved, AuditLine, HandlerException, HandlerFailure, HandlerOutcome, RuleId, VerdictKind,
    audit_name, redacted,
};
use serde_json::{Value, json};
use services::HandlerServices;

use crate::background_writer::Task;
use crate::call::facts::Facts;
use crate::call::settle::Settled;
use crate::engine::Engine;
use crate::limits::EngineLimits;
use crate::tools::prepared::PreparedTool;

const TOOK: &str = "it took ";

/// Whether this note of a settled call is only about how long its handler took.
pub fn is_timing_note(note: &str) -> bool {
    note.starts_with(TOOK)
}

/// The end of one run.
pub(crate) struct RunOutcome {
    outcome: Result<Value, ToolError>,
    intents: Vec<Intent>,
    artifacts: Vec<Artifact>,
    notes: Vec<String>,
    took: Duration,
    /// Why it is unknown what the handler did; none if it ended by itself.
    lost: Option<String>,
    /// The handler's questions, if it asked instead of ending.
    asks: Option<Asks>,
}

/// What handlers return, for their authors.
const RESULT_FORMS: &str = "a JavaScript handler returns `{ ok: true, data: … }` or `{ ok: false, error: \
                    { type, message, retryable } }`; a Python one may return the data alone";

impl RunOutcome {
    /// Nothing ran at all.
    pub(crate) fn not_started(because: &str) -> Self {
        let message = "The tool could not be started. Continue without it.";
        Self {
            outcome: Err(ToolError::before_start(ErrorType::Internal, message)),
            intents: Vec::new(),
            artifacts: Vec::new(),
            notes: vec![because.to_owned()],
            took: Duration::ZERO,
            lost: None,
            asks: None,
        }
    }

    /// A person stopped it while it ran.
    pub(crate) fn stopped(took: Duration) -> Self {
        let message = "The user stopped the call while it ran.";
        let error = ToolError {
            partial_side_effects: true,
            ..ToolError::before_start(ErrorType::Permanent, message)
        };
        let because = "a person stopped it while it ran".to_owned();
        Self { took, lost: Some(because), ..Self::failed(error) }
    }

    pub(crate) fn read(
        answer: HandlerOutcome,
        prepared: &PreparedTool,
        took: Duration,
        limits: EngineLimits,
        services: &HandlerServices,
    ) -> Self {
        let mut ended = match answer {
            HandlerOutcome::Returned(value) => Self::returned(value, prepared),
            HandlerOutcome::Threw(thrown) => Self::threw(thrown, limits),
            HandlerOutcome::Broke(failure) => Self::broke(&failure),
        };
        ended.took = took;
        ended.redact(services);
        let budget = u128::from(prepared.contract.latency_budget_ms);
        if took.as_millis() > budget {
            let note = format!("{TOOK}{} ms; its budget is {budget} ms", took.as_millis());
            ended.notes.push(note);
        }
        ended
    }

    fn returned(value: Value, prepared: &PreparedTool) -> Self {
        if let Some(asked) = Asks::of_answer(&value) {
            return Self::asked(asked, prepared);
        }
        let meta = meta_of(prepared, "", Duration::ZERO);
        let (response, warnings) = match ToolResponse::from_handler(value, meta) {
            Ok(read) => read,
            Err(malformed) => {
                let message = "The tool returned an invalid result.";
                let mut ended = Self::failed(ToolError::broken(message));
                ended.notes.push(format!("the handler's answer: {malformed}; {RESULT_FORMS}"));
                return ended;
            }
        };
        let ToolResponse { outcome, intents, artifacts, meta: _ } = response;
        let mut notes: Vec<_> = warnings.iter().map(ToString::to_string).collect();
        let complaints = match (&outcome, &prepared.returns) {
            (Ok(data), Some(returns)) => returns.complaints(data),
            _ => Vec::new(),
        };
        let outcome = match complaints.is_empty() {
            true => outcome,
            false => {
                notes.extend(
                    complaints
                        .iter()
                        .map(|one| format!("the result does not fit `returns`: {one}")),
                );
                Err(ToolError::broken("The tool's result does not fit its contract."))
            }
        };
        let returns = prepared.contract.returns.as_ref();
        let failure = outcome.as_ref().ok().and_then(|data| failure_in(data, returns));
        let outcome = match (outcome, failure) {
            (Ok(data), Some(message)) => Err(ToolError::reported(clip(&message, 2_000), data)),
            (outcome, _) => outcome,
        };
        // A call that failed in the end has nothing to show.
        let artifacts = if outcome.is_ok() { artifacts } else { Vec::new() };
        let (took, lost, asks) = (Duration::ZERO, None, None);
        Self { outcome, intents, artifacts, notes, took, lost, asks }
    }

    /// Questions instead of an end, if the contract declares them.
    fn asked(asked: Result<Asks, BadAsk>, prepared: &PreparedTool) -> Self {
        let declared = &prepared.contract.asks;
        let asks = asked.map_err(|bad| bad.to_string()).and_then(|asks| {
            match asks.kinds().into_iter().find(|kind| !declared.contains(kind)) {
                Some(kind) => Err(format!(
                    "the handler asks `{kind}`, which its contract does not declare; write \
                     \"asks\": [\"{kind}\"] in schema.json"
                )),
                None => Ok(asks),
            }
        });
        match asks {
            Ok(asks) => {
                let error =
                    ToolError::broken("The tool asked a question that cannot be answered now.");
                Self { asks: Some(asks), ..Self::failed(error) }
            }
            Err(why) => {
                let mut ended =
                    Self::failed(ToolError::broken("The tool asked an invalid question."));
                ended.notes.push(why);
                ended
            }
        }
    }

    /// What the handler asked.
    pub(crate) fn into_asks(self) -> Option<Asks> {
        self.asks
    }

    /// What the handler asked. A call that writes asks in its dry run; after the approval its
    /// questions are dropped.
    pub(crate) fn take_asks(&mut self, approved: &Approved) -> Option<Asks> {
        let asks = self.asks.take()?;
        if approved.call().contract().side_effects == SideEffects::Writes {
            let note = "the handler asked after its call was approved; it must ask the same questions \
                        in every run, before it changes anything";
            self.notes.push(note.to_owned());
            return None;
        }
        Some(asks)
    }

    fn threw(thrown: HandlerException, limits: EngineLimits) -> Self {
        let HandlerException { kind, message, retryable, partial_side_effects, details, place } =
            thrown;
        let error = match kind {
            Some(kind) => ToolError {
                retryable,
                partial_side_effects,
                details,
                ..ToolError::before_start(kind, clip(&message, 2_000))
            },
            None => ToolError::broken("The tool failed with an unexpected error."),
        };
        let mut ended = Self::failed(error);
        let place = place.map(|place| format!(" at {place}")).unwrap_or_default();
        ended.notes.push(clip(&format!("{message}{place}"), limits.trace_bytes_max));
        ended
    }

    fn broke(failure: &HandlerFailure) -> Self {
        if let HandlerFailure::NotStarted { because } = failure {
            return Self::not_started(because);
        }
        let (kind, message) = match failure {
            HandlerFailure::TimedOut { .. } => {
                (ErrorType::Transient, "The tool took too long and was stopped.")
            }
            HandlerFailure::OverLimit { .. }
            | HandlerFailure::Stalled
            | HandlerFailure::Died { .. }
            | HandlerFailure::NotStarted { .. } => {
                (ErrorType::Internal, "The tool stopped working.")
            }
        };
        let error =
            ToolError { partial_side_effects: true, ..ToolError::before_start(kind, message) };
        let mut ended = Self::failed(error);
        ended.notes.push(failure.to_string());
        ended.lost = Some(failure.to_string());
        ended
    }

    fn failed(error: ToolError) -> Self {
        let (intents, artifacts, notes) = (Vec::new(), Vec::new(), Vec::new());
        let took = Duration::ZERO;
        Self { outcome: Err(error), intents, artifacts, notes, took, lost: None, asks: None }
    }

    /// Removes the secrets that the handler was given.
    fn redact(&mut self, services: &HandlerServices) {
        match &mut self.outcome {
            Ok(data) => *data = services.redact_value(std::mem::take(data)),
            Err(error) => {
                error.message = services.redact(&error.message);
                error.details = services.redact_value(std::mem::take(&mut error.details));
            }
        }
        for intent in &mut self.intents {
            if let Intent::SetPendingMessage { message } = intent {
                *message = services.redact(message);
            }
        }
        for Artifact { name, language: _, text } in &mut self.artifacts {
            *name = services.redact(name);
            *text = services.redact(text);
        }
        for note in &mut self.notes {
            *note = services.redact(note);
        }
        let asks = self.asks.take().map(|asks| services.redact_value(json!(asks)));
        self.asks = asks.and_then(|asks| serde_json::from_value(asks).ok());
    }

    /// With retries, the duration covers all attempts and the pauses between them.
    pub(crate) fn after_tries(mut self, tries: u32, took: Duration) -> Self {
        if tries > 1 {
            self.took = took;
            self.notes.push(format!("it was tried {tries} times"));
        }
        self
    }

    pub(crate) fn outcome(&self) -> &Result<Value, ToolError> {
        &self.outcome
    }

    pub(crate) fn lost(&self) -> Option<String> {
        self.lost.clone()
    }

    pub(crate) fn into_settled(
        self,
        facts: &Facts<'_>,
        approved: &Approved,
        settled: &mut Settled,
    ) {
        settled.meta = Some(facts.meta(self.took));
        settled.outcome = self.outcome.map_err(|mut error| {
            // A tool that cannot write has no partial effects, however it failed.
            if approved.call().contract().side_effects != SideEffects::Writes {
                error.partial_side_effects = false;
            }
            error
        });
        settled.intents = self.intents;
        settled.artifacts = self.artifacts;
        settled.notes.extend(self.notes);
    }
}

impl Facts<'_> {
    /// The metadata of the call, for people. For an unknown tool: the requested name, if it is
    /// valid, and version 0.0.0.
    pub(crate) fn meta(&self, took: Duration) -> Meta {
        let registry_version = self.registry_version();
        match &self.prepared {
            Ok(Some(prepared)) => meta_of(prepared, &registry_version, took),
            Ok(None) | Err(_) => Meta::unknown(&self.call.tool, registry_version),
        }
    }
}

fn meta_of(prepared: &PreparedTool, registry_version: &str, took: Duration) -> Meta {
    Meta {
        tool_id: prepared.contract.tool_id.clone(),
        tool_version: prepared.contract.version.clone(),
        registry_version: registry_version.to_owned(),
        duration: u64::try_from(took.as_millis()).unwrap_or(u64::MAX),
        response_schema_version: RESPONSE_SCHEMA_VERSION.to_owned(),
    }
}

/// What the model reads of a settled call: the data, or the error's type and message. Cut at a
/// character boundary, with a mark.
pub fn for_model(settled: &Settled, limits: &EngineLimits) -> String {
    let text = match &settled.outcome {
        Ok(data) => data.to_string(),
        Err(error) => json!({
            "type": error.kind, "message": error.message, "retryable": error.retryable
        })
        .to_string(),
    };
    clip(&text, limits.shown_bytes_max)
}

/// The beginning of a text, cut at a character boundary, with a mark that it was cut.
pub fn clip(text: &str, bytes_max: usize) -> String {
    match text.floor_char_boundary(bytes_max) {
        end if end == text.len() => text.to_owned(),
        end => format!("{}\n[cut: {end} of {} bytes shown]", &text[..end], text.len()),
    }
}

impl Settled {
    /// What the model reads, as a value: the data while it is short enough, else its beginning
    /// as text; and whether it is an error.
    pub fn content_for_model(&self, bytes_max: usize) -> (Value, bool) {
        let (content, is_error) = match &self.outcome {
            Ok(data) => (data.clone(), false),
            Err(error) => (
                json!({
                    "type": error.kind, "message": error.message, "retryable": error.retryable
                }),
                true,
            ),
        };
        let text = content.as_str().map_or_else(|| content.to_string(), str::to_owned);
        match text.len() > bytes_max {
            true => (clip(&text, bytes_max).into(), is_error),
            false => (content, is_error),
        }
    }
}

impl Engine {
    /// Writes the audit line and the session state of a settled call; waits if the call writes.
    pub(crate) async fn record(&self, facts: &Facts<'_>, settled: &Settled) {
        let contract = match &facts.prepared {
            Ok(Some(prepared)) => Some(&prepared.contract),
            Ok(None) | Err(_) => None,
        };
        let duration = settled.duration();
        let budget = contract.map(|contract| u64::from(contract.latency_budget_ms));
        let line = AuditLine {
            event: "tool_execution".to_owned(),
            at: facts.now,
            tool: audit_name(&settled.tool),
            tool_version: contract.map(|contract| contract.version.to_string()),
            registry_version: facts.registry_version(),
            call: audit_name(&settled.call.0),
            conversation: audit_name(&facts.origin.conversation.0),
            mode: facts.origin.mode,
            category: contract.map(|contract| contract.category),
            side_effects: contract.map(|contract| contract.side_effects),
            verdict: settled.verdict,
            rule: settled.reason.rule.clone(),
            ok: settled.outcome.is_ok(),
            error: settled.outcome.as_ref().err().map(|error| error.kind),
            duration,
            over_budget: duration.zip(budget).is_some_and(|(took, budget)| took > budget),
            degraded: settled
                .outcome
                .as_ref()
                .is_ok_and(|data| data.get("degraded") == Some(&Value::Bool(true))),
            result_bytes: settled.outcome.as_ref().map_or(0, |data| data.to_string().len()),
            args: redacted(settled.edited.as_ref().unwrap_or(&facts.call.args)),
            edited: settled.edited.is_some(),
        };
        match store::Json::of(&line) {
            Ok(json) => self.inner.writer.put(Task::Audit(json)).await,
            Err(bad) => tracing::error!(%bad, "an audit line was not written"),
        }
        // A call that is repeated to learn its outcome is not a new call.
        let asks_for_end = [RuleId::RUNNING, RuleId::IN_DOUBT].contains(&settled.reason.rule);
        if settled.verdict != VerdictKind::Run
            && settled.waiting.is_none()
            && !asks_for_end
            && let Some(checked) = facts.checked_call()
        {
            // A call that ran was noted when it started; one that waits is noted at its end.
            self.update_session(&facts.origin.conversation, facts.origin.turn, |session| {
                session.loops.note_call(checked);
            });
        }
        self.save_session(&facts.origin.conversation).await;
        if contract.is_some_and(|contract| contract.side_effects == SideEffects::Writes) {
            self.inner.writer.flush().await;
        }
    }
}
