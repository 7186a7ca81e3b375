//! Joins a connection to its session: a new one, or one that waits for it.

use std::sync::Arc;
use std::time::Duration;

use server::{Caller, OwnConversations, StreamLimit, TakenConversation};
use tokio::sync::mpsc;
use voice::Presence;
use voice_session::{
    OUTPUT_RATE, SessionOptions, SessionParts, SessionRoad, Speaks, Transcribes, run_session_on,
    session_prompt, tool_facts,
};

use crate::browser_speech::{BrowserHears, BrowserSpeaks};
use crate::live_session::{Identity, LiveSession};
use crate::protocol::{Hello, Refusal, Resume, ServerEvent, Side, VERSION};
use crate::shown::Shown;
use crate::{Missing, VoiceState};

/// How many messages may wait on the way to a session and back.
const WAITING_MAX: usize = 1_024;
/// How long the end of a session may take that nobody is connected to.
const END_TIME_MAX: Duration = Duration::from_secs(5);
/// The farthest time zones.
const UTC_OFFSET_MAX: i32 = 14 * 60;

/// Who wants to talk, and where.
pub(crate) struct Visitor {
    pub state: VoiceState,
    pub caller: Caller,
    pub own: OwnConversations,
    pub streams: StreamLimit,
    pub conversation: String,
}

/// The session, and the number of the last message that its client has.
pub(crate) type Joined = (Arc<LiveSession>, u64);

impl Visitor {
    pub(crate) async fn join(&self, hello: Hello) -> Result<Joined, Refusal> {
        if hello.version != VERSION {
            let what = format!("version {} of the protocol is not known here", hello.version);
            return Err(Refusal::new("bad_version", what, format!("speak version {VERSION}")));
        }
        match &hello.resume {
            Some(resume) => self.resume(resume),
            None => Ok((self.begin(&hello).await?, 0)),
        }
    }

    fn resume(&self, resume: &Resume) -> Result<Joined, Refusal> {
        let found = self.state.sessions.named(&self.caller.owner, &resume.session);
        let found = found.filter(|session| session.conversation == self.conversation);
        let can_go_on = |session: &Arc<LiveSession>| session.check(resume.seen).is_ok();
        match found.filter(can_go_on) {
            Some(session) => Ok((session, resume.seen)),
            None => {
                let fix = "begin a new one; the conversation has what was said";
                Err(Refusal::new("gone", "this voice session is over", fix))
            }
        }
    }

    async fn begin(&self, hello: &Hello) -> Result<Arc<LiveSession>, Refusal> {
        self.end_left_behind().await?;
        let permit = self.streams.acquire(&self.caller.owner)?;
        let taken = self.own.take(&self.caller, &self.conversation).await?;
        let options = self.options(hello)?;
        let (hears, words) = match hello.hears {
            Side::Server => (available(&self.state.services.hears)?, None),
            Side::Browser => {
                let (hears, words) = BrowserHears::new();
                (Arc::new(hears) as Arc<dyn Transcribes>, Some(words))
            }
        };
        let speaks = match hello.speaks {
            Side::Server => available(&self.state.services.speaks)?,
            Side::Browser => Arc::new(BrowserSpeaks) as Arc<dyn Speaks>,
        };
        let parts = self.parts(&taken, hello, hears, speaks).await?;
        let (from, received) = mpsc::channel(WAITING_MAX);
        let (sent, to) = mpsc::channel(WAITING_MAX);
        let name = server::random_name()
            .map_err(|bad| Refusal::new("internal", bad.to_string(), "try again"))?;
        let (owner, conversation) = (self.caller.owner.clone(), self.conversation.clone());
        let identity = Identity { name, owner, conversation, hears: hello.hears, words };
        let session = Arc::new(LiveSession::new(identity, from));
        self.state.sessions.add(&session)?;
        session.say(&self.ready(&session.name));
        let (running, shown) = (
            tokio::spawn(run_session_on(options, parts, received, sent)),
            Shown::new(hello.speaks),
        );
        let (state, live) = (self.state.clone(), Arc::clone(&session));
        tokio::spawn(async move {
            live.run(to, shown, state.limits).await;
            if let Ok(Err(fault)) = running.await {
                live.say(&ServerEvent::Trouble { text: fault.to_string() });
                live.say(&ServerEvent::Ended { cause: "fault".to_owned() });
            }
            taken.release().await;
            live.end();
            state.sessions.remove(&live);
            drop(permit);
        });
        Ok(session)
    }

    /// How the session runs. A speech model of a provider hears and speaks by itself.
    fn options(&self, hello: &Hello) -> Result<SessionOptions, Refusal> {
        let options = self.state.services.options.clone().map_err(Refusal::from)?;
        if let SessionRoad::Provider(provider) = &options.road
            && (hello.hears, hello.speaks) != (Side::Server, Side::Server)
        {
            let what =
                format!("{} hears and speaks in the sessions of this server", provider.name());
            let fix = "leave `hears` and `speaks` to the server";
            return Err(Refusal::new("bad_message", what, fix));
        }
        Ok(SessionOptions { page_forms: Presence::Present, ..options })
    }

    fn ready(&self, name: &str) -> ServerEvent {
        ServerEvent::Ready {
            version: VERSION,
            session: name.to_owned(),
            resume_seconds: self.state.limits.resume_time_max.as_secs(),
            input_rate: voice::DETECTOR_RATE,
            output_rate: OUTPUT_RATE,
        }
    }

    /// A page that was reloaded has lost its session; a second page must not take it.
    async fn end_left_behind(&self) -> Result<(), Refusal> {
        let sessions = &self.state.sessions;
        let Some(other) = sessions.within(&self.caller.owner, &self.conversation) else {
            return Ok(());
        };
        if !other.is_connected() {
            other.hang_up();
            if sessions.has_left(&other.name, END_TIME_MAX).await {
                return Ok(());
            }
        }
        let fix = "end it there, and try again";
        Err(Refusal::new("busy", "a voice session runs in this conversation, in another tab", fix))
    }

    async fn parts(
        &self,
        taken: &TakenConversation,
        hello: &Hello,
        hears: Arc<dyn Transcribes>,
        speaks: Arc<dyn Speaks>,
    ) -> Result<SessionParts, Refusal> {
        let opened = taken.conversations().open_voice(taken.id()).await;
        let (log, start) = opened.map_err(server::Fault::from)?;
        let now = log.now();
        if let Some(until) = start.blocked_until.filter(|until| *until > now) {
            let seconds = until.ms_since(now).div_ceil(1_000);
            let message = format!("voice is refused for another {seconds} s");
            let refusal = Refusal::new("blocked", message, "wait until then");
            return Err(Refusal { until: Some(until.0), ..refusal });
        }
        let engine = taken.conversations().engine();
        Ok(SessionParts {
            log,
            start,
            model: taken.model(),
            hears,
            speaks,
            system: session_prompt(engine, taken.system()),
            languages: self.state.services.languages.clone(),
            utc_offset_minutes: hello.utc_offset.clamp(-UTC_OFFSET_MAX, UTC_OFFSET_MAX),
            tools: tool_facts(engine),
            rounds_max: taken.rounds_max(),
            output_tokens_max: taken.output_tokens_max(),
        })
    }
}

fn available<T: ?Sized>(part: &Result<Arc<T>, Missing>) -> Result<Arc<T>, Refusal> {
    part.as_ref().map(Arc::clone).map_err(|missing| missing.clone().into())
}
