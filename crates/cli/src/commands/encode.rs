//! `ghosthand encode`: arguments as the contract has them, written for one target's wire.

use clap::Args;
use dialect::Rejection;

use super::wire::{WireArgs, checker};
use crate::exit::{Ending, Failure, Outcome};
use crate::printer::Printer;

/// Turn arguments into what one provider's wire carries
///
/// The arguments must fit the schema; what comes out fits what `ghosthand lower` prints.
#[derive(Args)]
pub(crate) struct EncodeArgs {
    #[command(flatten)]
    wire: WireArgs,
}

impl EncodeArgs {
    pub(crate) fn run(self, printer: &mut Printer) -> Outcome {
        let schema = self.wire.schema()?;
        let plan = self.wire.plan(&schema)?;
        let value = self.wire.value()?;
        let fix = "give arguments that fit the schema";
        let complaints = checker(&schema)?.complaints(&value);
        if !complaints.is_empty() {
            return Err(Failure::user(Rejection(complaints), fix));
        }
        let encoded = plan.encode(&value).map_err(|fault| Failure::user(fault, fix))?;
        printer.data(encoded.to_string())?;
        Ok(Ending::Good)
    }
}
