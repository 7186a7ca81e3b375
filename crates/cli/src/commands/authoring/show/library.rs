//! `ghosthand show library`: the prompts and resources offered to MCP clients.

use clap::Args;
use mcp::library::{Argument, Library, Prompt, Resource};
use serde_json::json;

use crate::config::Config;
use crate::exit::{CommandResult, ExitStatus, Failure};
use crate::render::printer::{Printer, bold, count, cyan};
use crate::wiring::engine_setup::project_of;
use crate::wiring::tools_dir::ToolsFlag;

/// List the prompts and resources offered to MCP clients
#[derive(Args)]
pub(super) struct LibraryArgs {
    #[command(flatten)]
    tools: ToolsFlag,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

impl LibraryArgs {
    pub(super) fn run(self, printer: &mut Printer) -> CommandResult {
        let (library, faults) = Library::read(&project_of(&self.tools.find(&Config::load()?)?)?);
        self.show(&library, printer)?;
        match faults.len() {
            0 => Ok(ExitStatus::Success),
            faulty => {
                let what =
                    format!("some have faults and are not listed: {}", count(faulty, "error"));
                Err(Failure::message(what, "run `ghosthand check`"))
            }
        }
    }

    fn show(&self, library: &Library, printer: &mut Printer) -> std::io::Result<()> {
        if self.json {
            let prompts: Vec<_> = library.prompts().map(prompt_json).collect();
            let resources: Vec<_> = library.resources().map(resource_json).collect();
            return printer.json(&json!({ "prompts": prompts, "resources": resources }));
        }
        for Prompt { name, description, arguments, .. } in library.prompts() {
            let arguments: Vec<_> = arguments.iter().map(shown).collect();
            let line = format!("{}  {}  {description}", bold(name), arguments.join(" "));
            printer.data(line)?;
        }
        for resource in library.resources() {
            let about = resource.description.as_deref().unwrap_or_default();
            let line = format!("{}  {}  {about}", cyan(resource.uri()), resource.mime_type);
            printer.data(line.trim_end())?;
        }
        let (prompts, resources) = (library.prompts().count(), library.resources().count());
        let sum = format!("{}, {}", count(prompts, "prompt"), count(resources, "resource"));
        printer.message(match prompts + resources {
            0 => format!("{sum}; see `docs/guide/mcp.md` for how to write them"),
            _ => sum,
        })
    }
}

/// `TEXT`, or `[TONE]` if optional.
fn shown(argument: &Argument) -> String {
    let name = argument.name.to_uppercase();
    if argument.required { name } else { format!("[{name}]") }
}

fn prompt_json(prompt: &Prompt) -> serde_json::Value {
    let argument = |one: &Argument| json!({ "name": one.name, "required": one.required });
    let arguments: Vec<_> = prompt.arguments.iter().map(argument).collect();
    json!({ "name": prompt.name, "description": prompt.description, "arguments": arguments })
}

fn resource_json(resource: &Resource) -> serde_json::Value {
    json!({
        "name": resource.name, "uri": resource.uri(), "mimeType": resource.mime_type,
        "template": resource.is_template()
    })
}
