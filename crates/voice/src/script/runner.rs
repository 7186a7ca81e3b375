//! Runs a script: the driver and the far sides, on a virtual clock.

mod by_hand;
mod perform;
mod schedule;

use std::collections::{BTreeMap, BinaryHeap};

use contract::{Contract, ToolOffer};
use policy::{ApprovalChoice, ApprovalScope, Timestamp};

use super::engine::ScriptEngine;
use super::expect::failures;
use super::page::Page;
use super::played_engine::PlayedEngine;
use super::print::{OutputLine, Source};
use super::project::ScriptProject;
use super::provider::{Delivery, Provider, provider};
use super::run::Run;
use super::statement::{Action, PageAction, ProviderAction, Script, history_lines};
use super::wire::ScriptWire;
use crate::capabilities::Capabilities;
use crate::config::{Config, ToolFacts};
use crate::driver::Driver;
use crate::event::Opened;
use crate::input::Input;
use crate::road::{Setup, road};
use crate::transcript::Line;
use schedule::{Planned, What};

/// 17 November 2026, noon UTC: the start of a script without a project.
const START: Timestamp = Timestamp(1_794_916_800_000);
/// How long a script may last.
const END_MS: u64 = 24 * 3_600_000;
/// How long a session goes on after the last action.
const TAIL_MS: u64 = 60_000;
/// How long a recogniser takes after the end of speech.
const TRANSCRIBE_MS: u64 = 300;
/// How fast our own speech is where a script says nothing else.
const MS_PER_CHAR: u64 = 60;
/// Steps of one run: a guard against a session that never comes to rest.
const STEPS_MAX: usize = 200_000;

pub(super) struct Runner<'a> {
    script: &'a Script,
    row: &'a Capabilities,
    driver: Option<Driver>,
    provider: Box<dyn Provider>,
    /// Carries the messages; without one, they need no carrying.
    wire: Option<&'a mut dyn ScriptWire>,
    page: Page,
    engine: Box<dyn ScriptEngine + 'a>,
    contracts: Vec<Contract>,
    setup: Setup,
    start: Timestamp,
    planned: BinaryHeap<Planned>,
    number: u64,
    now: u64,
    run: Run,
    /// How long the provider's texts are, for our own speech.
    lengths: BTreeMap<String, u64>,
    /// What was said in the speech that has just ended.
    said: Option<String>,
    is_speaking: bool,
}

impl<'a> Runner<'a> {
    /// A session with the tools of the script.
    pub(super) fn new(script: &'a Script, row: &'a Capabilities) -> Self {
        Self::in_project(script, row, Self::played_project(script))
    }

    /// The same over a wire.
    pub(super) fn over(
        script: &'a Script,
        row: &'a Capabilities,
        wire: &'a mut dyn ScriptWire,
    ) -> Self {
        Self::with(script, row, Self::played_project(script), Some(wire))
    }

    fn played_project(script: &'a Script) -> ScriptProject<'a> {
        let contracts: Vec<_> = script.tools.iter().map(|tool| tool.contract.clone()).collect();
        let setup = Setup {
            instructions: "You are on the phone.".to_owned(),
            tools: contracts.iter().map(offer).collect(),
            history: Vec::new(),
            languages: script.languages.clone(),
            voice: None,
            transcription_model: None,
        };
        ScriptProject {
            engine: Box::new(PlayedEngine::new(&script.tools)),
            contracts,
            setup,
            history: Vec::new(),
            pending: Vec::new(),
            blocked_until: None,
            start: START,
        }
    }

    pub(super) fn in_project(
        script: &'a Script,
        row: &'a Capabilities,
        project: ScriptProject<'a>,
    ) -> Self {
        Self::with(script, row, project, None)
    }

    fn with(
        script: &'a Script,
        row: &'a Capabilities,
        project: ScriptProject<'a>,
        wire: Option<&'a mut dyn ScriptWire>,
    ) -> Self {
        let ScriptProject { engine, contracts, setup, history, pending, blocked_until, start } =
            project;
        let mut runner = Self {
            script,
            row,
            driver: None,
            provider: provider(row),
            wire,
            page: Page::default(),
            engine,
            contracts,
            setup,
            start,
            planned: BinaryHeap::new(),
            number: 0,
            now: 0,
            run: Run::default(),
            lengths: BTreeMap::new(),
            said: None,
            is_speaking: false,
        };
        let blocked = script.blocked_ms.map(|ms| start.plus_ms(ms)).or(blocked_until);
        let history = history.into_iter().chain(history_lines(&script.history)).collect();
        let pending = pending.into_iter().chain(script.pending.clone()).collect();
        runner.open(history, pending, blocked);
        runner
    }

    fn open(&mut self, history: Vec<Line>, pending: Vec<String>, blocked: Option<Timestamp>) {
        let road = road(self.row);
        let mut config = Config::standard(road.facts(), self.script.languages.clone());
        for contract in &self.contracts {
            config.tools.insert(contract.tool_id.to_string(), ToolFacts::of(contract));
        }
        for setting in &self.script.settings {
            match setting.apply(&config) {
                Ok(changed) => config = changed,
                Err(why) => self.run.failures.push(why),
            }
        }
        let opened = Opened { config, history, pending };
        match Driver::open(self.start, opened, blocked, road, self.setup.clone()) {
            Ok((driver, effects)) => {
                self.driver = Some(driver);
                self.perform(effects);
                self.connect();
            }
            Err(refused) => self.line(Source::Decided, format!("refused: {refused}")),
        }
    }

    fn connect(&mut self) {
        self.provider.connect();
        if let Some(wire) = &mut self.wire {
            wire.connect();
        }
        let now = self.time();
        let effects = self.driver.as_mut().map(|driver| driver.connected(now));
        self.perform(effects.unwrap_or_default());
    }

    pub(super) fn run(mut self) -> Run {
        let script = self.script;
        for timed in &script.actions {
            self.plan(timed.at_ms, What::Action(timed.action.clone()));
        }
        let last = script.actions.iter().map(|timed| timed.at_ms).max().unwrap_or_default();
        let end = script.until_ms.unwrap_or(last + TAIL_MS).min(END_MS);
        for _ in 0..STEPS_MAX {
            let Some(next) = self.next_time().filter(|next| *next <= end) else { break };
            self.advance(next);
            self.step();
        }
        self.run.state = self.driver.as_ref().map(|driver| driver.state().clone());
        self.run.failures.extend(failures(&script.expectations, &self.run.output));
        self.run
    }

    fn next_time(&self) -> Option<u64> {
        let driver = self.driver.as_ref().and_then(Driver::deadline);
        let driver = driver.map(|due| due.ms_since(self.start).max(self.now));
        let planned = self.planned.peek().map(|planned| planned.at);
        [planned, self.page.next(), driver].into_iter().flatten().min()
    }

    /// Moves the clock, and counts sound over speech.
    fn advance(&mut self, next: u64) {
        if self.is_speaking && self.page.is_sounding(self.now) {
            self.run.talked_over_ms += next - self.now;
        }
        self.now = next;
    }

    /// One thing at this time: a report of the page, then what was planned, then deadlines.
    fn step(&mut self) {
        if self.page.next() == Some(self.now)
            && let Some((utterance, ms)) = self.page.report(self.now)
        {
            self.input(Input::Played { utterance, ms });
            return;
        }
        if self.planned.peek().is_some_and(|planned| planned.at <= self.now)
            && let Some(planned) = self.planned.pop()
        {
            self.happen(planned.what);
            return;
        }
        let now = self.time();
        let effects = self.driver.as_mut().map(|driver| driver.tick(now));
        self.perform(effects.unwrap_or_default());
        // A driver would spin.
        let due = self.driver.as_ref().and_then(Driver::deadline);
        if due.is_some_and(|due| due <= now) {
            self.run.failures.push(format!("a deadline is still due at {} ms", self.now));
            self.driver = None;
        }
    }

    fn happen(&mut self, what: What) {
        match what {
            What::Action(action) => self.act(action),
            What::Input(input) => self.input(input),
            What::Delivery(delivery) => self.deliver(vec![delivery]),
            What::SpeechStops { text } => self.speech_stops(text),
            What::Transcript { text } => {
                let deliveries = self.provider.transcript(&text, true);
                self.deliver(deliveries);
            }
            What::ToolEnds { call, end } => {
                let now = self.time();
                let events = self.engine.end(now, &call, &end);
                self.engine_events(events);
            }
            What::Engine(event) => self.engine_event(event),
        }
    }

    fn act(&mut self, action: Action) {
        let now = self.time();
        match action {
            Action::UserSpeech { ms, text } => {
                self.speech_starts();
                self.plan(self.now + ms, What::SpeechStops { text });
            }
            Action::SpeechStarts => self.speech_starts(),
            Action::SpeechStops { text } => self.speech_stops(text),
            Action::Partial { text } => {
                let deliveries = self.provider.transcript(&text, false);
                match deliveries.is_empty() {
                    true => self.input(Input::Partial { text }),
                    false => self.deliver(deliveries),
                }
            }
            Action::Provider(action) => {
                if let ProviderAction::Says { text, ms, .. } | ProviderAction::Begins { text, ms } =
                    &action
                {
                    self.lengths.insert(text.clone(), *ms);
                }
                let deliveries = self.provider.act(&action);
                self.deliver(deliveries);
            }
            Action::ToolEnds { call, end } => {
                let events = self.engine.end(now, &call, &end);
                self.engine_events(events);
            }
            Action::ToolMessages { call, message } => {
                self.input(Input::CallMessage { call, message })
            }
            Action::Page(action) => self.page_action(action),
            Action::ConnectionLost => {
                if let Some(wire) = &mut self.wire {
                    wire.lose();
                }
                let effects = self.driver.as_mut().map(|driver| driver.closed(now));
                self.perform(effects.unwrap_or_default());
            }
            Action::ConnectionBack => self.connect(),
            Action::Restart => self.restart(),
            Action::Form { tool, feature } => match self.engine.form(&tool, feature) {
                Ok((feature, calls)) => self.input(Input::FormWanted { tool, feature, calls }),
                Err(why) => self.run.failures.push(why),
            },
            Action::HangUp => self.input(Input::Stop { cause: "person".to_owned() }),
        }
    }

    fn page_action(&mut self, action: PageAction) {
        match action {
            PageAction::StopsReporting => self.page.set_reporting(false),
            PageAction::Reports => self.page.set_reporting(true),
            PageAction::Interrupts => self.input(Input::Interrupt),
            PageAction::Fills { .. }
            | PageAction::Sends { .. }
            | PageAction::Answers { .. }
            | PageAction::ClosesForm => self.form_action(action),
            PageAction::Approves | PageAction::Declines => {
                let Some(request) = self.engine.open_approval() else { return };
                let choice = match action == PageAction::Approves {
                    true => ApprovalChoice::Approve { scope: ApprovalScope::ThisCall },
                    false => ApprovalChoice::Decline { reason: None },
                };
                let now = self.time();
                let events = self.engine.answer_approval(now, &request, choice);
                self.engine_events(events);
                self.input(Input::ApprovalAnswered { request });
            }
        }
    }

    /// Another process goes on from the log.
    fn restart(&mut self) {
        let now = self.time();
        self.engine.restart(now);
        let resumed = Driver::resume(now, &self.run.log, road(self.row), self.setup.clone());
        if let Some((driver, effects)) = resumed {
            self.driver = Some(driver);
            self.line(Source::Engine, "process restarted".to_owned());
            self.perform(effects);
        }
    }

    fn speech_starts(&mut self) {
        self.is_speaking = true;
        let deliveries = self.provider.speech(true);
        match deliveries.is_empty() {
            true => self.input(Input::SpeechStarted),
            false => self.deliver(deliveries),
        }
    }

    /// Our own transcription answers a request for it; otherwise the provider writes it down.
    fn speech_stops(&mut self, text: Option<String>) {
        self.is_speaking = false;
        self.said = Some(text.clone().unwrap_or_default());
        let deliveries = self.provider.speech(false);
        match deliveries.is_empty() {
            true => self.input(Input::SpeechEnded),
            false => self.deliver(deliveries),
        }
        // Without a request for a transcript, the provider transcribes it.
        if self.said.take().is_some()
            && let Some(text) = text
        {
            self.plan(self.now + TRANSCRIBE_MS, What::Transcript { text });
        }
    }

    fn deliver(&mut self, deliveries: Vec<Delivery>) {
        for delivery in deliveries {
            let now = self.time();
            let Some(driver) = &mut self.driver else { return };
            let effects = match delivery {
                Delivery::Message(message) => {
                    let text = carried(&mut self.wire, message.to_string());
                    self.run.received.push(message);
                    driver.message(now, &text)
                }
                Delivery::Text(text) => driver.message(now, &carried(&mut self.wire, text)),
                Delivery::Turn(event) => driver.turn(now, event),
            };
            self.perform(effects);
        }
    }

    fn input(&mut self, input: Input) {
        let now = self.time();
        let effects = self.driver.as_mut().map(|driver| driver.input(now, input));
        self.perform(effects.unwrap_or_default());
    }

    fn plan(&mut self, at: u64, what: What) {
        self.number += 1;
        self.planned.push(Planned { at, number: self.number, what });
    }

    fn line(&mut self, source: Source, text: String) {
        self.run.output.push(OutputLine { at_ms: self.now, source, text });
    }

    fn time(&self) -> Timestamp {
        self.start.plus_ms(self.now)
    }
}

/// A message of the provider, as it arrives.
fn carried(wire: &mut Option<&mut dyn ScriptWire>, text: String) -> String {
    match wire {
        Some(wire) => wire.receive(&text),
        None => text,
    }
}

fn offer(contract: &Contract) -> ToolOffer {
    ToolOffer {
        id: contract.tool_id.clone(),
        description: contract.description.clone(),
        parameters: contract.parameters.clone(),
    }
}
