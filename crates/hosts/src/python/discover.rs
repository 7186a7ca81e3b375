//! Imports the files of a tools folder, each in a separate worker.
//!
//! Must hold: a file that hangs, crashes, exits or raises is a fault, and all others load; the
//! import of one file does not affect another.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use policy::{HandlerFailure, HandlerOutcome};
use serde_json::Value;

use crate::protocol::EntryPoint;
use crate::run_handler::{Finished, NoServices, Repeat};

use super::code_root::CodeRoot;
use super::{FunctionRun, ImportFault, ModuleReport, PyHost};

/// The worker stops an import at its limit; this bounds a worker that cannot.
const START_AND_STOP_MAX: Duration = Duration::from_secs(10);

impl PyHost {
    /// Describes files below a tools folder, in the given order.
    pub async fn discover(&self, tools_dir: &Path, files: &[String]) -> Vec<ModuleReport> {
        let root = CodeRoot::live(tools_dir);
        let mut reports = Vec::with_capacity(files.len());
        for file in files {
            reports.push(self.describe(&root, file).await);
        }
        reports
    }

    async fn describe(&self, root: &CodeRoot, file: &str) -> ModuleReport {
        let time_limit = self.workers.config().limits.import_max + START_AND_STOP_MAX;
        let run = FunctionRun {
            owner: "",
            root: root.clone(),
            handler: file,
            part: EntryPoint::Describe,
            args: &Value::Null,
            context: &Value::Null,
            services: Arc::new(NoServices),
            time_limit,
            repeat: Repeat::Never,
        };
        let Finished { answer, .. } = self.run_part(run, Some(self.workers.once(root, ""))).await;
        let fault = match answer {
            HandlerOutcome::Returned(value) => match serde_json::from_value(value) {
                Ok(report) => return report,
                Err(fault) => fault_of("host", format!("its description cannot be read: {fault}")),
            },
            HandlerOutcome::Threw(thrown) => fault_of("raised", thrown.message),
            HandlerOutcome::Broke(breakdown) => broken(file, breakdown, time_limit),
        };
        ModuleReport {
            file: file.to_owned(),
            module: file.trim_end_matches(".py").replace('/', "."),
            items: Vec::new(),
            uses: Vec::new(),
            fault: Some(fault),
            item_faults: Vec::new(),
        }
    }
}

fn broken(file: &str, breakdown: HandlerFailure, time_limit: Duration) -> ImportFault {
    match breakdown {
        HandlerFailure::TimedOut { .. } => {
            let ms = time_limit.as_millis();
            fault_of("hung", format!("it was still being imported after {ms} ms"))
        }
        HandlerFailure::OverLimit { limit } => {
            let (line, source_line) = place_in(&limit, file);
            let message = format!("it needs more than {limit}");
            let kind = if limit.contains("memory") { "memory" } else { "hung" };
            ImportFault { line, source_line, ..fault_of(kind, message) }
        }
        HandlerFailure::Died { because } => {
            fault_of("crashed", format!("the worker that imported it ended: {because}"))
        }
        HandlerFailure::NotStarted { because } => fault_of("host", because),
        HandlerFailure::Stalled => fault_of("hung", breakdown.to_string()),
    }
}

/// The line number and text in `…, at core/a.py:3 `import b``.
fn place_in(limit: &str, file: &str) -> (Option<u32>, Option<String>) {
    let place = limit.split_once(&format!("at {file}:")).map(|(_, place)| place);
    let Some((line, source)) = place.and_then(|place| place.split_once(' ')) else {
        return (None, None);
    };
    (line.parse().ok(), Some(source.trim_matches('`').to_owned()))
}

fn fault_of(kind: &str, message: String) -> ImportFault {
    ImportFault {
        kind: kind.to_owned(),
        message,
        order: None,
        item: None,
        line: None,
        source_line: None,
        traceback: None,
    }
}
