//! A whole project.

use super::Library;

#[test]
fn a_project_without_prompts_and_resources_has_no_faults() {
    let dir = tempfile::tempdir().unwrap();
    let (library, faults) = Library::read(dir.path());
    assert_eq!((library.prompts().count(), library.resources().count()), (0, 0));
    assert!(faults.is_empty());
}

#[test]
fn every_fault_is_reported_and_valid_entries_are_kept() {
    let dir = tempfile::tempdir().unwrap();
    std::fs::create_dir(dir.path().join("prompts")).unwrap();
    let write = |name: &str, text: &str| std::fs::write(dir.path().join(name), text).unwrap();
    write("prompts/good.md", "+++\ndescription = 'x'\n+++\nHi");
    write("prompts/bad.md", "Hi");
    write("prompts/notes.txt", "not a prompt");
    write("resources.toml", "[a]\nuri = 'nothing'\ntext = ''\n[b]\nuri = 'b://b'\ntext = 'b'");
    let (library, faults) = Library::read(dir.path());
    let files: Vec<_> = faults.iter().map(|fault| fault.file.as_str()).collect();
    assert_eq!(files, ["resources.toml", "prompts/bad.md"]);
    assert!(library.prompt("good").is_some() && library.prompt("bad").is_none());
    assert_eq!(library.resources().map(super::Resource::uri).collect::<Vec<_>>(), ["b://b"]);
}
