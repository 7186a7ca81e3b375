//! Finds the tools that a provider rejects, even if its error names none.
//!
//! In: a refused request, and the fault. Out: the tools to leave out, each with the reason.
//! Must hold: at most [`PROBES_MAX`] short requests are sent; if the request also fails without
//! tools, no tool is rejected.

use std::collections::VecDeque;

use contract::{Block, FaultKind, Message, Model, ModelFault, RejectedTool, Request, ToolOffer};
use serde_json::Value;

use crate::client::Client;
use crate::fault::named_tool;
use crate::http::{Content, ProviderRequest};
use crate::wire::{self, ResponseMode};

/// Enough to find one bad tool among a thousand, or a few among thirty.
const PROBES_MAX: usize = 24;
/// The shortest answer that every provider accepts as a limit.
const PROBE_TOKENS: u32 = 16;

impl Client {
    pub(crate) async fn blame(&self, request: &Request, fault: &ModelFault) -> Vec<RejectedTool> {
        if fault.kind != FaultKind::BadRequest || request.tools.is_empty() {
            return Vec::new();
        }
        let refused = self.preparer.compiler.refused(&request.tools);
        if !refused.is_empty() {
            return refused;
        }
        let Ok(prepared) = self.prepare(request) else { return Vec::new() };
        let found = match named_tool(&fault.message, &prepared.sent_tools()) {
            Some(name) => vec![name.to_owned()],
            None => Search { client: self, request, left: PROBES_MAX }.run().await,
        };
        let blamed = |tool: String| {
            let schema = prepared.schema_of(&tool);
            let field = schema.and_then(|schema| field_named(&fault.message, schema));
            let message = fault.message.replacen("the request", "it", 1);
            let message = message.replacen(&format!("the tool `{tool}`"), "it", 1);
            let because = match field {
                Some(field) => format!("{message}, which may be about `{field}`"),
                None => message,
            };
            RejectedTool { tool, because }
        };
        found.into_iter().map(blamed).collect()
    }
}

/// Bisects the tools to find the bad ones.
struct Search<'a> {
    client: &'a Client,
    request: &'a Request,
    /// How many more requests may be sent.
    left: usize,
}

/// The server's answer to a request with some of the tools.
#[derive(Clone, Copy, PartialEq, Eq)]
enum ProbeResult {
    Taken,
    Refused,
    /// It fails for another reason, or the probes are used up.
    Unclear,
}

impl Search<'_> {
    async fn run(mut self) -> Vec<String> {
        if self.ask(&[]).await != ProbeResult::Taken {
            return Vec::new();
        }
        let (mut bad, mut waiting) = (Vec::new(), VecDeque::from([self.request.tools.as_slice()]));
        while let Some(group) = waiting.pop_front() {
            if let [only] = group {
                bad.push(only.id.to_string());
                continue;
            }
            let (first, second) = group.split_at(group.len() / 2);
            for half in [first, second] {
                match self.ask(half).await {
                    ProbeResult::Taken => {}
                    ProbeResult::Refused => waiting.push_back(half),
                    // Tools that cannot be tested one by one any more are left out together.
                    ProbeResult::Unclear if self.left == 0 => {
                        bad.extend(half.iter().map(|tool| tool.id.to_string()));
                    }
                    ProbeResult::Unclear => return Vec::new(),
                }
            }
        }
        bad
    }

    async fn ask(&mut self, tools: &[ToolOffer]) -> ProbeResult {
        let Some(left) = self.left.checked_sub(1) else { return ProbeResult::Unclear };
        self.left = left;
        let probe = Request {
            tools: tools.to_vec(),
            messages: vec![Message::user(vec![Block::text("Say yes.")])],
            output_tokens_max: Some(PROBE_TOKENS),
            ..Request::default()
        };
        let client = self.client;
        let Ok(prepared) = client.preparer.prepare(&probe, ResponseMode::Stream) else {
            return ProbeResult::Unclear;
        };
        let model = &client.facts().model;
        let path = wire::path(client.provider().wire, model, ResponseMode::Stream);
        let body = Content::Json(prepared.body.to_string().into());
        // Only the status matters: dropping the rest ends the answer.
        match client
            .line
            .send(
                client.provider(),
                &ProviderRequest { model, ..ProviderRequest::post(&path, body) },
            )
            .await
        {
            Ok(_) => ProbeResult::Taken,
            Err(failed) if failed.fault.kind == FaultKind::BadRequest => ProbeResult::Refused,
            Err(_) => ProbeResult::Unclear,
        }
    }
}

/// Keywords that servers reject by name.
const KEYWORDS: [&str; 12] = [
    "pattern",
    "format",
    "$ref",
    "anyof",
    "oneof",
    "allof",
    "const",
    "enum",
    "items",
    "additionalproperties",
    "propertynames",
    "patternproperties",
];

/// The first place in a schema with a keyword that the error names.
fn field_named(complaint: &str, schema: &Value) -> Option<String> {
    let complaint = complaint.to_lowercase();
    let named = |key: &str| {
        let key = key.to_lowercase();
        KEYWORDS.contains(&key.as_str()) && complaint.contains(&key)
    };
    find(schema, "", &named)
}

fn find(schema: &Value, at: &str, named: &dyn Fn(&str) -> bool) -> Option<String> {
    match schema {
        Value::Object(map) => {
            let here = map.keys().find(|key| named(key)).map(|key| format!("{at}/{key}"));
            here.or_else(|| {
                map.iter().find_map(|(key, value)| find(value, &format!("{at}/{key}"), named))
            })
        }
        Value::Array(list) => (0..)
            .zip(list)
            .find_map(|(index, value): (usize, _)| find(value, &format!("{at}/{index}"), named)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => None,
    }
}
