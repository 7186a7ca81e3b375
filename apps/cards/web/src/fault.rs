//! Faults of the flashcards as refusals of the API.

use axum::response::{IntoResponse, Response};
use cards::CardsFault;
use server::Fault;

/// A refusal, from a handler or from the crate `cards`.
#[derive(Debug)]
pub(crate) struct Refusal(Fault);

pub(crate) type HandlerResult<T> = Result<T, Refusal>;

impl IntoResponse for Refusal {
    fn into_response(self) -> Response {
        self.0.into_response()
    }
}

impl From<Fault> for Refusal {
    fn from(fault: Fault) -> Self {
        Self(fault)
    }
}

impl From<CardsFault> for Refusal {
    fn from(fault: CardsFault) -> Self {
        Self(match fault {
            CardsFault::NoRun(_) | CardsFault::NoRuns => Fault::not_found("there is no such run"),
            CardsFault::NoCard(_) | CardsFault::NoSentence(_) => {
                Fault::not_found(fault.to_string())
            }
            CardsFault::Input(_) => Fault::bad_request(fault.to_string(), "correct what it names"),
            CardsFault::Anki(_) => {
                Fault::conflict(fault.to_string(), "start Anki with AnkiConnect")
            }
            CardsFault::Import(_) => {
                Fault::bad_request(fault.to_string(), "give an export as JSON")
            }
            CardsFault::Held { .. } => {
                let fix = "wait for it or stop it";
                Fault::conflict("this run is in progress", fix)
            }
            CardsFault::LeaseLost | CardsFault::Newer => {
                Fault::conflict(fault.to_string(), "continue in that program; nothing is lost")
            }
            CardsFault::Store(fault) => fault.into(),
            CardsFault::Damaged(_) | CardsFault::Io(_) => Fault::ours(&fault),
        })
    }
}
