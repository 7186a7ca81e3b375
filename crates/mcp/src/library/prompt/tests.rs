//! Prompts in, messages or faults out.

use std::path::Path;

use super::super::Library;
use super::{MessageContent, Prompt, Speaker};

fn project(files: &[(&str, &str)]) -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    for (name, text) in files {
        let path = dir.path().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }
    dir
}

/// The messages of a prompt, one line each, or its faults.
fn read(files: &[(&str, &str)]) -> Result<Prompt, Vec<String>> {
    let dir = project(files);
    let (library, faults) = Library::read(dir.path());
    match faults.is_empty() {
        true => Ok(library.prompt("p").unwrap().clone()),
        false => Err(faults.iter().map(ToString::to_string).collect()),
    }
}

#[track_caller]
fn fault(text: &str, expected: &str) {
    assert_eq!(read(&[("prompts/p.md", text)]), Err(vec![expected.to_owned()]));
}

fn lines(prompt: &Prompt) -> Vec<String> {
    let line = |piece: &super::Message| {
        let speaker = match piece.speaker {
            Speaker::User => "user",
            Speaker::Assistant => "assistant",
        };
        match &piece.what {
            MessageContent::Text(text) => format!("{speaker}: {}", text.as_str()),
            MessageContent::Media(path) => format!("{speaker} shows {path}"),
            MessageContent::Resource(uri) => format!("{speaker} gives {}", uri.as_str()),
        }
    };
    prompt.messages.iter().map(line).collect()
}

#[test]
fn a_prompt_is_front_matter_and_messages() {
    let text = "+++\ntitle = 'Review'\ndescription = 'Reviews.'\n\n\
                [arguments.text]\ndescription = 'The text.'\n\n\
                [arguments.tone]\ndefault = 'kind'\nvalues = ['kind', 'strict']\n+++\n\n\
                Review this, {tone}:\n\n{text}\n\n[assistant]\nI will.\n[user]\n\
                ![](pictures/a.png)\n![the rules](docs://rules)\nGo.\n";
    let files = [
        ("prompts/p.md", text),
        ("prompts/pictures/a.png", "png"),
        ("rules.md", "be kind"),
        ("resources.toml", "[rules]\nuri = 'docs://rules'\nfile = 'rules.md'\n"),
    ];
    let prompt = read(&files).unwrap();
    assert_eq!(prompt.title.as_deref(), Some("Review"));
    assert_eq!(prompt.description, "Reviews.");
    let arguments: Vec<_> =
        prompt.arguments.iter().map(|one| (one.name.as_str(), one.required)).collect();
    assert_eq!(arguments, [("text", true), ("tone", false)]);
    let expected = [
        "user: Review this, {tone}:\n\n{text}",
        "assistant: I will.",
        "user shows prompts/pictures/a.png",
        "user gives docs://rules",
        "user: Go.",
    ];
    assert_eq!(lines(&prompt), expected);
}

#[test]
fn arguments_keep_the_order_in_which_they_were_written() {
    let text =
        "+++\ndescription = 'D.'\n[arguments.z]\n[arguments.a]\nrequired = false\n+++\n{a}{z}";
    let prompt = read(&[("prompts/p.md", text)]).unwrap();
    let names: Vec<_> = prompt.arguments.iter().map(|one| one.name.as_str()).collect();
    assert_eq!(names, ["z", "a"]);
}

#[test]
fn a_fault_names_file_line_and_fix() {
    let begin = "begin it with `+++`, `description = \"What it is for.\"`, `+++`, each on a line";
    let no_head = format!("prompts/p.md:1: the prompt has no description; {begin}");
    fault("Hello", &no_head);
    fault("", &no_head);
    fault(
        "---\ndescription: x\n---\nHi",
        "prompts/p.md:1: the front matter of a prompt is not YAML; write TOML between two lines `+++`, as in \
         `description = \"What it is for.\"`",
    );
    fault(
        "+++\ndescription = 'x'\nHi",
        "prompts/p.md:1: the front matter is not closed; close it with a line `+++`",
    );
    fault(
        "+++\ndescription = ''\n+++\nHi",
        "prompts/p.md:2: `description` is empty; write a sentence",
    );
    fault(
        "+++\ndescription = 'x'\n\n\ndescripton = 1\n+++\nHi",
        "prompts/p.md:5: unknown field `descripton`, expected one of `title`, `description`, \
         `arguments`; correct the line; `docs/guide/mcp.md` lists the fields",
    );
    fault(
        "+++\ndescription = 'x'\n[arguments.text]\n+++\n\nSee {txt}. {text}",
        "prompts/p.md:6: there is no argument `txt`; did you mean `{text}`?",
    );
    fault(
        "+++\ndescription = 'x'\n+++\nSee {who}.",
        "prompts/p.md:4: there is no argument `who`; write `[arguments.who]` in the front matter, or \
         `\\{who}` for the text",
    );
    fault(
        "+++\ndescription = 'x'\n[arguments.text]\n+++\nHi",
        "prompts/p.md:3: the argument `text` is not used in the text; write `{text}` where it belongs",
    );
    fault(
        "+++\ndescription = 'x'\n[arguments.t]\ndefault = 'a'\nvalues = ['b']\n+++\n{t}",
        "prompts/p.md:3: the default of `t` is not one of its values; add it to `values`, or choose \
         another",
    );
    fault(
        "+++\ndescription = 'x'\n+++\n\n",
        "prompts/p.md: the prompt has no text; write it below the front matter",
    );
}

#[test]
fn files_in_a_prompt_must_exist_inside_the_project() {
    let shows = |target: &str| format!("+++\ndescription = 'x'\n+++\n![]({target})\nHi");
    let fix =
        "use the path of an image or audio file relative to `prompts`, or the URI of a resource";
    fault(&shows("none.png"), &format!("prompts/p.md:4: `none.png` does not exist; {fix}"));
    fault(
        &shows("../../a.png"),
        &format!("prompts/p.md:4: `../../a.png` leads outside its folder; {fix}"),
    );
    fault(&shows("p.md"), &format!("prompts/p.md:4: `p.md` is neither an image nor audio; {fix}"));
    fault(
        &shows("docs://x"),
        "prompts/p.md:4: there is no resource `docs://x`; name it in `resources.toml`",
    );
}

/// A resource whose file is missing is one fault, not one per prompt that embeds it.
#[test]
fn a_faulty_resource_is_reported_only_where_it_is_defined() {
    let prompt = "+++\ndescription = 'x'\n+++\n![](docs://style)\nHi";
    let resources = "[style]\nuri = \"docs://style\"\nfile = \"docs/style.md\"\n";
    let faults = read(&[("prompts/p.md", prompt), ("resources.toml", resources)]).unwrap_err();
    assert_eq!(faults.len(), 1, "{faults:?}");
    assert!(faults[0].starts_with("resources.toml:3: "), "{faults:?}");
}

#[test]
fn prompts_have_limits() {
    let long = "x".repeat(70_000);
    fault(&long, "prompts/p.md: it has 70000 bytes; at most 65536 are read");
    let many: Vec<_> = (0..201).map(|number| format!("prompts/n{number:03}.md")).collect();
    let good = "+++\ndescription = 'x'\n+++\nHi";
    let files: Vec<_> = many.iter().map(|name| (name.as_str(), good)).collect();
    assert_eq!(
        read(&files),
        Err(vec!["prompts: there are 201 prompts; at most 200 are offered".into()])
    );
    let (library, faults) = Library::read(Path::new("/nowhere/at/all"));
    assert_eq!((library.prompts().count(), faults.len()), (0, 1));
}

#[test]
fn a_name_that_clients_do_not_accept_is_a_fault() {
    let good = "+++\ndescription = 'x'\n+++\nHi";
    let faults = read(&[("prompts/a b.md", good)]).unwrap_err();
    assert!(faults[0].starts_with("prompts/a b.md: this is not a valid"), "{faults:?}");
}
