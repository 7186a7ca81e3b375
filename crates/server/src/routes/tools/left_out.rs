//! Tools that are left out because of faults, with what to fix.

use axum::Json;
use axum::extract::State;
use registry::{ExcludedTool, Fault};
use schemars::JsonSchema;
use serde::Serialize;

use crate::state::AppState;

/// How many faults of one tool are listed; `ghosthand check` lists all.
const FAULTS_MAX: usize = 20;

pub(crate) async fn list(State(app): State<AppState>) -> Json<Vec<LeftOutTool>> {
    let lease = app.engine.registry().lease();
    Json(lease.excluded().iter().map(missing).collect())
}

/// A tool that is left out.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "LeftOutTool")]
pub(crate) struct LeftOutTool {
    /// Its id, or the file whose tools cannot be named.
    name: String,
    /// The directory or the file.
    path: String,
    faults: Vec<LeftOutFault>,
}

#[derive(Serialize, JsonSchema)]
#[schemars(rename = "ToolFault")]
struct LeftOutFault {
    /// The code for `ghosthand faults CODE`.
    code: String,
    /// `file:line:column`, or the file alone.
    place: String,
    what: String,
    fix: String,
}

fn missing(one: &ExcludedTool) -> LeftOutTool {
    let wrong = |fault: &Fault| LeftOutFault {
        code: fault.code.to_string(),
        place: fault.place.to_string(),
        what: fault.what.clone(),
        fix: fault.fix.clone(),
    };
    let faults = one.faults.iter().take(FAULTS_MAX).map(wrong).collect();
    LeftOutTool { name: one.name.clone(), path: one.path.clone(), faults }
}
