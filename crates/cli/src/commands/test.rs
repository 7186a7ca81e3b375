//! `ghosthand test`: the examples of `doc.md` against the tool's own schemas.

use std::path::Path;
use std::sync::Arc;

use clap::Args;
use registry::{ExampleKind, Tool, is_module_folder, nearest};

use super::ToolsFlag;
use crate::exit::{Ending, Failure, Outcome};
use crate::printer::{Printer, bold, count, dim};
use crate::render::{self, Format};

/// Check the examples of doc.md against the tool's own schemas
///
/// Arguments must fit `parameters`, results must fit `returns`, and examples marked
/// `json invalid` must be refused.
#[derive(Args)]
pub(crate) struct TestArgs {
    /// The tool to test; all of them if none is named
    tool: Option<String>,
    #[command(flatten)]
    tools: ToolsFlag,
}

impl TestArgs {
    pub(crate) fn run(self, printer: &mut Printer) -> Outcome {
        let dir = self.tools.dir;
        let build = match &self.tool {
            Some(name) => super::read_one(&dir, name)?,
            None => super::read(&dir)?,
        };
        if build.faults.has_errors() {
            write!(printer.out(), "{}", render::faults(&build.faults, 0, Format::Human))?;
            printer.say(super::check::sum(&build))?;
            return Ok(Ending::Faults);
        }
        let mut examples = 0;
        for tool in build.registry.tools() {
            examples += tool.examples.len();
            print(tool, printer)?;
        }
        let tools = count(build.registry.len(), "tool");
        printer.say(format!("{} of {tools} hold", count(examples, "example")))?;
        Ok(Ending::Good)
    }
}

fn print(tool: &Arc<Tool>, printer: &mut Printer) -> std::io::Result<()> {
    printer.data(bold(&tool.contract.tool_id))?;
    if tool.examples.is_empty() {
        printer.data(dim("  no examples"))?;
    }
    for example in &tool.examples {
        let what = match example.kind {
            ExampleKind::Arguments => "fits",
            ExampleKind::Result => "result fits",
            ExampleKind::Invalid => "refused, as it should be",
        };
        let place = dim(format!("doc.md:{}", example.line));
        printer.data(format!("  ok  {what:<24}  {}  {place}", example.title))?;
    }
    Ok(())
}

/// The directory of a tool by its id or its directory's name.
pub(super) fn directory_of(dir: &Path, name: &str) -> Result<std::path::PathBuf, Failure> {
    let mut names = Vec::new();
    for entry in std::fs::read_dir(dir).into_iter().flatten().flatten() {
        let found = entry.file_name().to_string_lossy().into_owned();
        if is_module_folder(&entry.path()) {
            continue;
        }
        if found.replace('-', "_") == name.replace('-', "_") && entry.path().is_dir() {
            return Ok(entry.path());
        }
        if !found.starts_with(['_', '.']) && entry.path().is_dir() {
            names.push(found.replace('-', "_"));
        }
    }
    let near = nearest(name, names.iter().map(String::as_str));
    let fix = near.map_or_else(|| list_advice(dir), |near| format!("did you mean `{near}`?"));
    Err(Failure::message(format!("there is no tool `{name}` in `{}`", dir.display()), fix))
}

pub(super) fn list_advice(dir: &Path) -> String {
    format!("`ghosthand show registry --dir {}` lists the tools", dir.display())
}
