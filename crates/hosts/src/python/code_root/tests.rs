//! Copies are private, made once, and removed with their last user.

use std::collections::BTreeMap;
use std::os::unix::fs::PermissionsExt;

use super::*;

fn code(text: &str) -> Code {
    let file = |name: &str, text: &str| (name.to_owned(), Arc::from(text.as_bytes()));
    Code::new(BTreeMap::from([file("one/handler.py", text), file("_shared/data/x.csv", "1")]))
}

#[test]
fn a_copy_is_private_made_once_and_removed_with_its_last_user() {
    let parent = tempfile::tempdir().unwrap();
    let run_dir = RunDir::new(&parent.path().join("private")).unwrap();
    let copies = CodeCopies::default();
    let (first, old) = copies.of(&code("a"), &run_dir).unwrap();
    assert!(old.is_empty());
    assert_eq!(fs::read_to_string(first.join("one/handler.py")).unwrap(), "a");
    assert_eq!(fs::read_to_string(first.join("_shared/data/x.csv")).unwrap(), "1");
    assert_eq!(fs::metadata(&*first).unwrap().permissions().mode() & 0o777, 0o700);
    assert_eq!(copies.of(&code("a"), &run_dir).unwrap().0, first);

    let (second, old) = copies.of(&code("b"), &run_dir).unwrap();
    assert_ne!(second, first);
    assert!(old.is_empty());
    let (_, old) = copies.of(&code("c"), &run_dir).unwrap();
    assert_eq!(old, std::slice::from_ref(&first));
    drop(old);
    let path = first.to_path_buf();
    assert!(path.exists(), "it is still in use");
    drop(first);
    assert!(!path.exists());
    drop((second, copies, run_dir));
    let left: Vec<_> = fs::read_dir(parent.path().join("private"))
        .unwrap()
        .map(|e| e.unwrap().file_name())
        .collect();
    assert_eq!(left, ["lock"]);
}
