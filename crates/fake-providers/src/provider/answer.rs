//! HTTP answers: a status, headers, a body.

use std::io;

use contract::Wire;
use hyper::body::Bytes;
use hyper::header::{CONTENT_TYPE, HeaderName, HeaderValue};
use hyper::{Response, StatusCode};
use serde_json::Value;

use super::delivery::{Delivery, Part};
use super::fault::Fault;
use super::wire_error::Trouble;

pub(crate) type ProviderResponse = Response<Delivery>;

/// An answer without streaming.
#[derive(Debug)]
pub(crate) struct Page {
    pub(crate) content_type: &'static str,
    pub(crate) text: Vec<u8>,
}

impl From<Value> for Page {
    fn from(json: Value) -> Self {
        Page { content_type: "application/json", text: json.to_string().into_bytes() }
    }
}

impl Page {
    pub(crate) fn into_answer(self) -> ProviderResponse {
        let body = Delivery::new(vec![Part::Bytes(Bytes::from(self.text))], None);
        with_type(body, self.content_type)
    }
}

pub(crate) fn with_type(body: Delivery, content_type: &'static str) -> ProviderResponse {
    let mut answer = Response::new(body);
    let headers = answer.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static(content_type));
    headers.insert("request-id", HeaderValue::from_static("req_fake"));
    answer
}

/// An error answer of the wire.
pub(crate) fn refuse(wire: Wire, fault: &Fault) -> io::Result<ProviderResponse> {
    if fault.trouble == Trouble::HangUp {
        return Err(io::Error::other("connection closed, as the script requests"));
    }
    let page = if let Trouble::Page(_, html) = &fault.trouble {
        Page { content_type: "text/html", text: html.clone().into_bytes() }
    } else {
        fault.trouble.body(wire).into()
    };
    let mut answer = page.into_answer();
    let status = fault.trouble.status(wire);
    *answer.status_mut() = StatusCode::from_u16(status).map_err(io::Error::other)?;
    for (name, value) in &fault.headers {
        let value = HeaderValue::from_str(value).map_err(io::Error::other)?;
        answer.headers_mut().insert(HeaderName::from_static(name), value);
    }
    Ok(answer)
}
