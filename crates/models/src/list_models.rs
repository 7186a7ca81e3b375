//! Lists a provider's models; also checks whether it can be reached.

mod said;

use contract::{ModelFault, Wire};
use serde_json::Value;

use crate::fault;
use crate::http::{HttpClient, ProviderRequest};
use crate::provider::Provider;

pub use said::{ListedPrice, SaidFacts};

/// A model that a provider lists.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ListedModel {
    /// The name to request it by.
    pub name: String,
    /// Its display name, if the provider has one.
    pub title: Option<String>,
    /// What the list says about it.
    pub said: SaidFacts,
}

/// More pages than any provider has.
const PAGES_MAX: usize = 20;

/// Asks the provider for its models. A fault says why it cannot be used.
pub async fn list_models(
    line: &HttpClient,
    provider: &Provider,
) -> Result<Vec<ListedModel>, ModelFault> {
    let total = line.limits.total_time_max;
    let listed = tokio::time::timeout(total, all_pages(line, provider)).await;
    listed.unwrap_or_else(|_| Err(fault::timed_out(provider, "did not list its models", total)))
}

async fn all_pages(line: &HttpClient, provider: &Provider) -> Result<Vec<ListedModel>, ModelFault> {
    let mut models = Vec::new();
    let mut after = None;
    for _ in 0..PAGES_MAX {
        let path = path(provider.wire, after.as_deref());
        let answer = line.ask(provider, &ProviderRequest::get(&path)).await?;
        if answer.is_page() {
            return Err(fault::bad_address(provider, "it answers with a web page"));
        }
        let page = answer.body().json(line.limits.reply_bytes_max).await?;
        let entries = entries(provider.wire, &page)
            .ok_or_else(|| fault::bad_address(provider, "the answer does not list models"))?;
        models.extend(entries.iter().filter_map(listed));
        after = next(provider.wire, &page);
        if after.is_none() {
            break;
        }
    }
    Ok(models)
}

fn path(wire: Wire, after: Option<&str>) -> String {
    match (wire, after) {
        (Wire::Anthropic, None) => "/v1/models?limit=1000".to_owned(),
        (Wire::Anthropic, Some(after)) => format!("/v1/models?limit=1000&after_id={after}"),
        (Wire::Gemini, None) => "/models?pageSize=1000".to_owned(),
        (Wire::Gemini, Some(after)) => format!("/models?pageSize=1000&pageToken={after}"),
        (Wire::Chat | Wire::Responses, _) => "/models".to_owned(),
    }
}

fn entries(wire: Wire, page: &Value) -> Option<&Vec<Value>> {
    let key = match wire {
        Wire::Anthropic | Wire::Chat | Wire::Responses => "data",
        Wire::Gemini => "models",
    };
    page.get(key)?.as_array()
}

/// The name below `models/` at Gemini, the `id` elsewhere.
fn listed(entry: &Value) -> Option<ListedModel> {
    let field = |key| entry.get(key).and_then(Value::as_str);
    let name = field("id").or_else(|| field("name"))?;
    let name = name.strip_prefix("models/").unwrap_or(name).to_owned();
    let title = field("display_name").or_else(|| field("displayName")).map(str::to_owned);
    Some(ListedModel { name, title, said: SaidFacts::read(entry) })
}

fn next(wire: Wire, page: &Value) -> Option<String> {
    let after = match wire {
        Wire::Anthropic if page.get("has_more") == Some(&Value::Bool(true)) => page.get("last_id"),
        Wire::Gemini => page.get("nextPageToken"),
        Wire::Anthropic | Wire::Chat | Wire::Responses => None,
    };
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_.~%=".contains(c);
    after?.as_str().filter(|after| !after.is_empty() && after.chars().all(plain)).map(str::to_owned)
}
