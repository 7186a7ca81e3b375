//! `ghosthand encode`: contract arguments in the wire format of one target.

use clap::Args;
use dialect::Rejection;

use crate::exit::{CommandResult, ExitStatus, Failure};
use crate::render::printer::Printer;
use crate::wiring::schema_args::{SchemaArgs, checker};

/// Encode arguments for one provider's wire format
///
/// The arguments must fit the schema; the output fits the schema that `ghosthand lower` prints.
#[derive(Args)]
pub(crate) struct EncodeArgs {
    #[command(flatten)]
    wire: SchemaArgs,
}

impl EncodeArgs {
    pub(crate) fn run(self, printer: &mut Printer) -> CommandResult {
        let schema = self.wire.schema()?;
        let lowered = self.wire.lowered(&schema)?;
        let value = self.wire.value()?;
        let fix = "give arguments that fit the schema";
        let complaints = checker(&schema)?.complaints(&value);
        if !complaints.is_empty() {
            return Err(Failure::user(Rejection(complaints), fix));
        }
        let encoded = lowered.plan.encode(&value).map_err(|fault| Failure::user(fault, fix))?;
        let checker = self.wire.wire_checker(&lowered);
        let unsendable = checker.map(|checker| checker.complaints(&encoded)).unwrap_or_default();
        if !unsendable.is_empty() {
            let target = self.wire.target_name();
            return Err(Failure::message(
                format!(
                    "the value fits the contract but cannot be sent to {target}: {}",
                    Rejection(unsendable)
                ),
                format!(
                    "`ghosthand lower --for {target}` shows what can be sent; name the property in \
                     the schema, or choose a target without strict mode"
                ),
            ));
        }
        printer.data(encoded.to_string())?;
        Ok(ExitStatus::Success)
    }
}
