//! Compiles handlers and follows their imports in a worker of its own, without running them.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use contract::{Code, CodeFault};
use policy::{HandlerFailure, HandlerOutcome};
use serde_json::{Value, json};

use crate::run::{Finished, NoServices, Repeat};
use crate::wire::Part;

use super::root::Root;
use super::{Errand, PyHost};

/// How many files one request names, and how long it may take with the start of a worker.
const BATCH: usize = 200;
const BATCH_MAX: Duration = Duration::from_secs(30);

impl PyHost {
    /// What is wrong with each handler, as far as a compiler can say. The error says why they
    /// could not be compiled here.
    pub async fn check_code(
        &self,
        code: &Arc<Code>,
        files: &[String],
    ) -> Result<BTreeMap<String, Vec<CodeFault>>, String> {
        let (root, _) = self.copies.of(code, &self.workers.nursery().nest()?)?;
        let mut reports = BTreeMap::new();
        for batch in files.chunks(BATCH) {
            reports.append(&mut self.check_batch(&root, batch).await?);
        }
        Ok(reports)
    }

    async fn check_batch(
        &self,
        root: &Root,
        files: &[String],
    ) -> Result<BTreeMap<String, Vec<CodeFault>>, String> {
        let Some(first) = files.first() else { return Ok(BTreeMap::new()) };
        let errand = Errand {
            owner: "",
            root: root.clone(),
            handler: first,
            part: Part::Check,
            args: &json!(files),
            context: &Value::Null,
            services: Arc::new(NoServices),
            time_limit: BATCH_MAX,
            repeat: Repeat::Safe,
        };
        let Finished { answer, .. } =
            self.run_part(errand, Some(self.workers.once(root, ""))).await;
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
