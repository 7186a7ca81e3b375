//! Tools that are there and have faults: named, with what to mend.

use axum::Json;
use axum::extract::State;
use registry::{ExcludedTool, Fault};
use schemars::JsonSchema;
use serde::Serialize;

use crate::state::App;

/// How many faults of one tool are told here; `ghosthand check` tells all.
const FAULTS_MAX: usize = 20;

pub(crate) async fn list(State(app): State<App>) -> Json<Vec<Missing>> {
    let lease = app.engine.registry().lease();
    Json(lease.excluded().iter().map(missing).collect())
}

/// A tool that is left out.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "LeftOutTool")]
pub(crate) struct Missing {
    /// Its id, or the file that costs tools nobody can name.
    name: String,
    /// The directory or the file.
    path: String,
    faults: Vec<Wrong>,
}

#[derive(Serialize, JsonSchema)]
#[schemars(rename = "ToolFault")]
struct Wrong {
    /// As `ghosthand faults CODE` explains it.
    code: String,
    /// `file:line:column`, or the file alone.
    place: String,
    what: String,
    fix: String,
}

fn missing(one: &ExcludedTool) -> Missing {
    let wrong = |fault: &Fault| Wrong {
        code: fault.code.to_string(),
        place: fault.place.to_string(),
        what: fault.what.clone(),
        fix: fault.fix.clone(),
    };
    let faults = one.faults.iter().take(FAULTS_MAX).map(wrong).collect();
    Missing { name: one.name.clone(), path: one.path.clone(), faults }
}
