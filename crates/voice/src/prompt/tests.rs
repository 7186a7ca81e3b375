//! What goes into the instructions, and how much.

use super::*;

#[test]
fn vx_15_only_summaries_go_into_the_prompt_and_its_size_is_counted() {
    let tools = [
        ToolSummary { tool: "kb_search", summary: "Search the documents.\nAt most three results." },
        ToolSummary { tool: "kb_get", summary: "Read one document." },
    ];
    let prompt = voice_prompt("Be kind.", &tools, 4_000);
    assert!(prompt.text.contains("\nBe kind.\n- kb_search: Search the documents. At most three"));
    assert_eq!(prompt.bytes, prompt.text.len());
    assert!(prompt.bytes < 800 && prompt.left_out.is_empty(), "{}", prompt.bytes);
    let without = voice_prompt("Be kind.", &[], 4_000);
    let line = "- kb_get: Read one document.\n".len();
    assert_eq!(voice_prompt("Be kind.", &tools[1..], 4_000).bytes, without.bytes + line);
}

#[test]
fn vx_15_what_does_not_fit_is_named() {
    let long = "x".repeat(9_000);
    let tools =
        [ToolSummary { tool: "big", summary: &long }, ToolSummary { tool: "s", summary: "y" }];
    let prompt = voice_prompt("", &tools, 700);
    assert_eq!(prompt.left_out, ["big"]);
    assert!(prompt.text.ends_with("- s: y\n") && prompt.bytes <= 700);
    // A document in the place of a summary is cut, not sent.
    assert!(voice_prompt("", &tools, 100_000).bytes < 1_200);
}
