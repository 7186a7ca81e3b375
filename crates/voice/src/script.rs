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
mod played_engine;
mod print;
mod project;
mod provider;
mod run;
mod runner;
mod statement;
mod wire;

pub use engine::{EngineEvent, ScriptEngine, WantedForm};
pub use parse::{ScriptFault, parse};
pub use print::{OutputLine, Source, in_words, log_line};
pub use project::{PlayedHandler, ScriptProject};
pub use run::Run;
pub use statement::{Script, ToolEnd};
pub use wire::ScriptWire;

use crate::capabilities::{Capabilities, RoadKind, all_capabilities, capabilities};
use runner::Runner;

impl Script {
    /// Runs the script on its own road.
    pub fn run(&self) -> Result<Run, ScriptFault> {
        self.run_on(&self.model)
    }

    /// Runs the script on another road: a name of the table of models, or of a road.
    pub fn run_on(&self, model: &str) -> Result<Run, ScriptFault> {
        Ok(Runner::new(self, row_of(model)?).run())
    }

    /// Runs the script on a road, with every message carried by a wire.
    pub fn run_over(&self, model: &str, wire: &mut dyn ScriptWire) -> Result<Run, ScriptFault> {
        Ok(Runner::over(self, row_of(model)?, wire).run())
    }

    /// Runs the script with the tools of a project, on a road.
    pub fn run_in(&self, model: &str, project: ScriptProject<'_>) -> Result<Run, ScriptFault> {
        self.played_handlers(&project.contracts)?;
        Ok(Runner::in_project(self, row_of(model)?, project).run())
    }
}

fn row_of(model: &str) -> Result<&'static Capabilities, ScriptFault> {
    let by_road = || {
        let kind = RoadKind::ALL.into_iter().find(|kind| kind.as_str() == model)?;
        all_capabilities().iter().find(|row| row.road == kind)
    };
    capabilities(model).or_else(by_road).ok_or_else(|| {
        let what = format!("`{model}` is neither a road nor a model of the table");
        ScriptFault { line: 0, what }
    })
}
