//! Runs the public JSON Schema test suite through the dialect compiler.
//!
//! In: the directory of one draft's tests. Out: how many checks passed. Each valid instance must
//! survive encoding for every target and decoding; each invalid one must be refused after it.
//! The suite is not part of this repository; `docs/reference/dialects.md` says where it is.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use dialect::{Arguments, CompiledOutput, compile_output, normalise, same_value, targets};
use serde_json::Value;

#[derive(Default)]
struct Tally {
    checks: usize,
    refused: usize,
    narrowed: Vec<String>,
    let_through: Vec<String>,
}

/// Runs every file of the directory and prints what was found.
pub(crate) fn run(dir: &Path) -> Result<()> {
    let mut tally = Tally::default();
    let mut files: Vec<PathBuf> = Vec::new();
    for entry in fs::read_dir(dir).with_context(|| dir.display().to_string())? {
        files.push(entry?.path());
    }
    files.retain(|path| path.extension().is_some_and(|end| end == "json"));
    files.sort();
    ensure!(!files.is_empty(), "there are no tests in {}", dir.display());
    for path in files {
        let groups: Vec<Value> = serde_json::from_slice(&fs::read(&path)?)?;
        let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        groups.iter().for_each(|group| tally.group(&name, group));
    }
    let Tally { checks, refused, narrowed, let_through } = tally;
    #[expect(clippy::print_stdout, reason = "a tool of the workshop prints what it found")]
    {
        narrowed.iter().for_each(|line| println!("narrowed     {line}"));
        let_through.iter().for_each(|line| println!("let through  {line}"));
        println!(
            "{checks} checks, {} narrowed, {} let through, {refused} schemas refused",
            narrowed.len(),
            let_through.len()
        );
    }
    Ok(())
}

impl Tally {
    fn group(&mut self, file: &str, group: &Value) {
        let schema = &group["schema"];
        // Tests that fetch are not ours: nothing is ever fetched.
        if schema.to_string().contains("localhost:1234") {
            return;
        }
        let arguments = normalise(schema).ok().and_then(|n| Arguments::compile(&n.schema).ok());
        for target in targets() {
            match (compile_output(schema, "answer", target), &arguments) {
                (Ok(output), Some(arguments)) => {
                    for test in group["tests"].as_array().into_iter().flatten() {
                        let place = format!(
                            "{file}: {} / {} for {}",
                            group["description"], test["description"], target.name
                        );
                        self.test(test, &output, arguments, place);
                    }
                }
                _ => self.refused += 1,
            }
        }
    }

    fn test(
        &mut self,
        test: &Value,
        output: &CompiledOutput,
        arguments: &Arguments,
        place: String,
    ) {
        self.checks += 1;
        let data = &test["data"];
        let wire = output.plan.encode(data).ok();
        let back = wire.and_then(|wire| output.plan.decode(&wire).ok());
        match (test["valid"].as_bool(), back) {
            (Some(true), Some(back)) if same_value(&back, data) => {}
            (Some(true), _) => self.narrowed.push(place),
            (_, Some(back)) if arguments.complaints(&back).is_empty() => {
                self.let_through.push(place)
            }
            _ => {}
        }
    }
}
