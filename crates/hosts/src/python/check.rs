//! Compiles handlers and resolves their imports in a separate worker, without running them.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use contract::{Code, CodeFault};
use policy::{HandlerFailure, HandlerOutcome};
use serde_json::{Value, json};

use crate::protocol::EntryPoint;
use crate::run_handler::{Finished, NoServices, Repeat};

use super::code_root::CodeRoot;
use super::{FunctionRun, PyHost};

/// How many files one request contains, and how long it may take, including the start of a
/// worker.
const BATCH: usize = 200;
const BATCH_MAX: Duration = Duration::from_secs(30);

impl PyHost {
    /// The faults of each handler. An error means that they could not be compiled here.
    pub async fn check_code(
        &self,
        code: &Arc<Code>,
        files: &[String],
    ) -> Result<BTreeMap<String, Vec<CodeFault>>, String> {
        let (root, _) = self.copies.of(code, &self.workers.factory().run_dir()?)?;
        let mut reports = BTreeMap::new();
        for batch in files.chunks(BATCH) {
            reports.append(&mut self.check_batch(&root, batch).await?);
        }
        Ok(reports)
    }

    async fn check_batch(
        &self,
        root: &CodeRoot,
        files: &[String],
    ) -> Result<BTreeMap<String, Vec<CodeFault>>, String> {
        let Some(first) = files.first() else { return Ok(BTreeMap::new()) };
        let run = FunctionRun {
            owner: "",
            root: root.clone(),
            handler: first,
            part: EntryPoint::Check,
            args: &json!(files),
            context: &Value::Null,
            services: Arc::new(NoServices),
            time_limit: BATCH_MAX,
            repeat: Repeat::Safe,
        };
        let Finished { answer, .. } = self.run_part(run, Some(self.workers.once(root, ""))).await;
        match answer {
            HandlerOutcome::Returned(value) => {
                serde_json::from_value(value).map_err(|fault| fault.to_string())
            }
            HandlerOutcome::Threw(thrown) => Err(thrown.message),
            HandlerOutcome::Broke(HandlerFailure::NotStarted { because }) => Err(because),
            HandlerOutcome::Broke(breakdown) => Err(breakdown.to_string()),
        }
    }
}
