//! The provider of a session: what goes to its socket, and what comes from there.

use serde_json::Value;
use tokio::sync::mpsc;
use voice::{DETECTOR_RATE, Input};

use super::{OUTPUT_RATE, Running, stop};
use crate::provider::SessionRoad;
use crate::provider::link::{Generation, Link, LinkEvent};
use crate::resample::resample;
use crate::resample::stream::StreamResampler;
use crate::wav::samples_of;

/// The session's side of a provider.
pub(super) struct ProviderSide {
    link: Link,
    state: LinkState,
    /// The client's audio at the provider's rate.
    input: StreamResampler,
    output_rate: u32,
}

/// The connection, as the session knows it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum LinkState {
    Down,
    Connecting,
    Up(Generation),
}

impl ProviderSide {
    /// Starts the link of a provider's road. Our own parts have none, and nothing comes from it.
    pub(super) fn start(road: SessionRoad) -> (Option<Self>, mpsc::Receiver<LinkEvent>) {
        match road {
            SessionRoad::Cascade => (None, mpsc::channel(1).1),
            SessionRoad::Provider(provider) => {
                let input = StreamResampler::new(DETECTOR_RATE, provider.model.input_rate);
                let output_rate = provider.model.output_rate;
                let (link, events) = Link::start(*provider);
                (Some(Self { link, state: LinkState::Down, input, output_rate }), events)
            }
        }
    }

    pub(super) fn is_up(&self) -> bool {
        matches!(self.state, LinkState::Up(_))
    }

    /// Audio of the person, at the provider's rate.
    pub(super) fn hears(&mut self, samples: &[i16]) -> Vec<i16> {
        self.input.push(samples)
    }

    /// Audio of the provider, at the client's rate.
    pub(super) fn says(&self, pcm: &[u8]) -> Vec<i16> {
        let samples: Vec<i16> = samples_of(pcm).collect();
        resample(&samples, self.output_rate, OUTPUT_RATE)
    }

    /// A message for the connection that is open. Without one, the road tells it to the next.
    pub(super) fn send(&self, message: &Value) {
        if let LinkState::Up(generation) = self.state {
            self.link.send(generation, message.to_string());
        }
    }
}

impl Running {
    /// Opens a connection, unless one is being opened. Our own parts are always connected.
    pub(super) async fn connect(&mut self) {
        match &mut self.provider {
            Some(provider) => {
                if provider.state != LinkState::Connecting {
                    provider.state = LinkState::Connecting;
                    provider.link.connect();
                }
            }
            None => {
                let effects = self.driver.connected(self.now());
                self.perform(effects).await;
            }
        }
    }

    /// Something happened to the connection.
    pub(super) async fn linked(&mut self, event: LinkEvent) {
        let now = self.now();
        let Some(provider) = &mut self.provider else { return };
        let effects = match event {
            LinkEvent::Connected(generation) => {
                provider.state = LinkState::Up(generation);
                self.driver.connected(now)
            }
            LinkEvent::Message(generation, text) => {
                // Of a connection that we have given up.
                if provider.state != LinkState::Up(generation) {
                    return;
                }
                self.driver.message(now, &text)
            }
            LinkEvent::Lost(_, why) => {
                if provider.is_up() {
                    provider.state = LinkState::Down;
                }
                let why = why.map(|why| Input::Noted { text: format!("connection lost: {why}") });
                let mut effects = Vec::new();
                effects.extend(why.map(|note| self.driver.input(now, note)).unwrap_or_default());
                effects.extend(self.driver.closed(now));
                effects
            }
            LinkEvent::GaveUp(why) => {
                provider.state = LinkState::Down;
                self.fault = Some(why.clone());
                self.trouble(why).await;
                self.driver.input(self.now(), stop("the provider cannot be reached"))
            }
        };
        self.perform(effects).await;
    }
}
