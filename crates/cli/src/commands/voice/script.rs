//! Runs a script in the project, and prints what happened.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use contract::{Contract, Mode, ToolOffer};
use conversation::{Conversations, Opened, PromptForm, VoiceLog, VoiceStart};
use engine::Engine;
use files::read_text;
use policy::{ConversationId, Timestamp};
use serde_json::{Value, json};
use store::{Clock, ManualClock, SystemClock};
use tokio::runtime::Handle;
use voice::{
    OutputLine, Phase, Run, Script, ScriptFault, ScriptProject, Setup, Source, State, ToolFacts,
    parse_script,
};
use voice_session::session_prompt;

use super::VoiceArgs;
use super::played_handlers::with_played;
use super::project_engine::ProjectEngine;
use crate::commands::chat::conversation_failure;
use crate::config::Config;
use crate::exit::{CommandResult, ExitStatus, Failure, not_read};
use crate::render::printer::{Printer, bold, count, dim, red};
use crate::wiring::engine_setup::ScriptParts;
use crate::wiring::read_tools::read;
use crate::wiring::runtime::on_runtime;

/// No script is longer.
const SCRIPT_BYTES_MAX: u64 = 1 << 20;
/// How much of a line is printed without `--verbose`.
const CALM_CHARS_MAX: usize = 200;

pub(super) fn run(args: &VoiceArgs, path: &Path, printer: &mut Printer) -> CommandResult {
    let config = Config::load()?;
    let name = path.display().to_string();
    let text = read_text(path, SCRIPT_BYTES_MAX)
        .map_err(|fault| not_read(path, std::io::Error::from(fault)))?;
    let script = parse_script(&text).map_err(|fault| bad_script(&name, &fault))?;
    let found = on_runtime(async { in_project(args, &config, &script, &name).await })?;
    match args.json {
        true => printer.data(to_json(&found).to_string())?,
        false => print(&found, args.verbose, printer)?,
    }
    if !args.json {
        printer.message(summary(&found, args.conversation.as_deref()))?;
    }
    Ok(if found.failures.is_empty() { ExitStatus::Success } else { ExitStatus::Faults })
}

fn bad_script(name: &str, fault: &ScriptFault) -> Failure {
    let place = if fault.line == 0 { name.to_owned() } else { format!("{name}:{}", fault.line) };
    let what = format!("{place}: {}", fault.what);
    Failure::message(what, "correct the script; docs/reference/voice.md has the statements")
}

async fn in_project(
    args: &VoiceArgs,
    config: &Config,
    script: &Script,
    name: &str,
) -> Result<Run, Failure> {
    let wrong = |fault: ScriptFault| bad_script(name, &fault);
    let tools = read(&args.engine.tools_dir(config), config)?.registry;
    let contracts: Vec<Contract> = tools.tools().map(|tool| tool.contract.clone()).collect();
    let handlers = script.played_handlers(&contracts).map_err(wrong)?;
    // The folder lives as long as the run.
    let scratch = tempfile::tempdir()?;
    let keeps = args.conversation.is_some() || args.engine.store.is_some();
    let clock = Arc::new(ManualClock::at(SystemClock.now()));
    let parts = ScriptParts {
        store: (!keeps).then(|| scratch.path().join("store.db")),
        clock: clock.clone(),
        hosts: Box::new(|hosts| with_played(hosts, &handlers)),
    };
    let engine = args.engine.open_for_script(config, parts)?;
    let start = engine.now();
    let conversations = Conversations::new(engine.clone());
    let (log, begin) = open(args, config, script, &conversations).await?;
    let project = ScriptProject {
        setup: setup(&engine, config, script),
        history: begin.history,
        pending: begin.pending,
        blocked_until: begin.blocked_until,
        start,
        engine: Box::new(ProjectEngine {
            log: &log,
            clock,
            runtime: Handle::current(),
            facts: contracts
                .iter()
                .map(|one| (one.tool_id.to_string(), ToolFacts::of(one)))
                .collect(),
            handlers: handlers.clone(),
            calls: BTreeMap::new(),
            open: Vec::new(),
        }),
        contracts,
    };
    let road = args.road.as_deref().unwrap_or(&script.model);
    let mut run = script.run_in(road, project).map_err(wrong)?;
    log.flush().await.map_err(conversation_failure)?;
    run.failures.extend(unlike_the_log(&conversations, &log, &run).await?);
    drop(log);
    conversations.flush().await;
    Ok(run)
}

/// Opens the conversation of the session, or a new one. A session that was left open has to be
/// closed first: a script begins at the beginning.
async fn open(
    args: &VoiceArgs,
    config: &Config,
    script: &Script,
    conversations: &Conversations,
) -> Result<(VoiceLog, VoiceStart), Failure> {
    let id = args.conversation.clone();
    let id = id.unwrap_or_else(|| format!("voice-{}", conversations.engine().now().0));
    let id = ConversationId(id);
    let opened = Opened {
        client: "terminal".to_owned(),
        mode: Mode::Voice,
        model: format!("script:{}", script.model),
        system: config.get("chat.system").unwrap_or_default().to_owned(),
        rounds_max: config.number("chat.rounds").unwrap_or(8),
        prompt: PromptForm::InResult,
    };
    conversations.open(&id, opened).await.map_err(conversation_failure)?;
    let (log, start) = conversations.open_voice(&id).await.map_err(conversation_failure)?;
    match start.left_open {
        None => Ok((log, start)),
        Some(_) => Err(Failure::message(
            format!("the voice session of `{}` has not ended", id.0),
            "give --conversation another name",
        )),
    }
}

/// The instructions and the tools, as a model of a real session would get them.
fn setup(engine: &Engine, config: &Config, script: &Script) -> Setup {
    let lease = engine.registry().lease();
    let tools: Vec<_> = engine
        .tools(&lease)
        .filter(|tool| tool.contract.allowed_modes.contains(&Mode::Voice))
        .collect();
    let system = config.get("chat.system").unwrap_or_default();
    Setup {
        instructions: session_prompt(engine, system),
        tools: tools
            .iter()
            .map(|tool| ToolOffer {
                id: tool.contract.tool_id.clone(),
                description: tool.for_model().to_owned(),
                parameters: tool.contract.parameters.clone(),
            })
            .collect(),
        history: Vec::new(),
        languages: script.languages().to_vec(),
        voice: None,
        transcription_model: None,
    }
}

/// A reload must show the same: the state made from the stored log is that of the run.
async fn unlike_the_log(
    conversations: &Conversations,
    log: &VoiceLog,
    run: &Run,
) -> Result<Option<String>, Failure> {
    let stored = conversations.get(log.conversation()).await.map_err(conversation_failure)?;
    let state = stored.voice.last().filter(|one| one.session == log.session());
    let state = state.and_then(conversation::VoiceSession::state);
    let is_same = run.log.is_empty() || state == run.state;
    Ok((!is_same).then(|| "the stored log gives another state than the session".to_owned()))
}

/// What an author looks at: decisions and the engine; `--verbose` has the rest.
fn is_calm(line: &OutputLine) -> bool {
    match line.source {
        Source::Decided | Source::Engine => true,
        Source::Arrived | Source::Page | Source::Sent => false,
    }
}

fn print(run: &Run, verbose: bool, printer: &mut Printer) -> Result<(), Failure> {
    for line in run.output.iter().filter(|line| verbose || is_calm(line)) {
        let text = line.to_string();
        let text = if verbose { text } else { clipped(&text) };
        printer.data(match line.source {
            Source::Decided => text,
            Source::Engine => bold(text),
            Source::Arrived | Source::Page | Source::Sent => dim(text),
        })?;
    }
    for failure in &run.failures {
        printer.data(format!("{}  {failure}", red("FAIL")))?;
    }
    Ok(())
}

/// A long result hides the rest of the session.
pub(super) fn clipped(text: &str) -> String {
    match text.char_indices().nth(CALM_CHARS_MAX) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

fn summary(run: &Run, conversation: Option<&str>) -> String {
    let ended = match run.state.as_ref().map(State::phase) {
        Some(Phase::Ended { cause }) => format!("the session ended: {cause}"),
        Some(Phase::Open) => "the session is still open".to_owned(),
        None => "the session was refused".to_owned(),
    };
    let kept = conversation.map(|id| format!("; `ghosthand replay {id} --events` shows its log"));
    let failed = match run.failures.len() {
        0 => String::new(),
        failed => format!("; {} failed", count(failed, "expectation")),
    };
    format!("{ended}{failed}{}", kept.unwrap_or_default())
}

fn to_json(run: &Run) -> Value {
    let line = |line: &OutputLine| {
        let source = line.source.to_string();
        json!({ "at_ms": line.at_ms, "source": source, "text": line.text })
    };
    let start = run.log.first().map_or(Timestamp(0), |entry| entry.at);
    let spoken = |line: &voice::Line| {
        let at_ms = line.at.ms_since(start);
        json!({ "at_ms": at_ms, "speaker": line.speaker, "text": line.text, "shown": line.shown })
    };
    let transcript: Vec<_> = run.state.iter().flat_map(State::transcript).map(spoken).collect();
    json!({
        "ok": run.failures.is_empty(),
        "failures": run.failures,
        "ended": run.report.as_ref().map(|report| &report.cause),
        "pending": run.report.iter().flat_map(|report| &report.pending).collect::<Vec<_>>(),
        "transcript": transcript,
        "lines": run.output.iter().map(line).collect::<Vec<_>>(),
        "log": run.log,
    })
}
