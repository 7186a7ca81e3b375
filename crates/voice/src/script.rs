//! Scripted sessions: a text file says what happens when, and what must come of it.
//!
//! In: a script (see `docs/reference/voice.md`) and a road. Out: a [`Run`]: one line for
//! each event with its virtual time, and the expectations that failed. The provider, the page
//! and the speech services are played; the session, the road and the policy are real. Nothing
//! waits: an hour of conversation takes a moment.

mod engine;
mod expect;
mod page;
mod parse;
mod print;
mod provider;
mod run;
mod runner;
mod statement;

pub use parse::{ScriptFault, parse};
pub use print::{OutputLine, Source};
pub use run::Run;
pub use statement::Script;

use crate::capabilities::{RoadKind, all_capabilities, capabilities};
use crate::road::road;
use runner::Runner;

impl Script {
    /// Runs the script on its own road.
    pub fn run(&self) -> Result<Run, ScriptFault> {
        self.run_on(&self.model)
    }

    /// Runs the script on another road: a name of the table of models, or of a road.
    pub fn run_on(&self, model: &str) -> Result<Run, ScriptFault> {
        let by_road = || {
            let kind = RoadKind::ALL.into_iter().find(|kind| kind.as_str() == model)?;
            all_capabilities().iter().find(|row| row.road == kind)
        };
        let Some(row) = capabilities(model).or_else(by_road) else {
            let what = format!("`{model}` is neither a road nor a model of the table");
            return Err(ScriptFault { line: 0, what });
        };
        Ok(Runner::new(self, row, road(row)).run())
    }
}
