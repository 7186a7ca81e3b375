//! Where programs that people install for themselves keep what they need: below their homes,
//! in a folder for each of the usual ways to install.

use std::path::{Path, PathBuf};

/// A way to install, by its folders below a home. A program in one of them needs all of them;
/// and so does one that is found elsewhere, by its name.
struct Way {
    folders: &'static [&'static str],
    programs: &'static [&'static str],
}

const WAYS: [Way; 17] = [
    Way { folders: &[".pyenv"], programs: &[] },
    Way { folders: &[".nvm"], programs: &[] },
    Way { folders: &[".volta"], programs: &[] },
    Way { folders: &[".fnm", ".local/share/fnm", ".local/state/fnm_multishells"], programs: &[] },
    Way { folders: &[".nodenv"], programs: &[] },
    Way { folders: &[".asdf", ".tool-versions"], programs: &[] },
    Way { folders: &[".local/share/mise", ".config/mise"], programs: &["mise"] },
    Way { folders: &[".rbenv"], programs: &[] },
    Way { folders: &["miniconda3"], programs: &[] },
    Way { folders: &["anaconda3"], programs: &[] },
    Way { folders: &["miniforge3"], programs: &[] },
    Way { folders: &[".bun"], programs: &["bun", "bunx"] },
    Way { folders: &[".deno", ".cache/deno"], programs: &["deno"] },
    Way { folders: &[".npm", ".npm-global"], programs: &["npm", "npx"] },
    Way { folders: &[".local/share/pnpm"], programs: &["pnpm", "pnpx"] },
    Way { folders: &[".local/share/pipx", ".local/pipx"], programs: &["pipx"] },
    Way { folders: &[".local/share/uv", ".cache/uv"], programs: &["uv", "uvx"] },
];

/// Libraries that a person installed for every Python there is.
const USER_PACKAGES: &str = ".local/lib";

/// What the program at `path` needs of `home`.
pub(super) fn needs(home: &Path, path: &Path) -> Vec<PathBuf> {
    let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    let is_of = |way: &&Way| {
        way.programs.contains(&name)
            || way.folders.iter().any(|folder| path.starts_with(home.join(folder)))
    };
    let folders = WAYS.iter().filter(is_of).flat_map(|way| way.folders.iter());
    let packages = name.starts_with("python").then_some(&USER_PACKAGES);
    folders.chain(packages).map(|folder| home.join(folder)).collect()
}
