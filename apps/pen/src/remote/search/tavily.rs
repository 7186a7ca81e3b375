//! Tavily, a search for programs.
//!
//! Must hold: the key is in one header only.

use contract::Secret;
use models::{HttpClient, HttpFault, HttpRequest, HttpResponse, redact};
use serde_json::{Value, json};

use super::{Hit, Limits, Skipped, Way, timed_out};

/// One account.
#[derive(Clone)]
pub struct Tavily {
    base_url: String,
    key: Secret,
    line: HttpClient,
}

impl Tavily {
    /// `base_url` as in `https://api.tavily.com`; the HTTP client is shared.
    pub fn new(base_url: &str, key: Secret, line: HttpClient) -> Self {
        Self { base_url: base_url.trim_end_matches('/').to_owned(), key, line }
    }

    pub(crate) async fn search(
        &self,
        query: &str,
        max: usize,
        limits: &Limits,
    ) -> Result<Vec<Hit>, Skipped> {
        let body = json!({ "query": query, "max_results": max, "search_depth": "basic" });
        let bearer = format!("Bearer {}", self.key.expose());
        let exchange = HttpRequest {
            method: "POST",
            url: &format!("{}/search", self.base_url),
            headers: &[("authorization", &bearer)],
            json: Some(&body.to_string()),
            time_max: limits.try_time_max,
            bytes_max: limits.reply_bytes_max,
        };
        let answer = self.line.exchange(&exchange).await;
        let answer = answer.map_err(|fault| unanswered(&fault, limits))?;
        if answer.status != 200 {
            return Err(self.refused(&answer));
        }
        hits(&answer.bytes)
    }

    fn refused(&self, answer: &HttpResponse) -> Skipped {
        let json: Value = serde_json::from_slice(&answer.bytes).unwrap_or_default();
        let said = [&json["detail"]["error"], &json["detail"], &json["message"]];
        let words = said.iter().find_map(|said| said.as_str()).unwrap_or("no reason");
        let words = super::clip(&redact(words, std::iter::once(&self.key)), 300);
        let fix = match answer.status {
            401 | 403 => "check TAVILY_API_KEY",
            429 => "try again later",
            432 | 433 => "the plan is used up; raise its limit at Tavily",
            400 => "change the query",
            _ => "try again later, or check the address of Tavily",
        };
        skipped(format!("it answers {}: {words}", answer.status), fix)
    }
}

fn hits(bytes: &[u8]) -> Result<Vec<Hit>, Skipped> {
    let json: Value = serde_json::from_slice(bytes).unwrap_or_default();
    let Some(results) = json["results"].as_array() else {
        let fix = "check the address of Tavily";
        return Err(skipped("the answer is not from Tavily", fix));
    };
    let text = |result: &Value, name: &str| result[name].as_str().unwrap_or_default().to_owned();
    let hit = |result: &Value| Hit {
        title: text(result, "title"),
        url: text(result, "url"),
        snippet: text(result, "content"),
    };
    Ok(results.iter().map(hit).collect())
}

fn skipped(why: impl Into<String>, fix: &str) -> Skipped {
    Skipped { way: Way::Tavily, why: why.into(), fix: fix.to_owned() }
}

pub(crate) fn no_key() -> Skipped {
    skipped("TAVILY_API_KEY is not set", "set it to search without a model")
}

fn unanswered(fault: &HttpFault, limits: &Limits) -> Skipped {
    match fault {
        HttpFault::TimedOut => timed_out(Way::Tavily, limits.try_time_max),
        HttpFault::Unsendable(why) => {
            skipped(why, "check TAVILY_API_KEY and the address of Tavily")
        }
        HttpFault::Unreachable(why) | HttpFault::Lost(why) => {
            skipped(format!("it cannot be reached: {why}"), "check the network")
        }
        HttpFault::TooLarge => skipped("the answer is too large", "ask for fewer results"),
    }
}
