//! A reader of modules for tests: a plain `python3` that imports the files.
//!
//! The real reader runs in a sandbox and reports the same.

use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

use registry::{EnvironmentId, ModuleReader, ModuleReport};

pub(crate) struct PythonReader {
    /// Whether the packages of every environment are installed.
    pub environments: bool,
}

impl ModuleReader for PythonReader {
    fn read(&self, tools_dir: &Path, files: &[String]) -> Vec<ModuleReport> {
        let script = concat!(env!("CARGO_MANIFEST_DIR"), "/../registry/tests/it/read_modules.py");
        let mut child = Command::new("python3")
            .args(["-I", script])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("the tests need python3");
        let asked = serde_json::json!({ "root": tools_dir, "files": files }).to_string();
        let mut stdin = child.stdin.take().expect("it is piped");
        stdin.write_all(asked.as_bytes()).expect("it reads");
        drop(stdin);
        let output = child.wait_with_output().expect("it ends");
        serde_json::from_slice(&output.stdout).expect("it answers with JSON")
    }

    fn has_environment(&self, _: &Path, _: &EnvironmentId) -> bool {
        self.environments
    }
}
