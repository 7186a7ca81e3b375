//! Looks for model servers on this machine, or at an address that a person typed.

use std::time::Duration;

use contract::Secret;
use models::{HttpClient, Limits, Provider, list_models};
use schemars::JsonSchema;
use serde::Serialize;
use tokio::task::JoinSet;

use crate::address::Address;
use crate::fault::ProviderFault;
use crate::kind::ProviderKind;
use crate::model_line::ModelLine;
use crate::providers::{Providers, lines, short_limits};

/// A server that usually listens on this port of the machine.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LocalServer {
    pub title: &'static str,
    pub kind: ProviderKind,
    pub port: u16,
}

pub const LOCAL_SERVERS: [LocalServer; 4] = [
    LocalServer { title: "Ollama", kind: ProviderKind::Ollama, port: 11_434 },
    LocalServer { title: "LM Studio", kind: ProviderKind::Compatible, port: 1_234 },
    LocalServer { title: "llama.cpp", kind: ProviderKind::Compatible, port: 8_080 },
    LocalServer { title: "vLLM", kind: ProviderKind::Compatible, port: 8_000 },
];

/// A server that lists models.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct FoundServer {
    /// What usually listens there; none for a typed address.
    pub title: Option<String>,
    pub kind: ProviderKind,
    pub address: String,
    pub models: Vec<ModelLine>,
}

/// A server of this machine answers at once or not at all.
const LOOK_TIME_MAX: Duration = Duration::from_secs(2);

impl Providers {
    /// The servers of this machine that list models, on their usual ports.
    pub async fn find_local(&self) -> Result<Vec<FoundServer>, ProviderFault> {
        let limits = Limits {
            connect_time_max: LOOK_TIME_MAX,
            idle_time_max: LOOK_TIME_MAX,
            total_time_max: LOOK_TIME_MAX,
            ..short_limits()
        };
        let line = HttpClient::new(limits)?;
        let mut looks = JoinSet::new();
        for (at, server) in self.0.local.iter().copied().enumerate() {
            let line = line.clone();
            looks.spawn(async move {
                let address = Address::parse(&format!("http://127.0.0.1:{}/v1", server.port));
                let found = look(&line, server.kind, &address.ok()?, None).await.ok()?;
                Some((at, FoundServer { title: Some(server.title.to_owned()), ..found }))
            });
        }
        let mut found = Vec::new();
        while let Some(ended) = looks.join_next().await {
            found.extend(ended.ok().flatten());
        }
        found.sort_by_key(|(at, _)| *at);
        Ok(found.into_iter().map(|(_, server)| server).collect())
    }

    /// The server at a typed address, with `/v1` where a path is missing.
    pub async fn find_at(
        &self,
        typed: &str,
        key: Option<Secret>,
    ) -> Result<FoundServer, ProviderFault> {
        let typed = Address::parse(typed)?;
        if key.is_some() {
            typed.check_key_is_safe()?;
        }
        let reach = typed.reach(self.0.resolver.as_ref()).await?;
        let line = self.0.lists.line(Some(reach));
        let kind = match typed.as_str().ends_with(":11434") || typed.as_str().contains(":11434/") {
            true => ProviderKind::Ollama,
            false => ProviderKind::Compatible,
        };
        if typed.is_bare() {
            return look(line, kind, &typed.at("/v1"), key).await;
        }
        look(line, kind, &typed, key).await
    }
}

async fn look(
    line: &HttpClient,
    kind: ProviderKind,
    address: &Address,
    key: Option<Secret>,
) -> Result<FoundServer, ProviderFault> {
    let provider: Provider = kind.described(kind.usual_name(), address, None, key);
    let listed = list_models(line, &provider).await?;
    let models = lines(&provider, &listed);
    Ok(FoundServer { title: None, kind, address: address.as_str().to_owned(), models })
}
