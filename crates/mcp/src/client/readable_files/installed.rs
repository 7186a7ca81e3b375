//! Where per-user installers keep programs and their libraries below the home directory.

use std::path::{Path, PathBuf};

/// An installer and its folders. A program inside one of them needs all of them, and so do the
/// named programs wherever they are.
struct Installer {
    folders: &'static [&'static str],
    programs: &'static [&'static str],
}

const INSTALLERS: [Installer; 17] = [
    Installer { folders: &[".pyenv"], programs: &[] },
    Installer { folders: &[".nvm"], programs: &[] },
    Installer { folders: &[".volta"], programs: &[] },
    Installer {
        folders: &[".fnm", ".local/share/fnm", ".local/state/fnm_multishells"],
        programs: &[],
    },
    Installer { folders: &[".nodenv"], programs: &[] },
    Installer { folders: &[".asdf", ".tool-versions"], programs: &[] },
    Installer { folders: &[".local/share/mise", ".config/mise"], programs: &["mise"] },
    Installer { folders: &[".rbenv"], programs: &[] },
    Installer { folders: &["miniconda3"], programs: &[] },
    Installer { folders: &["anaconda3"], programs: &[] },
    Installer { folders: &["miniforge3"], programs: &[] },
    Installer { folders: &[".bun"], programs: &["bun", "bunx"] },
    Installer { folders: &[".deno", ".cache/deno"], programs: &["deno"] },
    Installer { folders: &[".npm", ".npm-global"], programs: &["npm", "npx"] },
    Installer { folders: &[".local/share/pnpm"], programs: &["pnpm", "pnpx"] },
    Installer { folders: &[".local/share/pipx", ".local/pipx"], programs: &["pipx"] },
    Installer { folders: &[".local/share/uv", ".cache/uv"], programs: &["uv", "uvx"] },
];

/// Per-user packages for every Python.
const USER_PACKAGES: &str = ".local/lib";

/// The folders below `home` that the program at `path` needs.
pub(crate) fn needs(home: &Path, path: &Path) -> Vec<PathBuf> {
    let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    let is_of = |way: &&Installer| {
        way.programs.contains(&name)
            || way.folders.iter().any(|folder| path.starts_with(home.join(folder)))
    };
    let folders = INSTALLERS.iter().filter(is_of).flat_map(|way| way.folders.iter());
    let packages = name.starts_with("python").then_some(&USER_PACKAGES);
    folders.chain(packages).map(|folder| home.join(folder)).collect()
}
