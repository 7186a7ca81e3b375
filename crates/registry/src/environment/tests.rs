//! Requirements and environment ids.

use super::*;

fn found(files: &[(&str, &str)], file: &str) -> (Option<Environment>, Vec<String>) {
    let dir = tempfile::tempdir().unwrap();
    for (name, text) in files {
        let path = dir.path().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }
    let path = dir.path().join(file);
    let text = Text::new(file.to_owned(), &std::fs::read_to_string(&path).unwrap());
    let mut faults = Faults::default();
    let environment = needs(dir.path(), &path, &text, &mut faults);
    assert_eq!(
        environment.as_ref().map(|e| &e.id),
        environment_of(dir.path(), file).as_ref().map(|e| &e.id)
    );
    (environment, faults.iter().map(|fault| format!("{} {}", fault.code, fault.what)).collect())
}

#[track_caller]
fn check(files: &[(&str, &str)], expected: &[&str]) -> Option<EnvironmentId> {
    let (environment, faults) = found(files, "core/a.py");
    assert_eq!(faults, [""; 0]);
    let listed = environment.as_ref().map(|e| e.requirements.clone()).unwrap_or_default();
    assert_eq!(listed, expected);
    environment.map(|environment| environment.id)
}

const INLINE: &str = "# /// script\n# requires-python = \">=3.11\"\n# dependencies = [\n#   \"rich\",\n# ]\n# ///\nTOOLS = []\n";

#[test]
fn the_own_folder_takes_precedence_and_the_file_adds_to_it() {
    let plain = ("core/a.py", "TOOLS = []");
    assert_eq!(check(&[plain], &[]), None);
    check(&[plain, ("requirements.txt", "httpx\n")], &["httpx"]);
    check(&[plain, ("requirements.txt", "httpx\n"), ("core/requirements.txt", "a\n")], &["a"]);
    check(&[("core/a.py", INLINE)], &["rich"]);
    check(&[("core/a.py", INLINE), ("requirements.txt", "httpx\n")], &["httpx", "rich"]);
}

#[test]
fn comments_order_and_line_ends_do_not_change_the_environment() {
    let plain = ("core/a.py", "TOOLS = []");
    let one = check(&[plain, ("requirements.txt", "b\na>=1\n")], &["a>=1", "b"]);
    let two =
        check(&[plain, ("requirements.txt", "# x\r\na>=1 # y\r\n\r\nb\r\nb")], &["a>=1", "b"]);
    assert_eq!(one, two);
    let three = check(&[plain, ("requirements.txt", "a>=2\nb\n")], &["a>=2", "b"]);
    assert_ne!(one, three);
}

#[test]
fn options_files_and_broken_blocks_are_refused() {
    let plain = ("core/a.py", "TOOLS = []");
    let (environment, faults) = found(
        &[plain, ("requirements.txt", "-r other.txt\n--index-url x\n./local.whl\ngood\n")],
        "core/a.py",
    );
    assert_eq!(environment.unwrap().requirements, ["good"]);
    assert_eq!(
        faults,
        [
            "T101 `-r other.txt` is not the name of a package",
            "T101 `--index-url x` is not the name of a package",
            "T101 `./local.whl` is not the name of a package",
        ]
    );
    for (source, expected) in [
        ("# /// script\n# dependencies = 3\n# ///\n", "`dependencies` is not a list of strings"),
        ("# /// script\n# dependencies = [\n", "not closed by a line `# ///`"),
        ("# /// script\nx = 1\n", "not closed by a line `# ///`"),
        ("# /// script\n# a b c\n# ///\n", "the script metadata cannot be read"),
    ] {
        let (environment, faults) = found(&[("core/a.py", source)], "core/a.py");
        assert!(environment.is_none() && faults[0].contains(expected), "{source}: {faults:?}");
    }
}

#[test]
fn an_id_is_sixteen_hex_digits() {
    assert!("0123456789abcdef".parse::<EnvironmentId>().is_ok());
    for wrong in ["", "0123", "0123456789abcdeF", "../../../../etc/"] {
        assert!(wrong.parse::<EnvironmentId>().is_err(), "{wrong}");
    }
}
