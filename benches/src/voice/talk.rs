//! One session over a real socket, and its client.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use contract::Mode;
use conversation::{Conversations, Opened, PromptForm};
use models::{Key, Provider};
use policy::ConversationId;
use serde_json::{Value, json};
use tokio::sync::mpsc;
use tokio::task::JoinHandle;
use tokio::time::interval;
use voice::{EndReport, Language, OwnParts, Presence, RoadKind, UtteranceId, all_capabilities};
use voice_session::{
    FromClient, NoSpeech, ProviderRoad, RoadOptions, SessionFault, SessionOptions, SessionParts,
    SessionRoad, ToClient, run_session_on,
};

use super::far_side::{FarSide, Stamps, since, stamp};
use crate::call::engine::BenchEngine;
use crate::turn::conversation::InstantModel;

const FRAME_MS: u64 = 20;
/// 20 ms at 16 kHz, and at 24 kHz in base64.
const FRAME_SAMPLES: usize = 320;
const WAIT_MAX: Duration = Duration::from_secs(60);

static TALKS: AtomicU64 = AtomicU64::new(0);

pub(crate) struct Talk {
    far: FarSide,
    from: mpsc::Sender<FromClient>,
    to: mpsc::Receiver<ToClient>,
    session: JoinHandle<Result<EndReport, SessionFault>>,
}

/// The parts of a session with a model and services that answer at once.
pub(crate) async fn parts(bench: &BenchEngine) -> Result<SessionParts> {
    let conversations = Conversations::new(bench.engine.clone());
    let id = ConversationId(format!("voice-{}", TALKS.fetch_add(1, Ordering::Relaxed)));
    let opened = Opened {
        client: "bench".to_owned(),
        mode: Mode::Voice,
        model: "bench".to_owned(),
        system: String::new(),
        rounds_max: 8,
        prompt: PromptForm::InResult,
    };
    conversations.open(&id, opened).await?;
    let (log, start) = conversations.open_voice(&id).await?;
    Ok(SessionParts {
        log,
        start,
        model: InstantModel::new(0),
        hears: Arc::new(NoSpeech),
        speaks: Arc::new(NoSpeech),
        system: String::new(),
        languages: vec![Language::En],
        utc_offset_minutes: 0,
        tools: Default::default(),
        rounds_max: 8,
        output_tokens_max: None,
    })
}

impl Talk {
    pub(crate) async fn begin(bench: &BenchEngine) -> Result<Self> {
        let mut far = FarSide::start().await?;
        let row = all_capabilities().iter().find(|row| row.road == RoadKind::Realtime);
        let provider = Provider::compatible("bench", &far.base_url, Key::NotNeeded);
        let own = OwnParts { speech: Presence::Absent, transcription: Presence::Absent };
        let model = row.context("the table has a row")?.clone();
        let road = ProviderRoad::new(model, provider, RoadOptions { voice: None, own })?;
        let options = SessionOptions::on(SessionRoad::Provider(Box::new(road)));
        let (from, received) = mpsc::channel(1_024);
        let (sent, to) = mpsc::channel(1_024);
        let session = tokio::spawn(run_session_on(options, parts(bench).await?, received, sent));
        far.asked_for("session.update").await?;
        let mut talk = Self { far, from, to, session };
        talk.recorded("ready").await?;
        Ok(talk)
    }

    /// Sends frames in their time, and gives how long each took to the server.
    pub(crate) async fn hear(&mut self, frames: usize) -> Result<Vec<Duration>> {
        let mut clock = interval(Duration::from_millis(FRAME_MS));
        let mut delays = Vec::with_capacity(frames);
        for _ in 0..frames {
            clock.tick().await;
            stamp(&self.far.sent);
            self.from.send(FromClient::Audio(vec![1; FRAME_SAMPLES])).await?;
            while let Ok(delay) = self.far.delays.try_recv() {
                delays.push(delay);
            }
            while self.to.try_recv().is_ok() {}
        }
        while delays.len() < frames {
            let delay = tokio::time::timeout(WAIT_MAX, self.far.delays.recv()).await?;
            delays.push(delay.context("the connection is open")?);
        }
        Ok(delays)
    }

    /// The person has spoken, and the model begins an answer.
    pub(crate) async fn begin_answer(&mut self) -> Result<()> {
        self.speech("hello")?;
        self.far.asked_for("response.create").await?;
        let item = json!({ "id": "item_1", "type": "message", "role": "assistant" });
        self.far.send(json!({ "type": "response.created",
            "response": { "id": "resp_1", "status": "in_progress" } }))?;
        self.far.send(json!({ "type": "response.output_item.added", "response_id": "resp_1",
            "output_index": 0, "item": item }))?;
        self.far.send(delta(&sound()))?;
        self.recorded("u1 playing").await?;
        while self.to.try_recv().is_ok() {}
        Ok(())
    }

    fn speech(&self, text: &str) -> Result<()> {
        self.far.send(json!({ "type": "input_audio_buffer.speech_started", "item_id": "s" }))?;
        self.far.send(json!({ "type": "input_audio_buffer.speech_stopped", "item_id": "s" }))?;
        self.far.send(json!({
            "type": "conversation.item.input_audio_transcription.completed", "item_id": "s",
            "transcript": text,
        }))
    }

    /// The model speaks in frames; gives how long each took to the client.
    pub(crate) async fn say(&mut self, frames: usize) -> Result<Vec<Duration>> {
        let stamps = Stamps::default();
        let mut clock = interval(Duration::from_millis(FRAME_MS));
        let (mut delays, sound) = (Vec::with_capacity(frames), sound());
        let mut left = frames;
        while delays.len() < frames {
            tokio::select! {
                _ = clock.tick(), if left > 0 => {
                    left -= 1;
                    stamp(&stamps);
                    self.far.send(delta(&sound))?;
                }
                message = self.to.recv() => {
                    if let ToClient::Audio { .. } = message.context("the session goes on")? {
                        delays.extend(since(&stamps));
                    }
                }
                () = tokio::time::sleep(WAIT_MAX) => bail!("frames are lost"),
            }
        }
        Ok(delays)
    }

    /// The person makes a noise again and again; gives how long each order to pause took.
    pub(crate) async fn interruptions(&mut self, count: usize) -> Result<Vec<Duration>> {
        let mut delays = Vec::with_capacity(count);
        for played_ms in 1..=count {
            let began = Instant::now();
            self.far
                .send(json!({ "type": "input_audio_buffer.speech_started", "item_id": "s" }))?;
            let utterance = self.paused().await?;
            delays.push(began.elapsed());
            let ms = u64::try_from(played_ms)?;
            self.from.send(FromClient::Played { utterance, ms }).await?;
            self.far
                .send(json!({ "type": "input_audio_buffer.speech_stopped", "item_id": "s" }))?;
            self.far.send(json!({
                "type": "conversation.item.input_audio_transcription.completed", "item_id": "s",
                "transcript": "",
            }))?;
            self.recorded("resumed").await?;
        }
        Ok(delays)
    }

    async fn paused(&mut self) -> Result<UtteranceId> {
        loop {
            let message = tokio::time::timeout(WAIT_MAX, self.to.recv()).await?;
            if let ToClient::Pause { utterance, .. } = message.context("the session goes on")? {
                return Ok(utterance);
            }
        }
    }

    /// Waits until the log has a line with this text.
    async fn recorded(&mut self, text: &str) -> Result<()> {
        loop {
            let message = tokio::time::timeout(WAIT_MAX, self.to.recv()).await;
            let message = message.with_context(|| format!("`{text}` does not come"))?;
            if let ToClient::Recorded(entry) = message.context("the session goes on")?
                && voice::log_line(&entry, entry.at).text.contains(text)
            {
                return Ok(());
            }
        }
    }

    pub(crate) async fn hang_up(mut self) -> Result<()> {
        self.from.send(FromClient::Stop).await?;
        while self.to.recv().await.is_some() {}
        self.session.await??;
        Ok(())
    }
}

fn delta(sound: &str) -> Value {
    json!({ "type": "response.output_audio.delta", "response_id": "resp_1", "item_id": "item_1",
        "output_index": 0, "content_index": 0, "delta": sound })
}

/// 20 ms of silence at 24 kHz: 960 bytes in base64.
fn sound() -> String {
    "AAAA".repeat(320)
}
