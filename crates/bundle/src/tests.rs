//! Small pages are joined and run by Node, and each thing that cannot be joined is named.

use std::fs;
use std::path::Path;
use std::process::Command;

use tempfile::TempDir;
use testkit::packages;

use crate::{Bundles, Folder, Shared, Wait};

/// A file of a page: its path and its text.
type File = (&'static str, &'static str);

fn folder_of(root: &Path, name: &str, mount: &'static str, files: &[File]) -> Folder {
    let path = root.join(name);
    for (file, text) in files {
        let file = path.join(file);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(file, text).unwrap();
    }
    Folder { path, mount }
}

fn bundles(own: Folder) -> Bundles {
    Bundles {
        own,
        shared: None,
        entries: &["shared.js", "app.js"],
        elsewhere: &["voice"],
        later: None,
    }
}

/// What Node prints when it runs a module.
fn run(folder: &Path) -> String {
    fs::write(folder.join("package.json"), r#"{ "type": "module" }"#).unwrap();
    #[expect(clippy::disallowed_methods, reason = "Node runs small scripts of this test")]
    let mut node = Command::new(packages::node());
    let output = node.arg(folder.join("app.js")).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

const SHARED: File = ("shared.js", "import './state.js';\n");
const STATE: File = (
    "state.js",
    "// Shared.\nconsole.log('state runs');\nexport const state = { count: 0 };\n\
     export function bump() {\n  return (state.count += 1);\n}\n",
);
const APP: File = (
    "app.js",
    "import { bump as raise, state } from './state.js';\nimport * as names from './inner/names.js';\n\
     console.log('app runs');\nraise();\n\
     const part = await_part();\nasync function await_part() {\n  const { show } = \
     await import('./inner/part.js');\n  show();\n  console.log(state.count, names.first, names.second, \
     new URL('x', import.meta.url).pathname.endsWith('/x'));\n  (await import('./inner/part.js')).show();\n}\n",
);
const NAMES: File = (
    "inner/names.js",
    "/* Names. */\nconsole.log('names run');\nexport const { a: first, b: [second = 'two'] } = { a: 'one', b: [] };\n\
     export { bump } from '../state.js';\n",
);
const PART: File = (
    "inner/part.js",
    "import { bump } from './names.js';\nimport { deep } from './deep.js';\n\
     console.log('part runs'); // once\nexport { show };\nfunction show() {\n  \
     console.log(`shown // not a comment`, bump(), deep);\n}\n",
);
const DEEP: File = (
    "inner/deep.js",
    "export const deep = new URL('near.txt', import.meta.url).pathname.endsWith('/inner/near.txt');\n",
);
const PLAIN: File = ("plain.txt", "as it is");

#[test]
fn a_bundle_does_what_its_modules_do() {
    let root = TempDir::new().unwrap();
    let own = folder_of(root.path(), "page", "", &[SHARED, STATE, APP, NAMES, PART, DEEP, PLAIN]);
    let native = run(&own.path);
    let out = root.path().join("out");
    bundles(own).write(&out).unwrap();
    assert_eq!(run(&out), native);
    assert!(native.contains("shown // not a comment 3 true"), "{native}");
    assert_eq!(fs::read_to_string(out.join("plain.txt")).unwrap(), "as it is");
    // A module is in one bundle, and the bundle says its name.
    assert!(!out.join("state.js").exists());
    assert!(fs::read_to_string(out.join("shared.js")).unwrap().contains("// state.js\n"));
    assert!(fs::read_to_string(out.join("inner/part.js")).unwrap().contains("// inner/deep.js\n"));
    assert!(!fs::read_to_string(out.join("app.js")).unwrap().contains("Names."), "no comments");
}

#[test]
fn two_crates_share_one_instance_of_a_module() {
    let root = TempDir::new().unwrap();
    let text = "import '../state.js';\nimport { state } from '../state.js';\n\
                export const talk = () => console.log('talks', (state.count += 10));\n";
    let own = folder_of(root.path(), "voice", "voice", &[("talk.js", text)]);
    let app = "import { bump, state } from './state.js';\nconst start = async () => {\n  bump();\n  \
               (await import('./voice/talk.js')).talk();\n  console.log(state.count);\n};\nstart();\n";
    let page = folder_of(root.path(), "page", "", &[SHARED, STATE, ("app.js", app)]);
    let out = root.path().join("out");
    bundles(page.clone()).write(&out).unwrap();
    let shared = Some(Shared { folder: page, entry: "shared.js" });
    let voice = Bundles { own, shared, entries: &["talk.js"], elsewhere: &[], later: None };
    voice.write(&out.join("voice")).unwrap();
    assert_eq!(run(&out), "state runs\ntalks 11\n11\n");
}

/// Replaces or adds files, and checks the only fault.
#[track_caller]
fn check(files: &[File], wanted: &str) {
    let root = TempDir::new().unwrap();
    let mut all = vec![SHARED, STATE, ("app.js", "import './one.js';\n")];
    all.extend(files);
    let own = folder_of(root.path(), "page", "", &all);
    let start = format!("{}/", own.path.display());
    let faults = bundles(own).write(&root.path().join("out")).unwrap_err();
    assert_eq!(faults.to_string().replace(&start, "").trim_end(), wanted);
}

#[test]
fn a_fault_names_the_file_the_line_and_the_fix() {
    check(
        &[("one.js", "\nimport { two } from './two.js';\n")],
        "one.js:2: there is no module `./two.js`; paths start with `./` or `../`",
    );
    check(
        &[("one.js", "import { two } from 'two';\n")],
        "one.js:1: there is no module `two`; paths start with `./` or `../`",
    );
    check(
        &[("one.js", "export const open = () => import('./three.js');\n")],
        "one.js:1: there is no module `./three.js`; paths start with `./` or `../`",
    );
    check(
        &[("one.js", "import { state, stats } from './state.js';\n")],
        "one.js:1: `./state.js` does not export `stats`",
    );
    check(
        &[("one.js", "export const a = 1;\nfunction b() {}\nexport { b as a };\n")],
        "one.js:3: `a` is exported twice; remove one",
    );
    check(
        &[("one.js", "import './two.js';\n"), ("two.js", "\nimport './one.js';\n")],
        "two.js:2: these modules import each other: one.js → two.js → one.js; load one of them \
         with `import()`, or move what they share to a third module",
    );
    check(
        &[("one.js", "export const a = 1;\nfunction broken( {\n")],
        "one.js:2: this is not JavaScript; a bracket or a quote may be missing",
    );
    check(
        &[("one.js", "import './a_b.js';\nimport './a/b.js';\n"), ("a_b.js", ""), ("a/b.js", "")],
        "a_b.js: its name in bundles is that of `a/b.js`; rename one",
    );
}

#[test]
fn what_a_bundle_cannot_do_is_a_fault() {
    check(
        &[("one.js", "export let a = 1;\n")],
        "one.js:1: `a` may change after it was exported; use `const`, or export a function that \
         returns it",
    );
    check(
        &[("one.js", "let a = 1;\nexport { a };\n")],
        "one.js:2: `a` may change after it was exported; use `const`, or export a function that \
         returns it",
    );
    check(
        &[("one.js", "const a = 1;\nconst b = await a;\n")],
        "one.js:2: `await` works in functions only; write an async function",
    );
    check(&[("one.js", "export default 1;\n")], "one.js:1: export by name: `export function name`");
    check(
        &[("one.js", "export * from './state.js';\n")],
        "one.js:1: list the names: `export { name } from …`",
    );
    check(
        &[("one.js", "import state from './state.js';\n")],
        "one.js:1: import by name: `import { name } from …`",
    );
    check(
        &[("one.js", "const a = 1;\nimport './state.js';\n")],
        "one.js:2: move this import above the code of the module",
    );
    check(
        &[("one.js", "const a = (name) => import(name);\n")],
        "one.js:1: `import()` takes one path in quotes here",
    );
    check(
        &[("one.js", "const a = import.meta.env;\n")],
        "one.js:1: only `import.meta.url` works in a bundle",
    );
}

#[test]
fn a_page_imports_only_what_another_crate_shares() {
    let root = TempDir::new().unwrap();
    let files = [SHARED, STATE, ("menu.js", "export const menu = 1;\n")];
    let page = folder_of(root.path(), "page", "", &files);
    let text = "import { menu } from '../menu.js';\n";
    let own = folder_of(root.path(), "cards", "cards", &[("app.js", text)]);
    let shared = Some(Shared { folder: page, entry: "shared.js" });
    let cards = Bundles { own, shared, entries: &["app.js"], elsewhere: &[], later: None };
    let faults = cards.write(&root.path().join("out")).unwrap_err().to_string();
    let wanted =
        "app.js:1: `../menu.js` is not shared between pages; import it in `shared.js` first";
    assert!(faults.contains(wanted), "{faults}");
}

#[test]
fn what_is_loaded_later_waits_for_what_it_needs() {
    let texts: File = (
        "texts.js",
        "export const known = [];\nexport async function more() {\n  \
         await new Promise((done) => setTimeout(done, 1));\n  known.push('texts');\n}\n",
    );
    let shared: File = ("shared.js", "import './texts.js';\n");
    let app: File = (
        "app.js",
        "import { known } from './texts.js';\nconst early = known.length;\n\
         import('./part.js').then(({ seen }) => console.log(early, seen));\n",
    );
    let part: File =
        ("part.js", "import { known } from './texts.js';\nexport const seen = known.join();\n");
    let root = TempDir::new().unwrap();
    let own = folder_of(root.path(), "page", "", &[shared, texts, app, part]);
    let out = root.path().join("out");
    let later = Some(Wait { module: "texts.js", function: "more" });
    Bundles { later, ..bundles(own) }.write(&out).unwrap();
    assert_eq!(run(&out), "0 texts\n");
}
