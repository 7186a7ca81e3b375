//! `ghosthand doctor`: what this system can enforce around a handler.

use std::path::PathBuf;

use clap::Args;
use hosts::sandbox::Part;

use crate::exit::{Ending, Failure, Outcome};
use crate::printer::Printer;

/// Say what this system can enforce
///
/// Starts a sandboxed child and really tries what a hostile handler would try.
#[derive(Args)]
pub(crate) struct DoctorArgs {}

impl DoctorArgs {
    #[expect(clippy::unused_self, reason = "every command is run the same way")]
    pub(crate) fn run(self, printer: &mut Printer) -> Outcome {
        let report = super::on_runtime(async {
            hosts::doctor(PathBuf::from("/proc/self/exe"))
                .await
                .map_err(|fault| Failure::user(fault, "handlers do not run on this system"))
        })?;
        for (name, part) in report.level.parts() {
            let (word, what) = match part {
                Part::Enforced(what) => ("ok", what),
                Part::Unavailable(why) => ("missing", why),
            };
            printer.data(format!("{word:<8} {name:<14} {what}"))?;
        }
        printer.data(format!("{:<8} {:<14} {}", "blocked", "", report.blocked.join(", ")))?;
        for open in &report.open {
            printer.data(format!("{:<8} {:<14} {open}", "OPEN", ""))?;
        }
        match report.gap {
            Some(gap) => {
                printer.say(format!("JavaScript handlers do not run here: {gap}"))?;
                Ok(Ending::Faults)
            }
            None => {
                printer.say("JavaScript handlers run here, sandboxed")?;
                Ok(Ending::Good)
            }
        }
    }
}
