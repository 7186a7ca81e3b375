//! Limits for the services of one run.

use std::time::Duration;

/// Limits of one run. No `Default`: callers choose explicitly.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ServiceLimits {
    pub calls_max: u32,
    /// All arguments and results together.
    pub bytes_max: u64,
    /// Concurrent calls to files and network; further ones wait.
    pub at_once_max: usize,
    /// One chunk, message, notice, audit record or console line.
    pub event_bytes_max: usize,

    pub kv_value_bytes_max: usize,
    pub kv_list_items_max: usize,
    /// Of one owner, all tools together.
    pub kv_keys_max: usize,
    pub kv_bytes_max: usize,
    pub kv_list_bytes_max: usize,

    pub file_bytes_max: usize,
    /// Entries that a listing visits, including hidden ones.
    pub file_list_items_max: usize,
    /// Levels below the listed folder.
    pub file_list_depth_max: usize,

    /// Requests to a model.
    pub ai_calls_max: u32,
    /// The prompt of one request.
    pub ai_prompt_bytes_max: usize,
    /// Tokens of one answer.
    pub ai_output_tokens_max: u32,

    pub fetches_max: u32,
    pub fetch_request_bytes_max: usize,
    /// Before and after decompression.
    pub fetch_response_bytes_max: usize,
    /// Of a request and of a response.
    pub fetch_headers_max: usize,
    /// Names and values together, of a request and of a response; at least 8 KiB.
    pub fetch_header_bytes_max: usize,
    pub fetch_redirects_max: u32,
    /// From the request to the last byte, including redirects.
    pub fetch_time_max: Duration,
    /// One connection attempt to one address, including TLS.
    pub connect_time_max: Duration,
}

impl ServiceLimits {
    /// For ordinary tools on a shared machine.
    pub const ORDINARY: ServiceLimits = ServiceLimits {
        calls_max: 10_000,
        bytes_max: 128 << 20,
        at_once_max: 8,
        event_bytes_max: 256 << 10,
        kv_value_bytes_max: 1_000_000,
        kv_list_items_max: 1_000,
        kv_keys_max: 20_000,
        kv_bytes_max: 128 << 20,
        kv_list_bytes_max: 8 << 20,
        file_bytes_max: 4 << 20,
        file_list_items_max: 10_000,
        file_list_depth_max: 16,
        ai_calls_max: 10,
        ai_prompt_bytes_max: 200_000,
        ai_output_tokens_max: 4_096,
        fetches_max: 100,
        fetch_request_bytes_max: 4 << 20,
        fetch_response_bytes_max: 8 << 20,
        fetch_headers_max: 100,
        fetch_header_bytes_max: 64 << 10,
        fetch_redirects_max: 5,
        fetch_time_max: Duration::from_secs(30),
        connect_time_max: Duration::from_secs(5),
    };
}
