//! Which folder is the project, seen from folders inside it.

use std::fs;

use super::{steps_up, tools_in};

#[test]
fn the_nearest_folder_with_settings_or_tools_is_the_project() {
    let dir = tempfile::tempdir().unwrap();
    let base = dir.path().canonicalize().unwrap();
    let (home, work) = (base.join("home"), base.join("home/work"));
    for folder in ["home/tools", "home/work/tools/word-count/lib", "home/other/deep"] {
        fs::create_dir_all(base.join(folder)).unwrap();
    }
    fs::write(base.join("ghosthand.toml"), "").unwrap();
    let home = Some(home.as_path());
    let check = |folder: &str, steps: usize| {
        assert_eq!(steps_up(&base.join(folder), home), steps, "{folder}");
    };
    check("home/work", 0);
    check("home/work/tools", 1);
    check("home/work/tools/word-count", 2);
    check("home/work/tools/word-count/lib", 3);
    // The home folder and what is above it are never looked at from below.
    check("home/other/deep", 0);
    check("home", 0);
    assert_eq!(steps_up(&work.join("tools"), None), 1);
    // A folder that everybody may write is nobody's project.
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        fs::set_permissions(&work, fs::Permissions::from_mode(0o777)).unwrap();
        check("home/work", 0);
        check("home/work/tools/word-count", 0);
    }
}

#[test]
fn a_project_stands_for_its_tools_and_a_file_for_its_tool() {
    let dir = tempfile::tempdir().unwrap();
    let tool = dir.path().join("tools/word-count");
    fs::create_dir_all(&tool).unwrap();
    fs::write(tool.join("schema.json"), "{}").unwrap();
    assert_eq!(tools_in(dir.path()), dir.path().join("tools"));
    assert_eq!(tools_in(&dir.path().join("tools")), dir.path().join("tools"));
    assert_eq!(tools_in(&tool), tool);
    assert_eq!(tools_in(&tool.join("schema.json")), tool);
    fs::create_dir_all(dir.path().join("tools/tools")).unwrap();
    assert_eq!(tools_in(&dir.path().join("tools")), dir.path().join("tools"));
}
