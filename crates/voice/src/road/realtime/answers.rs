//! The responses of a connection: which one is made, what belongs to which, which calls it has.

use std::collections::{BTreeMap, BTreeSet};

use policy::Timestamp;
use serde_json::Value;

use super::pending_call::PendingCall;
use super::{frames, send};
use crate::event::AnswerEnd;
use crate::ids::AnswerId;
use crate::input::Input;
use crate::road::RoadEvent;
use crate::road::notes::note;
use crate::road::pcm::{self, Clock};
use crate::road::tools::WireTools;

/// How long a complete call waits for the end of its response, which some servers never send.
const DONE_WAIT_MS: u64 = 1_000;

#[derive(Debug)]
pub(super) struct Answers {
    rate: u32,
    /// The response that the server makes now.
    active: Option<String>,
    in_flight: InFlight,
    /// A response is wanted when the present one has ended.
    is_queued: bool,
    requests: u64,
    /// Responses that the session gave up; their messages are ignored.
    given_up: BTreeSet<String>,
    /// Spoken items of this connection.
    items: BTreeMap<String, Item>,
    calls: Vec<PendingCall>,
}

/// A request for a response that has no name yet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum InFlight {
    None,
    Wanted,
    /// Given up before the response had a name; it is cancelled when it has one.
    GivenUp,
}

#[derive(Debug)]
struct Item {
    response: String,
    clock: Clock,
    is_open: bool,
}

impl Answers {
    pub(super) fn new(rate: u32) -> Self {
        Self {
            rate,
            active: None,
            in_flight: InFlight::None,
            is_queued: false,
            requests: 0,
            given_up: BTreeSet::new(),
            items: BTreeMap::new(),
            calls: Vec::new(),
        }
    }

    /// Asks for a response, now or after the present one: a conversation makes one at a time.
    pub(super) fn want_response(&mut self) -> Option<Value> {
        match (self.active.is_some(), self.in_flight) {
            (false, InFlight::None) => {
                self.requests += 1;
                (self.in_flight, self.is_queued) = (InFlight::Wanted, false);
                Some(frames::create_response(self.requests))
            }
            (false, InFlight::Wanted) => None,
            (true, _) | (false, InFlight::GivenUp) => {
                self.is_queued = true;
                None
            }
        }
    }

    pub(super) fn queue_response(&mut self) {
        (self.in_flight, self.is_queued) = (InFlight::None, true);
    }

    pub(super) fn response_refused(&mut self) {
        self.in_flight = InFlight::None;
    }

    /// Gives up a response, also one that has no name yet.
    pub(super) fn cancel(&mut self, answer: Option<&AnswerId>) -> Option<Value> {
        self.is_queued = false;
        let by_item = answer.and_then(|answer| self.items.get(&answer.0));
        let response = by_item.map(|item| item.response.clone()).or_else(|| self.active.clone());
        if let Some(response) = response {
            let is_new = self.given_up.insert(response.clone());
            let is_active = self.active.as_ref() == Some(&response);
            return (is_new && is_active).then(|| frames::cancel(&response));
        }
        if self.in_flight == InFlight::Wanted {
            self.in_flight = InFlight::GivenUp;
        }
        None
    }

    /// Only what was heard stays in the provider's context; an unheard answer goes entirely.
    pub(super) fn truncate(&mut self, answer: &AnswerId, heard_ms: u64) -> Option<Value> {
        let item = self.items.get(&answer.0)?;
        match heard_ms.min(item.clock.ms()) {
            0 => Some(frames::delete(&answer.0)),
            // More than there is would be an error, and nothing would be cut.
            end => Some(frames::truncate(&answer.0, end)),
        }
    }

    /// A message about a response; none if its type is unknown.
    pub(super) fn message(
        &mut self,
        now: Timestamp,
        kind: &str,
        message: &Value,
        tools: &WireTools,
    ) -> Option<Vec<RoadEvent>> {
        let text = |field: &str| message.get(field).and_then(Value::as_str).unwrap_or_default();
        let events = match kind {
            "response.created" => self.created(pointer(message, "/response/id")),
            "response.output_item.added" => self.item_added(message),
            "response.output_audio.delta" | "response.audio.delta" => {
                self.audio(text("item_id"), text("delta"))
            }
            "response.output_audio_transcript.delta"
            | "response.audio_transcript.delta"
            | "response.output_text.delta"
            | "response.text.delta" => {
                let open = self.open_item(text("item_id"));
                let words = text("delta").to_owned();
                let heard =
                    |answer| Input::AnswerText { answer, text: words, until_ms: None }.into();
                open.map(heard).into_iter().collect()
            }
            "response.function_call_arguments.done" => {
                let (item, arguments) = (text("item_id"), text("arguments"));
                if let Some(call) = self.calls.iter_mut().find(|call| call.item == item) {
                    call.arguments = arguments.to_owned();
                }
                Vec::new()
            }
            "response.output_item.done" => self.item_done(now, message),
            "response.done" => self.done(message, tools),
            kind if is_known(kind) => Vec::new(),
            _ => return None,
        };
        Some(events)
    }

    fn created(&mut self, response: &str) -> Vec<RoadEvent> {
        let given_up = self.in_flight == InFlight::GivenUp;
        self.active = Some(response.to_owned());
        self.in_flight = InFlight::None;
        if given_up {
            self.given_up.insert(response.to_owned());
            return vec![send(frames::cancel(response))];
        }
        Vec::new()
    }

    fn item_added(&mut self, message: &Value) -> Vec<RoadEvent> {
        let response = pointer(message, "/response_id").to_owned();
        let item = pointer(message, "/item/id").to_owned();
        match pointer(message, "/item/type") {
            "message" if !self.given_up.contains(&response) => {
                let clock = Clock::new(self.rate);
                self.items.insert(item.clone(), Item { response, clock, is_open: true });
                vec![Input::AnswerStarted { answer: AnswerId(item) }.into()]
            }
            "function_call" => {
                self.calls.push(PendingCall {
                    response,
                    item,
                    call: pointer(message, "/item/call_id").to_owned(),
                    name: pointer(message, "/item/name").to_owned(),
                    arguments: pointer(message, "/item/arguments").to_owned(),
                    done_at: None,
                });
                Vec::new()
            }
            _ => Vec::new(),
        }
    }

    fn audio(&mut self, item: &str, delta: &str) -> Vec<RoadEvent> {
        let Some(answer) = self.open_item(item) else { return Vec::new() };
        let Some(pcm) = pcm::decode(delta) else {
            return vec![note("audio of the provider is not base64")];
        };
        let ms = self.items.get_mut(item).map_or(0, |item| item.clock.add(pcm.len()));
        let ready = Input::AnswerAudio { answer: answer.clone(), ms };
        vec![RoadEvent::Audio { answer, pcm }, ready.into()]
    }

    fn open_item(&self, item: &str) -> Option<AnswerId> {
        let found = self.items.get(item).filter(|found| found.is_open)?;
        (!self.given_up.contains(&found.response)).then(|| AnswerId(item.to_owned()))
    }

    fn item_done(&mut self, now: Timestamp, message: &Value) -> Vec<RoadEvent> {
        let item = pointer(message, "/item/id").to_owned();
        let is_complete = pointer(message, "/item/status") == "completed";
        if let Some(call) = self.calls.iter_mut().find(|call| call.item == item) {
            call.done_at = is_complete.then_some(now);
            let arguments = pointer(message, "/item/arguments");
            if !arguments.is_empty() {
                call.arguments = arguments.to_owned();
            }
            return Vec::new();
        }
        let end = if is_complete { AnswerEnd::Completed } else { AnswerEnd::Cancelled };
        self.end_item(&item, end).into_iter().collect()
    }

    fn end_item(&mut self, item: &str, end: AnswerEnd) -> Option<RoadEvent> {
        let found = self.items.get_mut(item).filter(|found| found.is_open)?;
        found.is_open = false;
        Some(Input::AnswerEnded { answer: AnswerId(item.to_owned()), end }.into())
    }

    /// The end of a response: its calls are asked for now, or never.
    fn done(&mut self, message: &Value, tools: &WireTools) -> Vec<RoadEvent> {
        let response = pointer(message, "/response/id").to_owned();
        let end = match pointer(message, "/response/status") {
            "completed" => AnswerEnd::Completed,
            "failed" => AnswerEnd::Failed,
            _ => AnswerEnd::Cancelled,
        };
        if self.active.as_ref() == Some(&response) {
            self.active = None;
        }
        let open = |(id, item): (&String, &Item)| {
            (item.is_open && item.response == response).then(|| id.clone())
        };
        let open: Vec<String> = self.items.iter().filter_map(open).collect();
        let mut events: Vec<RoadEvent> =
            open.iter().filter_map(|item| self.end_item(item, end)).collect();
        let was_wanted = !self.given_up.remove(&response);
        let calls: Vec<PendingCall> =
            self.calls.extract_if(.., |call| call.response == response).collect();
        let is_last = calls.is_empty();
        for call in calls {
            events.push(call.input(end, was_wanted, tools).into());
        }
        if end == AnswerEnd::Failed {
            let why = pointer(message, "/response/status_details/error/message");
            events.push(note(format!("the provider's answer failed: {why}")));
        }
        if is_last && was_wanted && !self.is_queued {
            events.push(Input::TurnDone.into());
        }
        if std::mem::take(&mut self.is_queued) {
            events.extend(self.want_response().map(send));
        }
        events
    }

    pub(super) fn deadline(&self) -> Option<Timestamp> {
        let done = self.calls.iter().filter_map(|call| call.done_at);
        done.min().map(|at| at.plus_ms(DONE_WAIT_MS))
    }

    /// Complete calls whose response does not end.
    pub(super) fn late_calls(&mut self, now: Timestamp, tools: &WireTools) -> Vec<RoadEvent> {
        let is_late =
            |call: &mut PendingCall| call.done_at.is_some_and(|at| at.plus_ms(DONE_WAIT_MS) <= now);
        let late: Vec<PendingCall> = self.calls.extract_if(.., is_late).collect();
        // Its response has ended in all but name.
        self.active =
            self.active.take().filter(|one| late.iter().all(|call| call.response != *one));
        let asked = |call: &PendingCall| {
            let was_wanted = !self.given_up.contains(&call.response);
            call.input(AnswerEnd::Completed, was_wanted, tools).into()
        };
        late.iter().map(asked).collect()
    }
}

/// Messages of a response that need nothing.
fn is_known(kind: &str) -> bool {
    ["response.content_part.", "response.mcp_call", "response.function_call_arguments.delta"]
        .iter()
        .any(|known| kind.starts_with(known))
        || kind.ends_with("_audio.done")
        || kind.ends_with("_text.done")
        || kind.ends_with("transcript.done")
        || kind == "response.audio.done"
        || kind == "response.text.done"
}

fn pointer<'a>(message: &'a Value, pointer: &str) -> &'a str {
    message.pointer(pointer).and_then(Value::as_str).unwrap_or_default()
}
