//! Runs the tools of added servers, with the login of the call's owner.

use std::collections::BTreeMap;
use std::sync::{Arc, PoisonError, RwLock};

use contract::ErrorType;
use mcp::client::{ConnectionFault, call_pinned, failed_call, not_dry, place_of};
use policy::{BoxFuture, HandlerException, HandlerOutcome, Hook, Host, Job, Run};
use serde_json::{Value, json};

use crate::live_server::LiveServer;

/// The added servers in use. Clones share them.
#[derive(Clone, Default)]
pub struct ServerSet(Arc<RwLock<BTreeMap<String, Arc<LiveServer>>>>);

impl ServerSet {
    pub(crate) fn get(&self, name: &str) -> Option<Arc<LiveServer>> {
        self.0.read().unwrap_or_else(PoisonError::into_inner).get(name).cloned()
    }

    pub(crate) fn put(&self, server: Arc<LiveServer>) {
        let mut servers = self.0.write().unwrap_or_else(PoisonError::into_inner);
        servers.insert(server.name.to_string(), server);
    }

    pub(crate) fn remove(&self, name: &str) {
        self.0.write().unwrap_or_else(PoisonError::into_inner).remove(name);
    }
}

/// Runs the tools of added servers; passes all others to `fallback`.
pub struct AddedHost {
    pub servers: ServerSet,
    pub fallback: Arc<dyn Host>,
}

impl Host for AddedHost {
    fn run<'a>(&'a self, job: Job<'a>) -> BoxFuture<'a, HandlerOutcome> {
        let Some((server, tool)) = place_of(job.handler) else { return self.fallback.run(job) };
        Box::pin(async move {
            let approved = match job.run {
                Run::Approved(approved) => approved,
                Run::Dry(_) => return not_dry(),
            };
            let Some(live) = self.servers.get(server) else {
                return failed_call(server, &ConnectionFault::Gone);
            };
            let Some(pinned) = live.pinned(tool) else { return not_accepted(server) };
            let whose = live.login_of(job.owner);
            if live.needs_login(&whose).await {
                return log_in_first(server);
            }
            let connection = live.connection(&whose);
            match call_pinned(&connection, pinned, approved, &job.services).await {
                Ok(data) => HandlerOutcome::Returned(json!({ "ok": true, "data": data })),
                Err(ConnectionFault::Changed) => not_accepted(server),
                Err(fault) if fault.is_about_login() => log_in_first(server),
                Err(fault) => failed_call(server, &fault),
            }
        })
    }

    fn hook<'a>(&'a self, hook: Hook<'a>) -> BoxFuture<'a, Result<Value, String>> {
        self.fallback.hook(hook)
    }
}

/// The page offers the login in the step of the call; `details` names the server.
fn log_in_first(server: &str) -> HandlerOutcome {
    let message = format!(
        "Log in to {server} first: the person opens “MCP servers” on the page and chooses “Log in”. \
         Nothing has run."
    );
    refused(ErrorType::Auth, message, json!({ "login": server }))
}

fn not_accepted(server: &str) -> HandlerOutcome {
    let message = format!(
        "The MCP server `{server}` has changed this tool since the operator accepted it. It stays \
         off until the operator accepts the change on the page. Nothing has run."
    );
    refused(ErrorType::Permanent, message, Value::Null)
}

fn refused(kind: ErrorType, message: String, details: Value) -> HandlerOutcome {
    HandlerOutcome::Threw(HandlerException {
        kind: Some(kind),
        message,
        retryable: false,
        partial_side_effects: false,
        details,
        place: None,
    })
}
