//! Batches of Anthropic and OpenAI: the same bodies, the same answers, later.
//!
//! A batch takes its answers from the script when it is created. An invalid request shows only
//! in its result, as with the providers, and results come out of order.

use contract::Wire;
use hyper::Method;
use hyper::body::Bytes;
use hyper::http::request::Parts;
use serde_json::{Value, json};

use super::Step;
use super::answer::Page;
use super::check::{self, Ask};
use super::files::{self, File};
use super::model_families;
use super::render::{self, Asked};
use super::state::State;
use super::wire_error::Trouble;

/// One batch, with its results ready from the start.
#[derive(Debug, Clone)]
pub(crate) struct Batch {
    polls_left: usize,
    good: Vec<Value>,
    bad: Vec<Value>,
    cancelled: bool,
    /// OpenAI: the requested endpoint.
    made_from: Value,
    /// OpenAI: where the results will be.
    files: Vec<String>,
}

impl Batch {
    fn new(state: &State, made_from: Value) -> Self {
        let polls_left = state.batch_polls();
        let (good, bad, files) = (Vec::new(), Vec::new(), Vec::new());
        Batch { polls_left, good, bad, cancelled: false, made_from, files }
    }

    /// Each poll counts down to the end.
    fn look(&mut self) -> bool {
        let ended = self.polls_left == 0;
        self.polls_left = self.polls_left.saturating_sub(1);
        ended
    }
}

const ID_CHARS_MAX: usize = 64;

fn bad(line: impl Into<String>) -> Trouble {
    Trouble::BadRequest(vec![line.into()])
}

/// One request of a batch, answered: the whole reply, or what went wrong.
fn settle(state: &State, wire: Wire, body: &Value) -> Result<Value, Trouble> {
    let model = body["model"].as_str().unwrap_or_default();
    if model_families::family(wire, model).is_none() {
        return Err(Trouble::UnknownModel(model.to_owned()));
    }
    let mut lines = check::check(&Ask { state, wire, head: None, body, model });
    if body["stream"] == true {
        lines.push("stream: streaming is not supported in batches".into());
    }
    if !lines.is_empty() {
        return Err(Trouble::BadRequest(lines));
    }
    match state.take(body) {
        Some(Step::Turn(turn)) => {
            let asked = Asked { model, ids: &state.ids, with_usage: false };
            let whole = render::render(wire, &turn, &asked).whole;
            state.signatures.learn(&whole);
            Ok(whole)
        }
        Some(Step::Fault(fault)) => Err(fault.trouble),
        None => Err(bad("script: the script of this test is used up")),
    }
}

pub(crate) fn anthropic(
    state: &State,
    head: &Parts,
    body: &Bytes,
    rest: &[String],
) -> Result<Page, Trouble> {
    check::version(Some(head)).map_or(Ok(()), |line| Err(bad(line)))?;
    let rest: Vec<&str> = rest.iter().map(String::as_str).collect();
    let with_batch = |id: &str, act: &dyn Fn(&mut Batch) -> Page| {
        let mut inner = state.lock();
        let batch = inner.batches.get_mut(id);
        batch.map(act).ok_or_else(|| Trouble::NotFound(format!("batch {id}")))
    };
    match (&head.method, rest.as_slice()) {
        (&Method::POST, []) => make_anthropic(state, body),
        (&Method::GET, [id]) => with_batch(id, &|batch| {
            let ended = batch.look();
            spell_anthropic(state, id, batch, ended).into()
        }),
        (&Method::POST, [id, "cancel"]) => with_batch(id, &|batch| {
            batch.cancelled = true;
            spell_anthropic(state, id, batch, false).into()
        }),
        (&Method::GET, [id, "results"]) => with_batch(id, &|batch| {
            let results = batch.good.iter().chain(&batch.bad).rev();
            let text: String = results.map(|result| format!("{result}\n")).collect();
            Page { content_type: "application/x-jsonl", text: text.into_bytes() }
        }),
        (_, _) => Err(Trouble::NotFound(head.uri.path().to_owned())),
    }
}

fn make_anthropic(state: &State, body: &Bytes) -> Result<Page, Trouble> {
    let body: Value =
        serde_json::from_slice(body).map_err(|_| bad("body: this is not valid JSON"))?;
    let requests = body["requests"].as_array().filter(|requests| !requests.is_empty());
    let requests = requests.ok_or_else(|| bad("requests: at least one is required"))?;
    let mut seen = Vec::new();
    for (index, request) in requests.iter().enumerate() {
        let id = request["custom_id"].as_str().unwrap_or_default();
        let fits = |letter: char| letter.is_ascii_alphanumeric() || matches!(letter, '_' | '-');
        if id.is_empty() || id.len() > ID_CHARS_MAX || !id.chars().all(fits) {
            let rule = "must match ^[a-zA-Z0-9_-]{1,64}$";
            return Err(bad(format!("requests.{index}.custom_id: {rule}")));
        }
        if seen.contains(&id) {
            return Err(bad(format!("requests.{index}.custom_id: must be unique")));
        }
        seen.push(id);
    }
    let mut batch = Batch::new(state, Value::Null);
    for request in requests {
        let result = match settle(state, Wire::Anthropic, &request["params"]) {
            Ok(message) => json!({ "type": "succeeded", "message": message }),
            // It expired after the batch's 24 hours.
            Err(Trouble::HangUp) => json!({ "type": "expired" }),
            Err(trouble) => json!({ "type": "errored", "error": trouble.body(Wire::Anthropic) }),
        };
        let list = if result["type"] == "succeeded" { &mut batch.good } else { &mut batch.bad };
        list.push(json!({ "custom_id": request["custom_id"], "result": result }));
    }
    let id = state.ids.next("msgbatch_");
    let page = spell_anthropic(state, &id, &batch, false);
    state.lock().batches.insert(id, batch);
    Ok(page.into())
}

fn spell_anthropic(state: &State, id: &str, batch: &Batch, ended: bool) -> Value {
    let total = batch.good.len() + batch.bad.len();
    let status = match (ended, batch.cancelled) {
        (true, _) => "ended",
        (false, true) => "canceling",
        (false, false) => "in_progress",
    };
    let when_ended = |count: usize| if ended { count } else { 0 };
    let results =
        ended.then(|| format!("http://{}/v1/messages/batches/{id}/results", state.address));
    json!({
        "id": id, "type": "message_batch", "processing_status": status,
        "request_counts": {
            "processing": total - when_ended(total),
            "succeeded": when_ended(batch.good.len()), "errored": when_ended(batch.bad.len()),
            "canceled": 0, "expired": 0,
        },
        "created_at": "2026-11-16T00:00:00Z", "expires_at": "2026-11-17T00:00:00Z",
        "ended_at": ended.then_some("2026-11-16T00:10:00Z"),
        "archived_at": null, "cancel_initiated_at": null, "results_url": results,
    })
}

pub(crate) fn openai(
    state: &State,
    head: &Parts,
    body: &Bytes,
    rest: &[String],
) -> Result<Page, Trouble> {
    let rest: Vec<&str> = rest.iter().map(String::as_str).collect();
    match (&head.method, rest.as_slice()) {
        (&Method::POST, []) => make_openai(state, body),
        (&Method::GET, [id]) => look_openai(state, id, false),
        (&Method::POST, [id, "cancel"]) => look_openai(state, id, true),
        (_, _) => Err(Trouble::NotFound(head.uri.path().to_owned())),
    }
}

fn make_openai(state: &State, body: &Bytes) -> Result<Page, Trouble> {
    let body: Value =
        serde_json::from_slice(body).map_err(|_| bad("body: this is not valid JSON"))?;
    let known = ["input_file_id", "endpoint", "completion_window", "metadata"];
    if let Some(extra) =
        body.as_object().and_then(|body| body.keys().find(|key| !known.contains(&key.as_str())))
    {
        return Err(bad(format!("{extra}: unknown parameter")));
    }
    let endpoint = body["endpoint"].as_str().unwrap_or_default();
    let wire = match endpoint {
        "/v1/chat/completions" => Wire::Chat,
        "/v1/responses" => Wire::Responses,
        _ => return Err(bad("endpoint: must be /v1/responses or /v1/chat/completions")),
    };
    if body["completion_window"] != "24h" {
        return Err(bad("completion_window: must be 24h"));
    }
    let file = files::find(state, body["input_file_id"].as_str().unwrap_or_default())?;
    if file.purpose != "batch" {
        return Err(bad("input_file_id: the file's purpose must be batch"));
    }
    let text = String::from_utf8_lossy(&file.bytes).into_owned();
    let mut batch = Batch::new(state, body.clone());
    for (index, line) in text.lines().filter(|line| !line.is_empty()).enumerate() {
        let request = parse_line(line, endpoint)
            .map_err(|what| bad(format!("line {}: {what}", index + 1)))?;
        let (status, answer) = match settle(state, wire, &request["body"]) {
            Ok(answer) => (200, answer),
            Err(trouble) => (trouble.status(wire), trouble.body(wire)),
        };
        let list = if status == 200 { &mut batch.good } else { &mut batch.bad };
        list.push(json!({
            "id": state.ids.next("batch_req_"), "custom_id": request["custom_id"],
            "response": { "status_code": status, "request_id": "req_fake", "body": answer },
            "error": null,
        }));
    }
    for (name, lines) in [("output", &batch.good), ("errors", &batch.bad)] {
        batch.files.push(match lines.is_empty() {
            true => String::new(),
            false => keep(state, name, lines),
        });
    }
    let id = state.ids.next("batch_");
    let page = spell_openai(&id, &batch, "validating");
    state.lock().batches.insert(id, batch);
    Ok(page.into())
}

fn parse_line(line: &str, endpoint: &str) -> Result<Value, &'static str> {
    let request: Value = serde_json::from_str(line).map_err(|_| "this is not valid JSON")?;
    match () {
        () if !request["custom_id"].is_string() => Err("`custom_id` is required"),
        () if request["method"] != "POST" => Err("`method` must be POST"),
        () if request["url"] != endpoint => Err("`url` must be the batch's endpoint"),
        () if !request["body"].is_object() => Err("`body` is required"),
        () => Ok(request),
    }
}

fn keep(state: &State, name: &str, lines: &[Value]) -> String {
    let text: String = lines.iter().rev().map(|line| format!("{line}\n")).collect();
    let file = File {
        name: format!("{name}.jsonl"),
        purpose: "batch_output".into(),
        bytes: text.into_bytes(),
    };
    let id = state.ids.next("file-");
    state.lock().files.insert(id.clone(), file);
    id
}

fn look_openai(state: &State, id: &str, cancel: bool) -> Result<Page, Trouble> {
    let mut inner = state.lock();
    let batch = inner.batches.get_mut(id);
    let batch = batch.ok_or_else(|| Trouble::NotFound(format!("batch {id}")))?;
    batch.cancelled |= cancel;
    let status = match (batch.cancelled, !cancel && batch.look()) {
        (true, false) => "cancelling",
        (true, true) => "cancelled",
        (false, false) => "in_progress",
        (false, true) => "completed",
    };
    Ok(spell_openai(id, batch, status).into())
}

fn spell_openai(id: &str, batch: &Batch, status: &str) -> Value {
    let ended = matches!(status, "completed" | "cancelled");
    let file = |index: usize| {
        batch.files.get(index).filter(|id| ended && !id.is_empty()).map(String::as_str)
    };
    let when_ended = |count: usize| if ended { count } else { 0 };
    json!({
        "id": id, "object": "batch", "status": status, "endpoint": batch.made_from["endpoint"],
        "input_file_id": batch.made_from["input_file_id"], "completion_window": "24h",
        "created_at": 1_794_787_200, "expires_at": 1_794_873_600, "errors": null,
        "output_file_id": file(0), "error_file_id": file(1),
        "request_counts": {
            "total": batch.good.len() + batch.bad.len(),
            "completed": when_ended(batch.good.len()), "failed": when_ended(batch.bad.len()),
        },
        "metadata": batch.made_from["metadata"],
    })
}
