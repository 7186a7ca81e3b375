//! Tools that are there and have faults: named, with what to mend.

use axum::Json;
use axum::extract::State;
use registry::{ExcludedTool, Fault};
use schemars::JsonSchema;
use serde::Serialize;

use crate::state::AppState;

/// How many faults of one tool are told here; `ghosthand check` tells all.
const FAULTS_MAX: usize = 20;

pub(crate) async fn list(State(app): State<AppState>) -> Json<Vec<LeftOutTool>> {
    let lease = app.desk.registry().lease();
    Json(lease.left_out().iter().map(missing).collect())
}

/// A tool that is left out.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "LeftOutTool")]
pub(crate) struct LeftOutTool {
    /// Its id, or the file that costs tools nobody can name.
    name: String,
    /// The directory or the file.
    path: String,
    faults: Vec<LeftOutFault>,
}

#[derive(Serialize, JsonSchema)]
#[schemars(rename = "ToolFault")]
struct LeftOutFault {
    /// As `ghosthand faults CODE` explains it.
    code: String,
    /// `file:line:column`, or the file alone.
    place: String,
    what: String,
    fix: String,
}

fn missing(one: &LeftOut) -> LeftOutTool {
    let wrong = |fault: &Fault| LeftOutFault {
        code: fault.code.to_string(),
        place: fault.place.to_string(),
        what: fault.what.clone(),
        fix: fault.fix.clone(),
    };
    let faults = one.faults.iter().take(FAULTS_MAX).map(wrong).collect();
    LeftOutTool { name: one.name.clone(), path: one.path.clone(), faults }
}
