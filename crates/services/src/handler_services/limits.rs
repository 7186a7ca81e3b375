//! How much one run of a handler may ask of its services.

use std::time::Duration;

/// Ceilings of one run. No `Default`: whoever grants services states their price.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ServiceLimits {
    pub calls_max: u32,
    /// All arguments and all answers together.
    pub bytes_max: u64,
    /// Calls to files and network that run beside each other; more of them wait.
    pub at_once_max: usize,
    /// One chunk, message, note, audit record or line of the console.
    pub event_bytes_max: usize,

    pub kv_value_bytes_max: usize,
    pub kv_list_items_max: usize,
    /// Of one owner, all tools together.
    pub kv_keys_max: usize,
    pub kv_bytes_max: usize,
    pub kv_list_bytes_max: usize,

    pub file_bytes_max: usize,
    /// Entries a listing may meet, shown or not.
    pub file_list_items_max: usize,
    /// Folders below the listed one.
    pub file_list_depth_max: usize,

    /// Questions to a model.
    pub ai_calls_max: u32,
    /// The text of one such question.
    pub ai_prompt_bytes_max: usize,
    /// How many tokens one answer may have.
    pub ai_output_tokens_max: u32,

    pub fetches_max: u32,
    pub fetch_request_bytes_max: usize,
    /// As sent and, if it was packed, as unpacked.
    pub fetch_response_bytes_max: usize,
    /// Of a request and of a response.
    pub fetch_headers_max: usize,
    /// Names and values together, of a request and of a response; at least 8 KiB.
    pub fetch_header_bytes_max: usize,
    pub fetch_redirects_max: u32,
    /// From the question to the last byte, all redirects included.
    pub fetch_time_max: Duration,
    /// One attempt to connect to one address, TLS included.
    pub connect_time_max: Duration,
}

impl ServiceLimits {
    /// For tools as people write them, on a machine that does other things too.
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
