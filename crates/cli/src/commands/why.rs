//! `ghosthand why`: what would be decided about a call now, and by which rule.

use clap::Args;
use contract::{Call, CallId, Mode};

use super::call::room;
use super::wire::parse;
use crate::desk::DeskArgs;
use crate::exit::{Ending, Outcome};
use crate::printer::Printer;

/// Explain whether a call would run, ask or be refused now
///
/// Goes through every stage in order and names the rule that decides. Nothing is run.
#[derive(Args)]
pub(crate) struct WhyArgs {
    /// The tool's id
    tool: String,
    /// The arguments as JSON
    #[arg(default_value = "{}", value_name = "JSON")]
    args: String,
    /// How the person talks to the agent
    #[arg(long, default_value = "text")]
    mode: Mode,
    /// The conversation the call would belong to
    #[arg(long, default_value = "terminal", value_name = "ID")]
    conversation: String,
    #[command(flatten)]
    desk: DeskArgs,
}

impl WhyArgs {
    pub(crate) fn run(self, printer: &mut Printer) -> Outcome {
        let args = parse(&self.args, "the arguments")?;
        super::on_runtime(async {
            let desk = self.desk.open()?;
            let room = room(&desk, &self.conversation, self.mode);
            let call = Call {
                id: CallId("terminal-why".to_owned()),
                tool: desk.full_name(&self.tool),
                args,
            };
            for line in desk.why(&room, &call).await {
                printer.data(line)?;
            }
            Ok(Ending::Good)
        })
    }
}
