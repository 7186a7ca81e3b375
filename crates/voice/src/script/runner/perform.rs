//! Does what the driver wants: the page, the far side, the engine and the speech services.

use super::schedule::What;
use super::{MS_PER_CHAR, Runner, TRANSCRIBE_MS};
use crate::command::Command;
use crate::driver::Effect;
use crate::event::{Asker, LogEntry};
use crate::ids::{SpeechId, UtteranceId};
use crate::input::Input;
use crate::road::Outgoing;
use crate::script::engine::EngineEvent;
use crate::script::print::{Source, command_line, log_line, outgoing_line};

impl Runner<'_> {
    pub(super) fn perform(&mut self, effects: Vec<Effect>) {
        for effect in effects {
            match effect {
                Effect::Send(outgoing) => self.send(outgoing),
                Effect::Audio { utterance, pcm } => {
                    let ms = pcm.len() as u64 / 2 * 1_000 / u64::from(self.row.output_rate);
                    self.page.audio(self.now, utterance, ms);
                }
                Effect::KeepSpeech { .. } => {}
                Effect::Do(command) => self.command(command),
            }
        }
    }

    fn send(&mut self, outgoing: Outgoing) {
        if let Some(text) = outgoing_line(&outgoing) {
            self.line(Source::Sent, text);
        }
        let deliveries = match (&mut self.wire, &outgoing) {
            (Some(wire), Outgoing::Message(message)) => {
                let text = wire.send(&message.to_string());
                let arrived = serde_json::from_str(&text).unwrap_or_default();
                self.provider.sent(&Outgoing::Message(arrived))
            }
            (Some(_) | None, _) => self.provider.sent(&outgoing),
        };
        self.run.sent.push(outgoing);
        for delivery in deliveries {
            self.plan(self.now, What::Delivery(delivery));
        }
    }

    fn command(&mut self, command: Command) {
        if let Some((source, text)) = command_line(&command) {
            self.line(source, text);
        }
        let (at, now) = (self.now, self.time());
        match command {
            Command::Record(entry) => self.record(entry),
            Command::Play { utterance } | Command::Resume { utterance } => {
                self.page.play(at, utterance);
            }
            Command::Pause { utterance, .. } => {
                if let Some((utterance, ms)) = self.page.pause(at, utterance) {
                    self.plan(at, What::Input(Input::Played { utterance, ms }));
                }
            }
            Command::Cut { utterance } => self.page.cut(at, utterance),
            Command::Speak { utterance, sentence, text } => self.speak(utterance, sentence, &text),
            Command::Transcribe { speech } => self.transcribe(speech),
            Command::RunCall { call, by } => {
                if let Asker::Form { tool, handler: Some(handler) } = &by {
                    let text = format!("form of {tool} sent to {handler}: {}", call.args);
                    self.line(Source::Engine, text);
                }
                let turn = self.driver.as_ref().map_or(0, |driver| driver.state().turn().0);
                let events = self.engine.run(now, u64::from(turn), &call, &by);
                self.engine_events(events);
            }
            Command::CancelCall { call, .. } => {
                self.line(Source::Engine, format!("{call} handler asked to stop"));
                let events = self.engine.cancel(now, &call);
                self.engine_events(events);
            }
            Command::AnswerApproval { request, choice } => {
                let events = self.engine.answer_approval(now, &request, choice);
                self.engine_events(events);
            }
            Command::AnswerForm { call, name, answer } => {
                let events = self.engine.answer_form(now, &call, &name, answer);
                self.engine_events(events);
            }
            Command::End(report) => {
                self.run.report = Some(report);
            }
            Command::Tone
            | Command::ShowButton { .. }
            | Command::HideButton { .. }
            | Command::Forward { .. }
            | Command::Road(_)
            | Command::Reconnect { .. } => {}
        }
    }

    /// The log comes first: what follows from an entry may only happen when it is stored.
    fn record(&mut self, entry: LogEntry) {
        self.run.output.push(log_line(&entry, self.start));
        if let Err(fault) = self.engine.record(&entry) {
            self.run.failures.push(format!("the log cannot be written: {fault}"));
        }
        self.run.log.push(entry);
    }

    pub(super) fn engine_events(&mut self, events: Vec<EngineEvent>) {
        events.into_iter().for_each(|event| self.engine_event(event));
    }

    /// The session hears of it in its own time, as from another thread.
    pub(super) fn engine_event(&mut self, event: EngineEvent) {
        let input = match event {
            EngineEvent::Runs { call, answers, ends } => {
                let answers = answers.map(|answers| format!(" with {answers}"));
                let text = format!("{call} handler runs{}", answers.unwrap_or_default());
                self.line(Source::Engine, text);
                if let Some((ms, end)) = ends {
                    self.plan(self.now + ms, What::ToolEnds { call, end });
                }
                return;
            }
            EngineEvent::Later { ms, event } => {
                self.plan(self.now + ms, What::Engine(*event));
                return;
            }
            EngineEvent::Settled { call, result } => Input::CallSettled { call, result },
            EngineEvent::Waits { call, waits } => Input::CallWaits { call, waits },
            EngineEvent::Message { call, message } => Input::CallMessage { call, message },
            EngineEvent::Noted(text) => Input::Noted { text },
        };
        self.plan(self.now, What::Input(input));
    }

    /// Our own speech: at once, as long as the script says, or by the number of characters.
    fn speak(&mut self, utterance: UtteranceId, sentence: u32, text: &str) {
        let whole = self.lengths.iter().find(|(whole, _)| whole.contains(text));
        let ms = match whole {
            Some((whole, ms)) => share(whole, text, *ms),
            None => text.chars().count() as u64 * MS_PER_CHAR,
        };
        self.page.audio(self.now, utterance, ms);
        self.plan(self.now, What::Input(Input::SpeechAudio { utterance, sentence, ms }));
        self.plan(self.now, What::Input(Input::SentenceReady { utterance, sentence }));
    }

    fn transcribe(&mut self, speech: SpeechId) {
        let text = self.said.take().unwrap_or_default();
        let said = Input::Said { speech: Some(speech), text };
        self.plan(self.now + TRANSCRIBE_MS, What::Input(said));
    }
}

/// The part of a text's length that one sentence takes, with the space after it.
fn share(whole: &str, sentence: &str, ms: u64) -> u64 {
    let chars = |text: &str| text.chars().count() as u64;
    let Some(at) = whole.find(sentence) else { return ms };
    let end = at + sentence.len();
    let spaces = whole[end..].chars().take_while(|c| c.is_whitespace()).count() as u64;
    let until = |chars_before: u64| chars_before * ms / chars(whole).max(1);
    let before = chars(&whole[..at]);
    until(before + chars(sentence) + spaces) - until(before)
}
