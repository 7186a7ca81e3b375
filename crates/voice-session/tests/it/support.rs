//! A project with a few tools, speech services that are played, and a client that talks.

pub(crate) mod client;
pub(crate) mod project;
pub(crate) mod services;

use std::sync::Arc;

use contract::Model;
use fake_providers::{FakeVoice, VoiceStep, VoiceWire};
use models::{Key, Provider, Secret};
use serde_json::Value;
use testkit::script::{ScriptedModel, Step};
use voice::{Capabilities, OwnParts, Presence, RoadKind, capabilities};
use voice_session::{ProviderRoad, RoadOptions, SessionRoad};

use client::Talk;
use project::Project;

/// A key that must not be seen anywhere.
pub(crate) const KEY: &str = "sk-canary-0123456789";

/// The speech models of the tests, by their names in the table; the last is ours.
pub(crate) const MODELS: [&str; 6] = [
    "gpt-realtime-2.1",
    "gpt-live-1",
    "gemini-3.8-live",
    "gemini-3.8-live-extended-thinking",
    "gemini-3.1-flash-live-preview",
    "cascade",
];

/// The models of [`MODELS`] that are a provider's.
pub(crate) fn provider_models() -> Vec<&'static str> {
    MODELS.into_iter().filter(|model| *model != "cascade").collect()
}

/// Runs a test for each model, all at once: most of the time they wait for the clock.
pub(crate) async fn for_each<F>(
    models: impl IntoIterator<Item = &'static str>,
    test: impl Fn(&'static str) -> F,
) where
    F: Future<Output = ()> + Send + 'static,
{
    let mut tests = tokio::task::JoinSet::new();
    models.into_iter().for_each(|model| drop(tests.spawn(test(model))));
    while let Some(ended) = tests.join_next().await {
        if let Err(failed) = ended {
            std::panic::resume_unwind(failed.into_panic());
        }
    }
}

/// What the model does when it is asked, on any road.
#[derive(Debug, Clone)]
pub(crate) enum Told {
    Says(&'static str),
    Calls(&'static str, Value),
}

/// A speech model and the text model behind it, as a session sees them.
pub(crate) struct FarSide {
    pub(crate) voice: Option<FakeVoice>,
    pub(crate) text: Arc<ScriptedModel>,
    pub(crate) model: Capabilities,
}

impl FarSide {
    pub(crate) async fn new(model: &str) -> Self {
        let row = capabilities(model).unwrap().clone();
        let wire = match row.road {
            RoadKind::Realtime => Some(VoiceWire::Realtime),
            RoadKind::Live => Some(VoiceWire::Live),
            RoadKind::Gemini => Some(VoiceWire::Gemini),
            RoadKind::Cascade => None,
        };
        Self::on(wire, row).await
    }

    pub(crate) async fn on(wire: Option<VoiceWire>, model: Capabilities) -> Self {
        let voice = match wire {
            Some(wire) => Some(FakeVoice::start(wire).await.unwrap()),
            None => None,
        };
        if let Some(voice) = &voice {
            voice.key(KEY);
        }
        Self { voice, text: Arc::new(ScriptedModel::new([])), model }
    }

    /// Whether our own text turn answers.
    pub(crate) fn is_text(&self) -> bool {
        matches!(self.model.road, RoadKind::Live | RoadKind::Cascade)
    }

    pub(crate) fn voice(&self) -> &FakeVoice {
        self.voice.as_ref().unwrap()
    }

    /// Tells whoever answers on this road; ids of calls count from 1.
    pub(crate) fn told(&self, told: impl IntoIterator<Item = Told>) -> &Self {
        for (number, one) in told.into_iter().enumerate() {
            let id = format!("call-{}", number + 1);
            match (one, self.is_text()) {
                (Told::Says(text), true) => self.text.then(testkit::script::says(text)),
                (Told::Calls(tool, args), true) => self.text.then(Step::new().calls(tool, args)),
                (Told::Says(text), false) => {
                    self.voice().script([VoiceStep::says(text, 600)]);
                }
                (Told::Calls(tool, args), false) => {
                    self.voice().script([VoiceStep::calls(&id, tool, args)]);
                }
            }
        }
        self
    }

    /// Right after the last step of the voice.
    pub(crate) fn then(&self, steps: impl IntoIterator<Item = VoiceStep>) -> &Self {
        self.voice().script(steps);
        self
    }

    pub(crate) fn road(&self) -> SessionRoad {
        let Some(voice) = &self.voice else { return SessionRoad::Cascade };
        let key = Key::Given(Secret::new(KEY));
        let base_url = voice.base_url();
        let provider = match self.model.road {
            RoadKind::Gemini => Provider { base_url, ..Provider::gemini(key) },
            _ => Provider { base_url, ..Provider::openai(key) },
        };
        let own = OwnParts { speech: Presence::Present, transcription: Presence::Present };
        let options = RoadOptions { voice: None, own };
        let road = ProviderRoad::new(self.model.clone(), provider, options).unwrap();
        SessionRoad::Provider(Box::new(road))
    }

    /// Begins to talk. Each text is what one speech is written down as: by the provider or, on
    /// our own parts, by us. What the provider does not write down, we do: `own`.
    pub(crate) async fn talk(
        &self,
        project: &Project,
        said: &[&'static str],
        own: &[&'static str],
    ) -> Talk {
        let own = match &self.voice {
            Some(voice) => {
                voice.hears(said.iter().copied());
                own
            }
            None => said,
        };
        let model = Arc::clone(&self.text) as Arc<dyn Model>;
        Talk::begin(project, self.road(), model, own).await
    }
}
