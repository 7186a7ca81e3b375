//! A session in real time: a WAV file or the microphone in, the speaker or a WAV file out.

use std::path::Path;
use std::time::Duration;

use contract::Mode;
use conversation::{Conversations, Opened, PromptForm};
use files::read_file;
use policy::{ConversationId, Timestamp};
use tokio::sync::mpsc;
use tokio::time::{MissedTickBehavior, interval};
use voice::{DETECTOR_RATE, LogEntry, UtteranceId};
use voice_session::{
    FromClient, OUTPUT_RATE, Pcm, SessionFault, SessionOptions, SessionParts, SessionRoad,
    ToClient, read_wav, resample, run_session_on, session_prompt, tool_facts, write_wav,
};

use super::VoiceArgs;
use super::player::Player;
use super::sound::{Source, Speaker};
use crate::commands::chat::conversation_failure;
use crate::config::Config;
use crate::exit::{CommandResult, ExitStatus, Failure, not_read, not_written};
use crate::render::printer::{Printer, bold, dim};
use crate::wiring::open_model::open_model;
use crate::wiring::open_road::{is_cascade, open_road};
use crate::wiring::open_speech::{SpeechServices, languages};
use crate::wiring::runtime::on_runtime;

/// The longest recording: an hour at 48 kHz.
const WAV_BYTES_MAX: u64 = 350 << 20;
/// The length of one piece of audio.
const FRAME_MS: u64 = 20;
/// How many pieces may wait between the terminal and the session.
const WAITING_MAX: usize = 1_024;

pub(super) fn run(args: &VoiceArgs, printer: &mut Printer) -> CommandResult {
    let mut config = Config::load()?;
    config.flag("model", "--model", args.model.clone());
    config.flag("voice.road", "--road", args.road.clone());
    let recording = args.audio.as_deref().map(read_recording).transpose()?;
    on_runtime(async {
        let languages = languages(&config)?;
        let services = match is_cascade(&config)? {
            true => SpeechServices::both(&config)?,
            false => SpeechServices::some(&config)?,
        };
        let options = open_road(&config, services.own)?;
        let (engine, _store, drift) = args.engine.open_with_drift(&config)?;
        drift.print(None, printer)?;
        let conversations = Conversations::new(engine.clone());
        let id = args.conversation.clone().unwrap_or_else(|| format!("voice-{}", engine.now().0));
        let id = ConversationId(id);
        let model = open_model(&config)?;
        let opened = Opened {
            client: "terminal".to_owned(),
            mode: Mode::Voice,
            model: model.facts().to_string(),
            system: config.get("chat.system").unwrap_or_default().to_owned(),
            rounds_max: config.number("chat.rounds").unwrap_or(8),
            prompt: PromptForm::InResult,
        };
        conversations.open(&id, opened).await.map_err(conversation_failure)?;
        let (log, start) = conversations.open_voice(&id).await.map_err(conversation_failure)?;
        let parts = SessionParts {
            system: session_prompt(&engine, config.get("chat.system").unwrap_or_default()),
            languages,
            utc_offset_minutes: jiff::Zoned::now().offset().seconds() / 60,
            tools: tool_facts(&engine),
            rounds_max: config.number("chat.rounds").unwrap_or(8),
            output_tokens_max: config.number("chat.output_tokens"),
            log,
            start,
            model,
            hears: services.hears,
            speaks: services.speaks,
        };
        let line = format!("{}, conversation {}", heading(&options, &parts), id.0);
        printer.message(format!("{}  {}", bold("ghosthand voice"), dim(line)))?;
        let source = match recording {
            Some(recording) => Source::recording(recording),
            None => Source::microphone(&config)?,
        };
        let speaker = match args.audio {
            Some(_) => Speaker::Nowhere,
            None => Speaker::program(&config)?,
        };
        let started = engine.now();
        let heard = Terminal::new(source, speaker, started).run(options, parts, printer).await?;
        if let Some(path) = &args.out {
            let wav = write_wav(&Pcm { rate: OUTPUT_RATE, samples: heard });
            files::write_atomically(path, &wav).map_err(|error| not_written(path, error))?;
        }
        conversations.flush().await;
        Ok(ExitStatus::Success)
    })
}

fn read_recording(path: &Path) -> Result<Vec<i16>, Failure> {
    let bytes = read_file(path, WAV_BYTES_MAX)
        .map_err(|fault| not_read(path, std::io::Error::from(fault)))?;
    let pcm = read_wav(&bytes).map_err(|fault| {
        let what = format!("`{}`: {fault}", path.display());
        Failure::message(what, "give a WAV file with 16-bit samples")
    })?;
    Ok(resample(&pcm.samples, pcm.rate, DETECTOR_RATE))
}

/// Who speaks, and who thinks where that is somebody else.
fn heading(options: &SessionOptions, parts: &SessionParts) -> String {
    match &options.road {
        SessionRoad::Cascade => parts.model.facts().to_string(),
        SessionRoad::Provider(provider) if provider.uses_text_model() => {
            format!("{} with {}", provider.name(), parts.model.facts())
        }
        SessionRoad::Provider(provider) => provider.name(),
    }
}

/// The client of a session in a terminal.
struct Terminal {
    source: Source,
    speaker: Speaker,
    player: Player,
    started: Timestamp,
    /// Everything that came out, in real time.
    heard: Vec<i16>,
    has_finished: bool,
}

impl Terminal {
    fn new(source: Source, speaker: Speaker, started: Timestamp) -> Self {
        let player = Player::default();
        Self { source, speaker, player, started, heard: Vec::new(), has_finished: false }
    }

    /// Talks until the session ends; gives what was heard.
    async fn run(
        mut self,
        options: SessionOptions,
        parts: SessionParts,
        printer: &mut Printer,
    ) -> Result<Vec<i16>, Failure> {
        let (from, received) = mpsc::channel(WAITING_MAX);
        let (sent, mut to) = mpsc::channel(WAITING_MAX);
        let session = tokio::spawn(run_session_on(options, parts, received, sent));
        let mut clock = interval(Duration::from_millis(FRAME_MS));
        // A late piece is still a piece: what was heard is counted in samples.
        clock.set_missed_tick_behavior(MissedTickBehavior::Burst);
        loop {
            tokio::select! {
                message = to.recv() => match message {
                    Some(message) => self.take(message, &from, printer)?,
                    None => break,
                },
                _ = clock.tick() => self.frame(&from).await,
                _ = tokio::signal::ctrl_c() => drop(from.try_send(FromClient::Stop)),
            }
        }
        let ended = session.await.map_err(anyhow::Error::new)?;
        ended.map_err(session_failure)?;
        Ok(self.heard)
    }

    /// One piece of audio in each direction.
    async fn frame(&mut self, from: &mpsc::Sender<FromClient>) {
        // A session that does not take its audio in time loses it, as a phone does.
        match self.source.next(FRAME_MS) {
            Some(samples) => drop(from.try_send(FromClient::Audio(samples))),
            None if !self.has_finished => {
                self.has_finished = true;
                drop(from.try_send(FromClient::Finish));
            }
            None => {
                let silence = vec![0; (DETECTOR_RATE / 1_000) as usize * 20];
                drop(from.try_send(FromClient::Audio(silence)));
            }
        }
        let (sound, report) = self.player.step(FRAME_MS);
        self.speaker.play(&sound).await;
        self.heard.extend(sound);
        report.into_iter().for_each(|report| played(from, report));
    }

    fn take(
        &mut self,
        message: ToClient,
        from: &mpsc::Sender<FromClient>,
        printer: &mut Printer,
    ) -> Result<(), Failure> {
        match message {
            ToClient::Recorded(entry) => self.print(&entry, printer)?,
            ToClient::Play(utterance) | ToClient::Resume(utterance) => self.player.play(utterance),
            ToClient::Audio { utterance, samples } => self.player.audio(utterance, &samples),
            ToClient::Pause { utterance, .. } => {
                let position = self.player.pause(utterance);
                position.into_iter().for_each(|report| played(from, report));
            }
            ToClient::Cut(utterance) => self.player.cut(utterance),
            ToClient::Tone => self.player.tone(),
            ToClient::ShowButton(request) => {
                let id = request.0.trim_start_matches("ask:").chars().take(8).collect::<String>();
                printer
                    .message(format!("in another terminal: ghosthand approvals approve {id}"))?;
            }
            ToClient::Message(message) => printer.message(dim(message))?,
            ToClient::Trouble(text) | ToClient::Notice(text) => printer.message(text)?,
            ToClient::Speak { .. }
            | ToClient::HideButton(_)
            | ToClient::Form(_)
            | ToClient::FormDone(_)
            | ToClient::Ended(_) => {}
        }
        Ok(())
    }

    fn print(&self, entry: &LogEntry, printer: &mut Printer) -> Result<(), Failure> {
        if !entry.event.is_arrival() {
            let line = voice::log_line(entry, self.started).to_string();
            printer.data(super::script::clipped(&line))?;
        }
        Ok(())
    }
}

fn played(from: &mpsc::Sender<FromClient>, (utterance, ms): (UtteranceId, u64)) {
    drop(from.try_send(FromClient::Played { utterance, ms }));
}

fn session_failure(fault: SessionFault) -> Failure {
    match fault {
        SessionFault::Log(fault) => conversation_failure(fault),
        SessionFault::Refused(_) => Failure::user(fault, "wait until then"),
        SessionFault::BadLog => Failure::user(fault, "begin another conversation"),
        SessionFault::OtherRoad => {
            Failure::user(fault, "go on with its --road, or begin another conversation")
        }
        SessionFault::Provider(_) => Failure::user(fault, "try again, or talk with --road cascade"),
        SessionFault::NoCascade => fault.into(),
    }
}
