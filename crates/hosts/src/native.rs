//! The native host: handlers that are Rust functions of this program.
//!
//! In: the id of a tool and its arguments. Out: the same answers as from any other host.
//!
//! A native handler is trusted code and runs in our process. It is stopped by dropping its
//! future, so it must be cancel-safe. One that blocks its thread gets its `TimedOut` on time, but
//! the runtime loses the thread until it returns.

use std::collections::BTreeMap;
use std::future::Future;
use std::sync::Arc;
use std::time::Duration;

use policy::{
    BoxFuture, HandlerException, HandlerFailure, HandlerOutcome, Host, Job, ServiceFault, Services,
};
use serde_json::Value;

type Handler = Arc<
    dyn Fn(Value, NativeContext) -> BoxFuture<'static, Result<Value, HandlerException>>
        + Send
        + Sync,
>;

/// What a native handler gets besides its arguments.
#[derive(Clone)]
pub struct NativeContext {
    /// The plain fields: `clientId`, `tool`, `session`, `call`.
    pub plain: Value,
    services: Arc<dyn Services>,
}

impl NativeContext {
    /// Calls a service, as `context.kv.get` does in JavaScript.
    pub async fn call(&self, name: &str, args: Value) -> Result<Value, ServiceFault> {
        self.services.call(name, args).await
    }
}

/// The registered native handlers.
pub struct NativeHost {
    handlers: BTreeMap<String, Handler>,
    result_bytes_max: usize,
}

impl NativeHost {
    pub fn new(result_bytes_max: usize) -> Self {
        Self { handlers: BTreeMap::new(), result_bytes_max }
    }

    /// Adds the handler of a tool, replacing an earlier one with the same id.
    pub fn add<F, R>(&mut self, id: &str, handler: F)
    where
        F: Fn(Value, NativeContext) -> R + Send + Sync + 'static,
        R: Future<Output = Result<Value, HandlerException>> + Send + 'static,
    {
        let handler: Handler = Arc::new(move |args, context| Box::pin(handler(args, context)));
        self.handlers.insert(id.to_owned(), handler);
    }

    /// Runs a handler to its end. Dropping the future stops it.
    #[tracing::instrument(name = "host.run", skip_all, fields(handler = id))]
    pub async fn run_handler(
        &self,
        id: &str,
        args: Value,
        plain: Value,
        services: Arc<dyn Services>,
        time_limit: Duration,
    ) -> HandlerOutcome {
        let Some(handler) = self.handlers.get(id) else {
            let because = format!("there is no native handler `{id}`");
            return HandlerOutcome::Broke(HandlerFailure::NotStarted { because });
        };
        let handler = Arc::clone(handler);
        let context = NativeContext { plain, services };
        // A separate task contains panics, and a blocking handler is not waited for.
        let mut task = Stopped(tokio::spawn(async move { handler(args, context).await }));
        match tokio::time::timeout(time_limit, &mut task.0).await {
            Ok(Ok(Ok(value))) => self.returned(value),
            Ok(Ok(Err(thrown))) => HandlerOutcome::Threw(thrown),
            Ok(Err(fault)) => HandlerOutcome::Threw(thrown(panic_text(fault))),
            Err(_) => {
                let limit_ms = u64::try_from(time_limit.as_millis()).unwrap_or(u64::MAX);
                HandlerOutcome::Broke(HandlerFailure::TimedOut { limit_ms })
            }
        }
    }

    fn returned(&self, value: Value) -> HandlerOutcome {
        let mut room = Room(self.result_bytes_max);
        match serde_json::to_writer(&mut room, &value) {
            Ok(()) => HandlerOutcome::Returned(value),
            Err(_) => {
                let limit = self.result_bytes_max;
                HandlerOutcome::Threw(thrown(format!(
                    "the result is beyond the limit of {limit} bytes"
                )))
            }
        }
    }
}

impl Host for NativeHost {
    fn run<'a>(&'a self, job: Job<'a>) -> BoxFuture<'a, HandlerOutcome> {
        Box::pin(async move {
            let Job { run, context, services, time_limit, .. } = job;
            let call = run.call();
            let id = call.tool().as_str();
            self.run_handler(id, call.args().clone(), context, services, time_limit).await
        })
    }
}

/// Aborts the task when dropped.
struct Stopped<T>(tokio::task::JoinHandle<T>);

impl<T> Drop for Stopped<T> {
    fn drop(&mut self) {
        self.0.abort();
    }
}

/// A writer that fails after this many bytes.
struct Room(usize);

impl std::io::Write for Room {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        let left = self.0.checked_sub(bytes.len());
        self.0 = left.ok_or_else(|| std::io::Error::other("too long"))?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

fn thrown(message: String) -> HandlerException {
    HandlerException {
        kind: None,
        message,
        retryable: false,
        partial_side_effects: true,
        details: Value::Null,
        place: None,
    }
}

fn panic_text(fault: tokio::task::JoinError) -> String {
    let Ok(panic) = fault.try_into_panic() else { return "the handler was stopped".to_owned() };
    let text = panic.downcast_ref::<&str>().copied();
    let text = text.or_else(|| panic.downcast_ref::<String>().map(String::as_str));
    format!("the handler panicked: {}", text.unwrap_or("without a message"))
}
