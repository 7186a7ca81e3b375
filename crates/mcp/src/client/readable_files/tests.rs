//! Readable files for different servers and surroundings.

use std::fs;

use super::*;

struct Home {
    folder: tempfile::TempDir,
    server: ServerProgram,
}

/// A home directory with a project, keys, and the project's store.
fn home(program: &str, args: &[&str]) -> Home {
    let folder = tempfile::tempdir().unwrap();
    let home = folder.path().canonicalize().unwrap();
    for path in
        [".ssh/id", "project/.ghosthand/store.db", "project/data/a", "other/b", "project/x.txt"]
    {
        let path = home.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, "x").unwrap();
    }
    let server = ServerProgram {
        launcher: "/proc/self/exe".into(),
        program: program.into(),
        args: args.iter().map(|arg| (*arg).to_owned()).collect(),
        env: vec![
            ("HOME".into(), home.display().to_string()),
            ("PATH".into(), format!("{}/bin:/usr/bin:/bin", home.display())),
        ],
        dir: home.join("project"),
        read: Vec::new(),
        write: Vec::new(),
        private: vec![home.join("project/.ghosthand"), home.join(".ssh")],
        network: false,
        sandbox: SandboxPolicy::Required,
    };
    Home { folder, server }
}

impl Home {
    fn put(&self, path: &str, text: &str) {
        let path = self.folder.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    /// Whether this path is readable.
    fn reads(&self, path: &str) -> bool {
        let path = self.folder.path().canonicalize().unwrap().join(path);
        files(&self.server).unwrap().read.iter().any(|allowed| path.starts_with(allowed))
    }
}

#[test]
fn a_server_reads_the_system_and_nothing_of_the_user() {
    let home = home("/bin/sh", &[]);
    assert!(files(&home.server).unwrap().read.contains(&"/usr".into()));
    for path in [".ssh/id", "project/.ghosthand/store.db", "project/x.txt", "other/b", ""] {
        assert!(!home.reads(path), "{path}");
    }
}

#[test]
fn files_in_arguments_are_readable_with_their_package() {
    let home = home("/bin/sh", &["../tool/dist/main.js", "data", "--root=../other"]);
    home.put("tool/package.json", "{}");
    home.put("tool/dist/main.js", "");
    home.put("tool/node_modules/a/index.js", "");
    for path in ["tool/dist/main.js", "tool/node_modules/a/index.js", "project/data/a", "other/b"] {
        assert!(home.reads(path), "{path}");
    }
    assert!(!home.reads("project/x.txt") && !home.reads(".ssh/id"));
}

#[test]
fn a_scripts_interpreter_and_environment_are_readable() {
    let home = home("server", &[]);
    home.put("venv/pyvenv.cfg", "");
    home.put("venv/lib/python3/site-packages/a.py", "");
    let python = home.folder.path().join("venv/bin/python");
    home.put("venv/bin/python", "");
    home.put("bin/server", &format!("#!{}\n", python.display()));
    assert!(home.reads("bin/server") && home.reads("venv/lib/python3/site-packages/a.py"));
    assert!(!home.reads(".ssh/id") && !home.reads("bin/other"));
}

#[test]
fn private_files_inside_an_allowed_folder_are_not_readable() {
    let mut home = home("/bin/sh", &[]);
    home.server.read = vec![home.folder.path().into()];
    for path in ["project/x.txt", "project/data/a", "other/b"] {
        assert!(home.reads(path), "{path}");
    }
    assert!(!home.reads(".ssh/id") && !home.reads("project/.ghosthand/store.db"));
    // Not even when named explicitly.
    home.server.read = vec![home.folder.path().join(".ssh/id")];
    assert!(!home.reads(".ssh/id"));
}

#[test]
fn a_folder_that_contains_private_files_is_not_writable() {
    let mut home = home("/bin/sh", &[]);
    home.server.write = vec![home.folder.path().join("project/data")];
    assert!(files(&home.server).is_ok());
    for folder in ["project", "", ".ssh", "project/.ghosthand"] {
        home.server.write = vec![home.folder.path().join(folder)];
        let fault = files(&home.server).unwrap_err();
        assert!(fault.contains("no server may write"), "{fault}");
    }
}

#[test]
fn per_user_installations_are_readable_and_nothing_else() {
    let check = |program: &str, path: &str, reads: &[&str], not: &[&str]| {
        let home = home(program, &[]);
        for path in [path].iter().chain(reads).chain(not) {
            home.put(path, "");
        }
        let mut server = home.server.clone();
        let folder = home.folder.path().canonicalize().unwrap();
        let bin = folder.join(path).parent().unwrap().display().to_string();
        server.env.push(("PATH".into(), format!("{bin}:/nowhere")));
        let home = Home { server, ..home };
        for path in [path].iter().chain(reads) {
            assert!(home.reads(path), "{program} reads {path}");
        }
        for path in [".ssh/id", ".local/share/other/x", ".cache/other/x"].iter().chain(not) {
            assert!(!home.reads(path), "{program} does not read {path}");
        }
    };
    let versions = ".pyenv/versions/3.13/lib/python3.13/os.py";
    check("python3", ".pyenv/shims/python3", &[versions, ".local/lib/python3/a.py"], &[]);
    check("node", ".nvm/versions/node/v24/bin/node", &[".nvm/alias/default"], &[".npm/x"]);
    check("npx", ".nvm/versions/node/v24/bin/npx", &[".npm/_npx/1/a.js"], &[".npmrc"]);
    let uv = [".cache/uv/archive/a", ".local/share/uv/python/3/lib/os.py"];
    check("uvx", ".local/bin/uvx", &uv, &[".local/bin/other", ".npm/x"]);
}

#[test]
fn git_ignores_settings_that_it_may_not_read() {
    let check = |home: &Home, expected: bool| {
        let variables = git::variables(&home.server, &files(&home.server).unwrap());
        let hidden = ("GIT_CONFIG_GLOBAL".to_owned(), "/dev/null".to_owned());
        assert_eq!(variables.contains(&hidden), expected, "{variables:?}");
    };
    let mut home = home("/bin/sh", &[]);
    check(&home, false);
    home.put(".gitconfig", "[user]");
    check(&home, true);
    home.server.read = vec![home.folder.path().join(".gitconfig")];
    check(&home, false);
    home.put(".config/git/config", "[user]");
    check(&home, true);
    home.server.env.push(("GIT_CONFIG_GLOBAL".into(), "mine".into()));
    check(&home, false);
}
