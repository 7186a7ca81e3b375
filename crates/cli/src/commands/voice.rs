//! `ghosthand voice`: conversations by voice, in real time or played from a script.

mod played_handlers;
mod player;
mod project_engine;
mod script;
mod sound;
mod talk;

use std::path::PathBuf;

use clap::Args;

use crate::exit::CommandResult;
use crate::render::printer::Printer;
use crate::wiring::engine_setup::EngineArgs;

/// Talk with a model that uses your tools, or run a voice session from a script
///
/// Without a file, the microphone is used: `arecord` and `aplay`, or the programs of
/// `voice.microphone` and `voice.speaker`. With FILE.wav, the recording is what the person says,
/// and --out writes what they would hear. `voice.transcribe` and `voice.speak` say what writes
/// speech down and what speaks: a server, or a program of this machine. Ctrl-C hangs up.
///
/// With --road, a provider's speech model hears and speaks instead: OpenAI Realtime, OpenAI Live
/// or Gemini Live, with the keys of the settings.
///
/// With --script, nothing needs sound, a key or the network: the script says what the person, the
/// model and the page do, on a virtual clock, and what must come of it. The tools, the policy, the
/// approvals and the ledger are those of the project, and an hour takes a moment. The store is a
/// temporary one, unless --store or --conversation is given. Handlers run, and may write files of
/// the project; `tool NAME after 1s returns {…}` in the script plays a handler instead. The exit
/// code is 1 if an expectation of the script fails.
#[derive(Args)]
pub(crate) struct VoiceArgs {
    /// A recording of what the person says
    #[arg(value_name = "FILE.wav", conflicts_with = "script")]
    audio: Option<PathBuf>,
    /// Write what was heard to this WAV file
    #[arg(long, value_name = "FILE", conflicts_with = "script")]
    out: Option<PathBuf>,
    /// Run this script; docs/reference/voice.md has the statements
    #[arg(long, value_name = "FILE")]
    script: Option<PathBuf>,
    /// The road: cascade, realtime, live or gemini; or a speech model, as provider:name
    #[arg(long, value_name = "NAME")]
    road: Option<String>,
    /// Print a script's run as JSON: lines, log, transcript, failures
    #[arg(long, requires = "script")]
    json: bool,
    /// Print every line of a script's run, also pieces that only arrive
    #[arg(long, short, requires = "script")]
    verbose: bool,
    /// The text model, as provider:name
    #[arg(long, value_name = "MODEL", conflicts_with = "script")]
    model: Option<String>,
    /// Continue this conversation, or start one with this id
    #[arg(long, value_name = "ID")]
    conversation: Option<String>,
    #[command(flatten)]
    engine: EngineArgs,
}

impl VoiceArgs {
    pub(crate) fn run(self, printer: &mut Printer) -> CommandResult {
        match &self.script {
            Some(path) => script::run(&self, path, printer),
            None => talk::run(&self, printer),
        }
    }
}
