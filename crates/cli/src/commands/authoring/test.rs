//! `ghosthand test`: runs the examples of `doc.md`, the cases of `fixtures.json`, and stories.

mod difference;
mod fixture;
mod run_case;
mod stories;

use std::path::Path;
use std::sync::Arc;

use clap::Args;
use contract::{Category, SideEffects};
use pen::remote::RemoteServices;
use pen::tools::ReadsInMemory;
use registry::{Example, ExampleKind, Tool};

use self::run_case::Bench;
use crate::config::Config;
use crate::exit::{CommandResult, ExitStatus, Failure};
use crate::render::faults::{self, Format};
use crate::render::printer::{Printer, bold, count, dim, red};
use crate::wiring::pen_tools;
use crate::wiring::read_tools::{directory_of, read, read_one};
use crate::wiring::runtime::on_runtime;
use crate::wiring::tools_dir::ToolsFlag;

/// Run the examples of doc.md and the cases of fixtures.json, or stories
///
/// Arguments must fit `parameters`, results must fit `returns`, and examples
/// marked `json invalid` must be refused. A tool without side effects is run
/// with each of its examples; if it is a `utility`, the result must equal the
/// `json result` that follows the example.
///
/// A tool with side effects runs only with the cases of its fixtures.json. The
/// tools of a module NAME.py have theirs in NAME.fixtures.json, as
/// {"tool_name": [cases]}. A case is an object:
///
///   name, args               what the case shows, and the arguments
///   expect                   {"data": …} or {"error": {"type": "CONFLICT"}}
///   mode                     text or voice
///   session                  {"isActive": true, "seenIds": {tool: [ids]}}
///   kv, files, secrets       {key: value}, {path: text}, {NAME: value}
///   fetch                    [{"method", "url", "reply": {"status", "headers",
///                            "body" or "json"}}]
///   kv_after, files_after    what must exist afterwards; null if it must not; for
///                            a file its text or {"contains": [texts]}
///   intents                  all intents, in order
///
/// Only `name` and `expect` are required. Each case has its own store and
/// folder. A request that `fetch` does not list is refused and fails the case.
/// Approvals are granted automatically. Of an object only the listed keys are
/// compared. The client is `fixture`, the call id `fixture-call`.
///
/// A story is a conversation that `ghosthand replay ID --export FILE` wrote. It
/// is replayed with the recorded answers of the model; tools without side
/// effects do run.
#[derive(Args)]
#[command(verbatim_doc_comment)]
pub(crate) struct TestArgs {
    /// The tool to test, a story, or a folder of stories [default: all tools]
    tool: Option<String>,
    #[command(flatten)]
    tools: ToolsFlag,
}

impl TestArgs {
    pub(crate) fn run(self, printer: &mut Printer) -> CommandResult {
        let config = Config::load()?;
        let dir = self.tools.find(&config)?;
        if let Some(stories) = self.tool.as_deref().map(stories::found).transpose()?.flatten() {
            return on_runtime(stories::run(&dir, &stories, &config, printer));
        }
        let build = match &self.tool {
            Some(name) => read_one(&dir, name, &config)?,
            None => read(&dir, &config)?,
        };
        let faults = faults::faults(&build.faults, 0, Format::Human);
        if self.tool.is_some() && build.registry.is_empty() {
            write!(printer.out(), "{faults}")?;
            printer.message(super::check::sum(&build))?;
            return Ok(ExitStatus::Faults);
        }
        let has_errors = build.faults.has_errors();
        // A single tool may import shared code beside it.
        let tools_dir = match dir.join("schema.json").exists() {
            true => dir.parent().unwrap_or(Path::new(".")).to_owned(),
            false => dir,
        };
        on_runtime(async {
            let hosts = crate::wiring::engine_setup::hosts(
                &config,
                RemoteServices::default(),
                Arc::<ReadsInMemory>::default(),
            );
            let lang = pen_tools::lang(&config);
            let bench = Bench { registry: build.registry, tools_dir, hosts, lang };
            let mut sum = Sum::default();
            for tool in bench.registry.tools() {
                printer.data(bold(&tool.contract.tool_id))?;
                let before = sum.not_run;
                examples(&bench, tool, printer, &mut sum).await?;
                let cases = fixtures(&bench, tool, printer, &mut sum.failed).await?;
                sum.fixtures += cases;
                if sum.not_run > before && cases == 0 {
                    printer.data(dim(format!("  {}", not_run(tool))))?;
                }
            }
            // Tools with faults were not tested, so this is not a success.
            if has_errors {
                write!(printer.out(), "{faults}")?;
                printer.message("tools with faults were not tested")?;
            }
            if has_errors && sum.examples + sum.fixtures == 0 {
                return Ok(ExitStatus::Faults);
            }
            if let (Some(name), 0) = (&self.tool, sum.examples + sum.fixtures) {
                let what = format!("nothing was tested: `{name}` has no examples and no cases");
                let file = bench.registry.tools().next().map(|tool| fixture_file(tool));
                let file = file.unwrap_or_else(|| fixture::FILE.to_owned());
                let fix = format!("write cases into `{file}`; `ghosthand test --help` shows one");
                return Err(Failure::message(what, fix));
            }
            printer.message(sum.line(bench.registry.len()))?;
            Ok(if sum.failed == 0 && !has_errors {
                ExitStatus::Success
            } else {
                ExitStatus::Faults
            })
        })
    }
}

#[derive(Default)]
struct Sum {
    examples: usize,
    /// Examples that were validated but not run.
    not_run: usize,
    fixtures: usize,
    failed: usize,
}

impl Sum {
    fn line(&self, tools: usize) -> String {
        let parts = [(self.examples, "example"), (self.fixtures, "fixture")];
        let parts = parts.into_iter().filter(|(number, _)| *number > 0);
        let tried: Vec<_> = parts.map(|(number, noun)| count(number, noun)).collect();
        let tried = tried.join(" and ");
        let tools = count(tools, "tool");
        let not_run = match self.not_run {
            0 => String::new(),
            number => format!("; {} checked but not run", count(number, "example")),
        };
        match (self.failed, self.examples + self.fixtures) {
            (0, 0) => format!("nothing was tested: {tools} without examples and cases"),
            (0, 1) => format!("{tried} of {tools} passed{not_run}"),
            (0, _) => format!("{tried} of {tools} passed{not_run}"),
            (failed, _) => format!("{tried} of {tools}: {failed} failed{not_run}"),
        }
    }
}

/// Why the examples of a tool are not run, and what to do.
fn not_run(tool: &Tool) -> String {
    let reason = match tool.contract.side_effects {
        SideEffects::Writes => "it writes",
        SideEffects::ReadOnly => "it reads external data",
        SideEffects::None => "its handler cannot run here",
    };
    let file = fixture_file(tool);
    format!("examples checked but not run, because {reason}; add cases to {file} to run it")
}

/// The fixture file of a tool, below the tools directory.
fn fixture_file(tool: &Tool) -> String {
    let file = tool.handler.file();
    match (tool.item_name(), file.rsplit_once('/')) {
        (Some(_), _) => format!("{}.{}", file.trim_end_matches(".py"), fixture::FILE),
        (None, Some((folder, _))) => format!("{folder}/{}", fixture::FILE),
        (None, None) => fixture::FILE.to_owned(),
    }
}

/// Runs the examples of a tool.
async fn examples(
    bench: &Bench,
    tool: &Arc<Tool>,
    printer: &mut Printer,
    sum: &mut Sum,
) -> Result<(), Failure> {
    if tool.examples.is_empty() && cases_of(bench, tool)?.is_empty() {
        printer.data(dim("  no examples"))?;
    }
    let is_run = tool.contract.side_effects == SideEffects::None && bench.runs(tool.handler.kind);
    for (index, example) in tool.examples.iter().enumerate() {
        let (what, wrong) = match example.kind {
            ExampleKind::Result => ("result fits", Vec::new()),
            ExampleKind::Invalid => ("refused as expected", Vec::new()),
            ExampleKind::Arguments if !is_run => {
                sum.not_run += 1;
                ("fits", Vec::new())
            }
            ExampleKind::Arguments => {
                let shown = shown_result(tool, index);
                let wrong = bench.try_example(tool, &example.value, shown).await?;
                (if shown.is_some() { "runs as shown" } else { "runs" }, wrong)
            }
        };
        let place = format!("doc.md:{}", example.line);
        print(printer, what, &example.title, &place, &wrong)?;
        sum.failed += usize::from(!wrong.is_empty());
    }
    sum.examples += tool.examples.len();
    Ok(())
}

/// The result shown below an example, if the tool is a utility and must return exactly that.
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

/// Runs the cases of a tool; returns how many.
async fn fixtures(
    bench: &Bench,
    tool: &Arc<Tool>,
    printer: &mut Printer,
    failed: &mut usize,
) -> Result<usize, Failure> {
    let cases = cases_of(bench, tool)?;
    if !cases.is_empty() && !bench.runs(tool.handler.kind) {
        printer.message(format!("{}: its handler cannot run here", tool.contract.tool_id))?;
        return Ok(0);
    }
    let tried = cases.len();
    for case in cases {
        let name = case.name.clone();
        let wrong = bench.try_case(tool, case).await?;
        print(printer, "fixture", &name, &fixture_name(tool), &wrong)?;
        *failed += usize::from(!wrong.is_empty());
    }
    Ok(tried)
}

/// The cases beside a tool's handler, or beside its module.
fn cases_of(bench: &Bench, tool: &Tool) -> Result<Vec<fixture::Fixture>, Failure> {
    let path = bench.tools_dir.join(fixture_file(tool));
    match tool.item_name() {
        Some(name) => fixture::read_of(&path, name),
        None if tool.handler.path.is_empty() => {
            match directory_of(&bench.tools_dir, tool.contract.tool_id.as_str()) {
                Ok(folder) => fixture::read(&folder.join(fixture::FILE)),
                Err(_) => Ok(Vec::new()),
            }
        }
        None => fixture::read(&path),
    }
}

/// The file of the cases, without its folders.
fn fixture_name(tool: &Tool) -> String {
    let file = fixture_file(tool);
    file.rsplit('/').next().map_or_else(|| file.clone(), str::to_owned)
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
