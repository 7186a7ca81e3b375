//! The parent's side of one call: serves the handler's requests, in order where order matters,
//! and turns the end into an answer.

use std::sync::Arc;
use std::time::Duration;

use policy::{HandlerException, HandlerFailure, HandlerOutcome, ServiceFault, Services};
use serde_json::Value;
use serde_json::value::{RawValue, to_raw_value};
use tokio::sync::{mpsc, oneshot};
use tokio::task::JoinSet;

use crate::protocol::meter::{FloodLimits, Meter};
use crate::protocol::{CallNo, End, EntryPoint, ToChild};

use crate::js::Handler;

use super::Child;

/// What a call is started with.
pub(crate) struct Request {
    /// Identifies the exact bytes of the handler, if the child does not read them itself.
    pub bundle: u64,
    pub handler: String,
    pub part: EntryPoint,
    /// Answers the child's requests for modules.
    pub modules: Option<Arc<Handler>>,
    pub args: Box<RawValue>,
    pub context: Box<RawValue>,
    pub services: Arc<dyn Services>,
    pub time: Duration,
    pub limit_ms: u64,
}

/// How a call in one child ended.
pub(crate) enum CallOutcome {
    Answered {
        answer: HandlerOutcome,
        used_services: bool,
        /// The size of the message.
        bytes: usize,
    },
    /// The child died.
    Lost { because: String, used_services: bool },
}

/// A call that is open in a child. Dropping it stops its service requests.
pub(crate) struct OpenCall {
    number: CallNo,
    pub handler: Arc<str>,
    pub modules: Option<Arc<Handler>>,
    services: Arc<dyn Services>,
    limit_ms: u64,
    end: oneshot::Sender<CallOutcome>,
    meter: Meter,
    pub used_services: bool,
    tasks: JoinSet<()>,
    /// Serves one request after the other where their order is observable.
    queue: Option<OrderedQueue>,
}

struct OrderedQueue {
    requests: mpsc::UnboundedSender<ServiceRequest>,
    task: JoinSet<()>,
}

/// One request of a handler.
struct ServiceRequest {
    n: u32,
    name: String,
    args: Value,
}

impl OpenCall {
    pub(crate) fn new(
        number: CallNo,
        request: &Request,
        flood: FloodLimits,
        end: oneshot::Sender<CallOutcome>,
    ) -> Self {
        Self {
            number,
            handler: Arc::from(request.handler.as_str()),
            modules: request.modules.clone(),
            services: Arc::clone(&request.services),
            limit_ms: request.limit_ms,
            end,
            meter: Meter::new(flood),
            used_services: false,
            tasks: JoinSet::new(),
            queue: None,
        }
    }

    /// Serves one request. An error means that the child violated the protocol.
    pub(crate) fn serve(
        &mut self,
        child: &Arc<Child>,
        n: u32,
        name: String,
        args: &RawValue,
    ) -> Result<(), String> {
        let over = |limit| format!("it requested more than {limit}");
        self.meter.ask(&name, n, args.get().len()).map_err(over)?;
        let args = serde_json::from_str(args.get()).map_err(|fault| fault.to_string())?;
        self.used_services |= name != "console";
        let is_ordered = matches!(
            name.as_str(),
            "chunk" | "progress" | "audit.log" | "messaging.send" | "console"
        );
        let service_request = ServiceRequest { n, name, args };
        let target = (Arc::clone(child), self.number, Arc::clone(&self.services));
        if !is_ordered {
            while self.tasks.try_join_next().is_some() {}
            self.tasks
                .spawn(async move { service_request.run(&target.0, target.1, &target.2).await });
            return Ok(());
        }
        let queue = self.queue.get_or_insert_with(|| {
            let (requests, mut waiting) = mpsc::unbounded_channel::<ServiceRequest>();
            let mut task = JoinSet::new();
            task.spawn(async move {
                // One task each, so that a panicking service does not end the queue.
                let mut one = JoinSet::new();
                while let Some(service_request) = waiting.recv().await {
                    let target = (Arc::clone(&target.0), target.1, Arc::clone(&target.2));
                    one.spawn(
                        async move { service_request.run(&target.0, target.1, &target.2).await },
                    );
                    one.join_next().await;
                }
            });
            OrderedQueue { requests, task }
        });
        // The queue lives as long as the call.
        let _ = queue.requests.send(service_request);
        Ok(())
    }

    pub(crate) fn answered(&mut self) {
        self.meter.answered();
    }

    /// The handler has ended. Its ordered requests are still delivered first.
    pub(crate) fn finish(mut self, end: End) -> Result<(), String> {
        let (used_services, bytes) = (self.used_services, end.bytes());
        let answer = match answer_of(end, self.limit_ms, used_services) {
            Ok(answer) => answer,
            Err(because) => {
                self.lose(because.clone());
                return Err(because);
            }
        };
        let outcome = CallOutcome::Answered { answer, used_services, bytes };
        let (number, handler, mut end) = (self.number, self.handler, self.end);
        let deliver = move |end: oneshot::Sender<CallOutcome>| {
            if end.send(outcome).is_err() {
                log_late_result(number, &handler, bytes);
            }
        };
        let Some(OrderedQueue { requests, mut task }) = self.queue.take() else {
            deliver(end);
            return Ok(());
        };
        drop(requests);
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
        let _ = self.end.send(CallOutcome::Lost { because, used_services: self.used_services });
    }
}

impl ServiceRequest {
    async fn run(self, child: &Arc<Child>, call: CallNo, services: &Arc<dyn Services>) {
        let ServiceRequest { n, name, args } = self;
        let reply = ReplyGuard { child, call, n, is_sent: false };
        let answer = services.call(&name, args).await;
        reply.send(answer);
    }
}

/// Answers every request exactly once, even if its service panics.
struct ReplyGuard<'a> {
    child: &'a Arc<Child>,
    call: CallNo,
    n: u32,
    is_sent: bool,
}

impl ReplyGuard<'_> {
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

impl Drop for ReplyGuard<'_> {
    fn drop(&mut self) {
        if !self.is_sent && std::thread::panicking() {
            let (call, n) = (self.call, self.n);
            let (code, message) = ("INTERNAL".to_owned(), "the service panicked".to_owned());
            self.child.reply(call, n, &ToChild::Refusal { call, n, code, message });
        }
    }
}

/// Logs a result that arrived too late. The result may contain secrets, so only its size is
/// logged.
pub(crate) fn log_late_result(call: CallNo, handler: &str, bytes: usize) {
    tracing::warn!(call, handler, bytes, "a late result is quarantined");
}

fn answer_of(end: End, limit_ms: u64, used_services: bool) -> Result<HandlerOutcome, String> {
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
                // Other exceptions say nothing about effects, but we know whether there can be
                // any.
                partial_side_effects: if kind.is_some() {
                    throw.partial_side_effects
                } else {
                    used_services
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
