//! Where the whole program keeps what Python tools write, with somebody else on the machine.

use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::path::Path;
use std::process::Command;

use crate::support::program::{Run, command, run_with};

const WRITES: &str = "
import os
def write():
    open('note', 'w').write('x')
    return os.getcwd()
TOOLS = [{'function': write, 'schema': {'name': 'write', 'description': 'Writes a note.',
          'parameters': {'type': 'object', 'properties': {}}}}]
";

fn folder(path: &Path, mode: u32) {
    fs::create_dir(path).unwrap();
    fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
}

/// The program in a project, with no place of its own but temporary files here.
fn call(dir: &Path, temporary: &Path, more: impl FnOnce(&mut Command)) -> Run {
    let mut command = command(dir);
    for name in ["XDG_RUNTIME_DIR", "XDG_CACHE_HOME", "HOME"] {
        command.env_remove(name);
    }
    command.env("TMPDIR", temporary).args(["call", "notes.write", "{}"]);
    more(&mut command);
    run_with(&mut command)
}

#[test]
fn what_another_user_planted_is_neither_written_nor_removed() {
    let dir = tempfile::tempdir().unwrap();
    let at = |name: &str| dir.path().join(name);
    fs::create_dir(at("tools")).unwrap();
    fs::write(at("tools/notes.py"), WRITES).unwrap();
    let user = fs::metadata(dir.path()).unwrap().uid();
    // Their folder is a link to ours; ours would be emptied if it were followed.
    folder(&at("victim"), 0o700);
    fs::write(at("victim/kept"), "x").unwrap();
    folder(&at("planted"), 0o1777);
    symlink(at("victim"), at("planted").join(format!("ghosthand-{user}"))).unwrap();
    let ran = call(dir.path(), &at("planted"), |_| {});
    assert_eq!(ran.code, 1, "{ran:?}");
    let told = format!("{}{}", ran.out, ran.err);
    assert!(told.contains("is not a folder, or is a link to one"), "{told}");
    // Theirs is one that others may enter.
    folder(&at("open"), 0o1777);
    folder(&at("open").join(format!("ghosthand-{user}")), 0o777);
    let told = call(dir.path(), &at("open"), |_| {}).err;
    assert!(told.contains("others can enter") && told.contains("chmod 700"), "{told}");
    let names = |path: &Path| fs::read_dir(path).unwrap().count();
    assert_eq!(
        (names(&at("victim")), names(&at("open").join(format!("ghosthand-{user}")))),
        (1, 0)
    );
    // A place for programs that run is taken first, unless others may change it.
    folder(&at("running"), 0o700);
    let ran = call(dir.path(), &at("open"), |command| {
        command.env("XDG_RUNTIME_DIR", at("running"));
    });
    assert_eq!(ran.code, 0, "{ran:?}");
    let base = at("running/ghosthand").canonicalize().unwrap();
    let scratch = ran.out.trim().trim_matches('"').to_owned();
    assert!(Path::new(&scratch).starts_with(base.join("run-").parent().unwrap()), "{scratch}");
    assert_eq!(fs::metadata(&base).unwrap().mode() & 0o777, 0o700);
    folder(&at("shared"), 0o777);
    let ran = call(dir.path(), &at("open"), |command| {
        command.env("XDG_RUNTIME_DIR", at("shared"));
    });
    assert!(ran.code == 1 && ran.err.contains("others can change"), "{ran:?}");
    // Nothing stays behind.
    for _ in 0..3 {
        call(dir.path(), &at("open"), |command| {
            command.env("XDG_RUNTIME_DIR", at("running"));
        });
    }
    let left: Vec<_> =
        fs::read_dir(&base).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert!(left.len() <= 2, "{left:?}");
}
