//! Building 10,000 generated tool directories: read, check, digest, write.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::time::Duration;

use anyhow::{Result, ensure};
use files::write_atomically;
use registry::{BuildStamp, REGISTRY_FILE, read_tools};

use crate::measure::{against, best_of, ms, peak_memory_mb, python, row, times};

const TOOLS: usize = 10_000;
const TARGET: Duration = Duration::from_secs(1);
const MEMORY_MB_MAX: u64 = 500;

pub(crate) fn run() -> Result<()> {
    let dir = tempfile::tempdir()?;
    write_tools(dir.path(), TOOLS)?;
    build(dir.path())?;
    let (ours, bytes) = best_of(5, || build(dir.path()))?;
    row("build 10,000 tools (warm)", &ms(ours), &against(TARGET, ours));
    row("  registry file", &format!("{} MB", bytes >> 20), "");
    if let Some(peak) = peak_memory_mb(std::process::id()) {
        let word = if peak <= MEMORY_MB_MAX { "within" } else { "OVER" };
        row(
            "  peak memory",
            &format!("{peak} MB"),
            &format!("{word} the target of {MEMORY_MB_MAX} MB"),
        );
    }
    let (reading, _) = best_of(3, || read_only(dir.path()))?;
    row("only reading the same files, one thread", &ms(reading), &times(reading, ours));
    match python(PYTHON, dir.path()) {
        Some(time) => {
            row("Python: parse, hash, look for sections, write", &ms(time), &times(time, ours))
        }
        None => row("Python", "–", "not installed"),
    }
    Ok(())
}

fn build(dir: &Path) -> Result<usize> {
    let build = read_tools(dir, &BTreeSet::new())?;
    ensure!(build.faults.is_empty(), "the generated tools are sound");
    ensure!(build.registry.len() == TOOLS, "every tool is there");
    let stamp = BuildStamp { git_commit: "unknown".into(), build_timestamp: String::new() };
    let bytes = build.registry.to_json(&stamp)?;
    write_atomically(&dir.join(REGISTRY_FILE), &bytes)?;
    Ok(bytes.len())
}

fn read_only(dir: &Path) -> Result<usize> {
    let mut bytes = 0;
    for entry in fs::read_dir(dir)? {
        let path = entry?.path();
        if path.is_dir() {
            for entry in fs::read_dir(path)? {
                bytes += fs::read(entry?.path())?.len();
            }
        }
    }
    Ok(bytes)
}

/// Tools like the samples in size and structure, all different.
pub(crate) fn write_tools(dir: &Path, count: usize) -> Result<()> {
    for number in 0..count {
        let folder = dir.join(format!("tool-{number}"));
        fs::create_dir(&folder)?;
        fs::write(folder.join("schema.json"), schema(number))?;
        fs::write(
            folder.join("doc_summary.md"),
            format!("Search shelf {number} of the archive.\n"),
        )?;
        fs::write(folder.join("doc.md"), document(number))?;
        fs::write(folder.join("handler.js"), HANDLER)?;
    }
    Ok(())
}

fn schema(number: usize) -> String {
    format!(
        r##"{{
  "toolId": "tool_{number}",
  "version": "1.0.{number}",
  "description": "Search shelf {number} of the archive and return the best documents.",
  "category": "retrieval",
  "sideEffects": "read_only",
  "idempotent": true,
  "requiresConfirmation": false,
  "allowedModes": ["text", "voice"],
  "latencyBudgetMs": 800,
  "parameters": {{
    "type": "object",
    "additionalProperties": false,
    "required": ["query"],
    "properties": {{
      "query": {{ "type": "string", "description": "What to look for.", "minLength": 3, "maxLength": 500 }},
      "top_k": {{ "type": "integer", "description": "How many.", "minimum": 1, "maximum": 10, "default": 5 }},
      "since": {{ "type": "string", "format": "date-time", "description": "Not older than this." }},
      "filters": {{
        "type": "object", "additionalProperties": false, "description": "Narrow it down.",
        "properties": {{
          "type": {{ "type": "string", "enum": ["person", "lab", "project"] }},
          "tags": {{ "type": "array", "items": {{ "type": "string" }}, "maxItems": 20 }}
        }}
      }}
    }}
  }},
  "returns": {{
    "type": "object", "additionalProperties": false, "required": ["results"],
    "properties": {{ "results": {{ "type": "array", "items": {{ "type": "string" }} }} }}
  }}
}}
"##
    )
}

fn document(number: usize) -> String {
    let line = "The shelf keeps its order, and each document has a place of its own.\n".repeat(6);
    format!(
        "# Shelf {number}\n\n## Summary\n{line}\n## Preconditions\n{line}\n## Postconditions\n{line}\n\
         ## Invariants\n{line}\n## Failure Modes\n{line}\n## Examples\n\n### Example 1: by words\n\
         ```json\n{{\"query\": \"clock {number}\", \"top_k\": 3,\n\"filters\": {{\"type\": \"lab\"}}}}\n\
         ```\n\n\
         ```json result\n{{\"results\": [\"a\", \"b\"]}}\n```\n\n## Common Mistakes\n{line}"
    )
}

const HANDLER: &str = "export async function execute({ args, context }) {\n\
    \x20 const results = await context.files.list('archive');\n\
    \x20 return { ok: true, data: { results: results.map((file) => file.path) } };\n}\n";

const PYTHON: &str = include_str!("../peers/registry_build.py");
