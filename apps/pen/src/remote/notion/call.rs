//! Requests to Notion within one time limit, with retries.
//!
//! In: a method, a path, a body. Out: JSON, or a fault. Must hold: reads are retried freely;
//! writes are sent once here, and [`Failed`] says whether they may have happened.

use std::time::{Duration, SystemTime};

use models::{HttpFault, HttpRequest, redact};
use serde_json::Value;

use super::fault;
use super::{Client, NotionFault, VERSION};

/// One operation: all of its requests share a deadline.
pub(crate) struct Caller<'a> {
    pub(crate) client: &'a Client,
    deadline: SystemTime,
}

/// One request.
pub(crate) struct Ask<'a> {
    pub(crate) method: &'a str,
    pub(crate) path: &'a str,
    pub(crate) body: Option<&'a Value>,
    /// For error messages.
    pub(crate) place: &'a str,
}

/// Why one try failed.
#[derive(Debug)]
pub(crate) struct Failed {
    pub(crate) fault: NotionFault,
    /// Notion's error code; empty where there is none.
    pub(crate) code: String,
    pub(crate) then: Then,
}

/// What to do after a failed try.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Then {
    /// It did not happen and may be retried.
    Again,
    /// It may have happened.
    LookFirst,
    /// It may have happened, or may still happen.
    Leave,
    /// Another try would fail as well.
    Stop,
}

impl<'a> Caller<'a> {
    pub(crate) fn new(client: &'a Client) -> Self {
        let now = client.line.clock().now();
        Self { client, deadline: now + client.limits.total_time_max }
    }

    pub(crate) async fn get(&self, place: &str, path: &str) -> Result<Value, Failed> {
        self.read(&Ask { method: "GET", path, body: None, place }).await
    }

    /// Sends a read, with retries.
    pub(crate) async fn read(&self, ask: &Ask<'_>) -> Result<Value, Failed> {
        let mut tries = 0;
        loop {
            let failed = match self.once(ask).await {
                Ok(answer) => return Ok(answer),
                Err(failed) => failed,
            };
            self.pause(&mut tries, failed).await?;
        }
    }

    /// One try.
    pub(crate) async fn once(&self, ask: &Ask<'_>) -> Result<Value, Failed> {
        let Client { base_url, token, line, limits } = self.client;
        let Some(left) = self.left() else {
            let fault = fault::unanswered(ask.place, &HttpFault::TimedOut);
            return Err(Failed { fault, code: String::new(), then: Then::Stop });
        };
        let bearer = format!("Bearer {}", token.expose());
        let json = ask.body.map(Value::to_string);
        let exchange = HttpRequest {
            method: ask.method,
            url: &format!("{base_url}{}", ask.path),
            headers: &[("authorization", &bearer), ("notion-version", VERSION)],
            json: json.as_deref(),
            time_max: left.min(limits.try_time_max),
            bytes_max: limits.reply_bytes_max,
        };
        let answer = line.exchange(&exchange).await.map_err(|why| Failed {
            fault: fault::unanswered(ask.place, &why),
            code: String::new(),
            then: after_silence(&why),
        })?;
        if !(200..300).contains(&answer.status) {
            let (code, words) = fault::words_of(&answer.bytes);
            let words = redact(&words, std::iter::once(token));
            let fault = fault::answered(ask.place, answer.status, &words, answer.retry_after);
            return Err(Failed { fault, code, then: after_status(answer.status) });
        }
        serde_json::from_slice(&answer.bytes).map_err(|error| Failed {
            fault: fault::garbled(ask.place, &format!("it is not JSON ({error})")),
            code: String::new(),
            then: Then::LookFirst,
        })
    }

    /// Waits before the next try, or returns the fault if there is none.
    pub(crate) async fn pause(&self, tries: &mut u32, failed: Failed) -> Result<Failed, Failed> {
        *tries += 1;
        let clock = self.client.line.clock();
        let asked = failed.fault.retry_after;
        // At least one second, like Notion's own client: a new page is not found at once.
        let wait = asked.unwrap_or_else(|| models::backoff(*tries + 1, clock.dice()));
        let fits = self.left().is_some_and(|left| wait < left);
        if failed.then == Then::Stop || *tries > self.client.limits.retries_max || !fits {
            return Err(failed);
        }
        tracing::debug!(place = %failed.fault.place, tries, ?wait, "asking Notion again");
        clock.sleep(wait).await;
        Ok(failed)
    }

    fn left(&self) -> Option<Duration> {
        let left = self.deadline.duration_since(self.client.line.clock().now()).ok()?;
        (!left.is_zero()).then_some(left)
    }
}

fn after_silence(why: &HttpFault) -> Then {
    match why {
        HttpFault::Unsendable(_) | HttpFault::TooLarge => Then::Stop,
        HttpFault::Unreachable(_) => Then::Again,
        HttpFault::Lost(_) => Then::LookFirst,
        HttpFault::TimedOut => Then::Leave,
    }
}

/// 409, 429 and 529 are refusals; after any other 5xx the work may have been done.
fn after_status(status: u16) -> Then {
    match status {
        409 | 429 | 529 => Then::Again,
        504 => Then::Leave,
        500.. => Then::LookFirst,
        _ => Then::Stop,
    }
}

impl From<NotionFault> for Failed {
    fn from(fault: NotionFault) -> Self {
        Self { fault, code: String::new(), then: Then::Stop }
    }
}

impl From<Failed> for NotionFault {
    fn from(failed: Failed) -> Self {
        failed.fault
    }
}
