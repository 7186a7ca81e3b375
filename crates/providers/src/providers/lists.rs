//! The lists of models, asked from all providers at once and kept for a few minutes.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use addresses::{Reach, Resolver};
use contract::ModelFault;
use models::{HttpClient, Limits, ListedModel, Provider, list_models};
use schemars::JsonSchema;
use serde::Serialize;
use tokio::task::JoinSet;
use tokio::time::Instant;

use super::{Known, Providers};
use crate::lines::Lines;
use crate::model_line::ModelLine;
use crate::model_table::can_chat;

/// The models that can be chosen.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ModelList {
    pub models: Vec<ModelLine>,
    /// Answers new conversations where nothing was chosen.
    pub server_default: String,
    /// Providers that do not list their models now.
    pub faults: Vec<UnlistedModels>,
    /// When our own table of models was checked.
    pub as_of: String,
}

/// Why the models of a provider are not in the list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct UnlistedModels {
    pub provider: String,
    pub message: String,
    pub fix: String,
}

type Listed = Result<Vec<ListedModel>, ModelFault>;

/// The newest list of each provider.
pub(crate) struct Lists {
    /// For lists, and for a provider that is being added.
    list_lines: Lines,
    lines: Lines,
    /// By name and address.
    known: Mutex<BTreeMap<(String, String), (Instant, Listed)>>,
}

/// How long a list is used, and how long the fault of a provider that gives none.
const LIST_AGE_MAX: Duration = Duration::from_secs(300);
const FAULT_AGE_MAX: Duration = Duration::from_secs(20);
/// How many models of one provider are shown.
const MODELS_MAX: usize = 1_000;

/// A person waits for the list of all providers.
const LIST_TIME_MAX: Duration = Duration::from_secs(8);

/// A person waits for one provider, which may think before it answers.
pub(crate) const fn short_limits() -> Limits {
    Limits {
        connect_time_max: Duration::from_secs(4),
        idle_time_max: Duration::from_secs(20),
        total_time_max: Duration::from_secs(25),
        retries_max: 0,
        reply_bytes_max: 8 << 20,
        ..Limits::usual()
    }
}

impl Lists {
    pub(crate) fn new(resolver: &Arc<dyn Resolver>) -> Result<Self, ModelFault> {
        let limits = short_limits();
        let quick =
            Limits { idle_time_max: LIST_TIME_MAX, total_time_max: LIST_TIME_MAX, ..limits };
        let list_lines = Lines::new(quick, resolver)?;
        Ok(Self { list_lines, lines: Lines::new(limits, resolver)?, known: Mutex::default() })
    }

    /// Uses the list that was just asked for.
    pub(crate) fn put(&self, provider: &Provider, listed: Listed) {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        known.insert(place(provider), (Instant::now(), listed));
    }

    pub(crate) fn forget(&self, name: &str) {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        known.retain(|(known, _), _| known != name);
    }

    fn recent(&self, provider: &Provider) -> Option<Listed> {
        let known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let (at, listed) = known.get(&place(provider))?;
        let age_max = if listed.is_ok() { LIST_AGE_MAX } else { FAULT_AGE_MAX };
        (at.elapsed() < age_max).then(|| listed.clone())
    }

    pub(crate) fn line(&self, reach: Option<Reach>) -> &HttpClient {
        self.lines.of(reach)
    }
}

fn place(provider: &Provider) -> (String, String) {
    (provider.name.clone(), provider.base_url.clone())
}

impl Providers {
    /// The models of all providers. `fresh` asks again even if there is a recent list.
    pub async fn models(&self, fresh: bool) -> ModelList {
        let known = self.all().await.unwrap_or_default();
        let usable: Vec<_> = known.into_iter().filter(|one| one.fault.is_none()).collect();
        let mut lists = self.listed(&usable, fresh).await;
        let (mut models, mut faults) = (Vec::new(), Vec::new());
        for Known { provider, first_model, .. } in &usable {
            match lists.remove(&provider.name) {
                Some(Ok(listed)) => models.extend(lines(provider, &listed)),
                Some(Err(fault)) => {
                    let first = first_model.as_ref().map(|name| unlisted(name));
                    models.extend(first.map(|first| ModelLine::of(provider, &first)));
                    let ModelFault { message, fix, .. } = fault;
                    faults.push(UnlistedModels { provider: provider.name.clone(), message, fix });
                }
                None => {}
            }
        }
        let default = self.default_model().await;
        let own = self.own_model().into_iter().chain([self.stand_in()]);
        for model in own.chain([&default]) {
            let line = self.own_line(&usable, model.facts());
            if models.iter().all(|known| known.id != line.id) {
                models.push(line);
            }
        }
        let server_default = default.facts().to_string();
        let as_of = (*crate::model_table::MODEL_TABLE_AS_OF).to_owned();
        ModelList { models, server_default, faults, as_of }
    }

    /// The models of a provider's recent list; none if it was not asked lately.
    pub(super) fn recent_lines(&self, provider: &Provider) -> Vec<ModelLine> {
        let listed = self.0.lists.recent(provider).and_then(Result::ok);
        listed.map(|listed| lines(provider, &listed)).unwrap_or_default()
    }

    /// A model that is not in its provider's list.
    fn own_line(&self, known: &[Known], facts: &contract::ModelFacts) -> ModelLine {
        match known.iter().find(|one| one.provider.name == facts.provider) {
            Some(one) => ModelLine::of(&one.provider, &unlisted(&facts.model)),
            None => {
                ModelLine::plain(facts, facts == self.stand_in().facts() && facts.wire.is_none())
            }
        }
    }

    async fn listed(&self, known: &[Known], fresh: bool) -> BTreeMap<String, Listed> {
        let lists = &self.0.lists;
        let mut found = BTreeMap::new();
        let mut asked = JoinSet::new();
        for Known { provider, reach, .. } in known {
            match lists.recent(provider).filter(|_| !fresh) {
                Some(listed) => drop(found.insert(provider.name.clone(), listed)),
                None => {
                    let (line, provider) = (lists.list_lines.of(*reach).clone(), provider.clone());
                    asked.spawn(async move { (list_models(&line, &provider).await, provider) });
                }
            }
        }
        while let Some(ended) = asked.join_next().await {
            let Ok((listed, provider)) = ended else { continue };
            lists.put(&provider, listed.clone());
            found.insert(provider.name, listed);
        }
        found
    }
}

/// The lines of the models that can chat.
pub(crate) fn lines(provider: &Provider, listed: &[ListedModel]) -> Vec<ModelLine> {
    let chats =
        |one: &&ListedModel| one.said.chats.unwrap_or(true) && can_chat(provider.family, &one.name);
    let shown = listed.iter().filter(chats).take(MODELS_MAX);
    shown.map(|one| ModelLine::of(provider, one)).collect()
}

pub(super) fn unlisted(name: &str) -> ListedModel {
    ListedModel { name: name.to_owned(), ..ListedModel::default() }
}
