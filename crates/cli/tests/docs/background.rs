//! A server that a document starts.

use std::io::{BufRead, BufReader};
use std::os::unix::process::CommandExt as _;
use std::process::{Child, Command, Stdio};

use crate::scratch::Scratch;

/// It ends, with all that it started, when this is dropped.
pub(crate) struct Background {
    child: Child,
}

impl Background {
    /// Starts it, and gives as many lines as the document shows, at least one.
    pub(crate) fn start(scratch: &Scratch, line: &str, lines: usize) -> (Self, String) {
        // Both of its streams are one, as in a terminal.
        let mut command = scratch.command(&format!("exec 2>&1\n{line}"));
        let mut child = command.process_group(0).stdout(Stdio::piped()).spawn().unwrap();
        let reader = BufReader::new(child.stdout.take().unwrap());
        let background = Self { child };
        let mut said = String::new();
        let mut heard = reader.lines().map_while(Result::ok);
        for line in heard.by_ref().take(lines.max(1)) {
            said.push_str(&line);
            said.push('\n');
        }
        // Nobody reads on, and a server that is not read must not be stopped by that.
        std::thread::spawn(move || heard.for_each(drop));
        (background, scratch.shown(&said))
    }
}

impl Drop for Background {
    fn drop(&mut self) {
        let group = format!("-{}", self.child.id());
        let _ = Command::new("kill").args(["-TERM", "--", &group]).status();
        let _ = self.child.wait();
    }
}
