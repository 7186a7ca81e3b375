//! A session on its road: everything between the sockets and the engine, without either.
//!
//! In: messages, microphone audio, results, the time. Out: [`Effect`]s for I/O, in order. I/O
//! owns the socket of the provider, the page, the engine, the speech services and the clock, and
//! calls [`Driver::tick`] at [`Driver::deadline`].

use std::collections::VecDeque;

use policy::Timestamp;

use crate::command::Command;
use crate::event::{LogEntry, Opened};
use crate::ids::UtteranceId;
use crate::input::Input;
use crate::microphone::{AudioGate, Microphone, MicrophoneEvent};
use crate::road::{Incoming, Outgoing, Road, RoadEvent, Setup, TextTurnEvent};
use crate::session::{Refused, Session};
use crate::state::State;

/// What I/O has to do.
#[derive(Debug, Clone, PartialEq)]
pub enum Effect {
    /// Never a `Command::Road`: the road has translated those.
    Do(Command),
    /// For the provider, or for our own text turn.
    Send(Outgoing),
    /// Audio of an utterance for the page, at the road's output rate.
    Audio { utterance: UtteranceId, pcm: Vec<u8> },
    /// The audio of a speech that may be asked for with `Command::Transcribe`.
    KeepSpeech { samples: Vec<i16> },
}

/// Frames of 20 ms that wait for the connection: five seconds.
const GATE_FRAMES_MAX: usize = 250;

/// A session with its road and its microphone.
pub struct Driver {
    session: Session,
    road: Box<dyn Road + Send>,
    setup: Setup,
    gate: AudioGate,
    microphone: Option<Microphone>,
}

impl Driver {
    /// Opens a session. The first effects record it; connect, then call [`Driver::connected`].
    pub fn open(
        now: Timestamp,
        opened: Opened,
        blocked_until: Option<Timestamp>,
        road: Box<dyn Road + Send>,
        setup: Setup,
    ) -> Result<(Self, Vec<Effect>), Refused> {
        let (session, commands) = Session::open(now, opened, blocked_until)?;
        let driver = Self::with(session, road, setup);
        Ok((driver, commands.into_iter().map(Effect::Do).collect()))
    }

    /// Goes on from a log; none if the log is not one of a session.
    pub fn resume(
        now: Timestamp,
        log: &[LogEntry],
        road: Box<dyn Road + Send>,
        setup: Setup,
    ) -> Option<(Self, Vec<Effect>)> {
        let (session, commands) = Session::resume(now, log)?;
        let mut driver = Self::with(session, road, setup);
        let effects = driver.spell(now, commands);
        Some((driver, effects))
    }

    fn with(session: Session, road: Box<dyn Road + Send>, setup: Setup) -> Self {
        let gate = AudioGate::new(GATE_FRAMES_MAX);
        Self { session, road, setup, gate, microphone: None }
    }

    /// Finds speech ourselves, where the provider does not.
    #[must_use]
    pub fn with_microphone(mut self, microphone: Microphone) -> Self {
        if !self.road.detects_speech() {
            self.microphone = Some(microphone);
        }
        self
    }

    pub fn state(&self) -> &State {
        self.session.state()
    }

    /// A connection to the provider is open: it gets the settings and the conversation so far.
    pub fn connected(&mut self, now: Timestamp) -> Vec<Effect> {
        let history = self.session.state().history();
        let setup = Setup { history, ..self.setup.clone() };
        let events = self.road.open(now, &setup);
        self.run(now, events)
    }

    /// A text message of the provider.
    pub fn message(&mut self, now: Timestamp, text: &str) -> Vec<Effect> {
        let events = self.road.receive(now, Incoming::Message(text));
        self.run(now, events)
    }

    /// An event of our own text turn.
    pub fn turn(&mut self, now: Timestamp, event: TextTurnEvent) -> Vec<Effect> {
        let events = self.road.receive(now, Incoming::Turn(event));
        self.run(now, events)
    }

    /// The connection to the provider is gone.
    pub fn closed(&mut self, now: Timestamp) -> Vec<Effect> {
        self.gate.close();
        let events = self.road.receive(now, Incoming::Closed);
        self.run(now, events)
    }

    /// Audio of the person: at the road's rate for the provider, and at 16 kHz for the detector.
    pub fn microphone(&mut self, now: Timestamp, road: &[i16], detector: &[i16]) -> Vec<Effect> {
        let passed = self.gate.push(road.to_vec());
        let mut effects = Vec::new();
        if let Some(text) = passed.notice {
            effects.extend(self.input(now, Input::Noted { text }));
        }
        for frame in passed.frames {
            effects.extend(self.road.hear(&frame).into_iter().map(Effect::Send));
        }
        let found = self.microphone.as_mut().map(|one| one.feed(detector)).unwrap_or_default();
        for event in found {
            effects.extend(match event {
                MicrophoneEvent::SpeechStarted => self.input(now, Input::SpeechStarted),
                MicrophoneEvent::SpeechEnded { samples } => {
                    let mut effects = vec![Effect::KeepSpeech { samples }];
                    effects.extend(self.input(now, Input::SpeechEnded));
                    effects
                }
            });
        }
        effects
    }

    /// Anything else that happened.
    pub fn input(&mut self, now: Timestamp, input: Input) -> Vec<Effect> {
        self.run(now, vec![input.into()])
    }

    /// When [`Driver::tick`] is wanted, if nothing happens before.
    pub fn deadline(&self) -> Option<Timestamp> {
        [self.session.deadline(), self.road.deadline()].into_iter().flatten().min()
    }

    pub fn tick(&mut self, now: Timestamp) -> Vec<Effect> {
        let mut events = self.road.tick(now);
        events.push(Input::Tick.into());
        self.run(now, events)
    }

    fn run(&mut self, now: Timestamp, events: Vec<RoadEvent>) -> Vec<Effect> {
        let mut effects = Vec::new();
        let mut events: VecDeque<RoadEvent> = events.into();
        while let Some(event) = events.pop_front() {
            match event {
                RoadEvent::Send(outgoing) => effects.push(Effect::Send(outgoing)),
                RoadEvent::Audio { answer, pcm } => {
                    let utterance = self.session.state().utterance_of(&answer);
                    effects.extend(utterance.map(|utterance| Effect::Audio { utterance, pcm }));
                }
                RoadEvent::Input(input) => {
                    // What was said before is heard before anything is asked about it.
                    if matches!(input, Input::Ready | Input::ConnectionRestored { .. }) {
                        effects.extend(self.open_gate(now));
                    }
                    let commands = self.session.handle(now, input);
                    effects.extend(self.spell(now, commands));
                }
            }
        }
        effects
    }

    fn open_gate(&mut self, now: Timestamp) -> Vec<Effect> {
        let passed = self.gate.open();
        let mut effects = Vec::new();
        if let Some(text) = passed.notice {
            let commands = self.session.handle(now, Input::Noted { text });
            effects.extend(self.spell(now, commands));
        }
        for frame in passed.frames {
            effects.extend(self.road.hear(&frame).into_iter().map(Effect::Send));
        }
        effects
    }

    fn spell(&mut self, now: Timestamp, commands: Vec<Command>) -> Vec<Effect> {
        let mut effects = Vec::new();
        for command in commands {
            if let Command::Road(command) = &command {
                let messages = self.road.send(now, command);
                effects.extend(messages.into_iter().map(Effect::Send));
            } else {
                effects.push(Effect::Do(command));
            }
        }
        effects
    }
}

#[cfg(test)]
mod tests;
