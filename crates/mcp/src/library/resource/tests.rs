//! `resources.toml` in; the content at a URI or faults out.

use tempfile::TempDir;

use super::super::Library;
use super::{Content, FileFault};

fn project(toml: &str) -> TempDir {
    let dir = tempfile::tempdir().unwrap();
    std::fs::create_dir(dir.path().join("issues")).unwrap();
    let files = [
        ("a.md", "# A"),
        ("issues/1.md", "one"),
        ("issues/a b.md", "with a space"),
        ("issues/.hidden.md", "hidden"),
        ("b.bin", "\u{1}"),
    ];
    for (name, text) in files {
        std::fs::write(dir.path().join(name), text).unwrap();
    }
    std::fs::write(dir.path().join("secret.md"), "secret").unwrap();
    let link = dir.path().join("issues/link.md");
    std::os::unix::fs::symlink(dir.path().join("secret.md"), link).unwrap();
    std::fs::write(dir.path().join("resources.toml"), toml).unwrap();
    dir
}

const GOOD: &str = "
[a]
uri = 'docs://a'
file = 'a.md'

[issue]
uri = 'issues://{id}'
file = 'issues/{id}.md'

[first]
uri = 'issues://first'
text = 'the first'

[greeting]
uri = 'greet://{name}/hello'
text = 'Hello {name}!'
mime_type = 'text/x-greeting'

[bytes]
uri = 'docs://bytes'
file = 'b.bin'
";

#[track_caller]
fn reads(uri: &str, expected: Option<Result<&str, FileFault>>) {
    let dir = project(GOOD);
    let (library, faults) = Library::read(dir.path());
    assert!(faults.is_empty(), "{faults:?}");
    let read = library.find(uri).map(|found| {
        found.read(library.root()).map(|content| match content {
            Content::Text(text) => text,
            Content::Bytes(bytes) => format!("{bytes:?}"),
        })
    });
    assert_eq!(read, expected.map(|expected| expected.map(str::to_owned)), "{uri}");
}

#[test]
fn a_uri_leads_to_its_file_or_text() {
    reads("docs://a", Some(Ok("# A")));
    reads("docs://bytes", Some(Ok("[1]")));
    reads("issues://1", Some(Ok("one")));
    reads("issues://a%20b", Some(Ok("with a space")));
    reads("issues://first", Some(Ok("the first")));
    reads("greet://Ana%2FBo/hello", Some(Ok("Hello Ana/Bo!")));
    reads("issues://2", Some(Err(FileFault::Missing)));
    reads("docs://b", None);
    reads("greet://Ana", None);
    reads("greet://%ff/hello", None);
    reads("greet://%+1/hello", None);
}

#[test]
fn a_value_never_leaves_the_folder() {
    reads("issues://..%2Fsecret", Some(Err(FileFault::Missing)));
    reads("issues://%2E%2E%2Fsecret", Some(Err(FileFault::Missing)));
    reads("issues://..", Some(Err(FileFault::Missing)));
    reads("issues://.hidden", Some(Err(FileFault::Missing)));
    reads("issues://a%00b", Some(Err(FileFault::Missing)));
    reads("issues://link", Some(Err(FileFault::Outside)));
}

#[test]
fn values_are_suggested_from_the_folder() {
    let dir = project(GOOD);
    let (library, _) = Library::read(dir.path());
    let template = library.resources().find(|one| one.name == "issue").unwrap();
    assert_eq!(template.suggestions(library.root(), "id"), ["1", "a b", "link"]);
    assert!(template.suggestions(library.root(), "other").is_empty());
}

#[track_caller]
fn fault(toml: &str, expected: &str) {
    let dir = project(toml);
    let (_, faults) = Library::read(dir.path());
    let faults: Vec<_> = faults.iter().map(ToString::to_string).collect();
    assert_eq!(faults, [format!("resources.toml{expected}")]);
}

#[test]
fn a_fault_names_file_line_and_fix() {
    let uri_fix = "write one as in `docs://style`; `ui` is reserved";
    fault("[a]\nuri = 'a'\ntext = ''", &format!(":2: `a` is not a valid resource URI; {uri_fix}"));
    fault(
        "[a]\nuri = 'ui://a'\ntext = ''",
        &format!(":2: `ui://a` is not a valid resource URI; {uri_fix}"),
    );
    fault(
        "[a]\nuri = 'a://b c'\ntext = ''",
        &format!(":2: `a://b c` is not a valid resource URI; {uri_fix}"),
    );
    fault(
        "[a]\nuri = 'a://{x}{y}'\ntext = ''",
        ":2: two placeholders of `a://{x}{y}` touch, or one is used twice; put text such as `/` \
         between them; use each once",
    );
    fault("[a]\nuri = 'a://b'", ":2: `a` must have either `file` or `text`; keep one of them");
    fault(
        "[a]\nuri = 'a://b'\n\nfile = 'none.md'",
        ":4: `none.md` does not exist; use a path inside the project, relative to its folder",
    );
    fault(
        "[a]\nuri = 'a://b'\nfile = '../x'",
        ":3: `../x` leads outside its folder; use a path inside the project, relative to its folder",
    );
    fault(
        "[a]\nuri = 'a://{x}'\nfile = 'issues/{y}'",
        ":3: `{y}` is not in the `uri`; a placeholder gets its value from the URI",
    );
    fault(
        "[a]\nuri = 'a://b'\ntext = ''\n[b]\nuri = 'a://b'\ntext = ''",
        ":5: `a://b` is used twice; give each resource its own",
    );
    fault(
        "[a]\nuri = 'a://b'\ntext = ''\nmime = 'x'",
        ":4: unknown field `mime`, expected one of `uri`, `file`, `text`, `title`, `description`, \
         `mime_type`; correct the line; `docs/guide/mcp.md` lists the fields",
    );
}
