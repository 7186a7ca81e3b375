//! One connection, from its first message to its last.
//!
//! In: audio and events of a client. Out: the messages of its session, from where the client
//! left off. A connection that ends leaves its session waiting; `live_session.rs` has its time.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use axum::Extension;
use axum::body::Bytes;
use axum::extract::ws::{CloseFrame, Message, Utf8Bytes, WebSocket, WebSocketUpgrade, close_code};
use axum::extract::{Path, State};
use axum::response::Response;
use contract::{Action, HandlerAnswer};
use policy::{ApprovalChoice, ApprovalScope};
use server::{Caller, OwnConversations, StreamLimit};
use tokio::time::{Instant, MissedTickBehavior, interval, timeout};
use voice::{DETECTOR_RATE, Submission, UtteranceId};
use voice_session::{FromClient, Heard, OUTPUT_RATE};

use crate::live_session::{Connected, LiveSession, Next};
use crate::pace::Pace;
use crate::protocol::{Answer, ClientEvent, FormAction, Hello, Refusal, Side};
use crate::start::Visitor;
use crate::{VoiceLimits, VoiceState};

/// How long the first message may take.
const HELLO_TIME_MAX: Duration = Duration::from_secs(10);
/// How many messages are sent before what the client sends is looked at.
const BATCH: usize = 16;
/// Silence that ends a stretch of speech, for a person who mutes the microphone in it.
const MUTED_SAMPLES: usize = DETECTOR_RATE as usize * 4 / 10;

pub(crate) async fn open(
    State(state): State<VoiceState>,
    Extension(caller): Extension<Caller>,
    Extension(own): Extension<OwnConversations>,
    Extension(streams): Extension<StreamLimit>,
    Path(conversation): Path<String>,
    upgrade: WebSocketUpgrade,
) -> Response {
    let bytes_max = state.limits.message_bytes_max;
    let visitor = Visitor { state, caller, own, streams, conversation };
    upgrade
        .max_message_size(bytes_max)
        .max_frame_size(bytes_max)
        .on_upgrade(|socket| serve(socket, visitor))
}

async fn serve(mut socket: WebSocket, visitor: Visitor) {
    let joined = match hello(&mut socket).await {
        Ok(hello) => visitor.join(hello).await,
        Err(refusal) => Err(refusal),
    };
    let (session, seen) = match joined {
        Ok(joined) => joined,
        Err(refusal) => return refuse(&mut socket, &refusal).await,
    };
    let number = session.connect();
    let connection = Connection::new(Arc::clone(&session), number, visitor.state.limits);
    connection.run(socket, seen).await;
    session.disconnect(number);
}

async fn hello(socket: &mut WebSocket) -> Result<Hello, Refusal> {
    let bad = |why: String| Refusal::new("bad_message", why, "send `hello` first");
    match timeout(HELLO_TIME_MAX, socket.recv()).await {
        Ok(Some(Ok(Message::Text(text)))) => serde_json::from_str(&text)
            .map_err(|fault| bad(format!("the first message is not `hello`: {fault}"))),
        Ok(Some(Ok(_))) => Err(bad("the first message is not `hello`".to_owned())),
        Ok(Some(Err(_)) | None) | Err(_) => Err(bad("no message came".to_owned())),
    }
}

/// Says why, and closes. A client that is gone is not told.
async fn refuse(socket: &mut WebSocket, refusal: &Refusal) {
    let text = serde_json::to_string(refusal).unwrap_or_default();
    let _ = socket.send(Message::Text(Utf8Bytes::from(text))).await;
    close(socket, close_code::POLICY).await;
}

async fn close(socket: &mut WebSocket, code: u16) {
    let frame = CloseFrame { code, reason: Utf8Bytes::from_static("") };
    let _ = socket.send(Message::Close(Some(frame))).await;
}

/// Why the loop of a connection ends.
enum Gone {
    /// The client is gone, or does not answer.
    Lost,
    Refused(Refusal),
}

impl From<Refusal> for Gone {
    fn from(refusal: Refusal) -> Self {
        Gone::Refused(refusal)
    }
}

struct Connection {
    session: Arc<LiveSession>,
    number: u64,
    limits: VoiceLimits,
    audio: Pace,
    events: Pace,
}

impl Connection {
    fn new(session: Arc<LiveSession>, number: u64, limits: VoiceLimits) -> Self {
        let now = Instant::now();
        let audio = Pace::audio(DETECTOR_RATE, limits.audio_ahead_max, now);
        let (burst, rate) = (f64::from(limits.events_burst), f64::from(limits.events_per_second));
        Self { session, number, limits, audio, events: Pace::new(burst, rate, now) }
    }

    async fn run(mut self, mut socket: WebSocket, seen: u64) {
        match self.talk(&mut socket, seen).await {
            Ok(()) => close(&mut socket, close_code::NORMAL).await,
            Err(Gone::Lost) => {}
            Err(Gone::Refused(refusal)) => refuse(&mut socket, &refusal).await,
        }
    }

    /// Ends well when the session has ended and the client was told everything.
    async fn talk(&mut self, socket: &mut WebSocket, seen: u64) -> Result<(), Gone> {
        let (mut growth, mut connected) = (self.session.growth(), self.session.connected());
        let mut beat = interval(self.limits.silence_time_max / 3);
        beat.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let (mut sent, mut heard_at) = (seen, Instant::now());
        loop {
            for _ in 0..BATCH {
                match self.session.after(sent) {
                    Next::Message(seq, message) => {
                        socket.send(message).await.map_err(|_| Gone::Lost)?;
                        sent = seq;
                    }
                    Next::Nothing => break,
                    Next::End => return Ok(()),
                }
            }
            let has_more = !matches!(self.session.after(sent), Next::Nothing);
            tokio::select! {
                biased;
                message = socket.recv() => {
                    let message = message.and_then(Result::ok).ok_or(Gone::Lost)?;
                    heard_at = Instant::now();
                    self.take(message).await?;
                }
                _ = connected.changed() => {
                    if *connected.borrow_and_update() != Connected::By(self.number) {
                        let fix = "talk there, or end it and begin again here";
                        return Err(Refusal::new("replaced", "another page took over", fix).into());
                    }
                }
                _ = beat.tick() => {
                    if heard_at.elapsed() > self.limits.silence_time_max {
                        return Err(Gone::Lost);
                    }
                    let alive = Message::Text(Utf8Bytes::from_static("{\"type\":\"alive\"}"));
                    socket.send(alive).await.map_err(|_| Gone::Lost)?;
                }
                _ = growth.changed() => {}
                () = std::future::ready(()), if has_more => {}
            }
        }
    }

    async fn take(&mut self, message: Message) -> Result<(), Gone> {
        let now = Instant::now();
        match message {
            Message::Binary(bytes) => self.audio(&bytes, now)?,
            Message::Text(text) => {
                if !self.events.take(1.0, now) {
                    return Err(too_fast("too many events come at once").into());
                }
                let event = serde_json::from_str(&text).map_err(|fault| {
                    let fix = "docs/reference/api.md has every message";
                    Refusal::new("bad_message", format!("this is no known event: {fault}"), fix)
                })?;
                self.event(event).await;
            }
            Message::Close(_) => return Err(Gone::Lost),
            Message::Ping(_) | Message::Pong(_) => {}
        }
        Ok(())
    }

    fn audio(&mut self, bytes: &Bytes, now: Instant) -> Result<(), Refusal> {
        if !bytes.len().is_multiple_of(2) {
            let fix = "send 16-bit samples, two bytes each";
            return Err(Refusal::new("bad_message", "half a sample is missing", fix));
        }
        let pairs = bytes.chunks_exact(2);
        let samples: Vec<i16> = pairs.map(|pair| i16::from_le_bytes([pair[0], pair[1]])).collect();
        if !self.audio.take(samples.len() as f64, now) {
            return Err(too_fast("the audio comes faster than anybody speaks"));
        }
        let is_muted = self.session.is_muted.load(Ordering::Relaxed);
        if self.session.hears == Side::Server && !is_muted {
            self.session.send_audio(samples);
        }
        Ok(())
    }

    async fn event(&self, event: ClientEvent) {
        let session = &self.session;
        // A session that is over says so itself.
        let _ = match event {
            ClientEvent::Played { utterance, samples, seen } => {
                session.confirm(seen);
                let ms = samples.saturating_mul(1_000) / u64::from(OUTPUT_RATE);
                session.send(FromClient::Played { utterance: UtteranceId(utterance), ms }).await
            }
            ClientEvent::Alive { seen } => {
                session.confirm(seen);
                true
            }
            ClientEvent::Heard { text, is_final } => self.heard(text, is_final).await,
            ClientEvent::Answer { request, answer } => {
                let choice = match answer {
                    Answer::Approve => ApprovalChoice::Approve { scope: ApprovalScope::ThisCall },
                    Answer::Decline => ApprovalChoice::Decline { reason: None },
                };
                session.send(FromClient::Answer { request, choice }).await
            }
            ClientEvent::Form { tool } => session.send(FromClient::Form { tool }).await,
            ClientEvent::FormEdit { form, answers } => {
                session.send(FromClient::FormEdit { form, answers }).await
            }
            ClientEvent::FormAnswer { form, action, content } => {
                let action = match action {
                    FormAction::Accept => Action::Accept,
                    FormAction::Decline => Action::Decline,
                    FormAction::Cancel => Action::Cancel,
                };
                let answer = HandlerAnswer { action, content };
                session.send(FromClient::FormAnswer { form, answer }).await
            }
            ClientEvent::FormSend { form, target, params } => {
                let submission = Submission { target, params };
                session.send(FromClient::FormSend { form, submission }).await
            }
            ClientEvent::Mute { muted } => {
                session.is_muted.store(muted, Ordering::Relaxed);
                if muted && session.hears == Side::Server {
                    session.send_audio(vec![0; MUTED_SAMPLES]);
                }
                true
            }
            ClientEvent::Stop => session.send(FromClient::Interrupt).await,
            ClientEvent::End => session.send(FromClient::Stop).await,
        };
    }

    /// Words of the browser: the first begin a speech, the final ones end it.
    async fn heard(&self, text: String, is_final: bool) -> bool {
        let session = &self.session;
        let Some(words) = &session.words else { return true };
        if session.is_muted.load(Ordering::Relaxed) {
            return true;
        }
        if !session.is_heard.swap(!is_final, Ordering::Relaxed) {
            session.send(FromClient::Heard(Heard::Started)).await;
        }
        if !is_final {
            return session.send(FromClient::Heard(Heard::Words(text))).await;
        }
        // Words that nobody asks for in time are dropped.
        let _ = words.try_send(text);
        session.send(FromClient::Heard(Heard::Ended)).await
    }
}

fn too_fast(message: &str) -> Refusal {
    Refusal::new("too_fast", message, "send audio as it is recorded, and few events")
}
