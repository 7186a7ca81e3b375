//! A client of the fake provider, which refuses what the real ones refuse.

use std::sync::Arc;

use contract::{Delta, Model, ModelFault, Reply, Request, Wire};
use fake_providers::FakeProvider;
use models::{Client, HttpClient, Limits, Provider};

use crate::conversation::{model, provider, user};
use crate::server::{FakeClock, line};

pub(crate) struct FarSide {
    pub(crate) fake: FakeProvider,
    pub(crate) client: Client,
    pub(crate) line: HttpClient,
    pub(crate) clock: Arc<FakeClock>,
}

/// A provider with this wire at the fake server.
pub(crate) fn at(fake: &FakeProvider, wire: Wire) -> Provider {
    let below = match wire {
        Wire::Anthropic => "",
        Wire::Chat | Wire::Responses => "/v1",
        Wire::Gemini => "/v1beta",
    };
    Provider { base_url: format!("{}{below}", fake.base_url()), ..provider(wire) }
}

pub(crate) async fn far_side(wire: Wire) -> FarSide {
    let fake = FakeProvider::start().await.unwrap();
    let (line, clock) = line(Limits::usual());
    let client = Client::over(line.clone(), at(&fake, wire), model(wire)).unwrap();
    FarSide { fake, client, line, clock }
}

pub(crate) fn hello() -> Request {
    Request { messages: vec![user("Hello")], ..Request::default() }
}

impl FarSide {
    pub(crate) async fn ask(&self, request: &Request) -> Result<Reply, ModelFault> {
        self.client.ask(request, &mut |_| {}).await
    }

    /// The reply, and the deltas that were shown.
    pub(crate) async fn watch(&self, request: &Request) -> (Result<Reply, ModelFault>, String) {
        let mut seen = String::new();
        let mut see = |delta: Delta| {
            if let Delta::Text(text) = delta {
                seen.push_str(&text);
            }
        };
        let reply = self.client.ask(request, &mut see).await;
        (reply, seen)
    }
}
