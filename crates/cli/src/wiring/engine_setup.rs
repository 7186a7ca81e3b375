//! Sets up the engine for a command: registry, store, hosts, rules, and the terminal as surface.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::Context;
use clap::Args;
use contract::{Channel, Secret, SecretName};
use dialect::UnknownArguments;
use engine::{Engine, EngineLimits, Hosts, Wiring};
use hosts::js::{JsHost, JsHostConfig};
use pen::remote::RemoteServices;
use pen::tools::ProfileReads;
use policy::{BoxFuture, ConfigRules, Limits, RuleFault, ServiceFault, parse_rules};
use registry::{Build, LiveRegistry};
use services::{HandlerEvent, Network, Secrets, ServiceLimits, Surface};
use store::{Clock, Store, SystemClock};

use crate::config::{CONFIG_FILE, Config};
use crate::exit::Failure;
use crate::python::hosts::PythonHosts;
use crate::python::settings::PythonSettings;
use crate::render::left_out;
use crate::render::lock_drift::Drift;
use crate::render::printer::{Printer, end_stream, stream};
use crate::render::wrap::{columns_of_stderr, wrapped};
use crate::wiring::open_model::{embedding_model, open_model};
use crate::wiring::open_store::store_address::StoreAddress;
use crate::wiring::open_store::{StoreUse, not_opened, open_store};
use crate::wiring::pen_reads::StoredReads;
use crate::wiring::pen_tools;
use crate::wiring::read_tools::{LockMode, read_to_run};

/// The locations of the tools, the store and the rules.
#[derive(Args)]
pub(crate) struct EngineArgs {
    /// The tools directory [default: tools]
    #[arg(long, value_name = "DIR")]
    pub dir: Option<PathBuf>,
    /// The store: a file, created if missing, or postgres://USER@HOST/DATABASE
    /// [default: .ghosthand/store.db]
    #[arg(long, value_name = "STORE")]
    pub store: Option<PathBuf>,
    /// A file with policy rules
    #[arg(long, value_name = "FILE")]
    pub rules: Option<PathBuf>,
}

/// What a script replaces in an engine.
pub(crate) struct ScriptParts<'a> {
    /// Instead of the project's store.
    pub store: Option<PathBuf>,
    pub clock: Arc<dyn Clock>,
    /// Changes the hosts of the handlers.
    pub hosts: WrapHosts<'a>,
}

pub(crate) type WrapHosts<'a> = Box<dyn FnOnce(Hosts) -> Hosts + 'a>;

impl EngineArgs {
    /// Opens the engine with the settings of this project. Must be called on a runtime.
    pub(crate) fn open(&self, to: StoreUse) -> Result<Engine, Failure> {
        self.open_reported(&Config::load()?, ApprovalPlace::Terminal, to).map(|opened| opened.0)
    }

    /// Opens it without enforcing `tools.lock`, for tests and replays.
    pub(crate) fn open_unlocked(&self, config: &Config, to: StoreUse) -> Result<Engine, Failure> {
        let (engine, _, _) =
            self.open_unreported(config, LockMode::Ignored, ApprovalPlace::Terminal, to)?;
        left_out::print(engine.registry().lease().excluded());
        Ok(engine)
    }

    /// Opens it for a script: with another clock and other handlers, and perhaps another store.
    /// `tools.lock` is not enforced, as in other tests.
    pub(crate) fn open_for_script(
        &self,
        config: &Config,
        parts: ScriptParts<'_>,
    ) -> Result<Engine, Failure> {
        let (engine, _, _) = self.open_with(
            config,
            LockMode::Ignored,
            ApprovalPlace::Terminal,
            parts,
            StoreUse::Write,
        )?;
        left_out::print(engine.registry().lease().excluded());
        Ok(engine)
    }

    /// Opens the engine for one tool. If that is left out, fails with its faults.
    pub(crate) fn open_for(
        &self,
        config: &Config,
        tool: &str,
        to: StoreUse,
        printer: &mut Printer,
    ) -> Result<(Engine, Drift), Failure> {
        let (engine, _, drift) =
            self.open_unreported(config, LockMode::of(config), ApprovalPlace::Terminal, to)?;
        let lease = engine.registry().lease();
        left_out::refuse(&lease, &engine.full_name(tool), printer)?;
        left_out::print(lease.excluded());
        drop(lease);
        Ok((engine, drift))
    }

    /// The engine and its store, with the changes since `tools.lock`. Prints the tools that are
    /// left out.
    pub(crate) fn open_with_drift(
        &self,
        config: &Config,
    ) -> Result<(Engine, Arc<dyn Store>, Drift), Failure> {
        self.open_reported(config, ApprovalPlace::Terminal, StoreUse::Write)
    }

    /// The same for a server, whose approvals wait longer. `hosts` may add to the hosts of the
    /// handlers.
    pub(crate) fn open_for_server(
        &self,
        config: &Config,
        hosts: WrapHosts<'_>,
    ) -> Result<(Engine, Arc<dyn Store>, Drift), Failure> {
        let parts = ScriptParts { store: None, clock: Arc::new(SystemClock), hosts };
        let (lock_mode, place) = (LockMode::of(config), ApprovalPlace::Inbox);
        let opened = self.open_with(config, lock_mode, place, parts, StoreUse::Write)?;
        left_out::print(opened.0.registry().lease().excluded());
        Ok(opened)
    }

    fn open_reported(
        &self,
        config: &Config,
        place: ApprovalPlace,
        to: StoreUse,
    ) -> Result<(Engine, Arc<dyn Store>, Drift), Failure> {
        let opened = self.open_unreported(config, LockMode::of(config), place, to)?;
        left_out::print(opened.0.registry().lease().excluded());
        Ok(opened)
    }

    /// A second engine over the same store, with Ghostpen's unpacked tools and no others: no
    /// process is started for them, and no MCP server is connected twice.
    pub(crate) fn open_for_pen(
        &self,
        config: &Config,
        tools: &Path,
        store: &Arc<dyn Store>,
    ) -> Result<Engine, Failure> {
        let dir = Some(tools.to_owned());
        let args = Self { dir, store: self.store.clone(), rules: self.rules.clone() };
        let tools = read_to_run(tools, LockMode::Ignored, config)?;
        let clock = Arc::new(SystemClock);
        let setup = Setup { place: ApprovalPlace::Inbox, tools: ToolsOf::Pen, clock };
        Ok(args.engine(config, tools, store, setup)?.0)
    }

    fn open_unreported(
        &self,
        config: &Config,
        lock_mode: LockMode,
        place: ApprovalPlace,
        to: StoreUse,
    ) -> Result<(Engine, Arc<dyn Store>, Drift), Failure> {
        let parts =
            ScriptParts { store: None, clock: Arc::new(SystemClock), hosts: Box::new(|h| h) };
        self.open_with(config, lock_mode, place, parts, to)
    }

    fn open_with(
        &self,
        config: &Config,
        lock_mode: LockMode,
        place: ApprovalPlace,
        parts: ScriptParts<'_>,
        to: StoreUse,
    ) -> Result<(Engine, Arc<dyn Store>, Drift), Failure> {
        let store = match parts.store {
            Some(file) => StoreAddress::File(file),
            None => self.store_address(config)?,
        };
        let tools = read_to_run(&self.tools_dir(config), lock_mode, config)?;
        let store = open_store(&store, to)?.shared();
        let setup = Setup { place, tools: ToolsOf::Project(parts.hosts), clock: parts.clock };
        let (engine, drift) = self.engine(config, tools, &store, setup)?;
        Ok((engine, store, drift))
    }

    fn engine(
        &self,
        config: &Config,
        (build, drift): (Build, Drift),
        store: &Arc<dyn Store>,
        setup: Setup<'_>,
    ) -> Result<(Engine, Drift), Failure> {
        let place = setup.place;
        let dir = self.tools_dir(config);
        let network = Network::new(config.reach())?;
        // A model that cannot be opened is reported when it is used.
        let model = open_model(config).ok();
        let far = pen_tools::remote_services(config, model.clone());
        let reads = Arc::new(StoredReads::new(Arc::clone(store)));
        let (registry, hosts) = match setup.tools {
            ToolsOf::Project(wrap) => {
                let mut hosts = wrap(hosts(config, far.clone(), reads));
                let join = crate::wiring::mcp_servers::join;
                (join(config, build.registry, &mut hosts)?, hosts)
            }
            ToolsOf::Pen => (build.registry, pen_hosts(config, far.clone(), reads)),
        };
        let engine = Engine::new(Wiring {
            not_set_up: pen_tools::unreachable(config, &far, &registry),
            registry: LiveRegistry::new(registry),
            own_files: self.own_files(config, &dir),
            project: project_of(&dir)?,
            tools_dir: dir,
            store: Arc::clone(store),
            clock: setup.clock,
            hosts,
            rules: self.rules(config)?,
            text_limits: limits(config, "text", Limits::text(), place),
            voice_limits: limits(config, "voice", Limits::voice(), place),
            limits: EngineLimits::machine(),
            secrets: Arc::new(FromEnvironment),
            network,
            service_limits: ServiceLimits::ORDINARY,
            surface: Arc::new(Terminal),
            notices: Arc::new(conversation::LogNotices::new(Arc::clone(store))),
            model,
            unknown_arguments: match config.get("tools.unknown_arguments") {
                Some("strip") => UnknownArguments::Strip,
                Some(_) | None => UnknownArguments::Refuse,
            },
        });
        embedding_model::open(config, &engine)?;
        Ok((engine, drift))
    }

    /// Checks the store before it is served; a damaged one is a failure.
    pub(crate) fn check_store(
        &self,
        config: &Config,
        printer: &mut Printer,
    ) -> Result<(), Failure> {
        let StoreAddress::File(file) = self.store_address(config)? else { return Ok(()) };
        if !store::quick_check(&file).map_err(not_opened)? {
            let size = store::QUICK_BYTES_MAX >> 30;
            printer.message(format!(
                "the store is larger than {size} GiB and was not checked; run \
                 `ghosthand store check` while it is served"
            ))?;
        }
        Ok(())
    }

    /// Where the store is.
    pub(crate) fn store_address(&self, config: &Config) -> Result<StoreAddress, Failure> {
        StoreAddress::of(self.store.as_deref(), config)
    }

    /// The store file; other state of the project is beside it. With a store in PostgreSQL there is
    /// only that other state.
    pub(crate) fn store_file(&self, config: &Config) -> PathBuf {
        let usual = || config.path("store.file").unwrap_or_default();
        // An address that cannot be used is reported when the store is opened.
        self.store_address(config).map_or_else(|_| usual(), |address| address.state_file(config))
    }

    /// The directory of the tools, by flag or by setting.
    pub(crate) fn tools_dir(&self, config: &Config) -> PathBuf {
        self.dir.clone().or_else(|| config.path("tools.dir")).unwrap_or_default()
    }

    /// The files that decide what runs; tools may not write them.
    fn own_files(&self, config: &Config, tools: &Path) -> Arc<[PathBuf]> {
        let kept = [tools.to_owned(), self.store_file(config), CONFIG_FILE.into()];
        kept.into_iter().chain(self.rules_file(config)).collect()
    }

    fn rules_file(&self, config: &Config) -> Option<PathBuf> {
        self.rules.clone().or_else(|| config.path("rules.file"))
    }

    fn rules(&self, config: &Config) -> Result<ConfigRules, Failure> {
        let Some(path) = self.rules_file(config) else {
            return Ok(ConfigRules::none());
        };
        let name = path.display().to_string();
        let text = std::fs::read_to_string(&path).map_err(|error| {
            let what = anyhow::Error::new(error).context(format!("`{name}` cannot be read"));
            Failure::user(what, "choose a file with rules")
        })?;
        parse_rules(&name, &text).map_err(|faults| {
            let line = |fault: &RuleFault| {
                let place = &fault.place;
                let (file, at) = (&place.file, place.line);
                format!("{} {file}:{at}: {}; {}", fault.code, fault.what, fault.fix)
            };
            let faults: Vec<_> = faults.iter().map(line).collect();
            Failure::message(faults.join("\n"), "correct the rules; nothing runs until then")
        })
    }
}

/// How one engine differs from another of the same project.
struct Setup<'a> {
    place: ApprovalPlace,
    tools: ToolsOf<'a>,
    clock: Arc<dyn Clock>,
}

/// Whose tools an engine has.
enum ToolsOf<'a> {
    /// With a change of the hosts of their handlers.
    Project(WrapHosts<'a>),
    Pen,
}

/// Where approvals are answered, which decides how long they wait.
#[derive(Debug, Clone, Copy)]
enum ApprovalPlace {
    Terminal,
    Inbox,
}

impl ApprovalPlace {
    /// The setting with the time limit.
    fn setting(self) -> &'static str {
        match self {
            Self::Terminal => "approvals.terminal_seconds",
            Self::Inbox => "approvals.inbox_seconds",
        }
    }
}

/// The limits of a mode, with the settings applied.
fn limits(config: &Config, mode: &str, usual: Limits, place: ApprovalPlace) -> Limits {
    let number = |name: &str| config.number(&format!("limits.{mode}.{name}"));
    let seconds: Option<u32> = config.number(place.setting());
    Limits {
        approval_ms_max: seconds.map_or(usual.approval_ms_max, |s| u64::from(s) * 1_000),
        calls_max: number("calls").unwrap_or(usual.calls_max),
        retrieval_calls_max: number("retrievals").unwrap_or(usual.retrieval_calls_max),
        ..usual
    }
}

/// The hosts of all handlers. Must be called on a runtime.
pub(crate) fn hosts(config: &Config, far: RemoteServices, reads: Arc<dyn ProfileReads>) -> Hosts {
    let workspace = pen_tools::workspace(config);
    Hosts {
        javascript: Arc::new(JsHost::start(JsHostConfig {
            sandbox: config.sandbox(),
            ..JsHostConfig::new()
        })),
        python: Some(Arc::new(PythonHosts::new(PythonSettings::of(config)))),
        native: pen_tools::host(workspace, pen_tools::lang(config), far, reads),
    }
}

/// The hosts of Ghostpen's own tools, which are all native.
fn pen_hosts(config: &Config, far: RemoteServices, reads: Arc<dyn ProfileReads>) -> Hosts {
    let workspace = pen_tools::workspace(config);
    let native = pen_tools::host(workspace, pen_tools::lang(config), far, reads);
    Hosts { javascript: native.clone(), python: None, native }
}

/// The parent of the tools directory: the root of `capabilities.files`.
pub(crate) fn project_of(tools: &Path) -> Result<PathBuf, Failure> {
    let tools = tools.canonicalize().with_context(|| tools.display().to_string())?;
    Ok(tools.parent().map_or_else(|| tools.clone(), Path::to_path_buf))
}

/// Reads secrets from the environment; only those that a contract names are requested.
struct FromEnvironment;

impl Secrets for FromEnvironment {
    fn get(&self, name: &SecretName) -> Option<Secret> {
        #[expect(clippy::disallowed_methods, reason = "secrets are read here")]
        std::env::var(name.as_str()).ok().map(Secret::new)
    }
}

/// Prints handler output to standard error; only the result goes to standard output.
struct Terminal;

impl Surface for Terminal {
    fn event(&self, event: HandlerEvent) -> BoxFuture<'static, Result<(), ServiceFault>> {
        let line = match event {
            HandlerEvent::Chunk(chunk) => {
                match chunk.channel {
                    Channel::Assistant => stream(&chunk.text),
                    Channel::System => print_line(&chunk.text),
                    // For the model only.
                    Channel::Context => {}
                }
                return Box::pin(async { Ok(()) });
            }
            HandlerEvent::Progress { fraction, note } => {
                format!("{:>3.0} %  {}", fraction * 100.0, note.unwrap_or_default())
            }
            HandlerEvent::Message(message) => format!("message  {message}"),
            HandlerEvent::Audit { event, .. } => format!("audit    {event}"),
            HandlerEvent::Console { text, .. } => format!("console  {text}"),
        };
        print_line(&line);
        Box::pin(async { Ok(()) })
    }
}

/// Prints a line. A closed terminal does not stop the handler.
fn print_line(line: &str) {
    end_stream();
    let _ = writeln!(std::io::stderr(), "{}", wrapped(line.trim_end(), columns_of_stderr()));
}
