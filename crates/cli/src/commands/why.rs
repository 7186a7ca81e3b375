//! `ghosthand why`: the verdict on a call, and the rule behind it.

use clap::Args;
use contract::{Call, CallId, Mode};
use engine::Engine;
use policy::ArgumentsGiven;
use serde_json::json;
use services::NetworkAccess;

use super::call::{origin, paid_by};
use crate::config::Config;
use crate::exit::{CommandResult, ExitStatus};
use crate::render::printer::Printer;
use crate::wiring::engine_setup::EngineArgs;
use crate::wiring::json_input::parse;
use crate::wiring::open_store::StoreUse;
use crate::wiring::runtime::on_runtime;

/// Explain whether a call would run, need approval or be refused
///
/// Prints every policy stage in order, with the rule that decides. Nothing runs.
#[derive(Args)]
pub(crate) struct WhyArgs {
    /// The tool's id
    tool: String,
    /// The arguments as JSON; without them, explains the tool in general
    #[arg(value_name = "JSON")]
    args: Option<String>,
    /// Interaction mode: text or voice
    #[arg(long, default_value = "text")]
    mode: Mode,
    /// The conversation of the call
    #[arg(long, value_name = "ID")]
    conversation: Option<String>,
    #[command(flatten)]
    engine: EngineArgs,
}

impl WhyArgs {
    pub(crate) fn run(self, printer: &mut Printer) -> CommandResult {
        let (args, given) = match &self.args {
            Some(args) => (parse(args, "the arguments")?, ArgumentsGiven::Arguments),
            None => (json!({}), ArgumentsGiven::NoArguments),
        };
        on_runtime(async {
            let config = Config::load()?;
            let (engine, _) = self.engine.open_for(&config, &self.tool, StoreUse::Read, printer)?;
            let conversation = self.conversation.as_deref();
            let origin = origin(&engine, conversation, self.mode);
            let call = Call {
                id: CallId("terminal-why".to_owned()),
                tool: engine.full_name(&self.tool),
                args,
            };
            for line in engine.why(&origin, &call, given, paid_by(conversation, false)).await {
                printer.data(line)?;
            }
            for line in closed_hosts(&engine, &call.tool, &config.reach()) {
                printer.data(line)?;
            }
            Ok(ExitStatus::Success)
        })
    }
}

/// Private hosts that the contract declares and `[net] allow` does not open.
fn closed_hosts(engine: &Engine, tool: &str, reach: &NetworkAccess) -> Vec<String> {
    let lease = engine.registry().lease();
    let Some(tool) = engine.tool(&lease, tool) else { return Vec::new() };
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
