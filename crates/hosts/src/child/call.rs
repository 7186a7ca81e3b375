//! The parent's side of one call in a child: it serves what the handler asks for, in order
//! where order matters, and turns the one end into an answer.

use std::sync::Arc;
use std::time::Duration;

use policy::{HandlerException, HandlerFailure, HandlerOutcome, ServiceFault, Services};
use serde_json::Value;
use serde_json::value::{RawValue, to_raw_value};
use tokio::sync::{mpsc, oneshot};
use tokio::task::JoinSet;

use crate::meter::{Flood, Meter};
use crate::wire::{CallNo, End, Part, ToChild};

use crate::js::Handler;

use super::Child;

/// What a call is started with.
pub(crate) struct Request {
    /// Stands for the exact bytes of the handler, where the child does not read them itself.
    pub bundle: u64,
    pub handler: String,
    pub part: Part,
    /// Who answers when the child asks for a module.
    pub modules: Option<Arc<Handler>>,
    pub args: Box<RawValue>,
    pub context: Box<RawValue>,
    pub services: Arc<dyn Services>,
    pub time: Duration,
    pub limit_ms: u64,
}

/// The one end of a call in one child.
pub(crate) enum Ending {
    Answered {
        answer: HandlerOutcome,
        called_out: bool,
        /// The size of what came over the channel.
        bytes: usize,
    },
    /// The child is gone.
    Lost { because: String, called_out: bool },
}

/// A call that is open in a child. Dropping it stops what runs on its behalf.
pub(crate) struct OpenCall {
    number: CallNo,
    pub handler: Arc<str>,
    pub modules: Option<Arc<Handler>>,
    services: Arc<dyn Services>,
    limit_ms: u64,
    end: oneshot::Sender<Ending>,
    meter: Meter,
    pub called_out: bool,
    tasks: JoinSet<()>,
    /// Services whose order an observer sees are served one after the other.
    line: Option<Line>,
}

struct Line {
    errands: mpsc::UnboundedSender<Errand>,
    task: JoinSet<()>,
}

/// One service call on its way.
struct Errand {
    n: u32,
    name: String,
    args: Value,
}

impl OpenCall {
    pub(crate) fn new(
        number: CallNo,
        request: &Request,
        flood: Flood,
        end: oneshot::Sender<Ending>,
    ) -> Self {
        Self {
            number,
            handler: Arc::from(request.handler.as_str()),
            modules: request.modules.clone(),
            services: Arc::clone(&request.services),
            limit_ms: request.limit_ms,
            end,
            meter: Meter::new(flood),
            called_out: false,
            tasks: JoinSet::new(),
            line: None,
        }
    }

    /// Serves one request. The error means that the child does not keep to the rules.
    pub(crate) fn serve(
        &mut self,
        child: &Arc<Child>,
        n: u32,
        name: String,
        args: &RawValue,
    ) -> Result<(), String> {
        let over = |limit| format!("it asked for more than {limit}");
        self.meter.ask(&name, n, args.get().len()).map_err(over)?;
        let args = serde_json::from_str(args.get()).map_err(|fault| fault.to_string())?;
        self.called_out |= name != "console";
        let is_ordered = matches!(
            name.as_str(),
            "chunk" | "progress" | "audit.log" | "messaging.send" | "console"
        );
        let errand = Errand { n, name, args };
        let desk = (Arc::clone(child), self.number, Arc::clone(&self.services));
        if !is_ordered {
            while self.tasks.try_join_next().is_some() {}
            self.tasks.spawn(async move { errand.run(&desk.0, desk.1, &desk.2).await });
            return Ok(());
        }
        let line = self.line.get_or_insert_with(|| {
            let (errands, mut waiting) = mpsc::unbounded_channel::<Errand>();
            let mut task = JoinSet::new();
            task.spawn(async move {
                // One task for each, so that a service that panics does not end the line.
                let mut one = JoinSet::new();
                while let Some(errand) = waiting.recv().await {
                    let desk = (Arc::clone(&desk.0), desk.1, Arc::clone(&desk.2));
                    one.spawn(async move { errand.run(&desk.0, desk.1, &desk.2).await });
                    one.join_next().await;
                }
            });
            Line { errands, task }
        });
        // The line ends only with the call, so there is always somebody to take it.
        let _ = line.errands.send(errand);
        Ok(())
    }

    pub(crate) fn answered(&mut self) {
        self.meter.answered();
    }

    /// The handler has ended. What it said before its end is still delivered, in order.
    pub(crate) fn finish(mut self, end: End) -> Result<(), String> {
        let (called_out, bytes) = (self.called_out, end.bytes());
        let answer = match answer_of(end, self.limit_ms, called_out) {
            Ok(answer) => answer,
            Err(because) => {
                self.lose(because.clone());
                return Err(because);
            }
        };
        let ending = Ending::Answered { answer, called_out, bytes };
        let (number, handler, mut end) = (self.number, self.handler, self.end);
        let deliver = move |end: oneshot::Sender<Ending>| {
            if end.send(ending).is_err() {
                quarantine(number, &handler, bytes);
            }
        };
        let Some(Line { errands, mut task }) = self.line.take() else {
            deliver(end);
            return Ok(());
        };
        drop(errands);
        tokio::spawn(async move {
            tokio::select! {
                () = end.closed() => {}
                _ = task.join_next() => {}
            }
            deliver(end);
        });
        Ok(())
    }

    pub(crate) fn lose(self, because: String) {
        let _ = self.end.send(Ending::Lost { because, called_out: self.called_out });
    }
}

impl Errand {
    async fn run(self, child: &Arc<Child>, call: CallNo, services: &Arc<dyn Services>) {
        let Errand { n, name, args } = self;
        let reply = Reply { child, call, n, is_sent: false };
        let answer = services.call(&name, args).await;
        reply.send(answer);
    }
}

/// Sees to it that every request is answered once, even if its service panics.
struct Reply<'a> {
    child: &'a Arc<Child>,
    call: CallNo,
    n: u32,
    is_sent: bool,
}

impl Reply<'_> {
    fn send(mut self, answer: Result<Value, ServiceFault>) {
        self.is_sent = true;
        let (call, n) = (self.call, self.n);
        let refusal = |code: &str, message: String| ToChild::Refusal {
            call,
            n,
            code: code.to_owned(),
            message,
        };
        let message = match answer.map(|value| to_raw_value(&value)) {
            Ok(Ok(value)) => ToChild::Reply { call, n, value },
            Ok(Err(fault)) => refusal("INTERNAL", fault.to_string()),
            Err(ServiceFault { code, message }) => refusal(&code, message),
        };
        self.child.reply(call, n, &message);
    }
}

impl Drop for Reply<'_> {
    fn drop(&mut self) {
        if !self.is_sent && std::thread::panicking() {
            let (call, n) = (self.call, self.n);
            let (code, message) = ("INTERNAL".to_owned(), "the service broke".to_owned());
            self.child.reply(call, n, &ToChild::Refusal { call, n, code, message });
        }
    }
}

/// A result for which nobody waits any more. It is told to the operator and goes nowhere; it
/// may hold anything, secrets too, so only its size is said.
pub(crate) fn quarantine(call: CallNo, handler: &str, bytes: usize) {
    tracing::warn!(call, handler, bytes, "a late result is quarantined");
}

fn answer_of(end: End, limit_ms: u64, called_out: bool) -> Result<HandlerOutcome, String> {
    let broke = |breakdown| Ok(HandlerOutcome::Broke(breakdown));
    match end {
        End::Returned(json) => {
            let value = serde_json::from_str(json.get()).map_err(|fault| fault.to_string())?;
            Ok(HandlerOutcome::Returned(value))
        }
        End::Threw(throw) => {
            let details = throw.details.map(|json| serde_json::from_str(json.get()));
            let details = details.transpose().map_err(|fault| fault.to_string())?;
            let kind = throw.kind.as_deref().and_then(|word| word.parse().ok());
            let message = match (&throw.kind, kind) {
                (Some(word), None) => format!("{} (unknown error type `{word}`)", throw.message),
                _ => throw.message,
            };
            Ok(HandlerOutcome::Threw(HandlerException {
                kind,
                message,
                retryable: kind.is_some() && throw.retryable,
                // Whoever throws anything else says nothing about effects; we know whether
                // there can be any.
                partial_side_effects: if kind.is_some() {
                    throw.partial_side_effects
                } else {
                    called_out
                },
                details: details.unwrap_or(Value::Null),
                place: throw.place,
            }))
        }
        End::Stalled => broke(HandlerFailure::Stalled),
        End::TimedOut => broke(HandlerFailure::TimedOut { limit_ms }),
        End::OverLimit(limit) => broke(HandlerFailure::OverLimit { limit }),
        End::NotStarted(because) => broke(HandlerFailure::NotStarted { because }),
    }
}
