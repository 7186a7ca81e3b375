//! Opens a session on its road.

use std::collections::BTreeMap;
use std::sync::Arc;

use contract::ToolOffer;
use tokio::sync::mpsc;
use voice::{
    Capabilities, Config, Driver, EarshotDetector, Effect, Microphone, Opened, RoadKind, Setup,
    SpeechLimits, all_capabilities, road as road_of,
};

use super::parts::{SessionOptions, SessionParts, ToClient};
use super::provider_side::ProviderSide;
use super::speech_queue::SpeechQueue;
use super::{Inbox, Running, SessionFault};
use crate::provider::SessionRoad;
use crate::text_turn::TextTurn;

impl Running {
    pub(super) async fn open(
        options: SessionOptions,
        parts: SessionParts,
        to: mpsc::Sender<ToClient>,
    ) -> Result<(Self, Inbox), SessionFault> {
        let tools = parts.log.offers().await;
        let (driver, effects) = driver(&options, &parts, &tools)?;
        let SessionParts { log, model, hears, speaks, system, .. } = parts;
        let road = options.road;
        let (turns, requests) = mpsc::unbounded_channel();
        let (output, turn) = mpsc::unbounded_channel();
        let (done, inbox) = mpsc::unbounded_channel();
        let (rounds_max, output_tokens_max) = (parts.rounds_max, parts.output_tokens_max);
        let text_turn = TextTurn { model, system, tools, rounds_max, output_tokens_max };
        let history = driver.state().history();
        tokio::spawn(async move { text_turn.run(&history, requests, output).await });
        let queue = SpeechQueue::start(speaks, done.clone());
        let (provider, link) = ProviderSide::start(road);
        let answers = log.follow_answers().await?;
        let questions = log.follow_questions().await?;
        let mut running = Self {
            driver,
            log: Arc::new(log),
            hears,
            queue,
            to,
            turns,
            done,
            calls: BTreeMap::new(),
            speech: Vec::new(),
            form: None,
            provider,
            finishes: false,
            report: None,
            fault: None,
        };
        running.perform(effects).await;
        running.connect().await;
        let (answers, questions) = (Some(answers), Some(questions));
        Ok((running, Inbox { done: inbox, turn, link, answers, questions }))
    }
}

/// The driver on its road: a new one, or one that goes on from the log of another process.
fn driver(
    options: &SessionOptions,
    parts: &SessionParts,
    tools: &[ToolOffer],
) -> Result<(Driver, Vec<Effect>), SessionFault> {
    let row = row_of(&options.road)?;
    let (now, start, translator) = (parts.log.now(), &parts.start, road_of(row));
    let facts = translator.facts();
    let mut config = Config::standard(facts, parts.languages.clone());
    config.utc_offset_minutes = parts.utc_offset_minutes;
    config.tools = parts.tools.clone();
    config.approval = options.approval.clone();
    config.page_forms = options.page_forms;
    let mut setup = Setup {
        instructions: parts.system.clone(),
        tools: tools.to_vec(),
        history: Vec::new(),
        languages: parts.languages.clone(),
        voice: None,
        transcription_model: row.transcription_model.clone(),
    };
    if let SessionRoad::Provider(provider) = &options.road {
        config.own = provider.options.own;
        setup.voice.clone_from(&provider.options.voice);
    }
    let (driver, effects) = match &start.left_open {
        Some(left) => Driver::resume(now, left, translator, setup).ok_or(SessionFault::BadLog)?,
        None => {
            let (history, pending) = (start.history.clone(), start.pending.clone());
            let opened = Opened { config, history, pending };
            Driver::open(now, opened, start.blocked_until, translator, setup)?
        }
    };
    if driver.state().config().road != facts {
        return Err(SessionFault::OtherRoad);
    }
    let detector = Box::new(EarshotDetector::new());
    let driver = driver.with_microphone(Microphone::new(detector, SpeechLimits::standard()));
    Ok((driver, effects))
}

/// What the model of a road can do.
fn row_of(road: &SessionRoad) -> Result<&Capabilities, SessionFault> {
    match road {
        SessionRoad::Provider(provider) => Ok(&provider.model),
        SessionRoad::Cascade => {
            let row = all_capabilities().iter().find(|row| row.road == RoadKind::Cascade);
            row.ok_or(SessionFault::NoCascade)
        }
    }
}
