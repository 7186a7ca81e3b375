//! Paths that try to escape.

use std::path::Path;

use super::{FILE_BYTES_MAX, FileFault, read_file};

#[track_caller]
fn check(root: &Path, path: &str, expected: Result<&str, FileFault>) {
    let expected = expected.map(|text| text.as_bytes().to_vec());
    assert_eq!(read_file(root, path), expected, "{path}");
}

#[test]
fn nothing_outside_is_read() {
    let dir = tempfile::tempdir().unwrap();
    let top = dir.path().canonicalize().unwrap();
    let root = top.join("project");
    std::fs::create_dir_all(root.join("docs")).unwrap();
    std::fs::write(root.join("docs/a.md"), "inside").unwrap();
    std::fs::write(top.join("secret"), "outside").unwrap();
    std::os::unix::fs::symlink(top.join("secret"), root.join("link")).unwrap();
    std::os::unix::fs::symlink(&top, root.join("up")).unwrap();
    std::os::unix::fs::symlink(root.join("docs/a.md"), root.join("good")).unwrap();
    check(&root, "docs/a.md", Ok("inside"));
    check(&root, "./docs/a.md", Ok("inside"));
    check(&root, "good", Ok("inside"));
    check(&root, "link", Err(FileFault::Outside));
    check(&root, "up/secret", Err(FileFault::Outside));
    check(&root, "../secret", Err(FileFault::Outside));
    check(&root, "docs/../../secret", Err(FileFault::Outside));
    check(&root, "docs/../docs/a.md", Err(FileFault::Outside));
    check(&root, top.join("secret").to_str().unwrap(), Err(FileFault::Outside));
    check(&root, "", Err(FileFault::Outside));
    check(&root, "docs", Err(FileFault::NoFile));
    check(&root, "docs/none.md", Err(FileFault::Missing));
    check(&root, "docs/a.md/b", Err(FileFault::Missing));
}

#[test]
fn a_large_file_is_refused() {
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path().canonicalize().unwrap();
    let file = std::fs::File::create(root.join("large")).unwrap();
    file.set_len(FILE_BYTES_MAX).unwrap();
    assert_eq!(read_file(&root, "large").map(|bytes| bytes.len() as u64), Ok(FILE_BYTES_MAX));
    file.set_len(FILE_BYTES_MAX + 1).unwrap();
    assert_eq!(read_file(&root, "large"), Err(FileFault::TooLarge));
}
