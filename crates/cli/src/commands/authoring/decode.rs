//! `ghosthand decode`: decodes arguments from a model and validates them.

use clap::Args;
use dialect::UnknownArguments;

use crate::exit::{CommandResult, ExitStatus, Failure};
use crate::render::printer::Printer;
use crate::wiring::schema_args::{SchemaArgs, checker};

/// Decode arguments from one provider's wire format, and validate them
///
/// The output fits the contract's schema, with defaults filled in. If the input does not fit,
/// exits with 1 and prints the errors that the model would see.
#[derive(Args)]
pub(crate) struct DecodeArgs {
    #[command(flatten)]
    wire: SchemaArgs,
    /// Drop unknown arguments instead of refusing them
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
        let unknown = if self.strip { UnknownArguments::Strip } else { UnknownArguments::Refuse };
        let checked = checker(&schema)?
            .check(decoded, unknown)
            .map_err(|rejection| Failure::user(rejection, fix))?;
        printer.data(checked.args.to_string())?;
        for pointer in checked.stripped {
            printer.message(format!("dropped {pointer}"))?;
        }
        Ok(ExitStatus::Success)
    }
}
