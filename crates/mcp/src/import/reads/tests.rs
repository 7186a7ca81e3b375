//! What a server may read, by what is started and what is around it.

use std::fs;

use super::*;

struct Home {
    folder: tempfile::TempDir,
    server: ServerProgram,
}

/// A home with a project, keys, and the store of the project.
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
        sandbox: Sandbox::Required,
    };
    Home { folder, server }
}

impl Home {
    fn put(&self, path: &str, text: &str) {
        let path = self.folder.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    /// May this be read?
    fn reads(&self, path: &str) -> bool {
        let path = self.folder.path().canonicalize().unwrap().join(path);
        files(&self.server).unwrap().read.iter().any(|given| path.starts_with(given))
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
fn what_its_arguments_name_is_read_with_the_package_around_it() {
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
fn a_script_brings_its_interpreter_and_its_environment() {
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
fn what_is_private_stays_so_inside_of_what_is_given() {
    let mut home = home("/bin/sh", &[]);
    home.server.read = vec![home.folder.path().into()];
    for path in ["project/x.txt", "project/data/a", "other/b"] {
        assert!(home.reads(path), "{path}");
    }
    assert!(!home.reads(".ssh/id") && !home.reads("project/.ghosthand/store.db"));
    // Not even by its own name.
    home.server.read = vec![home.folder.path().join(".ssh/id")];
    assert!(!home.reads(".ssh/id"));
}

#[test]
fn no_folder_around_something_private_may_be_written() {
    let mut home = home("/bin/sh", &[]);
    home.server.write = vec![home.folder.path().join("project/data")];
    assert!(files(&home.server).is_ok());
    for folder in ["project", "", ".ssh", "project/.ghosthand"] {
        home.server.write = vec![home.folder.path().join(folder)];
        let fault = files(&home.server).unwrap_err();
        assert!(fault.contains("no server may write"), "{fault}");
    }
}
