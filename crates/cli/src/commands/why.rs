//! `ghosthand why`: what would be decided about a call now, and by which rule.

use clap::Args;
use contract::{Call, CallId, Mode};
use engine::{Desk, Reach};

use super::call::room;
use super::wire::parse;
use crate::config::Config;
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
            let config = Config::load()?;
            let desk = self.desk.open_with(&config)?;
            let room = room(&desk, &self.conversation, self.mode);
            let call = Call {
                id: CallId("terminal-why".to_owned()),
                tool: desk.full_name(&self.tool),
                args,
            };
            for line in desk.why(&room, &call).await {
                printer.data(line)?;
            }
            for line in closed_hosts(&desk, &call.tool, &config.reach()) {
                printer.data(line)?;
            }
            Ok(Ending::Good)
        })
    }
}

/// The hosts that the contract names and nobody has opened.
fn closed_hosts(desk: &Desk, tool: &str, reach: &Reach) -> Vec<String> {
    let lease = desk.registry().lease();
    let Some(tool) = desk.tool(&lease, tool) else { return Vec::new() };
    let declared = tool.contract.capabilities.net.iter();
    let closed = declared.filter(|host| reach.is_closed_to(host));
    let line = |host| {
        format!(
            "  net        closed   `{host}` is private or local; \
             `[net] allow = [\"{host}\"]` in ghosthand.toml opens it"
        )
    };
    closed.map(line).collect()
}
