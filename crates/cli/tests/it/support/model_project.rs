//! A project with the sample tools, whose model is asked at `testkit`'s provider.

use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

use contract::Wire;
use fake_providers::FakeProvider;
use tokio::runtime::Runtime;

use crate::support::program::{Run, command, copy_unlocked, repository, run_with};

/// A port that is kept for a service nobody runs.
pub(crate) const NOBODY: &str = "http://127.0.0.1:1/v1";

/// No output may ever have this in it.
pub(crate) const KEY: &str = "sk-canary-7f3a91";

pub(crate) struct FarSide {
    pub(crate) dir: tempfile::TempDir,
    pub(crate) fake: FakeProvider,
    runtime: Runtime,
}

impl FarSide {
    /// A server that speaks this wire and has any model.
    pub(crate) fn speaking(wire: Wire) -> Self {
        Self::of(wire, "any-model", FakeProvider::compatible())
    }

    pub(crate) fn new() -> Self {
        Self::speaking(Wire::Chat)
    }

    /// A server that knows the models of the real provider, and no other.
    pub(crate) fn original(model: &str) -> Self {
        Self::of(Wire::Chat, model, FakeProvider::start())
    }

    fn of(
        wire: Wire,
        model: &str,
        fake: impl Future<Output = std::io::Result<FakeProvider>>,
    ) -> Self {
        let runtime =
            tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build();
        let runtime = runtime.unwrap();
        let fake = runtime.block_on(fake).unwrap();
        let dir = tempfile::tempdir().unwrap();
        for folder in ["tools", "kb", "calendar"] {
            copy_unlocked(&repository().join(folder), &dir.path().join(folder));
        }
        let far = Self { dir, fake, runtime };
        let below = match wire {
            Wire::Anthropic => "",
            Wire::Chat | Wire::Responses => "/v1",
            Wire::Gemini => "/v1beta",
        };
        far.configure(wire, model, &format!("{}{below}", far.fake.base_url()));
        far
    }

    pub(crate) fn configure(&self, wire: Wire, model: &str, base_url: &str) {
        let settings = format!(
            "model = \"fake:{model}\"\n\n[providers.fake]\nwire = \"{wire}\"\n\
             base_url = \"{base_url}\"\nkey_env = \"FAKE_KEY\"\n"
        );
        fs::write(self.path().join("ghosthand.toml"), settings).unwrap();
    }

    pub(crate) fn path(&self) -> &Path {
        self.dir.path()
    }

    /// The program in this project, with nothing of the user's own settings.
    pub(crate) fn command(&self, args: &[&str]) -> Command {
        let mut command = command(self.path());
        for name in ["ANTHROPIC_API_KEY", "OPENAI_API_KEY", "GEMINI_API_KEY", "GHOSTHAND_MODEL"] {
            command.env_remove(name);
        }
        command.env("XDG_CONFIG_HOME", self.path().join("home")).env("FAKE_KEY", KEY).args(args);
        command
    }

    pub(crate) fn run(&self, args: &[&str]) -> Run {
        let run = run_with(&mut self.command(args));
        assert!(!run.out.contains(KEY) && !run.err.contains(KEY), "the key is told: {run:?}");
        run
    }

    /// With a text on standard input.
    pub(crate) fn pipe(&self, text: &str, args: &[&str]) -> Run {
        let mut command = self.command(args);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        // A program that does not read to the end has its reasons, and says them.
        let _ = child.stdin.take().unwrap().write_all(text.as_bytes());
        let output = child.wait_with_output().unwrap();
        Run {
            code: output.status.code().unwrap(),
            out: String::from_utf8(output.stdout).unwrap(),
            err: String::from_utf8(output.stderr).unwrap(),
        }
    }

    /// Waits for something at the far side.
    pub(crate) fn wait<T>(&self, what: impl Future<Output = T>) -> T {
        self.runtime.block_on(what)
    }
}
