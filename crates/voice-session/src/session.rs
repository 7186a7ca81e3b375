//! One session, from its opening to its end: a loop over what happens.
//!
//! In: messages of the client and of the provider, results of tasks, the time. Out: effects of the
//! [`Driver`], done in their order. Everything that takes time is a task that reports back
//! ([`Done`]).

mod effects;
mod forms;
mod open;
pub(crate) mod parts;
mod provider_side;
mod speech_queue;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use cancel::Cancel;
use contract::{Call, CallId};
use conversation::{ApprovalAnswers, ConversationFault, QuestionChanges, VoiceCallEnd, VoiceLog};
use engine::QuestionFault;
use policy::{RequestId, Timestamp};
use serde_json::Value;
use tokio::sync::mpsc;
use voice::{
    DETECTOR_RATE, Driver, Effect, EndReport, Input, Refused, ShownForm, SpeechId, TextTurnRequest,
    TurnNumber,
};

use crate::provider::SessionRoad;
use crate::provider::link::LinkEvent;
use crate::speech::{Pcm, SpeechFault, Transcribes};
use crate::text_turn::TurnOutput;
use parts::{FromClient, Heard, SessionOptions, SessionParts, ToClient};
use provider_side::ProviderSide;
use speech_queue::{Sentence, SpeechQueue};

/// Samples in a second of what the client plays.
pub const OUTPUT_RATE: u32 = 24_000;
/// How long a session may be silent before it ends by itself.
const SILENCE_MAX: Duration = Duration::from_secs(600);

/// How long a provider may take to notice the last speech of a recording.
const FINISH_MS: u64 = 3_000;

/// Why a session did not begin, or broke.
#[derive(Debug, thiserror::Error)]
pub enum SessionFault {
    #[error(transparent)]
    Refused(#[from] Refused),
    #[error("the table of models has no cascade")]
    NoCascade,
    #[error("the log of the session before this one cannot be continued")]
    BadLog,
    #[error("the session before this one was on another road, and is still open")]
    OtherRoad,
    #[error(transparent)]
    Log(#[from] ConversationFault),
    /// For people; the log has the end of the session.
    #[error("{0}")]
    Provider(String),
}

/// The end of something that took time.
pub(crate) enum Done {
    Said { speech: SpeechId, text: Result<String, SpeechFault> },
    Spoken(Sentence),
    Call { call: CallId, end: VoiceCallEnd },
    Message { call: CallId, message: Value },
    Answered { request: RequestId, by_button: bool, fault: Option<String> },
    FormAnswered { fault: Option<QuestionFault> },
}

/// Runs a session of our own parts to its end. Ends when the client is gone, too.
pub async fn run_session(
    parts: SessionParts,
    from: mpsc::Receiver<FromClient>,
    to: mpsc::Sender<ToClient>,
) -> Result<EndReport, SessionFault> {
    run_session_on(SessionOptions::on(SessionRoad::Cascade), parts, from, to).await
}

/// The same on any road, with other rules.
pub async fn run_session_on(
    options: SessionOptions,
    parts: SessionParts,
    mut from: mpsc::Receiver<FromClient>,
    to: mpsc::Sender<ToClient>,
) -> Result<EndReport, SessionFault> {
    let (mut session, mut inbox) = Running::open(options, parts, to).await?;
    let mut last_sound = session.now();
    while session.report.is_none() {
        let wait = session.wait(last_sound);
        tokio::select! {
            message = from.recv() => {
                if matches!(message, Some(FromClient::Finish)) {
                    last_sound = session.now();
                }
                session.client(message).await;
            }
            Some(event) = inbox.link.recv() => session.linked(event).await,
            Some(done) = inbox.done.recv() => session.done(done).await,
            Some(output) = inbox.turn.recv() => session.turn(output).await,
            request = answered(&mut inbox.answers) => {
                session.input(Input::ApprovalAnswered { request }).await;
            }
            () = forms::changed(&mut inbox.questions) => session.questions_changed().await,
            () = tokio::time::sleep(wait) => {
                let effects = session.driver.tick(session.now());
                session.perform(effects).await;
            }
        }
        session.show_form().await;
        let is_idle = session.driver.state().is_idle();
        if !is_idle {
            last_sound = session.now();
        }
        let silent_ms = session.now().ms_since(last_sound);
        let has_left = session.has_left(is_idle, silent_ms);
        let is_forgotten = silent_ms >= SILENCE_MAX.as_millis() as u64;
        if session.report.is_none() && (has_left || is_forgotten) {
            let cause = if has_left { "end of audio" } else { "silence" };
            session.input(stop(cause)).await;
        }
    }
    session.log.flush().await?;
    match session.fault {
        Some(fault) => Err(SessionFault::Provider(fault)),
        None => Ok(session.report.unwrap_or_else(|| EndReport {
            cause: String::new(),
            transcript: Vec::new(),
            pending: Vec::new(),
        })),
    }
}

/// The next approval that was answered, here or elsewhere. Without a feed, none.
async fn answered(answers: &mut Option<ApprovalAnswers>) -> RequestId {
    if let Some(feed) = answers {
        match feed.next().await {
            Ok(request) => return request,
            Err(fault) => {
                tracing::error!(%fault, "answers from elsewhere are not noticed any more");
                *answers = None;
            }
        }
    }
    std::future::pending().await
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
    /// The form that the client shows.
    form: Option<ShownForm>,
    /// The connection, on a provider's road.
    provider: Option<ProviderSide>,
    finishes: bool,
    report: Option<EndReport>,
    /// Why it ended, if nothing could be done about it.
    fault: Option<String>,
}

pub(crate) struct Inbox {
    done: mpsc::UnboundedReceiver<Done>,
    turn: mpsc::UnboundedReceiver<TurnOutput>,
    link: mpsc::Receiver<LinkEvent>,
    answers: Option<ApprovalAnswers>,
    questions: Option<QuestionChanges>,
}

impl Running {
    fn now(&self) -> Timestamp {
        self.log.now()
    }

    /// How long nothing has to be done, if nothing happens.
    fn wait(&self, last_sound: Timestamp) -> Duration {
        let finish = self.finishes.then(|| last_sound.plus_ms(FINISH_MS));
        let due = [self.driver.deadline(), finish].into_iter().flatten().min();
        due.map_or(SILENCE_MAX, |due| until(self.now(), due))
    }

    /// Whether the client said that no more audio comes, and everything is done. A provider may
    /// still find speech in what it was sent last.
    fn has_left(&self, is_idle: bool, silent_ms: u64) -> bool {
        let is_done = match &self.provider {
            Some(provider) => provider.is_up() && silent_ms >= FINISH_MS,
            None => true,
        };
        self.finishes && is_idle && is_done
    }

    async fn input(&mut self, input: Input) {
        let effects = self.driver.input(self.now(), input);
        self.perform(effects).await;
    }

    async fn client(&mut self, message: Option<FromClient>) {
        match message {
            Some(FromClient::Audio(samples)) => {
                let for_road = self.provider.as_mut().map(|provider| provider.hears(&samples));
                // The cascade has no provider that hears: only the detector does.
                let for_road = for_road.unwrap_or_default();
                let effects = self.driver.microphone(self.now(), &for_road, &samples);
                self.perform(effects).await;
            }
            Some(FromClient::Played { utterance, ms }) => {
                self.input(Input::Played { utterance, ms }).await;
            }
            Some(FromClient::Answer { request, choice }) => {
                self.answer_approval(request, choice, true).await;
            }
            Some(FromClient::Form { tool }) => self.form_wanted(tool).await,
            Some(FromClient::FormEdit { form, answers }) => {
                self.input(Input::FormEdited { form, answers }).await;
            }
            Some(FromClient::FormAnswer { form, answer }) => self.form_answer(form, answer).await,
            Some(FromClient::FormSend { form, submission }) => {
                self.form_send(form, submission).await;
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
                    self.answer_lost(&fault).await;
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
                Effect::Send(voice::Outgoing::Message(message)) => {
                    if let Some(provider) = &self.provider {
                        provider.send(&message);
                    }
                }
                Effect::Audio { utterance, pcm } => {
                    let samples = self.provider.as_ref().map(|provider| provider.says(&pcm));
                    let samples = samples.unwrap_or_default();
                    self.send(ToClient::Audio { utterance, samples }).await;
                }
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
