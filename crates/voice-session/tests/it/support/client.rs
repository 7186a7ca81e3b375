//! The person's side: speaks when it is told to, plays what comes, and reads the log.

use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use contract::Model;
use policy::Timestamp;
use tokio::sync::mpsc;
use tokio::time::{Interval, MissedTickBehavior, interval, timeout};
use voice::{
    DETECTOR_RATE, EndReport, Language, LogEntry, Presence, ShownForm, Source, UtteranceId,
};
use voice_session::{
    FromClient, OUTPUT_RATE, SessionFault, SessionOptions, SessionParts, SessionRoad, ToClient,
    run_session_on,
};

use super::project::Project;
use super::services::{PlayedEars, PlayedVoice, tone};

/// How long a test waits for something that must come. Not a measure of speed.
const WAIT_MAX: Duration = Duration::from_secs(60);
const FRAME_MS: u32 = 20;

pub(crate) struct Talk {
    from: mpsc::Sender<FromClient>,
    to: mpsc::Receiver<ToClient>,
    session: tokio::task::JoinHandle<Result<EndReport, SessionFault>>,
    clock: Interval,
    /// What the person says next.
    speech: VecDeque<i16>,
    /// Audio that came and was not played.
    audio: BTreeMap<UtteranceId, VecDeque<i16>>,
    playing: Option<UtteranceId>,
    played: BTreeMap<UtteranceId, usize>,
    started: Timestamp,
    pub(crate) log: Vec<LogEntry>,
    pub(crate) lines: Vec<(Source, String)>,
    pub(crate) troubles: Vec<String>,
    pub(crate) buttons: Vec<policy::RequestId>,
    pub(crate) notices: Vec<String>,
    /// The form that the client shows.
    pub(crate) form: Option<ShownForm>,
}

impl Talk {
    pub(crate) async fn begin(
        project: &Project,
        road: SessionRoad,
        model: Arc<dyn Model>,
        said: &[&'static str],
    ) -> Self {
        let (log, start) = project.log().await;
        let started = log.now();
        let parts = SessionParts {
            log,
            start,
            model,
            hears: Arc::new(PlayedEars(Mutex::new(said.iter().copied().collect()))),
            speaks: Arc::new(PlayedVoice),
            system: "Be brief.".to_owned(),
            languages: vec![Language::En],
            utc_offset_minutes: 0,
            tools: project.facts(),
            rounds_max: 8,
            output_tokens_max: None,
        };
        let (from, received) = mpsc::channel(1_024);
        let (sent, to) = mpsc::channel(1_024);
        let options = SessionOptions { page_forms: Presence::Present, ..SessionOptions::on(road) };
        let session = tokio::spawn(run_session_on(options, parts, received, sent));
        let mut clock = interval(Duration::from_millis(u64::from(FRAME_MS)));
        clock.set_missed_tick_behavior(MissedTickBehavior::Delay);
        Self {
            from,
            to,
            session,
            clock,
            speech: VecDeque::new(),
            audio: BTreeMap::new(),
            playing: None,
            played: BTreeMap::new(),
            started,
            log: Vec::new(),
            lines: Vec::new(),
            troubles: Vec::new(),
            buttons: Vec::new(),
            notices: Vec::new(),
            form: None,
        }
    }

    /// The person speaks for so long.
    pub(crate) fn speak(&mut self, ms: u32) {
        self.speech.extend(tone(DETECTOR_RATE, ms));
    }

    /// Goes on until the log has a line with this text.
    #[track_caller]
    pub(crate) fn until<'a>(&'a mut self, text: &'a str) -> impl Future<Output = String> + 'a {
        let place = std::panic::Location::caller();
        async move {
            let mut seen = 0;
            let found = timeout(WAIT_MAX, async {
                loop {
                    let new = self.lines.iter().skip(seen);
                    if let Some((_, line)) = new.clone().find(|(_, line)| line.contains(text)) {
                        return line.clone();
                    }
                    seen = self.lines.len();
                    assert!(self.step().await, "{place}: the session ended\n{}", self.text());
                }
            });
            let found = found.await;
            found.unwrap_or_else(|_| panic!("{place}: `{text}` does not come\n{}", self.text()))
        }
    }

    /// Goes on until an answer that begins so was heard.
    #[track_caller]
    pub(crate) fn until_heard<'a>(&'a mut self, text: &'a str) -> impl Future<Output = ()> + 'a {
        self.until_utterance(" text \"", text, "heard")
    }

    /// Goes on until a question of ours that begins so was heard.
    #[track_caller]
    pub(crate) fn until_asked<'a>(&'a mut self, text: &'a str) -> impl Future<Output = ()> + 'a {
        self.until_utterance(" question \"", text, "heard")
    }

    /// Goes on until an answer that begins so is played.
    #[track_caller]
    pub(crate) fn until_playing<'a>(&'a mut self, text: &'a str) -> impl Future<Output = ()> + 'a {
        self.until_utterance(" text \"", text, "playing")
    }

    #[track_caller]
    fn until_utterance<'a>(
        &'a mut self,
        kind: &'a str,
        text: &'a str,
        state: &'a str,
    ) -> impl Future<Output = ()> + 'a {
        let place = std::panic::Location::caller();
        async move {
            let found = timeout(WAIT_MAX, async {
                while !self.has_utterance(kind, text, state) {
                    assert!(self.step().await, "{place}: the session ended\n{}", self.text());
                }
            });
            let found = found.await;
            assert!(found.is_ok(), "{place}: `{text}` is not {state}\n{}", self.text());
        }
    }

    /// Pieces of a text come one after the other.
    fn has_utterance(&self, kind: &str, text: &str, state: &str) -> bool {
        let mut texts: BTreeMap<&str, String> = BTreeMap::new();
        for (_, line) in &self.lines {
            if let Some((utterance, piece)) = line.split_once(kind) {
                texts.entry(utterance).or_default().push_str(piece.trim_end_matches('"'));
            }
        }
        let said = texts.iter().filter(|(_, said)| said.starts_with(text));
        said.into_iter().any(|(utterance, _)| {
            self.lines.iter().any(|(_, line)| *line == format!("{utterance} {state}"))
        })
    }

    /// Goes on until this has come true.
    pub(crate) async fn until_done<T>(&mut self, work: impl Future<Output = T>) -> T {
        tokio::pin!(work);
        loop {
            let waited = tokio::select! {
                done = &mut work => return done,
                waited = timeout(WAIT_MAX, self.step()) => waited,
            };
            assert_eq!(waited, Ok(true), "{}", self.text());
        }
    }

    /// The request whose button is shown.
    pub(crate) async fn until_button(&mut self) -> policy::RequestId {
        while self.buttons.is_empty() {
            assert!(self.step().await, "{}", self.text());
        }
        self.buttons[0].clone()
    }

    /// The form that is shown, when it is like this.
    pub(crate) async fn until_form(&mut self, is: impl Fn(&ShownForm) -> bool) -> ShownForm {
        let found = timeout(WAIT_MAX, async {
            loop {
                if let Some(form) = self.form.clone().filter(&is) {
                    return form;
                }
                assert!(self.step().await, "{}", self.text());
            }
        });
        let found = found.await;
        found.unwrap_or_else(|_| panic!("no such form: {:?}\n{}", self.form, self.text()))
    }

    /// Goes on until the client was told this.
    pub(crate) async fn until_notice(&mut self, text: &str) {
        while !self.notices.iter().any(|notice| notice.contains(text)) {
            let stepped = timeout(WAIT_MAX, self.step()).await;
            assert_eq!(stepped, Ok(true), "{:?}\n{}", self.notices, self.text());
        }
    }

    /// Goes on until something went wrong.
    pub(crate) async fn until_trouble(&mut self) -> String {
        while self.troubles.is_empty() {
            let stepped = timeout(WAIT_MAX, self.step()).await;
            assert_eq!(stepped, Ok(true), "{}", self.text());
        }
        self.troubles[0].clone()
    }

    /// The process dies: nothing more is written, and nothing is told.
    pub(crate) async fn die(self) {
        self.session.abort();
        let _ = self.session.await;
    }

    /// Ends the session, and gives how it ended.
    pub(crate) async fn hang_up(self) -> (Ended, Result<EndReport, SessionFault>) {
        let _ = self.from.send(FromClient::Stop).await;
        self.ended().await
    }

    /// Goes on to the end.
    pub(crate) async fn ended(mut self) -> (Ended, Result<EndReport, SessionFault>) {
        let all = timeout(WAIT_MAX, async { while self.step().await {} }).await;
        assert!(all.is_ok(), "the session does not end\n{}", self.text());
        let Self { session, log, lines, troubles, .. } = self;
        (Ended { log, lines, troubles }, session.await.unwrap())
    }

    pub(crate) fn text(&self) -> String {
        self.lines.iter().map(|(_, line)| format!("{line}\n")).collect()
    }

    pub(crate) async fn send(&self, message: FromClient) {
        self.from.send(message).await.unwrap();
    }

    /// One message or one piece of audio. False when the session is over.
    async fn step(&mut self) -> bool {
        tokio::select! {
            message = self.to.recv() => match message {
                Some(message) => self.take(message).await,
                None => return false,
            },
            _ = self.clock.tick() => self.frame().await,
        }
        true
    }

    async fn frame(&mut self) {
        let count = (DETECTOR_RATE * FRAME_MS / 1_000) as usize;
        let mut samples: Vec<i16> = self.speech.drain(..count.min(self.speech.len())).collect();
        samples.resize(count, 0);
        let _ = self.from.send(FromClient::Audio(samples)).await;
        let Some(utterance) = self.playing else { return };
        let audio = self.audio.entry(utterance).or_default();
        let count = ((OUTPUT_RATE * FRAME_MS / 1_000) as usize).min(audio.len());
        audio.drain(..count);
        if count > 0 {
            *self.played.entry(utterance).or_default() += count;
            self.report(utterance).await;
        }
    }

    async fn report(&self, utterance: UtteranceId) {
        let played = self.played.get(&utterance).copied().unwrap_or_default();
        let ms = played as u64 * 1_000 / u64::from(OUTPUT_RATE);
        let _ = self.from.send(FromClient::Played { utterance, ms }).await;
    }

    async fn take(&mut self, message: ToClient) {
        match message {
            ToClient::Recorded(entry) => {
                let line = voice::log_line(&entry, self.started);
                self.lines.push((line.source, line.text));
                self.log.push(entry);
            }
            ToClient::Play(utterance) | ToClient::Resume(utterance) => {
                self.playing = Some(utterance);
            }
            ToClient::Audio { utterance, samples } => {
                self.audio.entry(utterance).or_default().extend(samples);
            }
            ToClient::Pause { utterance, .. } => {
                self.playing = None;
                self.report(utterance).await;
            }
            ToClient::Cut(utterance) => {
                self.playing = self.playing.filter(|playing| *playing != utterance);
                self.audio.remove(&utterance);
            }
            ToClient::Trouble(text) => self.troubles.push(text),
            ToClient::ShowButton(request) => self.buttons.push(request),
            ToClient::Notice(text) => self.notices.push(text),
            ToClient::Form(form) => self.form = Some(*form),
            ToClient::FormDone(number) => {
                assert_eq!(self.form.take().map(|form| form.number), Some(number));
            }
            ToClient::Speak { .. }
            | ToClient::HideButton(_)
            | ToClient::Tone
            | ToClient::Message(_)
            | ToClient::Ended(_) => {}
        }
    }
}

/// A session that is over.
pub(crate) struct Ended {
    pub(crate) log: Vec<LogEntry>,
    pub(crate) lines: Vec<(Source, String)>,
    pub(crate) troubles: Vec<String>,
}

impl Ended {
    /// The decisions without their times, and without what depends on the machine's speed: a
    /// tone, or a word of ours, while a tool runs.
    pub(crate) fn decisions(&self) -> Vec<String> {
        let decided = self.lines.iter().filter(|(source, _)| *source == Source::Decided);
        let lines: Vec<&String> = decided.map(|(_, line)| line).collect();
        let fillers: Vec<&str> =
            lines.iter().filter_map(|line| Some(line.split_once(" filler \"")?.0)).collect();
        let by_speed = |line: &str| {
            let who = line.split(' ').next().unwrap_or_default();
            line == "tone" || line.contains("over budget") || fillers.contains(&who)
        };
        let kept = lines.into_iter().filter(|line| !by_speed(line));
        kept.map(|line| renumbered(line, fillers.len())).collect()
    }

    pub(crate) fn text(&self) -> String {
        self.lines.iter().map(|(_, line)| format!("{line}\n")).collect()
    }
}

/// A line as it would be without so many utterances before.
fn renumbered(line: &str, before: usize) -> String {
    let Some((who, what)) = line.split_once(' ') else { return line.to_owned() };
    match who.strip_prefix('u').and_then(|number| number.parse::<usize>().ok()) {
        Some(number) if number > before => format!("u{} {what}", number - before),
        _ => line.to_owned(),
    }
}
