//! `ghostpen profile history` and `restore`: earlier states of a profile.

use clap::Args;
use pen::{Now, PastProfile, STATES_MAX};

use super::super::context::PenContext;
use crate::exit::{CommandResult, ExitStatus, Failure};
use crate::render::printer::{Printer, cyan, dim, one_line};

/// List the earlier states of a profile
#[derive(Args)]
pub(in crate::commands::pen) struct HistoryArgs {
    #[arg(default_value = "default")]
    name: String,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// Bring an earlier state of a profile back
///
/// The present state joins the history, so that a restore can be undone.
#[derive(Args)]
pub(in crate::commands::pen) struct RestoreArgs {
    #[arg(default_value = "default")]
    name: String,
    /// A number of the history, or a version as in v3 [default: 1, the newest]
    #[arg(value_name = "WHICH")]
    which: Option<String>,
}

impl HistoryArgs {
    pub(super) fn run(self, ctx: &PenContext, printer: &mut Printer) -> CommandResult {
        let states = ctx.workspace().history(&ctx.name(&self.name)?);
        if self.json {
            printer.json(&states)?;
            return Ok(ExitStatus::Success);
        }
        if states.is_empty() {
            printer.message(ctx.lang.fill("history.none", &[("name", &self.name)]))?;
            return Ok(ExitStatus::Success);
        }
        for (index, PastProfile { id, version, tone, .. }) in states.iter().enumerate() {
            let tone = dim(one_line(tone, 60));
            printer.data(format!("{:>2}  {}  v{version}  {tone}", index + 1, cyan(id)))?;
        }
        printer.message(dim(ctx.lang.fill("history.kept", &[("most", &STATES_MAX)])))?;
        Ok(ExitStatus::Success)
    }
}

impl RestoreArgs {
    pub(super) fn run(self, ctx: &PenContext, printer: &mut Printer) -> CommandResult {
        let name = ctx.name(&self.name)?;
        let states = ctx.workspace().history(&name);
        let state = chosen(&states, self.which.as_deref()).ok_or_else(|| {
            let which = self.which.as_deref().unwrap_or("1");
            let values: [(&str, &dyn std::fmt::Display); 2] = [("name", &name), ("which", &which)];
            let what = ctx.lang.fill("history.unknown", &values);
            Failure::message(what, ctx.lang.say("history.fix"))
        })?;
        let restored = ctx.workspace().restore(&name, state, Now::read());
        let profile = restored.map_err(|fault| ctx.unreadable(fault))?;
        let values: [(&str, &dyn std::fmt::Display); 2] =
            [("name", &name), ("version", &profile.version())];
        printer.message(ctx.lang.fill("history.restored", &values))?;
        Ok(ExitStatus::Success)
    }
}

/// The state of this number, version or name.
fn chosen<'a>(states: &'a [PastProfile], which: Option<&str>) -> Option<&'a PastProfile> {
    let Some(which) = which else { return states.first() };
    if let Ok(number) = which.parse::<usize>() {
        return states.get(number.checked_sub(1)?);
    }
    let version = which.strip_prefix('v').and_then(|version| version.parse::<u64>().ok());
    states.iter().find(|state| state.id == which || version == Some(state.version))
}
