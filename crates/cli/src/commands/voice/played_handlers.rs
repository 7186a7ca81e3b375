//! Handlers that a script plays: a host that answers for them, in front of the real one.

use std::collections::BTreeMap;
use std::sync::Arc;

use engine::Hosts;
use policy::{BoxFuture, HandlerOutcome, Hook, Host, Job};
use serde_json::Value;
use voice::PlayedHandler;

/// The hosts of a project, with the handlers of a script in front.
pub(super) fn with_played(hosts: Hosts, handlers: &[PlayedHandler]) -> Hosts {
    let responses: BTreeMap<String, Value> =
        handlers.iter().filter_map(|one| Some((one.tool.clone(), one.response.clone()?))).collect();
    let responses = Arc::new(responses);
    let play = |host: Arc<dyn Host>| -> Arc<dyn Host> {
        Arc::new(PlayedHost { host, responses: Arc::clone(&responses) })
    };
    Hosts {
        javascript: play(hosts.javascript),
        python: hosts.python.map(play),
        native: play(hosts.native),
    }
}

struct PlayedHost {
    host: Arc<dyn Host>,
    responses: Arc<BTreeMap<String, Value>>,
}

impl Host for PlayedHost {
    fn run<'a>(&'a self, job: Job<'a>) -> BoxFuture<'a, HandlerOutcome> {
        match self.responses.get(job.run.call().tool().as_str()) {
            Some(response) => Box::pin(async { HandlerOutcome::Returned(response.clone()) }),
            None => self.host.run(job),
        }
    }

    fn hook<'a>(&'a self, hook: Hook<'a>) -> BoxFuture<'a, Result<Value, String>> {
        self.host.hook(hook)
    }
}
