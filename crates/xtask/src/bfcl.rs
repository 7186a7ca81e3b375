//! Runs the calls of BFCL, a public benchmark of function calls, through the dialect compiler.
//!
//! In: the ground truth of `bfcl-eval`, which `make setup` unpacks. Out: how many calls survive
//! encoding for every target and decoding. A call that does not fit its own schema is counted
//! and skipped.

use std::collections::HashMap;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, ensure};
use dialect::{
    Arguments, CompiledSet, Strictness, ToolSet, ToolSource, UnknownArguments, normalise, targets,
};
use serde::Deserialize;
use serde_json::Value;

#[derive(Deserialize)]
struct Call {
    at: String,
    tool: String,
    parameters: Value,
    args: Value,
}

/// What became of the calls.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Tally {
    pub calls: usize,
    /// Those that fit their own schema.
    pub valid: usize,
    /// Each with its place, its target and what went wrong.
    pub lost: Vec<String>,
}

/// Checks every call, or each `step`th, and prints what was found.
pub(crate) fn run(root: &Path, step: usize) -> Result<()> {
    let Tally { calls, valid, lost } = check(root, step)?;
    #[expect(clippy::print_stdout, reason = "a tool of the workshop prints what it found")]
    {
        lost.iter().for_each(|line| println!("lost  {line}"));
        println!(
            "{calls} calls, {valid} fit their own schema, {} lost on one of {} targets",
            lost.len(),
            targets().len()
        );
    }
    ensure!(lost.is_empty(), "calls were lost");
    Ok(())
}

pub(crate) fn check(root: &Path, step: usize) -> Result<Tally> {
    let wheels = testkit::packages::folder("bfcl").join("wheels");
    #[expect(
        clippy::disallowed_methods,
        reason = "a tool of the workshop runs a script of its own"
    )]
    let mut python = Command::new("python3");
    let output = python.arg(root.join("crates/xtask/src/bfcl_calls.py")).arg(wheels).output()?;
    let text = String::from_utf8(output.stdout)?;
    ensure!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let mut tally = Tally::default();
    let mut known: HashMap<String, Option<Tool>> = HashMap::new();
    for line in text.lines().step_by(step.max(1)) {
        let call: Call = serde_json::from_str(line).with_context(|| line.to_owned())?;
        tally.calls += 1;
        let tool = known
            .entry(format!("{} {}", call.tool, call.parameters))
            .or_insert_with(|| Tool::read(&call));
        match tool {
            Some(tool) => tally.call(&call, tool),
            None => tally.lost.push(format!("{}: its schema cannot be read", call.at)),
        }
    }
    Ok(tally)
}

/// A tool, spelled for every target.
struct Tool {
    arguments: Arguments,
    sets: Vec<(&'static str, CompiledSet)>,
}

impl Tool {
    fn read(call: &Call) -> Option<Self> {
        let schema = normalise(&call.parameters).ok()?.schema;
        let source = ToolSource {
            name: &call.tool,
            description: "",
            parameters: &call.parameters,
            strict: Strictness::Wanted,
        };
        let tools = ToolSet::read(&[source]);
        let sets = targets().iter().map(|target| (target.name, tools.compile(target))).collect();
        Some(Self { arguments: Arguments::compile(&schema).ok()?, sets })
    }
}

impl Tally {
    fn call(&mut self, call: &Call, tool: &Tool) {
        if !tool.arguments.complaints(&call.args).is_empty() {
            return;
        }
        self.valid += 1;
        let wanted = tool.arguments.check(call.args.clone(), UnknownArguments::Refuse);
        for (target, set) in &tool.sets {
            if let Err(why) = journey(call, tool, set, wanted.as_ref().ok().map(|w| &w.args)) {
                self.lost.push(format!("{} {} for {target}: {why}", call.at, call.tool));
            }
        }
    }
}

/// To the wire and back: what the handler gets must be what it would have got directly.
fn journey(
    call: &Call,
    tool: &Tool,
    set: &CompiledSet,
    wanted: Option<&Value>,
) -> Result<(), String> {
    let sent = set.tools.first().ok_or_else(|| format!("refused: {:?}", set.refused))?;
    let wire = sent.plan.encode(&call.args).map_err(|fault| format!("not encoded: {fault:?}"))?;
    let back = sent.plan.decode(&wire).map_err(|fault| format!("not decoded: {fault:?}"))?;
    let checked =
        tool.arguments.check(back, UnknownArguments::Refuse).map_err(|bad| bad.to_string())?;
    match Some(&checked.args) == wanted {
        true => Ok(()),
        false => Err(format!("became {}", checked.args)),
    }
}

#[cfg(test)]
mod tests;
