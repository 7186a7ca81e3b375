//! The resolved program for each state of the installation.

use std::fs;

use hosts::sandbox::SandboxPolicy;

use super::*;

struct Home(tempfile::TempDir);

impl Home {
    fn put(&self, path: &str, text: &str) {
        let path = self.0.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    fn server(&self, command: &str) -> ServerProgram {
        let home = self.0.path().canonicalize().unwrap();
        let mut words = command.split(' ');
        ServerProgram {
            launcher: "/proc/self/exe".into(),
            program: words.next().unwrap().into(),
            args: words.map(str::to_owned).collect(),
            env: vec![("HOME".into(), home.display().to_string())],
            dir: home.join("project"),
            read: Vec::new(),
            write: Vec::new(),
            private: Vec::new(),
            network: false,
            sandbox: SandboxPolicy::Required,
        }
    }

    /// The resolved command, with `~` for the home directory.
    fn runs(&self, command: &str) -> String {
        let found = match resolve(&self.server(command)) {
            Ok(server) => format!("{} {}", server.program.display(), server.args.join(" ")),
            Err(fault) => fault.to_string(),
        };
        found.replace(self.0.path().canonicalize().unwrap().to_str().unwrap(), "~")
    }

    fn npx_installs(&self, folder: &str, package: &str, bin: &str) {
        let cache = format!(".npm/_npx/{folder}");
        let name = PackageSpec { package: package.into(), program: None, args: Vec::new() };
        let here = format!("{cache}/node_modules/{}", name.name());
        self.put(
            &format!("{cache}/package.json"),
            &format!(r#"{{"_npx":{{"packages":["{package}"]}}}}"#),
        );
        self.put(&format!("{here}/package.json"), &format!(r#"{{"bin":{bin}}}"#));
        self.put(&format!("{here}/dist/index.js"), "");
    }
}

#[test]
fn a_package_that_npx_installed_is_started_directly() {
    let home = Home(tempfile::tempdir().unwrap());
    home.npx_installs("1", "@a/server-files", r#"{"mcp-server-files":"dist/index.js"}"#);
    home.npx_installs("2", "plain", r#""dist/index.js""#);
    home.npx_installs("3", "many@1.2.0", r#"{"one":"no.js","many":"./dist/index.js"}"#);
    let files = "~/.npm/_npx/1/node_modules/@a/server-files/dist/index.js";
    let check = |command: &str, expected: &str| assert_eq!(home.runs(command), expected);
    check("npx -y @a/server-files data -y", &format!("{files} data -y"));
    check("/usr/bin/npx --yes @a/server-files", &format!("{files} "));
    check("npx --package=@a/server-files mcp-server-files x", &format!("{files} x"));
    check("npx plain", "~/.npm/_npx/2/node_modules/plain/dist/index.js ");
    check("npx -y many@1.2.0", "~/.npm/_npx/3/node_modules/many/dist/index.js ");
    // Unknown options are left to the runner.
    check("npx -c true", "npx -c true");
    check("npx", "npx ");
    check("node server.js", "node server.js");
}

#[test]
fn a_missing_package_is_reported_with_the_command_that_installs_it() {
    let home = Home(tempfile::tempdir().unwrap());
    home.npx_installs("1", "plain@1.0.0", r#""dist/index.js""#);
    home.npx_installs("2", "evil", r#""../../../../../outside.js""#);
    home.put("outside.js", "");
    for package in ["@a/b", "plain", "plain@2.0.0", "evil"] {
        let expected = format!(
            "`{package}` is not installed, and the sandbox does not allow downloads; \
             run `npx -y {package}` once"
        );
        assert_eq!(home.runs(&format!("npx -y {package}")), expected);
    }
    assert!(home.runs("uvx mcp-server-git").ends_with("run `uv tool install mcp-server-git` once"));
}

#[test]
fn a_package_that_uv_installed_is_started_directly() {
    let home = Home(tempfile::tempdir().unwrap());
    home.put(".local/share/uv/tools/mcp-server-git/bin/mcp-server-git", "");
    home.put("evil/bin/evil", "");
    let program = "~/.local/share/uv/tools/mcp-server-git/bin/mcp-server-git";
    let check = |command: &str, expected: &str| assert_eq!(home.runs(command), expected);
    check("uvx mcp-server-git --repository x", &format!("{program} --repository x"));
    check("uvx --from mcp_server_git mcp-server-git", &format!("{program} "));
    assert!(home.runs("uvx ../../../../../evil").contains("is not installed"));
    assert!(home.runs("uvx mcp-server-git@1.0").contains("is not installed"));
}
