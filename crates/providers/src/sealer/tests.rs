//! A sealed key opens only with its file and for its place.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD_NO_PAD as BASE64;
use contract::Secret;

use super::{SealFault, Sealer};

fn sealer(dir: &tempfile::TempDir, name: &str) -> Sealer {
    Sealer::new(dir.path().join(name))
}

#[test]
fn a_key_opens_only_where_it_was_sealed_for() {
    let dir = tempfile::tempdir().unwrap();
    let ours = sealer(&dir, "secret");
    let sealed = ours.seal(&Secret::new("sk-very-secret"), "a https://a.example").unwrap();
    assert!(!sealed.contains("sk-very"), "{sealed}");
    assert_eq!(ours.open(&sealed, "a https://a.example").unwrap().expose(), "sk-very-secret");
    let again = sealer(&dir, "secret");
    assert_eq!(again.open(&sealed, "a https://a.example").unwrap().expose(), "sk-very-secret");
    assert!(matches!(ours.open(&sealed, "a https://b.example"), Err(SealFault::NotOurs)));
    let other = sealer(&dir, "other");
    assert!(matches!(other.open(&sealed, "a https://a.example"), Err(SealFault::NotOurs)));
    other.seal(&Secret::new("x"), "y").unwrap();
    assert!(matches!(other.open(&sealed, "a https://a.example"), Err(SealFault::NotOurs)));
}

#[test]
fn a_given_key_opens_on_every_machine_and_what_the_file_sealed_still_opens() {
    let (one, other) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let before = sealer(&one, "secret").seal(&Secret::new("old"), "a").unwrap();
    let key = BASE64.encode([7; 32]);
    let given = |dir: &tempfile::TempDir, key: &str| {
        Sealer::with_key(dir.path().join("secret"), key).unwrap()
    };
    let sealed = given(&one, &key).seal(&Secret::new("sk-very-secret"), "a").unwrap();
    // As `openssl rand -base64 32` writes it.
    let there = given(&other, &format!("{key}=\n"));
    assert_eq!(there.open(&sealed, "a").unwrap().expose(), "sk-very-secret");
    assert!(matches!(there.open(&sealed, "b"), Err(SealFault::NotOurs)));
    assert!(matches!(there.open(&before, "a"), Err(SealFault::NotOurs)));
    assert_eq!(given(&one, &key).open(&before, "a").unwrap().expose(), "old");
    assert!(matches!(sealer(&one, "secret").open(&sealed, "a"), Err(SealFault::NotOurs)));
    assert!(!other.path().join("secret").exists(), "a file was made");
    for bad in ["", "short", &BASE64.encode([7; 31]), &BASE64.encode([7; 33])] {
        let refused = Sealer::with_key(one.path().join("secret"), bad);
        assert!(matches!(refused, Err(SealFault::BadKey)), "{bad}");
    }
    assert_eq!(format!("{:?}", given(&one, &key)), "Sealer");
}

#[test]
fn an_altered_text_does_not_open() {
    let dir = tempfile::tempdir().unwrap();
    let ours = sealer(&dir, "secret");
    let sealed = ours.seal(&Secret::new("sk-very-secret"), "a").unwrap();
    let bytes = BASE64.decode(&sealed).unwrap();
    for at in 0..bytes.len() {
        let mut altered = bytes.clone();
        altered[at] ^= 1;
        let altered = BASE64.encode(altered);
        assert!(matches!(ours.open(&altered, "a"), Err(SealFault::NotOurs)), "byte {at}");
    }
    assert!(matches!(ours.open("", "a"), Err(SealFault::NotOurs)));
    assert_ne!(sealed, ours.seal(&Secret::new("sk-very-secret"), "a").unwrap());
}

#[cfg(unix)]
#[test]
fn the_file_is_private_and_one_that_others_can_read_is_refused() {
    use std::os::unix::fs::PermissionsExt;
    let dir = tempfile::tempdir().unwrap();
    let ours = sealer(&dir, "secret");
    let sealed = ours.seal(&Secret::new("sk"), "a").unwrap();
    let file = dir.path().join("secret");
    let mode = std::fs::metadata(&file).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode, 0o600);
    std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o644)).unwrap();
    let fault = ours.open(&sealed, "a").unwrap_err().to_string();
    assert!(fault.contains("readable by others"), "{fault}");
    let link = sealer(&dir, "link");
    std::os::unix::fs::symlink(&file, dir.path().join("link")).unwrap();
    assert!(link.seal(&Secret::new("sk"), "a").unwrap_err().to_string().contains("symbolic"));
}
