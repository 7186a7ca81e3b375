//! A program of this machine: a sentence on its standard input and a WAV file on its standard
//! output, or the other way round. `espeak-ng`, piper, whisper.cpp.

use std::ffi::OsString;
use std::process::Stdio;
use std::time::Duration;

use policy::BoxFuture;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::process::Command;

use super::{Pcm, Speaks, SpeechFault, Transcribes, words_only};
use crate::wav::{read_wav, write_wav};

/// How long one piece may take.
const TIME_MAX: Duration = Duration::from_secs(60);
/// The longest output.
const BYTES_MAX: u64 = 32 << 20;
const FAULT_CHARS_MAX: usize = 300;
/// What a program gets of our environment, to find its files and the machine's sound; never a
/// key.
const VARIABLES: [&str; 7] =
    ["PATH", "HOME", "LANG", "LC_ALL", "LD_LIBRARY_PATH", "XDG_RUNTIME_DIR", "PULSE_SERVER"];

/// A program with its arguments.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SpeechProgram {
    program: String,
    arguments: Vec<String>,
    environment: Vec<(String, OsString)>,
}

/// A command line without a program.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the command names no program")]
pub struct BadCommand;

impl SpeechProgram {
    /// Of a command line: words at spaces, or in double quotes. `environment` is ours; only a
    /// few variables of it are passed on.
    pub fn parse(
        command: &str,
        environment: impl IntoIterator<Item = (String, OsString)>,
    ) -> Result<Self, BadCommand> {
        let mut words = words(command).into_iter();
        let program = words.next().ok_or(BadCommand)?;
        let passed = |(name, _): &(String, OsString)| VARIABLES.contains(&name.as_str());
        let environment = environment.into_iter().filter(passed).collect();
        Ok(Self { program, arguments: words.collect(), environment })
    }

    pub fn program(&self) -> &str {
        &self.program
    }

    /// The program, ready to start with its part of the environment. It ends with its handle.
    pub fn command(&self) -> Command {
        let mut command = Command::new(&self.program);
        command.args(&self.arguments).env_clear().envs(self.environment.iter().cloned());
        command.kill_on_drop(true);
        command
    }

    /// What the program makes of its input.
    async fn run(&self, input: Vec<u8>) -> Result<Vec<u8>, SpeechFault> {
        let run = tokio::time::timeout(TIME_MAX, self.run_to_end(input)).await;
        run.unwrap_or_else(|_| {
            let seconds = TIME_MAX.as_secs();
            Err(SpeechFault(format!("`{}` did not end within {seconds} s", self.program)))
        })
    }

    async fn run_to_end(&self, input: Vec<u8>) -> Result<Vec<u8>, SpeechFault> {
        let fault = |what: String| SpeechFault(format!("`{}` {what}", self.program));
        let mut child = self
            .command()
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .map_err(|error| fault(format!("cannot be started: {error}")))?;
        let (stdin, stdout, stderr) =
            (child.stdin.take(), child.stdout.take(), child.stderr.take());
        let write = async {
            if let Some(mut stdin) = stdin {
                // A program that does not read everything says why itself.
                let _ = stdin.write_all(&input).await;
            }
        };
        let (mut output, mut complaint) = (Vec::new(), Vec::new());
        let read = async {
            match stdout {
                Some(stdout) => stdout.take(BYTES_MAX).read_to_end(&mut output).await.map(|_| ()),
                None => Ok(()),
            }
        };
        let listen = async {
            if let Some(stderr) = stderr {
                let _ = stderr.take(64 << 10).read_to_end(&mut complaint).await;
            }
        };
        let ((), read, ()) = tokio::join!(write, read, listen);
        read.map_err(|error| fault(format!("cannot be read: {error}")))?;
        let ended = child.wait().await.map_err(|error| fault(format!("is gone: {error}")))?;
        if ended.success() {
            return Ok(output);
        }
        let complaint: String =
            String::from_utf8_lossy(&complaint).trim().chars().take(FAULT_CHARS_MAX).collect();
        Err(fault(format!("failed ({ended}): {complaint}")))
    }
}

impl Transcribes for SpeechProgram {
    fn transcribe(&self, speech: Pcm) -> BoxFuture<'_, Result<String, SpeechFault>> {
        Box::pin(async move {
            let output = self.run(write_wav(&speech)).await?;
            Ok(words_only(&String::from_utf8_lossy(&output)))
        })
    }

    fn name(&self) -> String {
        format!("the program `{}`", self.program)
    }
}

impl Speaks for SpeechProgram {
    fn speak<'a>(&'a self, sentence: &'a str) -> BoxFuture<'a, Result<Pcm, SpeechFault>> {
        Box::pin(async move {
            let output = self.run(sentence.as_bytes().to_vec()).await?;
            read_wav(&output).map_err(|fault| SpeechFault(format!("`{}`: {fault}", self.program)))
        })
    }

    fn name(&self) -> String {
        format!("the program `{}`", self.program)
    }
}

/// Words at spaces; double quotes keep spaces together.
fn words(command: &str) -> Vec<String> {
    let mut words = Vec::new();
    let (mut word, mut is_quoted, mut is_open) = (String::new(), false, false);
    for c in command.chars() {
        match c {
            '"' => {
                is_quoted = !is_quoted;
                is_open = true;
            }
            c if c.is_whitespace() && !is_quoted => {
                if is_open {
                    words.push(std::mem::take(&mut word));
                }
                is_open = false;
            }
            c => {
                word.push(c);
                is_open = true;
            }
        }
    }
    words.extend(is_open.then_some(word));
    words
}

#[cfg(test)]
mod tests;
