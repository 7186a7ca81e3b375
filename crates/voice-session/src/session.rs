//! One session, from its opening to its end: a loop over what happens.
//!
//! In: messages of the client, results of tasks, the time. Out: effects of the [`Driver`], done in
//! their order. Everything that takes time is a task that reports back ([`Done`]).

mod effects;
pub(crate) mod parts;
mod speech_queue;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use cancel::Cancel;
use contract::{Call, CallId};
use conversation::{ConversationFault, VoiceCallEnd, VoiceLog};
use policy::{RequestId, Timestamp};
use serde_json::Value;
use tokio::sync::mpsc;
use voice::{
    Config, DETECTOR_RATE, Driver, EarshotDetector, Effect, EndReport, Input, Microphone, Opened,
    Refused, RoadKind, Setup, SpeechId, SpeechLimits, TextTurnRequest, TurnNumber,
    all_capabilities, road,
};

use crate::speech::{Pcm, SpeechFault, Transcribes};
use crate::text_turn::{TextTurn, TurnOutput};
use parts::{FromClient, Heard, SessionParts, ToClient};
use speech_queue::{Sentence, SpeechQueue};

/// Samples in a second of what the client plays.
pub const OUTPUT_RATE: u32 = 24_000;
/// How long a session may be silent before it ends by itself.
const SILENCE_MAX: Duration = Duration::from_secs(600);

/// Why a session did not begin, or broke.
#[derive(Debug, thiserror::Error)]
pub enum SessionFault {
    #[error(transparent)]
    Refused(#[from] Refused),
    #[error("the table of models has no cascade")]
    NoCascade,
    #[error("the log of the session before this one cannot be continued")]
    BadLog,
    #[error(transparent)]
    Log(#[from] ConversationFault),
}

/// The end of something that took time.
pub(crate) enum Done {
    Said { speech: SpeechId, text: Result<String, SpeechFault> },
    Spoken(Sentence),
    Call { call: CallId, end: VoiceCallEnd },
    Message { call: CallId, message: Value },
    Answered { request: RequestId, by_button: bool, fault: Option<String> },
    FormAnswered { fault: Option<String> },
}

/// Runs a session to its end. Ends when the client is gone, too.
pub async fn run_session(
    parts: SessionParts,
    mut from: mpsc::Receiver<FromClient>,
    to: mpsc::Sender<ToClient>,
) -> Result<EndReport, SessionFault> {
    let (mut session, mut inbox) = Running::open(parts, to).await?;
    let mut last_sound = session.now();
    while session.report.is_none() {
        let now = session.now();
        let wait = session.driver.deadline().map_or(SILENCE_MAX, |due| until(now, due));
        tokio::select! {
            message = from.recv() => session.client(message).await,
            Some(done) = inbox.done.recv() => session.done(done).await,
            Some(output) = inbox.turn.recv() => session.turn(output).await,
            () = tokio::time::sleep(wait) => {
                let effects = session.driver.tick(session.now());
                session.perform(effects).await;
            }
        }
        let is_idle = session.driver.state().is_idle();
        if !is_idle {
            last_sound = session.now();
        }
        let has_left = session.finishes && is_idle;
        let is_forgotten = session.now().ms_since(last_sound) >= SILENCE_MAX.as_millis() as u64;
        if session.report.is_none() && (has_left || is_forgotten) {
            let cause = if has_left { "end of audio" } else { "silence" };
            session.input(Input::Stop { cause: cause.to_owned() }).await;
        }
    }
    session.log.flush().await?;
    Ok(session.report.unwrap_or_else(|| EndReport {
        cause: String::new(),
        transcript: Vec::new(),
        pending: Vec::new(),
    }))
}

fn until(now: Timestamp, due: Timestamp) -> Duration {
    Duration::from_millis(due.ms_since(now))
}

/// A session that runs.
pub(crate) struct Running {
    driver: Driver,
    log: Arc<VoiceLog>,
    hears: Arc<dyn Transcribes>,
    queue: SpeechQueue,
    to: mpsc::Sender<ToClient>,
    turns: mpsc::UnboundedSender<TextTurnRequest>,
    done: mpsc::UnboundedSender<Done>,
    /// The calls so far, with their turn and their cancellation.
    calls: BTreeMap<CallId, (Call, TurnNumber, Cancel)>,
    /// The speech that may be asked for.
    speech: Vec<i16>,
    finishes: bool,
    report: Option<EndReport>,
}

pub(crate) struct Inbox {
    done: mpsc::UnboundedReceiver<Done>,
    turn: mpsc::UnboundedReceiver<TurnOutput>,
}

impl Running {
    async fn open(
        parts: SessionParts,
        to: mpsc::Sender<ToClient>,
    ) -> Result<(Self, Inbox), SessionFault> {
        let row = all_capabilities().iter().find(|row| row.road == RoadKind::Cascade);
        let row = row.ok_or(SessionFault::NoCascade)?;
        let SessionParts { log, start, model, hears, speaks, system, .. } = parts;
        let now = log.now();
        let road = road(row);
        let mut config = Config::standard(road.facts(), parts.languages.clone());
        config.utc_offset_minutes = parts.utc_offset_minutes;
        config.tools = parts.tools;
        let setup = Setup {
            instructions: system.clone(),
            tools: log.offers().await,
            history: Vec::new(),
            languages: parts.languages,
            voice: None,
            transcription_model: None,
        };
        let tools = setup.tools.clone();
        let (driver, effects) = match &start.left_open {
            Some(left) => Driver::resume(now, left, road, setup).ok_or(SessionFault::BadLog)?,
            None => {
                let (history, pending) = (start.history, start.pending);
                let opened = Opened { config, history, pending };
                Driver::open(now, opened, start.blocked_until, road, setup)?
            }
        };
        let detector = Box::new(EarshotDetector::new());
        let driver = driver.with_microphone(Microphone::new(detector, SpeechLimits::standard()));
        let (turns, requests) = mpsc::unbounded_channel();
        let (output, turn) = mpsc::unbounded_channel();
        let (done, inbox) = mpsc::unbounded_channel();
        let (rounds_max, output_tokens_max) = (parts.rounds_max, parts.output_tokens_max);
        let text_turn = TextTurn { model, system, tools, rounds_max, output_tokens_max };
        let history = driver.state().history();
        tokio::spawn(async move { text_turn.run(&history, requests, output).await });
        let queue = SpeechQueue::start(speaks, done.clone());
        let (calls, speech) = (BTreeMap::new(), Vec::new());
        let (log, report, finishes) = (Arc::new(log), None, false);
        let mut running =
            Self { driver, log, hears, queue, to, turns, done, calls, speech, finishes, report };
        running.perform(effects).await;
        let effects = running.driver.connected(running.now());
        running.perform(effects).await;
        Ok((running, Inbox { done: inbox, turn }))
    }

    fn now(&self) -> Timestamp {
        self.log.now()
    }

    async fn input(&mut self, input: Input) {
        let effects = self.driver.input(self.now(), input);
        self.perform(effects).await;
    }

    async fn client(&mut self, message: Option<FromClient>) {
        match message {
            Some(FromClient::Audio(samples)) => {
                // The cascade has no provider that hears: only the detector does.
                let effects = self.driver.microphone(self.now(), &[], &samples);
                self.perform(effects).await;
            }
            Some(FromClient::Played { utterance, ms }) => {
                self.input(Input::Played { utterance, ms }).await;
            }
            Some(FromClient::Answer { request, choice }) => {
                self.answer_approval(request, choice, true).await;
            }
            Some(FromClient::Heard(Heard::Started)) => self.input(Input::SpeechStarted).await,
            Some(FromClient::Heard(Heard::Words(text))) => {
                self.input(Input::Partial { text }).await;
            }
            Some(FromClient::Heard(Heard::Ended)) => self.input(Input::SpeechEnded).await,
            Some(FromClient::Interrupt) => self.input(Input::Interrupt).await,
            Some(FromClient::Finish) => self.finishes = true,
            Some(FromClient::Stop) => self.input(stop("person")).await,
            None => self.input(stop("the client is gone")).await,
        }
    }

    async fn done(&mut self, done: Done) {
        match done {
            Done::Said { speech, text } => {
                let text = match text {
                    Ok(text) => text,
                    Err(fault) => {
                        self.trouble(format!("not understood: {fault}")).await;
                        String::new()
                    }
                };
                self.input(Input::Said { speech: Some(speech), text }).await;
            }
            Done::Spoken(sentence) => self.spoken(sentence).await,
            Done::Call { call, end } => self.call_ended(call, end).await,
            Done::Message { call, message } => {
                self.input(Input::CallMessage { call, message }).await
            }
            Done::Answered { request, by_button, fault } => {
                if let Some(fault) = fault {
                    self.trouble(format!("the answer does not count: {fault}")).await;
                } else if by_button {
                    self.input(Input::ApprovalAnswered { request }).await;
                }
            }
            Done::FormAnswered { fault } => {
                if let Some(fault) = fault {
                    self.trouble(format!("the answer does not count: {fault}")).await;
                }
            }
        }
    }

    async fn spoken(&mut self, Sentence { utterance, sentence, sound, .. }: Sentence) {
        let sound: Pcm = match sound {
            Ok(sound) => sound,
            Err(fault) => {
                self.trouble(format!("not spoken: {fault}")).await;
                return self.input(Input::SpeechFailed { utterance }).await;
            }
        };
        let ms = sound.ms();
        self.send(ToClient::Audio { utterance, samples: sound.samples }).await;
        self.input(Input::SpeechAudio { utterance, sentence, ms }).await;
        self.input(Input::SentenceReady { utterance, sentence }).await;
    }

    async fn call_ended(&mut self, call: CallId, end: VoiceCallEnd) {
        match end {
            VoiceCallEnd::Waits(waits) => self.input(Input::CallWaits { call, waits }).await,
            VoiceCallEnd::Settled { result, notes, .. } => {
                for note in notes {
                    self.input(Input::Noted { text: format!("{call}: {note}") }).await;
                }
                self.input(Input::CallSettled { call, result }).await;
            }
        }
    }

    async fn turn(&mut self, output: TurnOutput) {
        match output {
            TurnOutput::Event(event) => {
                let effects = self.driver.turn(self.now(), event);
                self.perform(effects).await;
            }
            TurnOutput::Failed(fault) => {
                self.trouble(format!("{}; {}", fault.message, fault.fix)).await;
            }
        }
    }

    /// Tells people, and the log.
    async fn trouble(&mut self, text: String) {
        tracing::warn!(text, "trouble in a voice session");
        self.send(ToClient::Trouble(text.clone())).await;
        self.input(Input::Noted { text }).await;
    }

    /// A client that is gone is noticed when it sends nothing more.
    async fn send(&mut self, message: ToClient) {
        let _ = self.to.send(message).await;
    }

    /// Does what the driver wants, in its order.
    async fn perform(&mut self, effects: Vec<Effect>) {
        for effect in effects {
            match effect {
                Effect::Do(command) => self.command(command).await,
                Effect::Send(voice::Outgoing::Turn(request)) => drop(self.turns.send(request)),
                Effect::KeepSpeech { samples } => self.speech = samples,
                // The cascade has no socket, and its audio is our own speech.
                Effect::Send(voice::Outgoing::Message(_)) | Effect::Audio { .. } => {}
            }
        }
    }

    fn transcribe(&mut self, speech: SpeechId) {
        let samples = std::mem::take(&mut self.speech);
        let (hears, done) = (Arc::clone(&self.hears), self.done.clone());
        tokio::spawn(async move {
            let text = hears.transcribe(Pcm { rate: DETECTOR_RATE, samples }).await;
            let _ = done.send(Done::Said { speech, text });
        });
    }
}

fn stop(cause: &str) -> Input {
    Input::Stop { cause: cause.to_owned() }
}
