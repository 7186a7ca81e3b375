//! OpenAI's `/v1/files`: upload, describe, read, delete.

use hyper::Method;
use hyper::body::Bytes;
use hyper::header::CONTENT_TYPE;
use hyper::http::request::Parts;
use serde_json::{Value, json};

use super::answer::Page;
use super::state::State;
use super::wire_error::Trouble;

#[derive(Debug, Clone)]
pub(crate) struct File {
    pub(crate) name: String,
    pub(crate) purpose: String,
    pub(crate) bytes: Vec<u8>,
}

pub(crate) fn answer(
    state: &State,
    head: &Parts,
    body: &Bytes,
    rest: &[String],
) -> Result<Page, Trouble> {
    let rest: Vec<&str> = rest.iter().map(String::as_str).collect();
    match (&head.method, rest.as_slice()) {
        (&Method::POST, []) => {
            let file = parse_upload(head, body)?;
            let id = state.ids.next("file-");
            let page = spell(&id, &file);
            state.lock().files.insert(id, file);
            Ok(page.into())
        }
        (&Method::GET, [id]) => Ok(spell(id, &find(state, id)?).into()),
        (&Method::GET, [id, "content"]) => {
            let text = find(state, id)?.bytes;
            Ok(Page { content_type: "application/octet-stream", text })
        }
        (&Method::DELETE, [id]) => {
            find(state, id)?;
            state.lock().files.remove(*id);
            Ok(json!({ "id": id, "object": "file", "deleted": true }).into())
        }
        (_, _) => Err(Trouble::NotFound(head.uri.path().to_owned())),
    }
}

pub(crate) fn find(state: &State, id: &str) -> Result<File, Trouble> {
    let file = state.lock().files.get(id).cloned();
    file.ok_or_else(|| Trouble::NotFound(format!("file {id}")))
}

fn spell(id: &str, file: &File) -> Value {
    json!({
        "id": id, "object": "file", "bytes": file.bytes.len(), "created_at": 1_794_787_200,
        "filename": file.name, "purpose": file.purpose, "status": "processed",
    })
}

fn parse_upload(head: &Parts, body: &[u8]) -> Result<File, Trouble> {
    let bad = |message: &str| Trouble::BadRequest(vec![message.to_owned()]);
    let kind = head.headers.get(CONTENT_TYPE).and_then(|value| value.to_str().ok());
    let boundary = kind
        .filter(|kind| kind.starts_with("multipart/form-data"))
        .and_then(|kind| kind.split_once("boundary="))
        .map(|(_, boundary)| boundary.split(';').next().unwrap_or(boundary).trim_matches('"'))
        .ok_or_else(|| bad("content-type: must be multipart/form-data with a boundary"))?;
    let (mut file, mut purpose) = (None, None);
    for part in split(body, format!("--{boundary}").as_bytes()) {
        let Some((headers, content)) = cut(part, b"\r\n\r\n") else { continue };
        let headers = String::from_utf8_lossy(headers).into_owned();
        let content = content.strip_suffix(b"\r\n").unwrap_or(content);
        match parameter(&headers, "name").as_deref() {
            Some("purpose") => purpose = Some(String::from_utf8_lossy(content).into_owned()),
            Some("file") => {
                let name = parameter(&headers, "filename")
                    .ok_or_else(|| bad("file: the part must carry a filename"))?;
                file = Some((name, content.to_vec()));
            }
            Some("expires_after[anchor]" | "expires_after[seconds]") | None => {}
            Some(other) => return Err(bad(&format!("{other}: unknown parameter"))),
        }
    }
    let (name, bytes) = file.ok_or_else(|| bad("file: this parameter is required"))?;
    let purpose = purpose.ok_or_else(|| bad("purpose: this parameter is required"))?;
    Ok(File { name, purpose, bytes })
}

/// The quoted value of a parameter in the part's `content-disposition`.
fn parameter(headers: &str, name: &str) -> Option<String> {
    let disposition = headers
        .lines()
        .find(|line| line.to_ascii_lowercase().starts_with("content-disposition"))?;
    let wanted = format!("{name}=");
    let pair = disposition.split(';').map(str::trim).find(|pair| pair.starts_with(&wanted))?;
    Some(pair.strip_prefix(&wanted)?.trim_matches('"').to_owned())
}

fn split<'a>(bytes: &'a [u8], mark: &[u8]) -> Vec<&'a [u8]> {
    let mut parts = Vec::new();
    let mut rest = bytes;
    while let Some((before, after)) = cut(rest, mark) {
        parts.push(before);
        rest = after;
    }
    parts.push(rest);
    parts
}

fn cut<'a>(bytes: &'a [u8], mark: &[u8]) -> Option<(&'a [u8], &'a [u8])> {
    let at = bytes.windows(mark.len()).position(|window| window == mark)?;
    Some((bytes.get(..at)?, bytes.get(at + mark.len()..)?))
}
