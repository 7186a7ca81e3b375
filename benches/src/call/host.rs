//! The JavaScript host without an engine.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Result, ensure};
use hosts::{HandlerRun, JsHost, Repeat};
use policy::{BoxFuture, HandlerOutcome, ServiceFault, Services};
use serde_json::{Value, json};

use super::engine::BenchEngine;
use crate::measure::rounds::Lane;

/// Runs one handler repeatedly.
pub(crate) struct HostLane {
    host: Arc<JsHost>,
    tools_dir: PathBuf,
    handler: &'static str,
    context: Value,
    made: u64,
}

impl HostLane {
    pub(crate) fn of(bench: &BenchEngine, handler: &'static str) -> Self {
        let context = json!({
            "clientId": "client-1",
            "tool": {"id": "add_script", "version": "1.0.0", "idempotent": true},
            "session": {"isActive": true, "toolsVersion": "1.0.0", "mode": "text", "state": {}},
            "voice": {"isActive": false},
            "call": {"id": "call-000001", "idempotencyKey": "provider:call-000001"},
            "capabilities": {"net": false, "kv": false, "secrets": false, "files": false},
        });
        let host = Arc::clone(&bench.javascript);
        Self { host, tools_dir: bench.tools_dir(), handler, context, made: 0 }
    }
}

impl Lane for HostLane {
    async fn call(&mut self) -> Result<()> {
        self.made += 1;
        let run = HandlerRun {
            owner: "bench",
            tools_dir: &self.tools_dir,
            code: None,
            handler: self.handler,
            args: &json!({"a": self.made, "b": 1}),
            context: &self.context,
            services: Arc::new(NoServices),
            time_limit: Duration::from_secs(10),
            repeat: Repeat::Safe,
        };
        let finished = self.host.run_handler(run).await;
        let sum = match &finished.answer {
            HandlerOutcome::Returned(value) => value.pointer("/data/sum").and_then(Value::as_u64),
            HandlerOutcome::Threw(_) | HandlerOutcome::Broke(_) => None,
        };
        ensure!(sum == Some(self.made + 1), "the host gave the sum: {finished:?}");
        Ok(())
    }
}

/// The handlers use no services.
struct NoServices;

impl Services for NoServices {
    fn call(&self, name: &str, _args: Value) -> BoxFuture<'static, Result<Value, ServiceFault>> {
        let message = format!("there is no service `{name}` here");
        Box::pin(async move { Err(ServiceFault { code: "DENIED".to_owned(), message }) })
    }
}
