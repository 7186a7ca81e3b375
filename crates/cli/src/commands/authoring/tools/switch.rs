//! `ghosthand tools list|enable|disable`: switches tools on and off.

use clap::Args;
use contract::nearest;
use engine::Engine;
use registry::Tool;

use crate::exit::{CommandResult, ExitStatus, Failure};
use crate::render::printer::{Printer, cyan, dim, one_line};
use crate::render::wrap::columns_of_stdout;
use crate::wiring::engine_setup::EngineArgs;
use crate::wiring::open_store::StoreUse;
use crate::wiring::runtime::on_runtime;

/// List the tools, and which are switched off
#[derive(Args)]
pub(super) struct ListArgs {
    /// Show whole descriptions, also on a narrow terminal
    #[arg(long)]
    long: bool,
    #[command(flatten)]
    engine: EngineArgs,
}

/// Switch a tool on again, or all tools of a file
#[derive(Args)]
pub(super) struct EnableArgs {
    /// The tool's id, or a module file below the tools directory
    tool: String,
    #[command(flatten)]
    engine: EngineArgs,
}

/// Switch a tool off, or all tools of a file, for every program on this store
#[derive(Args)]
pub(super) struct DisableArgs {
    /// The tool's id, or a module file below the tools directory
    tool: String,
    /// The reason, shown to people and by `ghosthand why`
    #[arg(long, default_value = "switched off by hand", value_name = "TEXT")]
    because: String,
    #[command(flatten)]
    engine: EngineArgs,
}

impl ListArgs {
    pub(super) fn run(self, printer: &mut Printer) -> CommandResult {
        on_runtime(async {
            let engine = self.engine.open(StoreUse::Read)?;
            let off = engine.switched_off().await?;
            let lease = engine.registry().lease();
            let names = engine.tools(&lease).map(|tool| tool.contract.tool_id.as_str());
            let names = names.chain(lease.excluded().iter().map(|one| one.name.as_str()));
            let width = names.map(str::len).max().unwrap_or(0);
            let states = if lease.excluded().is_empty() { "off" } else { "broken" }.len();
            let columns = if self.long { None } else { columns_of_stdout() };
            let row = |name: &str, state: &str, about: &str| {
                let state = format!("{state:<states$}");
                let about = match columns {
                    Some(columns) => one_line(about, columns.saturating_sub(width + states + 4)),
                    None => one_line(about, usize::MAX),
                };
                format!("{}  {state}  {}", cyan(format!("{name:<width$}")), dim(about))
            };
            for tool in engine.tools(&lease) {
                let id = tool.contract.tool_id.as_str();
                printer.data(match off.iter().find(|one| one.tool == id) {
                    Some(one) => row(id, "off", &one.because),
                    None => row(id, "on", &tool.contract.description),
                })?;
            }
            for one in lease.excluded() {
                printer.data(row(&one.name, one.state(), &one.reason()))?;
            }
            Ok(ExitStatus::Success)
        })
    }
}

impl EnableArgs {
    pub(super) fn run(self, printer: &mut Printer) -> CommandResult {
        throw(&self.engine, &self.tool, None, printer)
    }
}

impl DisableArgs {
    pub(super) fn run(self, printer: &mut Printer) -> CommandResult {
        throw(&self.engine, &self.tool, Some(&self.because), printer)
    }
}

fn throw(
    args: &EngineArgs,
    wanted: &str,
    off: Option<&str>,
    printer: &mut Printer,
) -> CommandResult {
    on_runtime(async {
        let engine = args.open(StoreUse::Write)?;
        for id in meant(&engine, wanted)? {
            engine.switch(&id, off).await?;
            let state = if off.is_some() { "off" } else { "on" };
            printer.data(format!("{}  {state}", cyan(id)))?;
        }
        Ok(ExitStatus::Success)
    })
}

/// The tool of this id, or every tool of this file.
fn meant(engine: &Engine, wanted: &str) -> Result<Vec<String>, Failure> {
    let lease = engine.registry().lease();
    let is_meant =
        |tool: &Tool| tool.contract.tool_id.as_str() == wanted || tool.handler.file() == wanted;
    let ids: Vec<String> = engine
        .tools(&lease)
        .filter(|tool| is_meant(tool))
        .map(|tool| tool.contract.tool_id.to_string())
        .collect();
    if !ids.is_empty() {
        return Ok(ids);
    }
    if let Some(one) = lease.left_out_as(wanted) {
        let what = format!("`{}` is already left out because of its faults", one.name);
        return Err(Failure::message(what, one.reason()));
    }
    let known = engine.tools(&lease).map(|tool| tool.contract.tool_id.as_str());
    let fix = match nearest(wanted, known) {
        Some(near) => format!("did you mean `{near}`?"),
        None => "`ghosthand tools list` shows them".to_owned(),
    };
    Err(Failure::message(format!("there is no tool and no module file `{wanted}`"), fix))
}
