//! Compiling 1,000 tools for each target, and reading one typical call back.

use std::fs;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use dialect::{Arguments, Strictness, ToolSource, UnknownArguments, compile, target, targets};
use serde_json::{Value, json};

use crate::measure::{against, best_of, ms, row, times, us};
use crate::peers::Peers;

const TOOLS: usize = 1_000;
const COMPILE_TARGET: Duration = Duration::from_millis(50);
const CALL_TARGET: Duration = Duration::from_micros(10);
const CALLS: u32 = 100_000;
const NODE_PACKAGES: [&str; 2] = ["ajv@8", "ajv-formats@3"];
/// Shared with `turn`.
pub(crate) const PYTHON_PACKAGES: [&str; 3] =
    ["jsonschema", "rfc3339-validator", "pydantic-ai-slim[openai]"];

pub(crate) fn run() -> Result<()> {
    let schemas: Vec<Value> = (0..TOOLS).map(schema).collect();
    let names: Vec<String> = (0..TOOLS).map(|number| format!("tool_{number}")).collect();
    let sources: Vec<ToolSource<'_>> = schemas
        .iter()
        .zip(&names)
        .map(|(parameters, name)| ToolSource {
            name,
            description: "Search one shelf of the archive.",
            parameters,
            strict: Strictness::Wanted,
        })
        .collect();
    let mut strict = Duration::ZERO;
    for target in targets() {
        let (took, set) = best_of(5, || Ok(compile(&sources, target)))?;
        ensure!(set.refused.is_empty(), "{} takes every tool", target.name);
        row(
            &format!("compile 1,000 tools for {}", target.name),
            &ms(took),
            &against(COMPILE_TARGET, took),
        );
        if target.name == "openai-chat-strict" {
            strict = took;
        }
    }
    let call = read_back(&sources)?;
    row("decode and validate one call", &us(call), &against(CALL_TARGET, call));
    beside(&schemas, strict, call)
}

/// One call as a strict OpenAI model makes it: null for what is left out.
fn read_back(sources: &[ToolSource<'_>]) -> Result<Duration> {
    let target = target("openai-chat-strict").context("the target is there")?;
    let set = compile(&sources[..1], target);
    let plan = &set.tools.first().context("the tool is there")?.plan;
    let arguments = Arguments::compile(sources[0].parameters)?;
    let filters = json!({"type": "lab", "tags": null});
    let wire = json!({"query": "clock builder", "top_k": 3, "since": null, "filters": filters});
    let (took, ()) = best_of(3, || {
        for _ in 0..CALLS {
            let decoded = plan.decode(std::hint::black_box(&wire))?;
            std::hint::black_box(arguments.check(decoded, UnknownArguments::Refuse)?);
        }
        Ok(())
    })?;
    Ok(took / CALLS)
}

/// The same work by others, in the same run.
fn beside(schemas: &[Value], strict: Duration, call: Duration) -> Result<()> {
    let file = tempfile::NamedTempFile::new()?;
    fs::write(file.path(), serde_json::to_vec(schemas)?)?;
    let peers = Peers::open()?;
    let node = peers.node(&NODE_PACKAGES);
    let python = peers.python("venv", &PYTHON_PACKAGES);
    let python = |script| python.as_ref()?.seconds(script, file.path());
    let start = Instant::now();
    match node.and_then(|node| node.seconds("ajv_validate.mjs", file.path())) {
        Some(time) => row("ajv (Node), validate the same call", &us(time), &times(time, call)),
        None => row("ajv (Node)", "–", "not installed"),
    }
    match python("jsonschema_validate.py") {
        Some(time) => {
            row("jsonschema (Python), validate the same call", &us(time), &times(time, call))
        }
        None => row("jsonschema (Python)", "–", "not installed"),
    }
    match python("pydantic_ai_strict.py") {
        Some(time) => {
            row("pydantic-ai, 1,000 tools to OpenAI strict", &ms(time), &times(time, strict))
        }
        None => row("pydantic-ai", "–", "not installed"),
    }
    row("the peers took", &format!("{:.1} s", start.elapsed().as_secs_f64()), "");
    Ok(())
}

fn schema(number: usize) -> Value {
    json!({
        "type": "object",
        "additionalProperties": false,
        "required": ["query"],
        "properties": {
            "query": {
                "type": "string", "description": format!("What to look for on shelf {number}."),
                "minLength": 3, "maxLength": 500
            },
            "top_k": {
                "type": "integer", "description": "How many.",
                "minimum": 1, "maximum": 10, "default": 5
            },
            "since": {"type": "string", "format": "date-time", "description": "Not older than this."},
            "filters": {
                "type": "object", "additionalProperties": false, "description": "Narrow it down.",
                "properties": {
                    "type": {"type": "string", "enum": ["person", "lab", "project"]},
                    "tags": {"type": "array", "items": {"type": "string"}, "maxItems": 20}
                }
            }
        }
    })
}
