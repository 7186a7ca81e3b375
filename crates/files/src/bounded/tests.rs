//! Contents at, below and beyond the limit.

use std::fs;

use super::{ReadFault, read_bounded, read_file, read_regular_file, read_text};

#[test]
fn the_limit_is_inclusive() {
    assert_eq!(read_bounded(&b"abc"[..], 3).unwrap(), b"abc");
    assert_eq!(read_bounded(&b""[..], 0).unwrap(), b"");
    assert!(matches!(read_bounded(&b"abcd"[..], 3), Err(ReadFault::TooLarge { bytes_max: 3 })));
}

#[test]
fn files_are_read_whole_or_not_at_all() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.txt");
    assert!(read_regular_file(&path, 10).unwrap().is_none());
    assert!(matches!(read_file(&path, 10), Err(ReadFault::Io(_))));
    fs::write(&path, "їжак").unwrap();
    assert_eq!(read_text(&path, 8).unwrap(), "їжак");
    assert_eq!(read_regular_file(&path, 8).unwrap().unwrap(), "їжак".as_bytes());
    assert!(matches!(read_text(&path, 7), Err(ReadFault::TooLarge { .. })));
    assert!(matches!(read_regular_file(folder.path(), 10), Err(ReadFault::NotRegular)));
    fs::write(&path, [0xff]).unwrap();
    assert!(matches!(read_text(&path, 8), Err(ReadFault::Io(_))));
}
