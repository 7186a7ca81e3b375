//! `ghosthand decode`: what a model sent, read back and checked against the contract.

use clap::Args;
use dialect::Unknown;

use crate::exit::{CommandResult, ExitStatus, Failure};
use crate::render::printer::Printer;
use crate::wiring::schema_args::{SchemaArgs, checker};

/// Turn what a provider's wire carried back into arguments, and check them
///
/// What comes out fits the contract's own schema, with its defaults filled in. Ends with 1
/// and the sentences that a model would be told if it does not.
#[derive(Args)]
pub(crate) struct DecodeArgs {
    #[command(flatten)]
    wire: SchemaArgs,
    /// Leave unknown arguments out instead of refusing them
    #[arg(long)]
    strip: bool,
}

impl DecodeArgs {
    pub(crate) fn run(self, printer: &mut Printer) -> CommandResult {
        let schema = self.wire.schema()?;
        let plan = self.wire.lowered(&schema)?.plan;
        let fix = "send arguments that fit what `ghosthand lower` prints";
        let decoded =
            plan.decode(&self.wire.value()?).map_err(|fault| Failure::user(fault, fix))?;
        let unknown = if self.strip { Unknown::Strip } else { Unknown::Refuse };
        let checked = checker(&schema)?
            .check(decoded, unknown)
            .map_err(|rejection| Failure::user(rejection, fix))?;
        printer.data(checked.args.to_string())?;
        for pointer in checked.stripped {
            printer.say(format!("left out {pointer}"))?;
        }
        Ok(ExitStatus::Success)
    }
}
