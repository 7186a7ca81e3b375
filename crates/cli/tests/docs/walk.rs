//! Goes through one document.

use crate::background::Background;
use crate::block::{Block, Mark, What, steps};
use crate::compare::difference;
use crate::scratch::Scratch;
use crate::{parsed, repository};

/// Fails with everything in the document that is not as it says.
pub(crate) fn document(path: &str) {
    let text = std::fs::read_to_string(repository().join(path)).unwrap();
    let faults = faults(path, &text);
    assert!(faults.is_empty(), "{} of {path} not as shown:\n\n{}", faults.len(), faults.join("\n"));
}

fn faults(path: &str, text: &str) -> Vec<String> {
    let steps = match steps(text) {
        Ok(steps) => steps,
        Err(fault) => return vec![format!("{path}: {fault}")],
    };
    let mut walk = Walk { scratch: Scratch::new(), server: None, faults: Vec::new() };
    for step in steps {
        let at = |line: usize| format!("{path}:{}", step.line + line);
        match step.what {
            What::Setup(script) => {
                let ran = walk.scratch.run(&format!("set -e\n{script}"));
                if ran.code != 0 {
                    walk.faults.push(format!("{}: the scene fails\n{}", at(0), ran.said));
                }
            }
            What::Block(block) => walk.block(&block, &at),
        }
    }
    walk.faults
}

struct Walk {
    scratch: Scratch,
    server: Option<Background>,
    faults: Vec<String>,
}

/// A command, and the output that is shown below it.
struct Shown {
    line: usize,
    command: String,
    output: String,
}

impl Walk {
    fn block(&mut self, block: &Block, at: &dyn Fn(usize) -> String) {
        match (&block.mark, block.language.as_str()) {
            (Mark::Skip, _) => {}
            (Mark::File(path), _) => self.scratch.write(path, &block.text),
            (_, "console") => self.commands(&of_console(&block.text), &block.mark, at),
            (_, "sh") => self.commands(&of_script(&block.text), &block.mark, at),
            (_, language) => {
                let fault = parsed::fault(language, &block.text);
                self.faults.extend(fault.map(|fault| format!("{}: {fault}", at(0))));
            }
        }
    }

    fn commands(&mut self, commands: &[Shown], mark: &Mark, at: &dyn Fn(usize) -> String) {
        for (number, shown) in commands.iter().enumerate() {
            let place = format!("{}: $ {}", at(shown.line), shown.command);
            if *mark == Mark::Background {
                self.server = None;
                let lines = shown.output.lines().count();
                let (server, said) = Background::start(&self.scratch, &shown.command, lines);
                self.server = Some(server);
                self.compare(&place, &shown.output, &said, !said.contains("http"));
                continue;
            }
            let expected = match mark {
                Mark::Exit(code) if number + 1 == commands.len() => *code,
                Mark::None | Mark::Skip | Mark::Exit(_) | Mark::Background | Mark::File(_) => 0,
            };
            let ran = self.scratch.run(&shown.command);
            if ran.code != expected {
                let (code, said) = (ran.code, &ran.said);
                self.faults.push(format!("{place}\n  exit {code}, not {expected}\n{said}"));
            } else {
                self.compare(&place, &shown.output, &ran.said, false);
            }
        }
    }

    /// A command without output in the document may say what it likes.
    fn compare(&mut self, place: &str, shown: &str, said: &str, is_silent: bool) {
        if is_silent {
            self.faults.push(format!("{place}\n  the server names no address\n{said}"));
        } else if !shown.is_empty() {
            let fault = difference(shown, said);
            self.faults.extend(fault.map(|fault| format!("{place}\n{fault}\n")));
        }
    }
}

/// Commands begin with `$ `, go on in the next line after a `\`, and have output below.
fn of_console(text: &str) -> Vec<Shown> {
    let mut all: Vec<Shown> = Vec::new();
    let mut goes_on = false;
    for (line, text) in text.lines().enumerate() {
        match (text.strip_prefix("$ "), all.last_mut()) {
            (None, Some(last)) if goes_on => {
                last.command.push('\n');
                last.command.push_str(text);
                goes_on = text.ends_with('\\');
            }
            (Some(command), _) => {
                let (command, output) = (command.to_owned(), String::new());
                goes_on = command.ends_with('\\');
                all.push(Shown { line: line + 1, command, output });
            }
            (None, Some(last)) => {
                last.output.push_str(text);
                last.output.push('\n');
            }
            (None, None) => {}
        }
    }
    all
}

/// Each line is a command, unless the one before ends with `\`.
fn of_script(text: &str) -> Vec<Shown> {
    let console: String = text
        .lines()
        .fold((String::new(), false), |(mut all, goes_on), line| {
            let starts = !goes_on && !line.trim().is_empty();
            all.push_str(if starts { "$ " } else { "" });
            all.push_str(line);
            all.push('\n');
            (all, line.ends_with('\\'))
        })
        .0;
    of_console(&console)
}

#[test]
fn a_wrong_output_a_wrong_code_and_a_block_that_cannot_be_read_are_found() {
    let good =
        "```console\n$ echo a\na\n$ echo b \\\n  c\nb c\n```\n```sh\ncd /\ntest $PWD = /\n```\n";
    assert_eq!(faults("good.md", good), Vec::<String>::new());
    let bad = "```console\n$ echo a\nb\n```\n\n```sh\ntrue\nfalse\n```\n```json\n{\n```\n";
    let found = faults("bad.md", bad);
    let places: Vec<_> = found.iter().filter_map(|fault| fault.split(": ").next()).collect();
    assert_eq!(places, ["bad.md:2", "bad.md:8", "bad.md:10"], "{found:?}");
}
