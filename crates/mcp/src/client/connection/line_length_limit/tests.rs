//! Short lines pass; a long one fails.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use tokio::io::AsyncReadExt;

use super::LimitedLines;

async fn read(text: &str, max: usize) -> (bool, bool) {
    let exceeded = Arc::new(AtomicBool::new(false));
    let mut reader = LimitedLines::new(text.as_bytes(), max, Arc::clone(&exceeded));
    let mut whole = Vec::new();
    let ended = reader.read_to_end(&mut whole).await;
    (ended.is_ok(), exceeded.load(Ordering::Relaxed))
}

#[tokio::test]
async fn only_the_length_of_a_line_is_limited() {
    assert_eq!(read("12345\n12345\n12345\n", 6).await, (true, false));
    assert_eq!(read("1234567", 6).await, (false, true));
    let many = "12345\n".repeat(10_000);
    assert_eq!(read(&many, 6).await, (true, false));
}
