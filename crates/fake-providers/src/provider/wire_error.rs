//! The error bodies of the wires: one fault, as each provider encodes it.

use contract::Wire;
use serde_json::{Value, json};

/// A fault, independent of the wire.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Trouble {
    /// One line for each fault of the request, as `place: what`.
    BadRequest(Vec<String>),
    WrongKey,
    UnknownModel(String),
    NotFound(String),
    TooLarge,
    ContextExceeded,
    RateLimited,
    SpendCap,
    ServerError,
    Overloaded,
    Status(u16, String),
    Page(u16, String),
    HangUp,
}

impl Trouble {
    pub(crate) fn status(&self, wire: Wire) -> u16 {
        match (self, wire) {
            (Trouble::BadRequest(_) | Trouble::ContextExceeded, _) => 400,
            // Gemini calls a bad key an invalid argument.
            (Trouble::WrongKey, Wire::Gemini) => 400,
            (Trouble::WrongKey, Wire::Anthropic | Wire::Chat | Wire::Responses) => 401,
            (Trouble::UnknownModel(_) | Trouble::NotFound(_), _) => 404,
            (Trouble::TooLarge, _) => 413,
            (Trouble::RateLimited | Trouble::SpendCap, _) => 429,
            (Trouble::ServerError, _) => 500,
            (Trouble::Overloaded, Wire::Anthropic) => 529,
            (Trouble::Overloaded, Wire::Chat | Wire::Responses | Wire::Gemini) => 503,
            (Trouble::Status(status, _) | Trouble::Page(status, _), _) => *status,
            (Trouble::HangUp, _) => 500,
        }
    }

    fn message(&self, wire: Wire) -> String {
        match self {
            Trouble::BadRequest(lines) => lines.join("; "),
            Trouble::WrongKey => match wire {
                Wire::Anthropic => "invalid x-api-key".into(),
                Wire::Chat | Wire::Responses => "Incorrect API key provided.".into(),
                Wire::Gemini => "API key not valid. Please pass a valid API key.".into(),
            },
            Trouble::UnknownModel(model) => match wire {
                Wire::Anthropic => format!("model: {model}"),
                Wire::Chat | Wire::Responses => format!("The model `{model}` does not exist"),
                Wire::Gemini => format!("models/{model} is not found for API version v1beta"),
            },
            Trouble::NotFound(what) => format!("{what} was not found"),
            Trouble::TooLarge => "Request exceeds the maximum size".into(),
            Trouble::ContextExceeded => match wire {
                Wire::Anthropic => "prompt is too long: 210000 tokens > 200000 maximum".into(),
                Wire::Chat | Wire::Responses => {
                    "Your input exceeds the context window of this model.".into()
                }
                Wire::Gemini => {
                    "The input token count (1200000) exceeds the maximum number of tokens allowed"
                        .into()
                }
            },
            Trouble::RateLimited => "This request would exceed your rate limit".into(),
            Trouble::SpendCap => "You have reached your API usage limits for this month".into(),
            Trouble::ServerError => "Internal server error".into(),
            Trouble::Overloaded => "Overloaded".into(),
            Trouble::Status(_, message) | Trouble::Page(_, message) => message.clone(),
            Trouble::HangUp => String::new(),
        }
    }

    /// The body as the wire encodes it.
    pub(crate) fn body(&self, wire: Wire) -> Value {
        match wire {
            Wire::Anthropic => self.anthropic(),
            Wire::Chat | Wire::Responses => json!({ "error": self.openai(wire) }),
            Wire::Gemini => json!({ "error": self.gemini() }),
        }
    }

    fn anthropic(&self) -> Value {
        let kind = match self.status(Wire::Anthropic) {
            400 => "invalid_request_error",
            401 => "authentication_error",
            402 => "billing_error",
            403 => "permission_error",
            404 => "not_found_error",
            413 => "request_too_large",
            429 => "rate_limit_error",
            504 => "timeout_error",
            529 => "overloaded_error",
            _ => "api_error",
        };
        let mut error = json!({ "type": kind, "message": self.message(Wire::Anthropic) });
        if *self == Trouble::SpendCap {
            error["details"] = json!({ "error_code": "enforced_spend_limit_reached" });
        }
        json!({ "type": "error", "error": error, "request_id": "req_fake" })
    }

    fn openai(&self, wire: Wire) -> Value {
        let (kind, code) = match self {
            Trouble::BadRequest(_) => ("invalid_request_error", Value::Null),
            Trouble::WrongKey => ("invalid_request_error", "invalid_api_key".into()),
            Trouble::UnknownModel(_) => ("invalid_request_error", "model_not_found".into()),
            Trouble::NotFound(_) | Trouble::TooLarge => ("invalid_request_error", Value::Null),
            Trouble::ContextExceeded => ("invalid_request_error", "context_length_exceeded".into()),
            Trouble::RateLimited => ("requests", "rate_limit_exceeded".into()),
            Trouble::SpendCap => ("insufficient_quota", "insufficient_quota".into()),
            Trouble::Overloaded => ("server_error", "server_is_overloaded".into()),
            Trouble::ServerError | Trouble::HangUp => ("server_error", Value::Null),
            Trouble::Status(..) | Trouble::Page(..) => ("api_error", Value::Null),
        };
        json!({ "message": self.message(wire), "type": kind, "param": self.param(), "code": code })
    }

    /// OpenAI names the place of the first fault.
    fn param(&self) -> Value {
        if let Trouble::BadRequest(lines) = self {
            let place = lines.first().and_then(|line| line.split_once(": "));
            return place.map_or(Value::Null, |(place, _)| place.into());
        }
        if let Trouble::UnknownModel(_) = self { "model".into() } else { Value::Null }
    }

    fn gemini(&self) -> Value {
        let code = self.status(Wire::Gemini);
        let status = match code {
            400 | 413 => "INVALID_ARGUMENT",
            401 => "UNAUTHENTICATED",
            403 => "PERMISSION_DENIED",
            404 => "NOT_FOUND",
            429 => "RESOURCE_EXHAUSTED",
            503 => "UNAVAILABLE",
            504 => "DEADLINE_EXCEEDED",
            _ => "INTERNAL",
        };
        let mut error =
            json!({ "code": code, "message": self.message(Wire::Gemini), "status": status });
        if let Trouble::BadRequest(lines) = self {
            let violation = |line: &String| match line.split_once(": ") {
                Some((field, what)) => json!({ "field": field, "description": what }),
                None => json!({ "description": line }),
            };
            error["details"] = json!([{
                "@type": "type.googleapis.com/google.rpc.BadRequest",
                "fieldViolations": lines.iter().map(violation).collect::<Vec<_>>(),
            }]);
        }
        if *self == Trouble::WrongKey {
            error["details"] = json!([{
                "@type": "type.googleapis.com/google.rpc.ErrorInfo",
                "reason": "API_KEY_INVALID",
                "domain": "googleapis.com",
            }]);
        }
        error
    }
}
