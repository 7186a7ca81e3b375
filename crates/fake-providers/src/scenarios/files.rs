//! The files of the scenarios, in one list so that they are part of the program.
//!
//! `replies` are whole answers and what they hold, `framing` is how their bytes arrive, and
//! `errors` are HTTP errors.

use contract::Wire;

macro_rules! files {
    ($($wire:ident $folder:literal { $($group:literal: $($name:literal),+;)+ })+) => {
        &[$($($((
            Wire::$wire,
            $name,
            include_str!(concat!("../../scenarios/", $folder, "/", $group, "/", $name, ".txt")),
        )),+),+),+]
    };
}

/// Wire, name and text of each; a test compares this list with the folder.
pub(super) const FILES: &[(Wire, &str, &str)] = files! {
    Anthropic "anthropic" {
        "replies":
            "call_without_input_at_start",
            "code_execution_kept",
            "context_window_exceeded",
            "interleaved_and_redacted_thinking",
            "max_tokens_inside_arguments",
            "refusal_with_explanation",
            "refusal_without_explanation",
            "thinking_text_two_calls",
            "web_search_citations_pause_turn";
        "framing":
            "crlf",
            "cut_before_the_end",
            "cut_midway",
            "empty_stream",
            "keep_alives",
            "not_invented_yet",
            "overload_midway",
            "whole";
        "errors":
            "bad_schema",
            "overloaded",
            "prompt_too_long",
            "rate_limited",
            "rate_limited_in_milliseconds",
            "spend_cap",
            "too_large",
            "unknown_model",
            "wrong_key";
    }
    Chat "chat" {
        "replies":
            "arguments_as_object",
            "broken_arguments",
            "content_filter",
            "empty_arguments",
            "empty_ids",
            "max_tokens_inside_arguments",
            "missing_index",
            "missing_index_and_ids",
            "null_ids",
            "reasoning_details",
            "reasoning_field",
            "reasoning_text_two_calls",
            "refusal",
            "stop_with_calls",
            "two_calls_in_one_delta";
        "framing":
            "crlf",
            "cut_inside_a_call",
            "cut_midway",
            "empty_first_chunk",
            "error_frame_with_a_number",
            "keep_alives",
            "no_done",
            "no_space_after_data",
            "overload_midway",
            "whole";
        "errors":
            "bad_schema",
            "foreign_page",
            "overloaded",
            "prompt_too_long",
            "rate_limited",
            "spend_cap",
            "unknown_model",
            "wrong_key";
    }
    Responses "responses" {
        "replies":
            "code_execution_kept",
            "content_filter",
            "interleaved_and_sealed_reasoning",
            "max_tokens_inside_arguments",
            "reasoning_text_two_calls",
            "refusal",
            "web_search_with_citations";
        "framing":
            "crlf",
            "cut_before_the_end",
            "cut_midway",
            "failed",
            "keep_alives",
            "overload_midway",
            "whole";
        "errors":
            "bad_schema",
            "overloaded",
            "prompt_too_long",
            "rate_limited",
            "spend_cap",
            "unknown_model",
            "wrong_key";
    }
    Gemini "gemini" {
        "replies":
            "blocked_prompt",
            "code_execution_kept",
            "grounded_text",
            "malformed_function_call",
            "max_tokens",
            "safety_stop",
            "server_side_search_kept",
            "signature_after_text",
            "thoughts_text_two_calls",
            "two_calls_in_one_chunk";
        "framing":
            "crlf",
            "cut_before_the_end",
            "cut_midway",
            "keep_alives",
            "not_invented_yet",
            "overload_midway",
            "whole";
        "errors":
            "bad_schema",
            "overloaded",
            "prompt_too_long",
            "rate_limited",
            "unknown_model",
            "wrong_key";
    }
};
