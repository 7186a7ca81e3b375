//! Decompresses a response, up to a limit: some servers compress without being asked.

use std::io::{self, Read};

use flate2::read::{MultiGzDecoder, ZlibDecoder};
use hyper::HeaderMap;
use hyper::header::CONTENT_ENCODING;
use policy::ServiceFault;

use crate::fault::FaultCode;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Decompressed {
    Yes,
    /// It was not compressed.
    No,
}

enum Encoding {
    Gzip,
    Deflate,
}

/// The decompressed body, at most `max` bytes.
pub(super) async fn decompress(
    headers: &HeaderMap,
    bytes: Vec<u8>,
    max: usize,
) -> Result<(Vec<u8>, Decompressed), ServiceFault> {
    let Some(encoding) = encoding_of(headers)? else { return Ok((bytes, Decompressed::No)) };
    if bytes.is_empty() {
        return Ok((bytes, Decompressed::Yes)); // the response to a HEAD, or a 304
    }
    let work = move || match encoding {
        Encoding::Gzip => read(MultiGzDecoder::new(bytes.as_slice()), max),
        Encoding::Deflate => read(ZlibDecoder::new(bytes.as_slice()), max),
    };
    let decompressed = tokio::task::spawn_blocking(work).await;
    match decompressed.map_err(io::Error::other).flatten() {
        Ok(bytes) if bytes.len() > max => Err(FaultCode::TooLarge
            .fault(format!("the response has more than {max} bytes after decompression"))),
        Ok(bytes) => Ok((bytes, Decompressed::Yes)),
        Err(_) => Err(FaultCode::Unreachable.fault("the response cannot be decompressed")),
    }
}

/// Reads one byte beyond the limit, so that the caller sees that it is exceeded.
fn read(compressed: impl Read, max: usize) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    compressed.take(max as u64 + 1).read_to_end(&mut bytes)?;
    Ok(bytes)
}

fn encoding_of(headers: &HeaderMap) -> Result<Option<Encoding>, ServiceFault> {
    let mut named = headers.get_all(CONTENT_ENCODING).iter();
    let (first, more) = (named.next(), named.next());
    let name = first.map(|value| String::from_utf8_lossy(value.as_bytes()).to_lowercase());
    match (name.as_deref().map(str::trim), more) {
        (None | Some("" | "identity"), None) => Ok(None),
        (Some("gzip" | "x-gzip"), None) => Ok(Some(Encoding::Gzip)),
        (Some("deflate"), None) => Ok(Some(Encoding::Deflate)),
        (name, _) => Err(FaultCode::NotText.fault(format!(
            "the response is encoded as `{}`, which was not requested",
            name.unwrap_or_default()
        ))),
    }
}

#[cfg(test)]
mod tests;
