//! `ghosthand show`: prints a tool, the registry, or what is derived from it.

mod cost;
mod library;
mod openapi;

use clap::{Args, Subcommand};
use contract::KeyPrefix;
use dialect::{CompiledSet, Strictness, Target, ToolSource, compile};
use mcp::client::MCP_HANDLER_PREFIX;
use registry::{ExcludedTool, Feature, HandlerKind, REGISTRY_FILE, Registry, Tool};
use serde::Serialize;
use serde_json::Value;

use crate::commands::cards::settings;
use crate::config::Config;
use crate::exit::{CommandResult, ExitStatus, Failure};
use crate::render::faults::{self, Format};
use crate::render::left_out;
use crate::render::loss_report;
use crate::render::printer::{Printer, bold, count, cyan, dim};
use crate::render::schema_table;
use crate::wiring::mcp_servers;
use crate::wiring::read_tools::{directory_of, read, read_one};
use crate::wiring::schema_args::find;
use crate::wiring::tools_dir::{ToolsFlag, refuse_single_tool};

/// Show a tool or the registry
#[derive(Args)]
pub(crate) struct ShowArgs {
    #[command(subcommand)]
    what: What,
}

#[derive(Subcommand)]
enum What {
    Tool(ToolArgs),
    Registry(RegistryArgs),
    Cost(cost::CostArgs),
    Openapi(openapi::OpenapiArgs),
    Library(library::LibraryArgs),
}

/// Show the contract of a tool
#[derive(Args)]
struct ToolArgs {
    /// The tool's id or directory; for an MCP tool its id, as in `fs.read_file`
    name: String,
    #[command(flatten)]
    tools: ToolsFlag,
    /// Show the wire format of this target, as in `anthropic` or `openai-chat-strict`
    #[arg(long = "for", value_name = "TARGET")]
    target: Option<String>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// List the tools, and check whether the built registry is up to date
#[derive(Args)]
struct RegistryArgs {
    #[command(flatten)]
    tools: ToolsFlag,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

impl ShowArgs {
    pub(crate) fn run(self, printer: &mut Printer) -> CommandResult {
        match self.what {
            What::Tool(args) => args.run(printer),
            What::Registry(args) => args.run(printer),
            What::Cost(args) => args.run(printer),
            What::Openapi(args) => args.run(printer),
            What::Library(args) => args.run(printer),
        }
    }
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ToolJson<'a> {
    contract: &'a contract::Contract,
    summary: &'a str,
    documentation: &'a str,
    examples: &'a [registry::Example],
    handler_path: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    python_environment: Option<&'a registry::EnvironmentId>,
    features: &'a registry::Features,
    #[serde(skip_serializing_if = "Option::is_none")]
    form: Option<&'a Value>,
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    ui_handlers: &'a [String],
    digest: contract::Digest,
}

fn tool_json(tool: &Tool) -> ToolJson<'_> {
    let Tool {
        contract,
        summary,
        documentation,
        examples,
        handler,
        features,
        ui,
        ui_handlers,
        order: _,
        digests,
        code: _,
    } = tool;
    ToolJson {
        contract,
        summary,
        documentation,
        examples,
        handler_path: &handler.path,
        python_environment: handler.environment.as_ref(),
        features,
        form: ui.as_ref(),
        ui_handlers,
        digest: digests.whole(),
    }
}

impl ToolArgs {
    fn run(self, printer: &mut Printer) -> CommandResult {
        let config = Config::load()?;
        let ask = settings::ask_settings(&config);
        if self.name == ask.tool_name() {
            return self.print_flashcards(&ask, printer);
        }
        let dir = self.tools.find(&config)?;
        let imported = mcp_servers::imported(&config)?;
        if let Some(tool) =
            imported.into_iter().find(|tool| tool.contract.tool_id.as_str() == self.name)
        {
            return self.print(&Registry::empty().with([tool]), printer);
        }
        let build = match directory_of(&dir, &self.name) {
            Ok(path) => read(&path, &config)?,
            Err(_) => read_one(&dir, &self.name, &config)?,
        };
        if build.registry.is_empty() {
            let report = faults::faults(&build.faults, build.looked_at, Format::Human);
            write!(printer.out(), "{report}")?;
            let what = format!("`{}` has faults and cannot be shown", self.name);
            return Err(Failure::message(what, "correct what is shown above"));
        }
        self.print(&build.registry, printer)
    }

    /// The tool that a model calls to return flashcards: it has a definition and no handler.
    fn print_flashcards(&self, ask: &cards::AskSettings, printer: &mut Printer) -> CommandResult {
        let language: cards::Language = "lv".parse()?;
        let tool = cards::emit_flashcards_tool(&language, ask);
        let Some(name) = &self.target else {
            printer.json(&tool)?;
            return Ok(ExitStatus::Success);
        };
        let source = ToolSource {
            name: ask.tool_name(),
            description: tool["description"].as_str().unwrap_or_default(),
            parameters: &tool["input_schema"],
            strict: Strictness::Wanted,
        };
        print_set(&compile(&[source], find(name)?), printer)
    }

    /// Prints the tools of a registry.
    fn print(&self, registry: &Registry, printer: &mut Printer) -> CommandResult {
        if let Some(name) = &self.target {
            return print_wire(registry, find(name)?, printer);
        }
        for tool in registry.tools() {
            if self.json {
                printer.json(&tool_json(tool))?;
            } else {
                print_tool(tool, printer)?;
            }
        }
        Ok(ExitStatus::Success)
    }
}

/// The wire tool, and its losses.
fn print_wire(registry: &Registry, target: &Target, printer: &mut Printer) -> CommandResult {
    print_set(&compile(&registry.sources(), target), printer)
}

fn print_set(set: &CompiledSet, printer: &mut Printer) -> CommandResult {
    for tool in &set.tools {
        printer.json(&tool.wire)?;
        for loss in &tool.losses {
            printer.message(format!("{}: {loss}", loss_report::word(loss.fate)))?;
        }
    }
    for fault in set.refused.iter().flat_map(|tool| &tool.faults) {
        printer.message(format!("refused: {fault}"))?;
    }
    Ok(if set.refused.is_empty() { ExitStatus::Success } else { ExitStatus::Faults })
}

fn print_tool(tool: &Tool, printer: &mut Printer) -> std::io::Result<()> {
    let contract = &tool.contract;
    printer.data(format!("{} {}", bold(&contract.tool_id), contract.version))?;
    printer.data(&contract.description)?;
    printer.data("")?;
    let mut row = |name: &str, value: String| printer.data(format!("{name:<12}{value}"));
    row("category", contract.category.to_string())?;
    let repeat = if contract.idempotent { "safe to repeat" } else { "not safe to repeat" };
    row("effects", format!("{}, {repeat}", contract.side_effects))?;
    let asks =
        if contract.requires_confirmation { "for approval, before each run" } else { "nothing" };
    row("asks", asks.to_owned())?;
    if !contract.asks.is_empty() {
        let asked: Vec<_> = contract.asks.iter().map(|kind| kind.as_str()).collect();
        row("questions", format!("to {}", asked.join(", ")))?;
    }
    let modes: Vec<_> = contract.allowed_modes.iter().map(|mode| mode.as_str()).collect();
    row("modes", modes.join(", "))?;
    let timeout = contract.timeout().as_millis();
    row("time", format!("{} ms expected, {timeout} ms at most", contract.latency_budget_ms))?;
    row("reaches", reach(&contract.capabilities))?;
    let offered = match (tool.has(Feature::Callable), contract.auto, contract.one_time) {
        (false, ..) => Some("not to models: there is no function"),
        (true, true, _) => Some("runs automatically before every answer"),
        (true, false, true) => Some("once per answer"),
        (true, false, false) => None,
    };
    if let Some(offered) = offered {
        row("offered", offered.to_owned())?;
    }
    let handler = match tool.handler.kind {
        HandlerKind::Native if tool.handler.path.starts_with(MCP_HANDLER_PREFIX) => {
            let server = tool.handler.file().trim_start_matches(MCP_HANDLER_PREFIX);
            format!("the MCP server `{server}`")
        }
        HandlerKind::Native => "native".to_owned(),
        HandlerKind::JavaScript | HandlerKind::Python => tool.handler.path.clone(),
    };
    row("handler", handler)?;
    if let Some(environment) = &tool.handler.environment {
        row("packages", format!("environment {environment}"))?;
    }
    let features: Vec<_> = tool.features.0.iter().map(|feature| feature.as_str()).collect();
    if tool.item_name().is_some() {
        let form = tool.ui.is_some().then_some("form");
        let features: Vec<_> = features.into_iter().chain(form).collect();
        row("has", features.join(", "))?;
    }
    row("digest", dim(tool.digests.whole()))?;
    section("the model reads", printer)?;
    for line in tool.summary.lines() {
        printer.data(format!("  {line}"))?;
    }
    section("arguments", printer)?;
    print_table(&contract.parameters, printer)?;
    if let Some(returns) = &contract.returns {
        section("returns", printer)?;
        print_table(returns, printer)?;
    }
    if tool.examples.is_empty() {
        return Ok(());
    }
    section("examples", printer)?;
    for example in &tool.examples {
        printer.data(format!(
            "  {}  {}",
            example.title,
            dim(format!("doc.md:{}", example.line))
        ))?;
        printer.data(format!("    {}", example.value))?;
    }
    Ok(())
}

fn section(name: &str, printer: &mut Printer) -> std::io::Result<()> {
    printer.data("")?;
    printer.data(bold(name))
}

fn print_table(schema: &Value, printer: &mut Printer) -> std::io::Result<()> {
    schema_table::rows(schema).iter().try_for_each(|row| printer.data(format!("  {row}")))
}

fn reach(capabilities: &contract::Capabilities) -> String {
    let contract::Capabilities { net, kv, secrets, files, attachments } = capabilities;
    let mut parts: Vec<String> = Vec::new();
    parts.extend(net.iter().map(|host| format!("host {host}")));
    parts.extend(kv.iter().map(|prefix| match prefix.as_str() {
        KeyPrefix::EVERY => "every key".to_owned(),
        prefix => format!("keys {prefix}*"),
    }));
    parts.extend(secrets.iter().map(|name| format!("secret {name}")));
    parts.extend(files.iter().map(|root| format!("files in {root}")));
    parts.extend(attachments.first().map(|_| "attached files".to_owned()));
    if parts.is_empty() { "nothing".to_owned() } else { parts.join(", ") }
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct RegistryJson<'a> {
    version: &'a registry::RegistryVersion,
    built: Built,
    tools: Vec<&'a contract::Contract>,
    /// Tools with faults.
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    left_out: &'a [ExcludedTool],
}

/// Whether the registry file is up to date.
#[derive(Serialize, Clone, Copy, PartialEq, Eq)]
#[serde(rename_all = "camelCase")]
enum Built {
    Current,
    Stale,
    Missing,
    Unusable,
}

impl RegistryArgs {
    fn run(self, printer: &mut Printer) -> CommandResult {
        let config = Config::load()?;
        let dir = self.tools.find(&config)?;
        refuse_single_tool(&dir, "show registry")?;
        let build = read(&dir, &config)?;
        let registry = &build.registry;
        let path = dir.join(REGISTRY_FILE);
        let (built, note) = match Registry::load(&path) {
            Ok(old) if is_same(&old, registry) => {
                (Built::Current, "built and up to date".to_owned())
            }
            Ok(old) => {
                let note = format!("{} is {}, older than the tools", path.display(), old.version());
                (Built::Stale, format!("{note}; run `ghosthand build`"))
            }
            Err(fault @ registry::LoadFault::Missing { .. }) => {
                (Built::Missing, format!("not built yet; {}", fault.fix()))
            }
            Err(fault) => (Built::Unusable, format!("{fault}; {}", fault.fix())),
        };
        if self.json {
            let tools = registry.tools().map(|tool| &tool.contract).collect();
            let left_out = registry.excluded();
            printer.json(&RegistryJson { version: registry.version(), built, tools, left_out })?;
            return Ok(ExitStatus::Success);
        }
        let width = registry.tools().map(|tool| tool.contract.tool_id.as_str().len()).max();
        for tool in registry.tools() {
            let contract = &tool.contract;
            let modes: Vec<_> = contract.allowed_modes.iter().map(|mode| mode.as_str()).collect();
            let asks = match (tool.has(Feature::Callable), contract.requires_confirmation) {
                (false, _) => "not for models",
                (true, true) => "asks first",
                (true, false) => "",
            };
            let id = format!("{:<1$}", contract.tool_id.as_str(), width.unwrap_or_default());
            let line = format!(
                "{}  {:<8} {:<10} {:<10} {:<12} {asks}",
                cyan(id),
                contract.version.to_string(),
                contract.category.as_str(),
                contract.side_effects.as_str(),
                modes.join(", "),
            );
            printer.data(line.trim_end())?;
        }
        left_out::print(registry.excluded());
        let total = count(registry.len(), "tool");
        printer.message(format!("{total}, version {}; {note}", registry.version()))?;
        Ok(ExitStatus::Success)
    }
}

/// The version covers only what models see; this covers handlers and documents too.
fn is_same(old: &Registry, new: &Registry) -> bool {
    let digests =
        |registry: &Registry| registry.tools().map(|tool| tool.digests).collect::<Vec<_>>();
    old.version() == new.version() && digests(old) == digests(new)
}
