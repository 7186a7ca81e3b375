//! Unpacks an answer, up to a limit: some servers pack whether asked or not.

use std::io::{self, Read};

use flate2::read::{MultiGzDecoder, ZlibDecoder};
use hyper::HeaderMap;
use hyper::header::CONTENT_ENCODING;
use policy::ServiceFault;

use crate::fault::FaultCode;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Unpacked {
    Yes,
    /// It was not packed.
    No,
}

enum Packing {
    Gzip,
    Deflate,
}

/// The bytes that were meant, at most `max` of them.
pub(super) async fn unpack(
    headers: &HeaderMap,
    bytes: Vec<u8>,
    max: usize,
) -> Result<(Vec<u8>, Unpacked), ServiceFault> {
    let Some(packing) = packing_of(headers)? else { return Ok((bytes, Unpacked::No)) };
    if bytes.is_empty() {
        return Ok((bytes, Unpacked::Yes)); // the answer to a HEAD, or a 304
    }
    let work = move || match packing {
        Packing::Gzip => read(MultiGzDecoder::new(bytes.as_slice()), max),
        Packing::Deflate => read(ZlibDecoder::new(bytes.as_slice()), max),
    };
    let unpacked = tokio::task::spawn_blocking(work).await;
    match unpacked.map_err(io::Error::other).flatten() {
        Ok(bytes) if bytes.len() > max => {
            Err(FaultCode::TooLarge
                .fault(format!("the answer has more than {max} bytes, unpacked")))
        }
        Ok(bytes) => Ok((bytes, Unpacked::Yes)),
        Err(_) => Err(FaultCode::Unreachable.fault("the answer cannot be unpacked")),
    }
}

/// One byte beyond the limit is enough to know.
fn read(packed: impl Read, max: usize) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    packed.take(max as u64 + 1).read_to_end(&mut bytes)?;
    Ok(bytes)
}

fn packing_of(headers: &HeaderMap) -> Result<Option<Packing>, ServiceFault> {
    let mut named = headers.get_all(CONTENT_ENCODING).iter();
    let (first, more) = (named.next(), named.next());
    let name = first.map(|value| String::from_utf8_lossy(value.as_bytes()).to_lowercase());
    match (name.as_deref().map(str::trim), more) {
        (None | Some("" | "identity"), None) => Ok(None),
        (Some("gzip" | "x-gzip"), None) => Ok(Some(Packing::Gzip)),
        (Some("deflate"), None) => Ok(Some(Packing::Deflate)),
        (name, _) => Err(FaultCode::NotText.fault(format!(
            "the answer is packed as `{}`, which nobody asked for",
            name.unwrap_or_default()
        ))),
    }
}

#[cfg(test)]
mod tests;
