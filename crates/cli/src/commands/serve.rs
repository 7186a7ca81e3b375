//! `ghosthand serve`: the web page, its API and the tools for programs.

mod added_servers;
mod mcp_mount;
mod open_providers;
mod pen_mount;
mod voice_mount;

use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use cards::{Answerer, Library};
use cards_web::{Anki, CardsLimits, CardsWeb, Meter, PageFetcher, WebPage};
use clap::Args;
use contract::Secret;
use engine::Engine;
use providers::{EmbeddingModel, Purpose, UsageBook};
use server::{
    AttachmentLimits, Content, EverySecond, Extension, ListenFault, RenderPool, Server,
    ServerLimits, Telemetry, Token, Tokens, page_address,
};
use services::{FetchedPage, Network, ServiceLimits, fetch_page};

use super::cards::anki_connect::anki_connect;
use super::cards::{settings, speech};
use crate::config::{Config, TELEMETRY_HEADERS};
use crate::exit::{CommandResult, ExitStatus, Failure, not_read};
use crate::render::printer::{Printer, bold, cyan, dim};
use crate::wiring::engine_setup::{EngineArgs, project_of};
use crate::wiring::listen::{OPEN_FIX, bind, check_open, parse_address};
use crate::wiring::local_token::LocalToken;
use crate::wiring::open_model::{REHEARSAL, embedding_model, unnamed};
use crate::wiring::runtime::on_runtime;
use crate::wiring::watch_tools::ToolWatcher;

/// Texts rendered in parallel.
const RENDERERS_MAX: usize = 2;

/// Serve the chat page, its API and live stream, and the tools for programs
///
/// By default a token is required, on this machine too. Without --token-file, a token is generated
/// and stored beside the store; the printed link contains it and logs the browser in.
///
/// MCP clients use `/mcp`, programs `/api/call/TOOL`, and OpenAPI importers
/// `/api/call/openapi.json`. A section `[mcp_tokens.NAME]` of ghosthand.toml gives a program its
/// own token and set of tools, for these addresses only.
#[derive(Args)]
pub(crate) struct ServeArgs {
    /// The address to listen on; port 0 picks a free port
    #[arg(long, default_value = "127.0.0.1:7777", value_name = "ADDRESS", value_parser = parse_address)]
    listen: SocketAddr,
    /// Refused: other users could read it in the process list
    #[arg(long, hide = true, value_name = "TOKEN")]
    token: Vec<String>,
    /// A file with one token per line, as SECRET or OWNER=SECRET; owners see only their own data,
    /// and the first owner switches tools for all
    #[arg(long, value_name = "FILE")]
    token_file: Option<PathBuf>,
    /// Serve without a token: every program and user on this machine can read all conversations
    /// and approve calls in your name. Only on loopback addresses
    #[arg(long, conflicts_with_all = ["token", "token_file"])]
    no_token: bool,
    /// Another host name to accept
    #[arg(long, value_name = "NAME")]
    host: Vec<String>,
    /// The model, as provider:name
    #[arg(long, value_name = "MODEL")]
    model: Option<String>,
    #[command(flatten)]
    engine: EngineArgs,
}

impl ServeArgs {
    pub(crate) fn run(self, printer: &mut Printer) -> CommandResult {
        self.check_flags()?;
        let mut config = Config::load()?;
        config.flag("model", "--model", self.model.clone());
        let keyed = unnamed(&config).map(|one| one.provider.name.clone());
        if keyed.is_some() {
            config.flag("model", "no model is named", Some(REHEARSAL.to_owned()));
        }
        on_runtime(async {
            self.engine.check_store(&config, printer)?;
            let (set, hosts) = added_servers::host();
            let (engine, store, drift) = self.engine.open_for_server(&config, hosts)?;
            let access = self.access(&config)?;
            let tokens = access.tokens();
            drift.print(None, printer)?;
            let listener = bind(self.listen).await?;
            let address = listener.local_addr()?;
            let page = page_address(address, &self.host);
            let tools_dir = self.engine.tools_dir(&config);
            let project = project_of(&tools_dir)?;
            let limits = limits(&config);
            let (door, mcp) =
                mcp_mount::open(engine.clone(), store, &page, project, &limits).await?;
            let operator = tokens.first().map(|token| token.owner().to_owned());
            let pen = pen_mount::open(&self.engine, &config, &engine, operator.clone())?;
            let cards = flashcards(&engine, &config, operator.clone())?;
            let voice = voice_mount::open(&config)?;
            let store_file = self.engine.store_file(&config);
            let added =
                added_servers::open(&engine, &config, &store_file, set, operator.as_deref())
                    .await?;
            let extensions = vec![cards, pen.extension, mcp, voice, added];
            let server = self.server(engine.clone(), &config, &tokens, limits, extensions)?;
            greet(&page, &access, printer)?;
            if let Some(name) = keyed {
                printer.message(format!(
                    "there is a key for `{name}`: choose a model on the page, or set `model`"
                ))?;
            }
            let tools = ToolWatcher::new(tools_dir, &config);
            tokio::select! {
                served = server.run(listener, asked_to_end()) => served.map_err(failure)?,
                fault = tools.keep_fresh(&engine, printer) => return Err(fault.into()),
            }
            door.drain().await;
            drop(pen.tools);
            Ok(ExitStatus::Success)
        })
    }

    fn server(
        &self,
        engine: Engine,
        config: &Config,
        tokens: &[Token],
        limits: ServerLimits,
        extensions: Vec<Extension>,
    ) -> Result<Server, Failure> {
        let programs = mcp_mount::programs(config)?;
        let tokens = Tokens::new(tokens).and_then(|tokens| tokens.with_programs(&programs));
        let fix = "list each owner once; `client` is a name of a-z A-Z 0-9 - _";
        let store = engine.shared_store();
        let providers = open_providers::open(config, store, &self.engine.store_file(config))?;
        if let Some(id) = config.get("kb.embeddings") {
            let model = EmbeddingModel::new(providers.clone(), id);
            let tokens = embedding_model::tokens_per_day_max(config);
            engine.knowledge().use_embeddings(Arc::new(model), tokens);
        }
        Ok(Server {
            engine,
            providers,
            tokens: tokens.map_err(|bad| Failure::user(bad, fix))?,
            names: self.host.clone(),
            system_prompt: config.get("chat.system").unwrap_or_default().to_owned(),
            rounds_max: config.number("chat.rounds").unwrap_or(8),
            output_tokens_max: config.number("chat.output_tokens"),
            telemetry: telemetry(config)?,
            condition_clock: Arc::new(EverySecond),
            limits,
            render_pool: RenderPool::new(RENDERERS_MAX),
            extensions,
        })
    }

    /// Flags that are never right together or at all.
    fn check_flags(&self) -> Result<(), Failure> {
        if !self.token.is_empty() {
            return Err(Failure::usage(
                "a token on the command line is visible to every user of this machine",
                "write it to a file and pass `--token-file FILE`, or omit it to generate one",
            ));
        }
        check_open(self.listen, !self.no_token)
    }

    /// The tokens of --token-file; else the local token, unless --no-token is given.
    fn access(&self, config: &Config) -> Result<Access, Failure> {
        if let Some(path) = &self.token_file {
            return tokens_of(path).map(Access::Named);
        }
        if self.no_token {
            return Ok(Access::Open);
        }
        LocalToken::beside(&self.engine.store_file(config), "serve-token").map(Access::Own)
    }
}

/// The flashcards, over the same store as the terminal's.
fn flashcards(
    engine: &Engine,
    config: &Config,
    operator: Option<String>,
) -> Result<Extension, Failure> {
    let library = Library::new(engine.shared_store(), Arc::new(models::SystemClock));
    if !settings::is_enabled(config) {
        return Ok(CardsWeb::disabled());
    }
    let web = CardsWeb {
        library,
        answerer: settings::answerer(config)?,
        meter: meter(engine),
        ask: settings::ask_settings(config),
        chunking: settings::chunking(config),
        fetch: Some(page_fetcher(config)?),
        speaker: speech::speaker(config)?,
        anki: match config.get("cards.anki.url").unwrap_or_default() {
            "" => None,
            url => Some(Anki { call: anki_connect(url)?, operator }),
        },
        limits: CardsLimits::machine(),
    };
    Ok(web.extension())
}

/// Counts the answers in the usage of the owner of a run. The stand-in's answers and batches are
/// not counted.
fn meter(engine: &Engine) -> Meter {
    let book = UsageBook::new(engine.shared_store(), engine.clock());
    Arc::new(move |owner, answerer| match answerer.batches {
        Some(_) => {
            let model = book.metered(Arc::clone(&answerer.model), owner, Purpose::Cards);
            Answerer { model, ..answerer }
        }
        None => answerer,
    })
}

/// Reads pages for the flashcards, with the rules and limits of tools.
fn page_fetcher(config: &Config) -> Result<PageFetcher, Failure> {
    let network = Network::new(config.reach())?;
    Ok(Arc::new(move |url: String| {
        let network = network.clone();
        Box::pin(async move {
            let fetched = fetch_page(&network, &url, &ServiceLimits::ORDINARY).await;
            let page = fetched.map_err(|fault| fault.message)?;
            let FetchedPage { url, media_type, bytes } = page;
            Ok(WebPage { url, media_type, bytes })
        })
    }))
}

/// How people authenticate.
enum Access {
    /// With tokens of a file; they are never printed.
    Named(Vec<Token>),
    Own(LocalToken),
    /// Anyone who reaches the address.
    Open,
}

impl Access {
    fn tokens(&self) -> Vec<Token> {
        match self {
            Self::Named(tokens) => tokens.clone(),
            Self::Own(own) => vec![own.token.clone()],
            Self::Open => Vec::new(),
        }
    }
}

/// The tokens of a file, one per line; lines starting with `#` are comments. A file without
/// tokens is refused.
fn tokens_of(path: &Path) -> Result<Vec<Token>, Failure> {
    let shown = path.display();
    let text = std::fs::read_to_string(path).map_err(|error| not_read(path, error))?;
    let lines = text.lines().map(str::trim).zip(1..);
    let lines = lines.filter(|(line, _)| !line.is_empty() && !line.starts_with('#'));
    let parsed = lines.map(|(line, at)| {
        Token::parse(line).map_err(|bad| {
            let what = anyhow::Error::new(bad).context(format!("{shown}:{at} is not a token"));
            Failure::user(what, "write SECRET or OWNER=SECRET; `openssl rand -hex 16` makes one")
        })
    });
    let tokens: Vec<_> = parsed.collect::<Result<_, _>>()?;
    match tokens.is_empty() {
        true => Err(Failure::message(
            format!("`{shown}` has no token"),
            "write one token per line, or omit --token-file",
        )),
        false => Ok(tokens),
    }
}

/// Where spans are sent, if configured.
fn telemetry(config: &Config) -> Result<Option<Telemetry>, Failure> {
    let Some(endpoint) = config.get("telemetry.endpoint") else { return Ok(None) };
    let content = match config.get("telemetry.content") {
        Some("shown") => Content::Shown,
        Some(_) | None => Content::Hidden,
    };
    let given = config.telemetry_headers.as_ref().map_or("", Secret::expose);
    let pairs = given.split(',').map(str::trim).filter(|pair| !pair.is_empty());
    let header = |pair: &str| {
        let (name, value) = pair.split_once('=')?;
        Some((name.trim().to_owned(), Secret::new(value.trim())))
    };
    let headers: Option<Vec<_>> = pairs.map(header).collect();
    let headers = headers.ok_or_else(|| {
        let fix = "write NAME=VALUE, separated by commas";
        Failure::message(format!("${TELEMETRY_HEADERS} cannot be read"), fix)
    })?;
    Ok(Some(Telemetry { endpoint: endpoint.to_owned(), headers, content }))
}

/// The only place that prints a token: after the `#` of the link, which browsers do not send and
/// logs do not keep.
fn greet(page: &str, access: &Access, printer: &mut Printer) -> Result<(), Failure> {
    let title = bold("ghosthand serve");
    let link = match access {
        Access::Named(_) => format!("{page}login"),
        Access::Own(own) => format!("{page}login#{}", own.token.secret()),
        Access::Open => page.to_owned(),
    };
    printer.data(format!("{title}  {}", cyan(link)))?;
    match access {
        Access::Named(_) => {}
        Access::Own(own) => printer.message(dim(format!(
            "programs send `Authorization: Bearer` with the token in {}",
            own.file.display()
        )))?,
        Access::Open => printer
            .message("without a token, every program and user on this machine has full access")?,
    }
    printer.message(dim(
        "programs: MCP at /mcp, HTTP at /api/call/TOOL, OpenAPI at /api/call/openapi.json",
    ))?;
    printer.message(dim("Ctrl-C exits; running answers have a moment to finish"))?;
    Ok(())
}

/// SIGINT or SIGTERM.
async fn asked_to_end() {
    let interrupted = tokio::signal::ctrl_c();
    #[cfg(unix)]
    {
        use tokio::signal::unix::{SignalKind, signal};
        if let Ok(mut terminated) = signal(SignalKind::terminate()) {
            tokio::select! {
                _ = interrupted => {}
                _ = terminated.recv() => {}
            }
            return;
        }
    }
    // Without signal support, it ends with its process.
    drop(interrupted.await);
}

fn failure(fault: ListenFault) -> Failure {
    let fix = match &fault {
        ListenFault::Open(_) => OPEN_FIX,
        ListenFault::Telemetry(_) => "set `telemetry.endpoint` to http://host:4318, or omit it",
        ListenFault::Io(_) => "check the address and the limits of this machine",
    };
    Failure::user(fault, fix)
}

/// The usual limits, with the settings for files.
fn limits(config: &Config) -> ServerLimits {
    let usual = ServerLimits::machine();
    let size = |name: &str, unit: usize, usual: usize| {
        let wanted = config.number(name).and_then(|count| usize::try_from(count).ok());
        wanted.map_or(usual, |count| count.saturating_mul(unit))
    };
    let files = usual.attachments;
    let total = usize::try_from(files.owner_bytes_max).unwrap_or(usize::MAX);
    let total = size("files.total_megabytes", 1_000_000, total);
    let attachments = AttachmentLimits {
        file_bytes_max: size("files.megabytes", 1_000_000, files.file_bytes_max),
        per_message_max: size("files.per_message", 1, files.per_message_max),
        owner_bytes_max: u64::try_from(total).unwrap_or(u64::MAX),
        prompt_bytes_max: size("files.text_kilobytes", 1_000, files.prompt_bytes_max),
        ..files
    };
    ServerLimits { attachments, ..usual }
}
