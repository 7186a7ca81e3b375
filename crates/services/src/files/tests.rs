//! Links, pipes, and both kinds of folder compared; needs Unix.

#![cfg(unix)]

use std::os::unix::fs::symlink;
use std::sync::Arc;

use serde_json::{Value, json};

use super::disk::{self, DiskFault};
use super::folder::Folder;
use super::named_folder::NamedFolder;
use super::open_folder::OpenFolder;
use super::*;
use crate::EffectLevel;
use crate::handler_services::tests::{World, ask, fault};

fn kb() -> Value {
    json!({"files": ["kb", "calendar"]})
}

#[tokio::test]
async fn a_file_is_read_described_and_replaced_atomically() {
    let world = World::new();
    world.put("kb/person/ada.md", "Ada");
    let run = world.run("writes", kb());
    let at = json!({"path": "kb/person/ada.md"});

    assert_eq!(ask(&run, "files.read", at.clone()).await, Ok(json!("Ada")));
    let stat = ask(&run, "files.stat", at.clone()).await.unwrap();
    assert_eq!(stat["size"], 3);
    assert_eq!(stat["revision"].as_str().unwrap().len(), 16);
    assert_eq!(run.effects(), EffectLevel::None);

    let mut args = json!({"path": "kb/person/ada.md", "text": "Ada L."});
    args["expectedRevision"] = stat["revision"].clone();
    let written = ask(&run, "files.write", args.clone()).await.unwrap();
    assert_eq!(ask(&run, "files.stat", at.clone()).await.unwrap()["revision"], written["revision"]);
    assert_eq!(ask(&run, "files.read", at).await, Ok(json!("Ada L.")));
    assert_eq!(run.effects(), EffectLevel::Written);
    let left: Vec<_> = std::fs::read_dir(world.path().join("kb/person")).unwrap().collect();
    assert_eq!(left.len(), 1, "no temporary file is left");

    let run = world.run("writes", kb());
    args["text"] = json!("too late");
    assert_eq!(ask(&run, "files.write", args).await, Err("CONFLICT".into()));
    assert_eq!(run.effects(), EffectLevel::None);
}

#[tokio::test]
async fn a_file_that_is_expected_to_be_absent_is_created_once() {
    let world = World::new();
    let run = world.run("writes", kb());
    let path = "calendar/2026/a.ics";
    let stale = json!({"path": path, "text": "1", "expectedRevision": "0123456789abcdef"});
    assert_eq!(ask(&run, "files.write", stale).await, Err("CONFLICT".into()));
    assert!(!world.path().join("calendar").exists(), "a refused write creates no folder");
    assert_eq!(ask(&run, "files.stat", json!({"path": path})).await, Ok(Value::Null));
    let absent = json!({"path": path, "text": "1", "expectedRevision": null});
    assert!(ask(&run, "files.write", absent.clone()).await.is_ok());
    assert_eq!(ask(&run, "files.write", absent).await, Err("CONFLICT".into()));
    assert!(ask(&run, "files.write", json!({"path": path, "text": "2"})).await.is_ok());
}

#[tokio::test(flavor = "multi_thread")]
async fn of_several_writers_with_the_same_revision_one_succeeds() {
    let world = World::new();
    world.put("kb/a.md", "0");
    let revision = revision_of(b"0");
    let writers: Vec<_> = (1..=16)
        .map(|n| {
            let run = world.run("writes", kb());
            let args =
                json!({"path": "kb/a.md", "text": n.to_string(), "expectedRevision": revision});
            tokio::spawn(async move { ask(&run, "files.write", args).await })
        })
        .collect();
    let mut done = 0;
    for writer in writers {
        match writer.await.unwrap() {
            Ok(_) => done += 1,
            Err(code) => assert_eq!(code, "CONFLICT"),
        }
    }
    assert_eq!(done, 1);
}

#[tokio::test]
async fn a_listing_is_recursive_sorted_and_limited() {
    let mut world = World::new();
    for path in ["kb/b/2.md", "kb/b/1.md", "kb/a.md", "kb/.env", "kb/.git/x", "kb/s.db", "other/x"]
    {
        world.put(path, "12");
    }
    symlink(world.path().join("other"), world.path().join("kb/link")).unwrap();
    symlink(world.path().join("other/x"), world.path().join("kb/link.md")).unwrap();
    let run = world.run("read_only", kb());
    let listed = ask(&run, "files.list", json!({"path": "kb"})).await;
    let file = |path: &str| json!({"path": path, "size": 2});
    assert_eq!(listed, Ok(json!([file("kb/a.md"), file("kb/b/1.md"), file("kb/b/2.md")])));
    let listed = ask(&run, "files.list", json!({"path": "kb/b/"})).await;
    assert_eq!(listed, Ok(json!([file("kb/b/1.md"), file("kb/b/2.md")])));
    assert_eq!(ask(&run, "files.list", json!({"path": "calendar"})).await, Err("NOT_FOUND".into()));
    assert_eq!(
        ask(&run, "files.list", json!({"path": "kb/link"})).await,
        Err("NOT_ALLOWED".into())
    );
    assert_eq!(
        ask(&run, "files.list", json!({"path": "kb/a.md"})).await,
        Err("NOT_ALLOWED".into())
    );
    assert_eq!(ask(&run, "files.list", json!({"path": "other"})).await, Err("NOT_ALLOWED".into()));

    world.limits.file_list_items_max = 9;
    let run = world.run("read_only", kb());
    assert!(ask(&run, "files.list", json!({"path": "kb"})).await.is_ok());
    world.limits.file_list_items_max = 8;
    let run = world.run("read_only", kb());
    assert_eq!(ask(&run, "files.list", json!({"path": "kb"})).await, Err("TOO_LARGE".into()));
    world.limits.file_list_items_max = 100;
    world.limits.file_list_depth_max = 0;
    let run = world.run("read_only", kb());
    assert_eq!(ask(&run, "files.list", json!({"path": "kb"})).await, Err("TOO_LARGE".into()));
}

#[tokio::test]
async fn sizes_and_kinds_are_limited() {
    let mut world = World::new();
    world.limits.file_bytes_max = 4;
    world.put("kb/five.md", "12345");
    world.put("kb/four.md", "1234");
    std::fs::write(world.path().join("kb/binary"), [0xff, 0xfe]).unwrap();
    let run = world.run("writes", kb());
    let check = async |name: &str, path: &str, expected: Result<Value, String>| {
        assert_eq!(ask(&run, name, json!({"path": path})).await, expected, "{name} {path}");
    };
    check("files.read", "kb/four.md", Ok(json!("1234"))).await;
    check("files.read", "kb/five.md", Err("TOO_LARGE".into())).await;
    check("files.stat", "kb/five.md", Err("TOO_LARGE".into())).await;
    check("files.read", "kb/binary", Err("NOT_TEXT".into())).await;
    check("files.read", "kb", Err("NOT_ALLOWED".into())).await;
    check("files.read", "kb/none.md", Err("NOT_FOUND".into())).await;
    check("files.read", "kb/four.md/deeper", Err("NOT_ALLOWED".into())).await;
    let write = async |path: &str, text: &str| {
        ask(&run, "files.write", json!({"path": path, "text": text})).await.map(|_| ())
    };
    assert_eq!(write("kb/new.md", "12345").await, Err("TOO_LARGE".into()));
    assert_eq!(write("kb/five.md", "1").await, Ok(()));
    assert_eq!(write("kb", "1").await, Err("NOT_ALLOWED".into()));
    assert_eq!(write("kb/.hidden", "1").await, Err("NOT_ALLOWED".into()));
    let refusal = fault(&run, "files.read", json!({"path": "kb/none.md"})).await;
    assert_eq!(refusal.message, "`kb/none.md` does not exist", "no paths of the machine");
}

#[test]
fn no_link_is_followed_by_either_kind_of_folder() {
    no_link_is_followed::<OpenFolder>();
    no_link_is_followed::<NamedFolder>();
}

fn no_link_is_followed<F: Folder>() {
    let world = World::new();
    let outside = tempfile::TempDir::new().unwrap();
    std::fs::write(outside.path().join("secret"), "outside").unwrap();
    world.put("kb/real/a.md", "inside");
    world.put("tools/t/handler.js", "code");
    let links = [
        ("kb/file-out", outside.path().join("secret")),
        ("kb/folder-out", outside.path().to_owned()),
        ("kb/up", "..".into()),
        ("kb/across", "../tools".into()),
        ("kb/inside", "real".into()),
        ("kb/file-inside", "real/a.md".into()),
        ("kb/nowhere", "missing".into()),
        ("kb/loop", "loop".into()),
    ];
    for (link, target) in &links {
        symlink(target, world.path().join(link)).unwrap();
    }
    let read = |path: &str| disk::read::<F>(world.path(), &ProjectPath::parse(path).unwrap(), 100);
    let write = |path: &str| {
        let path = ProjectPath::parse(path).unwrap();
        disk::write::<F>(world.path(), &path, b"new", &Expectation::Any, 100)
    };
    assert_eq!(read("kb/real/a.md").unwrap(), b"inside");
    for path in [
        "kb/file-out",
        "kb/folder-out",
        "kb/folder-out/secret",
        "kb/up/tools/t/handler.js",
        "kb/across/t/handler.js",
        "kb/inside/a.md",
        "kb/file-inside",
        "kb/nowhere",
        "kb/loop",
        "kb/loop/x",
    ] {
        assert!(matches!(read(path), Err(DiskFault::NotPlain)), "{path}: {:?}", read(path));
        assert!(matches!(write(path), Err(DiskFault::NotPlain)), "{path}: {:?}", write(path));
    }
    for (link, _) in &links {
        assert!(world.path().join(link).is_symlink(), "{link} is unchanged");
    }
    write("kb/real/a.md").unwrap();
    write("kb/deep/er/b.md").unwrap();
    assert_eq!(read("kb/deep/er/b.md").unwrap(), b"new");
    let path = ProjectPath::parse("kb").unwrap();
    let listed = disk::list::<F>(world.path(), &path, 100, 9).unwrap();
    assert_eq!(listed, [("kb/deep/er/b.md".to_owned(), 3), ("kb/real/a.md".to_owned(), 3)]);
    assert_eq!(std::fs::read(outside.path().join("secret")).unwrap(), b"outside");
    assert_eq!(std::fs::read_dir(outside.path()).unwrap().count(), 1);
}

#[test]
fn a_pipe_does_not_hang_and_permissions_are_kept() {
    use std::os::unix::fs::PermissionsExt as _;

    let world = World::new();
    world.put("kb/a.md", "a");
    let pipe = world.path().join("kb/pipe");
    rustix::fs::mkfifoat(rustix::fs::CWD, &pipe, rustix::fs::Mode::from_raw_mode(0o600)).unwrap();
    for read in [disk::read::<OpenFolder>, disk::read::<NamedFolder>] {
        let read = read(world.path(), &ProjectPath::parse("kb/pipe").unwrap(), 100);
        assert!(matches!(read, Err(DiskFault::NotPlain)), "{read:?}");
    }
    let file = world.path().join("kb/a.md");
    std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o640)).unwrap();
    let path = ProjectPath::parse("kb/a.md").unwrap();
    disk::write::<OpenFolder>(world.path(), &path, b"b", &Expectation::Any, 100).unwrap();
    assert_eq!(std::fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o640);
}

#[tokio::test]
async fn more_calls_than_slots_wait() {
    let mut world = World::new();
    world.limits.at_once_max = 1;
    world.put("kb/a.md", "a");
    let run = Arc::new(world.run("read_only", kb()));
    let reads: Vec<_> = (0..20)
        .map(|_| {
            let run = Arc::clone(&run);
            tokio::spawn(async move { ask(&run, "files.read", json!({"path": "kb/a.md"})).await })
        })
        .collect();
    for read in reads {
        assert_eq!(read.await.unwrap(), Ok(json!("a")));
    }
}

/// Everything that determines what runs, by every spelling of its name. Existing files are unchanged.
#[tokio::test]
async fn no_tool_can_write_files_that_determine_what_runs() {
    const OWN: [&str; 19] = [
        "rules.toml",
        "tools.lock",
        "python.lock",
        "mcp.lock",
        "tool_registry.json",
        "ghosthand.toml",
        "resources.toml",
        "prompts/greet.md",
        "tools/a/handler.js",
        "tools/a/schema.json",
        "store.db",
        "store.db-wal",
        ".env",
        ".ghosthand/store.db",
        ".ghosthand/serve-token",
        ".ghosthand/logins/a.json",
        // Where the settings of this project put them.
        "policy/own.toml",
        "handlers/b/handler.js",
        "data/kept.sqlite",
    ];
    let world = World::new();
    let folders = ["kb", "policy", "handlers", "data", "tools", "prompts", ".ghosthand"];
    let files = ["rules.toml", "tools.lock", "python.lock", "mcp.lock", "tool_registry.json"];
    let more = ["ghosthand.toml", "resources.toml", "store.db", "store.db-wal", ".env"];
    let roots: Vec<&str> = [&folders[..], &files, &more].concat();
    let (mut attempts, mut through) = (0, Vec::new());
    for own in OWN {
        world.put(own, "as it was");
        world.put("kb/plain.txt", "plain");
        let target = world.path().join(own);
        let (soft, hard) = (world.path().join("kb/soft"), world.path().join("kb/hard.txt"));
        symlink(&target, &soft).unwrap();
        std::fs::hard_link(&target, &hard).unwrap();
        let inside = world.path().join("kb/inside");
        symlink(target.parent().unwrap(), &inside).unwrap();
        let name = target.file_name().unwrap().to_str().unwrap().to_owned();
        let ways = [
            own.to_owned(),
            own.to_uppercase(),
            own.replacen('t', "T", 1),
            format!("kb/../{own}"),
            format!("./{own}"),
            format!("kb//../{own}"),
            format!("/{own}"),
            format!("{own}/"),
            format!("{own}."),
            format!("{own} "),
            format!("{own}::$DATA"),
            own.replace('/', "\\"),
            "kb/soft".to_owned(),
            "kb/hard.txt".to_owned(),
            format!("kb/inside/{name}"),
        ];
        for way in ways {
            for effect in ["writes", "none"] {
                let run = world.run(effect, json!({ "files": roots }));
                let _ = ask(&run, "files.write", json!({"path": way, "text": "mine"})).await;
                attempts += 1;
                if std::fs::read_to_string(&target).unwrap() != "as it was" {
                    through.push(format!("{own} as {way}"));
                    std::fs::write(&target, "as it was").unwrap();
                }
            }
        }
        std::fs::remove_file(soft).unwrap();
        std::fs::remove_file(inside).unwrap();
        std::fs::remove_file(hard).unwrap();
    }
    assert_eq!((attempts, through), (OWN.len() * 15 * 2, Vec::<String>::new()));
    // Other files can be written.
    let run = world.run("writes", json!({ "files": roots }));
    let plain = json!({"path": "kb/plain.txt", "text": "changed"});
    assert!(ask(&run, "files.write", plain).await.is_ok());
    let beside = json!({"path": "policy/notes.md", "text": "new"});
    assert!(ask(&run, "files.write", beside).await.is_ok());
}
