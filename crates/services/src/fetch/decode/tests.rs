//! Compressed bodies, including decompression bombs.

use std::io::Write as _;

use flate2::Compression;
use flate2::write::{GzEncoder, ZlibEncoder};
use hyper::header::HeaderValue;

use super::*;

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

async fn check(encoding: &str, bytes: &[u8], max: usize, expected: Result<&[u8], &str>) {
    let mut headers = HeaderMap::new();
    headers.insert(CONTENT_ENCODING, HeaderValue::from_str(encoding).unwrap());
    let unpacked = decompress(&headers, bytes.to_vec(), max).await;
    let unpacked = unpacked.map(|(bytes, _)| bytes).map_err(|fault| fault.code);
    assert_eq!(unpacked.as_deref(), expected.map_err(ToOwned::to_owned).as_deref());
}

#[tokio::test]
async fn a_response_is_decompressed_up_to_the_limit() {
    let mut zlib = ZlibEncoder::new(Vec::new(), Compression::fast());
    zlib.write_all(b"hello").unwrap();
    check("identity", b"hello", 5, Ok(b"hello")).await;
    check("gzip", &gzip(b"hello"), 5, Ok(b"hello")).await;
    check("GZIP", &gzip(b"hello"), 5, Ok(b"hello")).await;
    check("deflate", &zlib.finish().unwrap(), 5, Ok(b"hello")).await;
    check("gzip", b"", 5, Ok(b"")).await;
    check("gzip", &gzip(b"hello!"), 5, Err("TOO_LARGE")).await;
    check("gzip", b"no gzip", 5, Err("UNREACHABLE")).await;
    check("br", b"hello", 5, Err("NOT_TEXT")).await;
    check("gzip, gzip", b"hello", 5, Err("NOT_TEXT")).await;
}

#[tokio::test]
async fn a_decompression_bomb_is_refused() {
    let bomb = gzip(&vec![0; 64 << 20]);
    assert!(bomb.len() < 100_000);
    check("gzip", &bomb, 100_000, Err("TOO_LARGE")).await;
}
