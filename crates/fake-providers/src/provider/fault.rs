//! Refusals: the statuses and headers with which providers refuse a request.

use super::wire_error::Trouble;
use crate::Gate;

/// One refusal of the server, before any event. Each wire has its own body.
#[derive(Debug, Clone)]
pub struct Fault {
    pub(crate) trouble: Trouble,
    pub(crate) headers: Vec<(&'static str, String)>,
    pub(crate) gate: Option<Gate>,
}

impl From<Trouble> for Fault {
    fn from(trouble: Trouble) -> Self {
        Fault { trouble, headers: Vec::new(), gate: None }
    }
}

impl Fault {
    /// 429; add one of the `retry_after…`.
    pub fn rate_limited() -> Self {
        Trouble::RateLimited.into()
    }

    /// 429 without a time to wait: the credit is used up.
    pub fn spend_cap() -> Self {
        Trouble::SpendCap.into()
    }

    /// 529 on Anthropic, 503 on the others.
    pub fn overloaded() -> Self {
        Trouble::Overloaded.into()
    }

    /// 500.
    pub fn server_error() -> Self {
        Trouble::ServerError.into()
    }

    /// 401, or Gemini's 400.
    pub fn wrong_key() -> Self {
        Trouble::WrongKey.into()
    }

    /// 404.
    pub fn unknown_model(model: &str) -> Self {
        Trouble::UnknownModel(model.into()).into()
    }

    /// 400, as for a schema that the provider does not accept.
    pub fn bad_request(message: &str) -> Self {
        Trouble::BadRequest(vec![message.into()]).into()
    }

    /// 400: the prompt is longer than the model's window.
    pub fn context_exceeded() -> Self {
        Trouble::ContextExceeded.into()
    }

    /// 413.
    pub fn too_large() -> Self {
        Trouble::TooLarge.into()
    }

    /// Any status, with a message in the wire's format.
    pub fn status(status: u16, message: &str) -> Self {
        Trouble::Status(status, message.into()).into()
    }

    /// A page that is not JSON, as proxies send it.
    pub fn page(status: u16, html: &str) -> Self {
        Trouble::Page(status, html.into()).into()
    }

    /// The connection closes without an answer; in a batch, the request expires.
    pub fn hang_up() -> Self {
        Trouble::HangUp.into()
    }

    /// `retry-after`: seconds, or an HTTP date.
    #[must_use]
    pub fn retry_after(self, value: impl ToString) -> Self {
        self.header("retry-after", value)
    }

    #[must_use]
    pub fn retry_after_ms(self, milliseconds: u64) -> Self {
        self.header("retry-after-ms", milliseconds)
    }

    #[must_use]
    pub fn should_retry(self, should: bool) -> Self {
        self.header("x-should-retry", should)
    }

    #[must_use]
    #[expect(clippy::needless_pass_by_value, reason = "numbers and texts read best by value")]
    pub fn header(mut self, name: &'static str, value: impl ToString) -> Self {
        self.headers.push((name, value.to_string()));
        self
    }

    /// Waits at this gate before the error.
    #[must_use]
    pub fn gate(mut self, gate: &Gate) -> Self {
        self.gate = Some(gate.clone());
        self
    }
}
