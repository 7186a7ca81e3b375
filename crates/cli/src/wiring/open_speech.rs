//! The speech services of the settings: what writes speech down, and what speaks.

use std::ffi::OsString;
use std::path::Path;
use std::sync::Arc;

use voice::{Language, OwnParts, Presence};
use voice_session::{NoSpeech, Speaks, SpeechProgram, SpeechServer, Transcribes};

use crate::config::{Config, provider_of};
use crate::exit::Failure;

/// How a setting names a program of this machine.
const PROGRAM: &str = "program:";

/// What speaks without a setting, if it is installed.
const ESPEAK: &str = "espeak-ng";

/// The languages of voice sessions: our own first.
pub(crate) fn languages(config: &Config) -> Result<Vec<Language>, Failure> {
    let codes = config.get("voice.languages").unwrap_or("en").split(',').map(str::trim);
    let codes = codes.filter(|code| !code.is_empty());
    let known = codes.map(|code| {
        Language::from_code(code).ok_or_else(|| {
            let what = format!("`voice.languages`: there are no word lists for `{code}`");
            Failure::message(what, "give some of en, uk, ru, lv, de, es")
        })
    });
    known.collect()
}

/// Our own speech services.
pub(crate) struct SpeechServices {
    pub hears: Arc<dyn Transcribes>,
    pub speaks: Arc<dyn Speaks>,
    /// Which of them are there.
    pub own: OwnParts,
}

impl SpeechServices {
    pub(crate) const BOTH: OwnParts =
        OwnParts { speech: Presence::Present, transcription: Presence::Present };

    /// For a road of our own parts, which needs both.
    pub(crate) fn both(config: &Config) -> Result<Self, Failure> {
        let (hears, speaks) = (open_transcription(config)?, open_speech(config)?);
        Ok(Self { hears, speaks, own: Self::BOTH })
    }

    /// Beside a provider's speech model: those that are set up. Without them, approvals need the
    /// button.
    pub(crate) fn some(config: &Config) -> Result<Self, Failure> {
        let is_set = |name| config.get(name).is_some_and(|text| !text.is_empty());
        let mut services = Self {
            hears: Arc::new(NoSpeech),
            speaks: Arc::new(NoSpeech),
            own: OwnParts { speech: Presence::Absent, transcription: Presence::Absent },
        };
        if is_set("voice.transcribe") {
            services.hears = open_transcription(config)?;
            services.own.transcription = Presence::Present;
        }
        if is_set("voice.speak") || is_installed(ESPEAK) {
            services.speaks = open_speech(config)?;
            services.own.speech = Presence::Present;
        }
        Ok(services)
    }
}

/// What writes speech down: the setting, and nothing else, because nothing is on every machine.
pub(crate) fn open_transcription(config: &Config) -> Result<Arc<dyn Transcribes>, Failure> {
    let Some(setting) = config.get("voice.transcribe").filter(|text| !text.is_empty()) else {
        return Err(Failure::message(
            "nothing is set up that writes speech down",
            "install whisper.cpp and set `voice.transcribe = \"program:whisper-cli -m MODEL.bin -np \
             -nt -f -\"`, or name a server as in `voice.transcribe = \"openai:MODEL\"`; \
             docs/guide/voice.md has more",
        ));
    };
    match setting.strip_prefix(PROGRAM) {
        Some(command) => Ok(Arc::new(program(config, "voice.transcribe", command)?)),
        None => {
            let language = languages(config)?.first().map(|one| one.code().to_owned());
            Ok(Arc::new(server(config, "voice.transcribe", setting, language)?))
        }
    }
}

/// What speaks: the setting, else `espeak-ng` if it is installed.
pub(crate) fn open_speech(config: &Config) -> Result<Arc<dyn Speaks>, Failure> {
    let language = languages(config)?.first().copied().unwrap_or(Language::En);
    match config.get("voice.speak").filter(|text| !text.is_empty()) {
        Some(setting) => match setting.strip_prefix(PROGRAM) {
            Some(command) => Ok(Arc::new(program(config, "voice.speak", command)?)),
            None => {
                let voice = config.get("voice.voice").map(str::to_owned);
                Ok(Arc::new(server(config, "voice.speak", setting, voice)?))
            }
        },
        None if is_installed(ESPEAK) => {
            let command = format!("{ESPEAK} --stdin --stdout -v {}", language.code());
            Ok(Arc::new(program(config, "voice.speak", &command)?))
        }
        None => Err(Failure::message(
            "nothing is set up that speaks",
            "install espeak-ng, or set `voice.speak` to a server as in \"openai:MODEL\" or to \
             \"program:COMMAND\"; docs/guide/voice.md has more",
        )),
    }
}

/// Speech programs run with the user's rights and outside every sandbox, because they need models,
/// devices and graphics cards. So a project, which somebody else may have written, cannot name
/// one.
pub(crate) fn check_own(config: &Config, setting: &str) -> Result<(), Failure> {
    let Some(place) = config.in_project(setting) else { return Ok(()) };
    let variable = format!("GHOSTHAND_{}", setting.replace('.', "_").to_uppercase());
    Err(Failure::message(
        format!("{place}: `{setting}` names a program, which a project must not choose"),
        format!("set it in ~/.config/ghosthand/config.toml or in ${variable}"),
    ))
}

fn program(config: &Config, setting: &str, command: &str) -> Result<SpeechProgram, Failure> {
    check_own(config, setting)?;
    let fix = "as in \"program:espeak-ng --stdin --stdout\"";
    let program = SpeechProgram::parse(command, environment())
        .map_err(|bad| Failure::message(format!("`{setting}`: {bad}"), fix))?;
    match is_installed(program.program()) {
        true => Ok(program),
        false => Err(Failure::message(
            format!("`{setting}`: there is no program `{}`", program.program()),
            "install it, or give its whole path",
        )),
    }
}

fn server(
    config: &Config,
    setting: &str,
    wanted: &str,
    detail: Option<String>,
) -> Result<SpeechServer, Failure> {
    let (configured, model) = provider_of(&config.providers, wanted)?;
    let Some(model) = model else {
        let what = format!("`{setting}`: `{wanted}` names no model");
        return Err(Failure::message(what, "write it as provider:model"));
    };
    SpeechServer::new(configured.provider.clone(), &model, detail).map_err(|fault| {
        Failure::message(format!("`{setting}`: {fault}"), "set the key, or use a local server")
    })
}

/// Whether a program is on the path, or is a file itself.
pub(crate) fn is_installed(program: &str) -> bool {
    if program.contains('/') {
        return Path::new(program).is_file();
    }
    let path = environment().into_iter().find(|(name, _)| name == "PATH").map(|(_, path)| path);
    let mut folders = path.iter().flat_map(std::env::split_paths);
    folders.any(|folder| folder.join(program).is_file())
}

/// The environment; the programs get only a few names of it.
pub(crate) fn environment() -> Vec<(String, OsString)> {
    std::env::vars_os()
        .filter_map(|(name, value)| Some((name.into_string().ok()?, value)))
        .collect()
}
