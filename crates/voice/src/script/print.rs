//! One readable line for each event, with its virtual time.

use std::fmt;

use policy::Timestamp;

use super::expect::seconds;
use crate::command::Command;
use crate::event::{
    AskAbout, AskEvent, Asker, AudioEvent, CallEvent, EndingEvent, LogEntry, Piece, SessionEvent,
    TurnEvent, UserEvent, VoiceEvent, Waits,
};
use crate::road::{Outgoing, TextTurnRequest};

/// One line of the output.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OutputLine {
    /// Since the start of the session.
    pub at_ms: u64,
    pub source: Source,
    pub text: String,
}

/// Where a line comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Source {
    /// A decision of the session.
    Decided,
    /// A piece that arrived: text, audio, a playback position.
    Arrived,
    /// Sent to the page.
    Page,
    /// Sent to the provider or to the text turn.
    Sent,
    /// Done by the engine.
    Engine,
}

impl fmt::Display for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Source::Decided => "session",
            Source::Arrived => "arrived",
            Source::Page => "page",
            Source::Sent => "sent",
            Source::Engine => "engine",
        })
    }
}

impl fmt::Display for OutputLine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:>9}  {:<8} {}", seconds(self.at_ms), self.source, self.text)
    }
}

/// A line of the log.
pub fn log_line(entry: &LogEntry, start: Timestamp) -> OutputLine {
    let source = if entry.event.is_arrival() { Source::Arrived } else { Source::Decided };
    OutputLine { at_ms: entry.at.ms_since(start), source, text: describe(&entry.event, start) }
}

/// An event in words, for people who read a log. Times are in milliseconds since 1970.
pub fn in_words(event: &VoiceEvent) -> String {
    describe(event, Timestamp(0))
}

fn describe(event: &VoiceEvent, start: Timestamp) -> String {
    match event {
        VoiceEvent::Session(event) => session(event, start),
        VoiceEvent::User(event) => user(event),
        VoiceEvent::Turn(event) => turn(event),
        VoiceEvent::Audio(event) => audio(event),
        VoiceEvent::Call(event) => call(event),
        VoiceEvent::Ask(event) => ask(event),
        VoiceEvent::Ending(event) => ending(event),
    }
}

fn session(event: &SessionEvent, start: Timestamp) -> String {
    match event {
        SessionEvent::Opened(_) => "session opened".to_owned(),
        SessionEvent::Ready => "ready".to_owned(),
        SessionEvent::ConnectionLost => "connection lost".to_owned(),
        SessionEvent::ConnectionRestored { .. } => "connection back".to_owned(),
        SessionEvent::GoingAway { by } => {
            format!("provider goes away at {}", seconds(by.ms_since(start)))
        }
        SessionEvent::Reconnecting => "reconnecting".to_owned(),
        SessionEvent::Noted { text } => format!("note: {text}"),
        SessionEvent::Forwarded { call } => format!("message of {call} forwarded"),
        SessionEvent::Ended { cause } => format!("session ended: {cause}"),
    }
}

fn user(event: &UserEvent) -> String {
    match event {
        UserEvent::SpeechStarted { speech } => format!("{speech} speech started"),
        UserEvent::Partial { speech, text } => format!("{speech} partial \"{text}\""),
        UserEvent::Confirmed { speech } => format!("{speech} confirmed"),
        UserEvent::SpeechEnded { speech } => format!("{speech} speech ended"),
        UserEvent::Said { speech, text } => format!("{speech} said \"{text}\""),
        UserEvent::Ignored { speech } => format!("{speech} ignored"),
    }
}

fn turn(event: &TurnEvent) -> String {
    match event {
        TurnEvent::Requested { turn, said, pending } => {
            let texts: Vec<_> =
                pending.iter().chain(said).map(|text| format!("\"{text}\"")).collect();
            format!("{turn} requested {}", texts.join(" ")).trim_end().to_owned()
        }
        TurnEvent::RequestedAgain { turn } => format!("{turn} requested again"),
        TurnEvent::Continued => "continued".to_owned(),
        TurnEvent::Interrupted => "interrupted".to_owned(),
        TurnEvent::Done => "turn done".to_owned(),
        TurnEvent::NoAnswer => "no answer".to_owned(),
    }
}

fn audio(event: &AudioEvent) -> String {
    match event {
        AudioEvent::AnswerStarted { utterance, .. } => format!("{utterance} answer started"),
        AudioEvent::AnswerRefused { .. } => "answer refused".to_owned(),
        AudioEvent::OwnSpeech { utterance, purpose, text } => {
            let purpose = format!("{purpose:?}").to_lowercase();
            format!("{utterance} {purpose} \"{text}\"")
        }
        AudioEvent::Arrived { utterance, piece } => match piece {
            Piece::Text { text, .. } => format!("{utterance} text \"{text}\""),
            Piece::Audio { sentence, ms } => format!("{utterance} audio {ms} ms ({sentence})"),
            Piece::SentenceReady { sentence } => format!("{utterance} sentence {sentence} ready"),
            Piece::Ended { end } => {
                format!("{utterance} {}", format!("{end:?}").to_lowercase())
            }
            Piece::Played { ms } => format!("{utterance} played {ms} ms"),
        },
        AudioEvent::Started { utterance } => format!("{utterance} playing"),
        AudioEvent::Paused { utterance } => format!("{utterance} paused"),
        AudioEvent::Resumed { utterance } => format!("{utterance} resumed"),
        AudioEvent::Heard { utterance } => format!("{utterance} heard"),
        AudioEvent::Cut { utterance, heard_ms, heard } => {
            format!("{utterance} cut at {heard_ms} ms, heard \"{heard}\"")
        }
        AudioEvent::Dropped { utterance } => format!("{utterance} dropped"),
        AudioEvent::Suppressed { utterance } => format!("{utterance} suppressed"),
        AudioEvent::Stalled { utterance, heard_ms, heard } => {
            format!("{utterance} stalled at {heard_ms} ms, heard \"{heard}\"")
        }
        AudioEvent::Tone => "tone".to_owned(),
    }
}

fn call(event: &CallEvent) -> String {
    match event {
        CallEvent::Asked { call, by: Asker::Form { .. }, .. } => {
            format!("{} of a form: {} {}", call.id, call.tool, call.args)
        }
        CallEvent::Asked { call, by: Asker::Model, .. } => {
            format!("{} asked: {} {}", call.id, call.tool, call.args)
        }
        CallEvent::Started { call } => format!("{call} started"),
        CallEvent::OverBudget { call } => format!("{call} over budget"),
        CallEvent::Waits { call, waits } => match waits {
            Waits::Approval { .. } => format!("{call} waits for approval"),
            Waits::Form { name, .. } => format!("{call} waits for form {name}"),
        },
        CallEvent::CancelAsked { call, why } => {
            format!("{call} cancel asked, {}", format!("{why:?}").to_lowercase())
        }
        CallEvent::Message { call, .. } => format!("{call} sent a message"),
        CallEvent::Settled { call, result } => {
            format!("{call} settled, {:?}: {}", result.outcome, result.content)
        }
        CallEvent::Answered { call, answer } => {
            format!("{call} answered, {:?}, {:?}", answer.kind, answer.speaking)
        }
        CallEvent::Informed { call } => format!("{call} informed"),
        CallEvent::IntentApplied { call, intent } => format!("{call} intent {}", intent.kind()),
    }
}

fn ask(event: &AskEvent) -> String {
    match event {
        AskEvent::Opened { question } => match question {
            AskAbout::Approval { call } => format!("{call} approval opened"),
            AskAbout::Form { call } => format!("{call} form opened"),
            AskAbout::Feature { tool, .. } => format!("form of {tool} opened"),
        },
        AskEvent::ToButton => "approval by button".to_owned(),
        AskEvent::Answered { text, answer, .. } => {
            format!("approval answered \"{text}\": {}", format!("{answer:?}").to_lowercase())
        }
        AskEvent::NotHeard => "question not heard".to_owned(),
        AskEvent::FormHeard { text, .. } => format!("form answered \"{text}\""),
        AskEvent::FormEdited { answers } => {
            format!("form filled in by hand: {}", serde_json::json!(answers))
        }
        AskEvent::Expired => "approval expired".to_owned(),
        AskEvent::Closed => "question closed".to_owned(),
        AskEvent::Approved => "approved".to_owned(),
        AskEvent::Declined => "declined".to_owned(),
        AskEvent::FormFilled { answer } => format!("form {}: {}", answer.action, answer.content),
        AskEvent::FormSent { submission } => {
            format!("form sent to {}: {}", submission.target, submission.params)
        }
    }
}

fn ending(event: &EndingEvent) -> String {
    match event {
        EndingEvent::Started { cause, after, .. } => format!("ending: {cause}, {after}"),
        EndingEvent::Farewell { utterance } => format!("{utterance} is the farewell"),
        EndingEvent::Cancelled => "ending cancelled".to_owned(),
    }
}

/// What a command looks like, if it is worth a line.
pub(super) fn command_line(command: &Command) -> Option<(Source, String)> {
    let page = |text: String| Some((Source::Page, text));
    match command {
        Command::Play { utterance } => page(format!("play {utterance}")),
        Command::Pause { utterance, fade_ms } => page(format!("pause {utterance} in {fade_ms} ms")),
        Command::Resume { utterance } => page(format!("resume {utterance}")),
        Command::Cut { utterance } => page(format!("cut {utterance}")),
        Command::Tone => page("play tone".to_owned()),
        Command::ShowButton { .. } => page("show button".to_owned()),
        Command::HideButton { .. } => page("hide button".to_owned()),
        Command::Forward { message } => page(format!("message {message}")),
        Command::Speak { utterance, sentence, text } => {
            page(format!("speak {utterance}.{sentence} \"{text}\""))
        }
        Command::Reconnect { .. } => Some((Source::Sent, "reconnect".to_owned())),
        Command::End(report) => {
            let lines = report.transcript.len();
            let pending = report.pending.len();
            page(format!("end: {}, {lines} lines, {pending} pending", report.cause))
        }
        Command::Record(_)
        | Command::Transcribe { .. }
        | Command::Road(_)
        | Command::RunCall { .. }
        | Command::CancelCall { .. }
        | Command::AnswerApproval { .. }
        | Command::AnswerForm { .. } => None,
    }
}

/// What is sent, without its audio.
pub(super) fn outgoing_line(outgoing: &Outgoing) -> Option<String> {
    match outgoing {
        Outgoing::Message(message) => {
            let text = without_audio(message).to_string();
            let is_audio = text.contains("audio_buffer.append") || text.contains("\"audio\":{");
            (!is_audio).then_some(text)
        }
        Outgoing::Turn(request) => Some(match request {
            TextTurnRequest::Start { turn, messages } => {
                format!("turn {turn} start {}", messages.join(" | "))
            }
            TextTurnRequest::Cancel => "turn cancel".to_owned(),
            TextTurnRequest::Truncate { heard, .. } => format!("turn truncate \"{heard}\""),
            TextTurnRequest::Answer { call, content, .. } => {
                format!("turn answer {call} {content}")
            }
            TextTurnRequest::Inform { text } => format!("turn inform {text}"),
        }),
    }
}

fn without_audio(message: &serde_json::Value) -> serde_json::Value {
    let mut message = message.clone();
    if let Some(audio) = message.get_mut("audio").filter(|audio| audio.is_string()) {
        *audio = "…".into();
    }
    message
}
