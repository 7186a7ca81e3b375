//! The surroundings of hostile code: files that it may not access, and listening sockets.

use std::io::ErrorKind;
use std::net::TcpListener;
use std::os::linux::net::SocketAddrExt;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::os::unix::net::{SocketAddr, UnixListener};
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

pub(super) struct World {
    own: PathBuf,
    place: PathBuf,
    key: PathBuf,
    door: PathBuf,
    unix: [UnixListener; 2],
    tcp: TcpListener,
    before: (u32, i64, u64),
}

impl World {
    pub(super) fn new(folder: &Path) -> Self {
        let place = folder.join("outside");
        let keys = folder.join("keys");
        for folder in [&place, &keys] {
            std::fs::create_dir(folder).unwrap();
            std::fs::set_permissions(folder, PermissionsExt::from_mode(0o700)).unwrap();
        }
        let (own, key, door) = (place.join("own"), keys.join("id"), place.join("door"));
        for file in [&own, &key] {
            std::fs::write(file, "a secret").unwrap();
            std::fs::set_permissions(file, PermissionsExt::from_mode(0o600)).unwrap();
        }
        let hidden = SocketAddr::from_abstract_name(Self::hidden()).unwrap();
        let unix = [UnixListener::bind(&door).unwrap(), UnixListener::bind_addr(&hidden).unwrap()];
        for listener in &unix {
            listener.set_nonblocking(true).unwrap();
        }
        let tcp = TcpListener::bind("127.0.0.1:0").unwrap();
        let before = looks(&own);
        Self { own, place, key, door, unix, tcp, before }
    }

    fn hidden() -> String {
        format!("ghosthand-test-{}", std::process::id())
    }

    pub(super) fn seen(&self) -> Value {
        json!({
            "OWN": self.own, "PLACE": self.place, "KEY": self.key, "DOOR": self.door,
            "ABSTRACT": Self::hidden(), "PORT": self.tcp.local_addr().unwrap().port(),
            "PARENT": std::process::id(), "IS_ROOT": rustix::process::geteuid().is_root(),
        })
    }

    /// Checks that nothing has changed and there was no connection, whatever the attempts report.
    pub(super) fn check(&self) {
        assert_eq!(std::fs::read_to_string(&self.own).unwrap(), "a secret");
        assert_eq!(looks(&self.own), self.before);
        assert_eq!(std::fs::read_dir(&self.place).unwrap().count(), 2);
        for listener in &self.unix {
            assert_eq!(listener.accept().unwrap_err().kind(), ErrorKind::WouldBlock);
        }
    }
}

/// Mode, time and size.
fn looks(path: &Path) -> (u32, i64, u64) {
    let found = std::fs::metadata(path).unwrap();
    (found.mode(), found.mtime_nsec(), found.size())
}
