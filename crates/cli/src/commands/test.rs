//! `ghosthand test`: the examples of `doc.md`, the cases of `fixtures.json`, and stories, run.

mod difference;
mod fixture;
mod stories;
mod trial;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::Args;
use contract::{Category, SideEffects, nearest};
use pen::far::Far;
use registry::{Example, ExampleKind, Tool, is_module_folder};

use self::trial::Bench;
use super::ToolsFlag;
use crate::config::Config;
use crate::exit::{Ending, Failure, Outcome};
use crate::pen_host;
use crate::printer::{Printer, bold, count, dim, red};
use crate::render::{self, Format};

/// Run the examples of doc.md and the cases of fixtures.json, or stories
///
/// Arguments must fit `parameters`, results must fit `returns`, and examples marked
/// `json invalid` must be refused. A tool with the side effects `none` is run with each of
/// its examples; if it is a `utility`, the result must be the `json result` that follows.
///
/// A tool that reaches out is run with the cases of its fixtures.json alone: a list of
///
///   { "name": "…", "args": {…}, "expect": {"data": …} or {"error": {"type": "CONFLICT"}} }
///
/// with, where they matter: "mode"; "session": {"isActive", "seenIds": {tool: [ids]}};
/// "kv": {key: value}; "files": {path: text}; "secrets": {NAME: value};
/// "fetch": [{"method", "url", "reply": {"status", "headers", "body" or "json"}}]; and
/// afterwards "kv_after": {key: value or null}, "files_after": {path: text, null or
/// {"contains": [texts]}}, "intents": […].
///
/// Each case gets a store and a folder of its own, and the network is what "fetch" says:
/// an address that is not listed is refused and fails the case. Where a person would be
/// asked, the answer is yes. The client is `fixture`, the call `fixture-call`. Objects are
/// compared by the keys that are given, everything else exactly.
///
/// A story is a conversation that `ghosthand replay ID --export FILE` wrote. It is run again
/// with the recorded answers of the model; tools with the side effects `none` run for real.
#[derive(Args)]
#[command(verbatim_doc_comment)]
pub(crate) struct TestArgs {
    /// The tool to test, a story, or a folder of stories; all tools if none is named
    tool: Option<String>,
    #[command(flatten)]
    tools: ToolsFlag,
}

impl TestArgs {
    pub(crate) fn run(self, printer: &mut Printer) -> Outcome {
        let dir = self.tools.dir;
        if let Some(stories) = self.tool.as_deref().map(stories::found).transpose()?.flatten() {
            return super::on_runtime(stories::run(&dir, &stories, printer));
        }
        let build = match &self.tool {
            Some(name) => super::read_one(&dir, name)?,
            None => super::read(&dir)?,
        };
        if build.faults.has_errors() {
            write!(printer.out(), "{}", render::faults(&build.faults, 0, Format::Human))?;
            printer.say(super::check::sum(&build))?;
            return Ok(Ending::Faults);
        }
        // A single tool imports what its neighbours share.
        let tools_dir = match dir.join("schema.json").exists() {
            true => dir.parent().unwrap_or(Path::new(".")).to_owned(),
            false => dir,
        };
        super::on_runtime(async {
            let config = Config::load()?;
            let hosts = crate::desk::hosts(&config, Far::default());
            let lang = pen_host::lang(&config);
            let bench = Bench { registry: build.registry, tools_dir, hosts, lang };
            let mut sum = Sum::default();
            for tool in bench.registry.tools() {
                printer.data(bold(&tool.contract.tool_id))?;
                sum.examples += examples(&bench, tool, printer, &mut sum.failed).await?;
                sum.fixtures += fixtures(&bench, tool, printer, &mut sum.failed).await?;
            }
            printer.say(sum.line(bench.registry.len()))?;
            Ok(if sum.failed == 0 { Ending::Good } else { Ending::Faults })
        })
    }
}

#[derive(Default)]
struct Sum {
    examples: usize,
    fixtures: usize,
    failed: usize,
}

impl Sum {
    fn line(&self, tools: usize) -> String {
        let mut tried = count(self.examples, "example");
        if self.fixtures > 0 {
            tried = format!("{tried} and {}", count(self.fixtures, "fixture"));
        }
        let tools = count(tools, "tool");
        match self.failed {
            0 => format!("{tried} of {tools} hold"),
            failed => format!("{tried} of {tools}: {failed} failed"),
        }
    }
}

/// Tries the examples of a tool; says how many there were.
async fn examples(
    bench: &Bench,
    tool: &Arc<Tool>,
    printer: &mut Printer,
    failed: &mut usize,
) -> Result<usize, Failure> {
    if tool.examples.is_empty() {
        printer.data(dim("  no examples"))?;
    }
    let is_run = tool.contract.side_effects == SideEffects::None && bench.runs(tool.handler.kind);
    for (index, example) in tool.examples.iter().enumerate() {
        let (what, wrong) = match example.kind {
            ExampleKind::Result => ("result fits", Vec::new()),
            ExampleKind::Invalid => ("refused, as it should be", Vec::new()),
            ExampleKind::Arguments if !is_run => ("fits", Vec::new()),
            ExampleKind::Arguments => {
                let shown = shown_result(tool, index);
                let wrong = bench.try_example(tool, &example.value, shown).await?;
                (if shown.is_some() { "runs as shown" } else { "runs" }, wrong)
            }
        };
        let place = format!("doc.md:{}", example.line);
        print(printer, what, &example.title, &place, &wrong)?;
        *failed += usize::from(!wrong.is_empty());
    }
    Ok(tool.examples.len())
}

/// The result that stands below an example, if the tool computes and so must give it exactly.
fn shown_result(tool: &Tool, index: usize) -> Option<&serde_json::Value> {
    let example = tool.examples.get(index)?;
    let below = tool.examples.get(index + 1)?;
    let belongs =
        |below: &&Example| below.kind == ExampleKind::Result && below.title == example.title;
    match tool.contract.category {
        Category::Utility => Some(below).filter(belongs).map(|below| &below.value),
        Category::Retrieval | Category::Action => None,
    }
}

/// Tries the cases of a tool; says how many there were.
async fn fixtures(
    bench: &Bench,
    tool: &Arc<Tool>,
    printer: &mut Printer,
    failed: &mut usize,
) -> Result<usize, Failure> {
    let Some(folder) = folder_of(bench, tool) else { return Ok(0) };
    let cases = fixture::read(&folder)?;
    if !cases.is_empty() && !bench.runs(tool.handler.kind) {
        printer.say(format!("{}: this program cannot run its handler", tool.contract.tool_id))?;
        return Ok(0);
    }
    let tried = cases.len();
    for case in cases {
        let name = case.name.clone();
        let wrong = bench.try_case(tool, case).await?;
        print(printer, "fixture", &name, fixture::FILE, &wrong)?;
        *failed += usize::from(!wrong.is_empty());
    }
    Ok(tried)
}

/// The directory of a tool; a module of several tools has none for each.
fn folder_of(bench: &Bench, tool: &Tool) -> Option<PathBuf> {
    match tool.handler.path.rsplit_once('/') {
        Some((folder, _)) => Some(bench.tools_dir.join(folder)),
        None => directory_of(&bench.tools_dir, &tool.contract.tool_id.to_string()).ok(),
    }
}

fn print(
    printer: &mut Printer,
    what: &str,
    title: &str,
    place: &str,
    wrong: &[String],
) -> std::io::Result<()> {
    let word = if wrong.is_empty() { "ok  ".to_owned() } else { red("FAIL") };
    printer.data(format!("  {word}  {what:<24}  {title}  {}", dim(place)))?;
    for line in wrong {
        printer.data(format!("        {line}"))?;
    }
    Ok(())
}

/// The directory of a tool by its id or its directory's name.
pub(super) fn directory_of(dir: &Path, name: &str) -> Result<PathBuf, Failure> {
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
