//! Sessions in real time: a recording in, a recording out, and small programs as speech services.

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpListener;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::{Command, Stdio};

use tempfile::TempDir;

use super::project;
use crate::support::program::{Run, command, run, run_with};

/// A project whose recogniser answers with these lines, one for each speech.
fn speaking_project(said: &[&str]) -> TempDir {
    let dir = project();
    let path = dir.path();
    fs::write(path.join("said.txt"), said.join("\n") + "\n").unwrap();
    let hears = "#!/bin/sh\ncat > speech.wav\nhead -n 1 said.txt\nsed -i 1d said.txt\n";
    write_program(&path.join("hears.sh"), hears);
    write_program(&path.join("speaks.sh"), "#!/bin/sh\ncat >> spoken.txt\ncat tone.wav\n");
    fs::write(path.join("tone.wav"), wav(22_050, &tone(22_050, 300))).unwrap();
    fs::write(path.join("ghosthand.toml"), "model = \"rehearsal\"\n").unwrap();
    let voice = "transcribe = \"program:./hears.sh\"\nspeak = \"program:./speaks.sh\"\n";
    write_own_settings(path, &format!("[voice]\n{voice}"));
    dir
}

/// The settings of the user, who may name programs.
fn write_own_settings(dir: &Path, settings: &str) {
    let folder = dir.join("home/ghosthand");
    fs::create_dir_all(&folder).unwrap();
    fs::write(folder.join("config.toml"), settings).unwrap();
}

/// The program with the settings of that user.
fn own_command(dir: &Path) -> Command {
    let mut command = command(dir);
    command.env("XDG_CONFIG_HOME", dir.join("home"));
    command
}

fn write_program(path: &Path, text: &str) {
    fs::write(path, text).unwrap();
    fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
}

/// The detector takes a steady tone for speech.
pub(super) fn tone(rate: u32, ms: u32) -> Vec<i16> {
    let wave = |at: u32| (f64::from(at) * 220.0 * std::f64::consts::TAU / f64::from(rate)).sin();
    #[expect(clippy::cast_possible_truncation, reason = "the wave is small")]
    let samples = (0..rate * ms / 1_000).map(|at| (wave(at) * 9_000.0) as i16).collect();
    samples
}

pub(super) fn wav(rate: u32, samples: &[i16]) -> Vec<u8> {
    let size = u32::try_from(samples.len() * 2).unwrap();
    let mut bytes = b"RIFF\0\0\0\0WAVEfmt \x10\0\0\0\x01\0\x01\0".to_vec();
    bytes.extend([rate, rate * 2].iter().flat_map(|word| word.to_le_bytes()));
    bytes.extend(b"\x02\0\x10\0data");
    bytes.extend(size.to_le_bytes());
    bytes.extend(samples.iter().flat_map(|sample| sample.to_le_bytes()));
    bytes
}

/// How loud the loudest sample of a file is, and how long the file, in milliseconds.
pub(super) fn loudness(path: &Path, rate: u32) -> (i16, u64) {
    let bytes = fs::read(path).unwrap();
    let samples: Vec<i16> =
        bytes[44..].chunks_exact(2).map(|pair| i16::from_le_bytes([pair[0], pair[1]])).collect();
    let loudest = samples.iter().map(|one| one.saturating_abs()).max().unwrap_or_default();
    (loudest, samples.len() as u64 * 1_000 / u64::from(rate))
}

fn talk(dir: &Path, args: &[&str]) -> Run {
    let found = run_with(own_command(dir).args(["voice", "question.wav"]).args(args));
    assert_eq!(found.code, 0, "{}\n{}", found.out, found.err);
    found
}

#[test]
fn a_recording_is_heard_answered_with_a_tool_and_spoken() {
    let dir = speaking_project(&["search the knowledge base for the tide clock"]);
    fs::write(dir.path().join("question.wav"), wav(48_000, &tone(48_000, 900))).unwrap();
    let found = talk(dir.path(), &["--out", "answer.wav", "--conversation", "talk"]);
    assert!(found.out.contains("s1 said \"search the knowledge base"), "{}", found.out);
    assert!(found.out.contains("asked: kb_search"), "{}", found.out);
    assert!(found.out.contains("u1 heard"), "{}", found.out);
    assert!(found.out.contains("session ended: end of audio"), "{}", found.out);
    let (loudest, ms) = loudness(&dir.path().join("answer.wav"), 24_000);
    assert!(loudest > 5_000 && ms > 1_500, "{loudest}, {ms} ms");
    let spoken = fs::read_to_string(dir.path().join("spoken.txt")).unwrap();
    assert!(!spoken.trim().is_empty(), "one request for each sentence");
    let speech = fs::read(dir.path().join("speech.wav")).unwrap();
    assert!(speech.len() > 16_000, "the recogniser got the speech: {} bytes", speech.len());
    let listed = run(dir.path(), &["replay"]);
    assert!(listed.out.contains("1 turn  "), "{listed:?}");
    let replayed = run(dir.path(), &["replay", "talk"]);
    assert!(replayed.err.contains("byte for byte the same"), "{replayed:?}");
}

#[test]
fn speech_of_a_real_synthesiser_is_found_and_answered_by_it() {
    let dir = speaking_project(&["/validate_email email: ana@example.org"]);
    write_own_settings(dir.path(), "[voice]\ntranscribe = \"program:./hears.sh\"\n");
    let text = "is the address of ana correct";
    let made = Command::new("espeak-ng")
        .args(["-w", "question.wav", text])
        .current_dir(dir.path())
        .status();
    assert!(made.is_ok_and(|status| status.success()), "run `make setup-tests`");
    let found = talk(dir.path(), &["--out", "answer.wav"]);
    assert_eq!(found.out.matches("speech started").count(), 1, "{}", found.out);
    assert!(found.out.contains("asked: validate_email"), "{}", found.out);
    assert!(found.out.contains("u1 heard"), "{}", found.out);
    assert!(loudness(&dir.path().join("answer.wav"), 24_000).0 > 2_000);
}

/// A server with OpenAI's two addresses; gives the bodies that it got.
fn speech_server() -> (String, std::thread::JoinHandle<Vec<String>>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap().to_string();
    let served = std::thread::spawn(move || {
        let mut bodies = Vec::new();
        while !bodies.iter().any(|body: &String| body.contains("the end")) {
            let (mut socket, _) = listener.accept().unwrap();
            let (head, body) = request(&mut socket);
            let answer = match head.contains("/v1/audio/transcriptions") {
                true => (b"{\"text\": \" hello [noise] \"}".to_vec(), "application/json"),
                false => (wav(24_000, &tone(24_000, 200)), "audio/wav"),
            };
            let head = format!(
                "HTTP/1.1 200 OK\r\ncontent-type: {}\r\ncontent-length: {}\r\n\
                 connection: close\r\n\r\n",
                answer.1,
                answer.0.len()
            );
            socket.write_all(head.as_bytes()).unwrap();
            socket.write_all(&answer.0).unwrap();
            bodies.push(format!("{head}{body}"));
        }
        bodies
    });
    (address, served)
}

fn request(socket: &mut std::net::TcpStream) -> (String, String) {
    let mut bytes = Vec::new();
    let mut piece = [0; 65_536];
    loop {
        let count = socket.read(&mut piece).unwrap();
        bytes.extend_from_slice(&piece[..count]);
        let text = String::from_utf8_lossy(&bytes).into_owned();
        let Some((head, _)) = text.split_once("\r\n\r\n") else { continue };
        let at = bytes.windows(4).position(|four| four == b"\r\n\r\n").unwrap() + 4;
        let length = head.lines().find_map(|line| {
            line.to_ascii_lowercase().strip_prefix("content-length: ")?.parse::<usize>().ok()
        });
        if count == 0 || bytes.len() >= at + length.unwrap_or_default() {
            let body = String::from_utf8_lossy(&bytes[at..]).into_owned();
            return (head.to_owned(), body);
        }
    }
}

#[test]
fn a_speech_server_gets_the_sound_as_a_form_and_each_sentence_as_json() {
    let dir = speaking_project(&[]);
    let (address, served) = speech_server();
    let settings = format!(
        "model = \"rehearsal\"\n[providers.speech]\nbase_url = \"http://{address}/v1\"\n\
         [voice]\ntranscribe = \"speech:ears\"\nspeak = \"speech:mouth\"\nvoice = \"ana\"\n"
    );
    fs::write(dir.path().join("ghosthand.toml"), settings).unwrap();
    fs::write(dir.path().join("question.wav"), wav(16_000, &tone(16_000, 900))).unwrap();
    let found = talk(dir.path(), &[]);
    assert!(found.out.contains("s1 said \"hello\""), "{}", found.out);
    assert!(found.out.contains("u1 heard"), "{}", found.out);
    let mut last = std::net::TcpStream::connect(&address).unwrap();
    last.write_all(b"POST /v1/audio/speech HTTP/1.1\r\ncontent-length: 7\r\n\r\nthe end").unwrap();
    let bodies = served.join().unwrap();
    assert!(bodies[0].contains("name=\"model\"\r\n\r\nears"), "{}", bodies[0]);
    assert!(bodies[0].contains("name=\"language\"\r\n\r\nen"), "{}", bodies[0]);
    assert!(bodies[0].contains("RIFF"), "{}", bodies[0]);
    assert!(bodies[1].contains("\"voice\":\"ana\""), "{}", bodies[1]);
    assert!(bodies[1].contains("\"model\":\"mouth\""), "{}", bodies[1]);
}

/// A microphone that is silent after the first words until a file `go` is there.
const MICROPHONE: &str = "#!/bin/sh\nenv >environment\ncat words.raw silence.raw\n\
    while [ ! -e go ]; do cat silence.raw; sleep 0.1; done\ncat words.raw silence.raw\n";

#[test]
fn a_spoken_yes_into_the_microphone_runs_the_write() {
    let dir = speaking_project(&["/order thing: tea", "yes please"]);
    let path = dir.path();
    write_program(&path.join("microphone.sh"), MICROPHONE);
    let raw = |samples: Vec<i16>| samples.iter().flat_map(|one| one.to_le_bytes()).collect();
    let (words, silence): (Vec<u8>, Vec<u8>) = (raw(tone(16_000, 800)), raw(vec![0; 16_000]));
    fs::write(path.join("words.raw"), words).unwrap();
    fs::write(path.join("silence.raw"), silence).unwrap();
    let voice = "transcribe = \"program:./hears.sh\"\nspeak = \"program:./speaks.sh\"\n";
    let sound = "microphone = \"./microphone.sh\"\nspeaker = \"cat\"\n";
    write_own_settings(path, &format!("[voice]\n{voice}{sound}"));
    let mut talk = own_command(path)
        .args(["voice", "--conversation", "tea"])
        .env("SOME_API_KEY", "canary-of-a-key")
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut out = String::new();
    for line in BufReader::new(talk.stdout.take().unwrap()).lines().map_while(Result::ok) {
        // The yes comes when the read-back was heard.
        if line.contains("u1 heard") {
            fs::write(path.join("go"), "").unwrap();
        }
        out.push_str(&line);
        out.push('\n');
    }
    assert!(talk.wait().unwrap().success(), "{out}");
    assert!(out.contains("question \"I am about to run order."), "{out}");
    assert!(out.contains("approved"), "{out}");
    let ledger = run(path, &["ledger", "list"]);
    assert_eq!(ledger.out.matches("order").count(), 1, "{ledger:?}");
    let seen = fs::read_to_string(path.join("environment")).unwrap();
    assert!(seen.contains("PATH=") && !seen.contains("canary"), "{seen}");
}

#[test]
fn what_is_missing_is_said_with_what_to_install() {
    let dir = project();
    let check = |settings: &str, args: &[&str], text: &str| {
        write_own_settings(dir.path(), settings);
        let found = run_with(own_command(dir.path()).args(args).env("PATH", "/nowhere"));
        assert_eq!(found.code, 1, "{found:?}");
        let words = found.err.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(words.contains(text), "{text}: {words}");
    };
    fs::write(dir.path().join("question.wav"), wav(16_000, &tone(16_000, 100))).unwrap();
    let talk = ["voice", "question.wav"];
    check("", &talk, "nothing is set up that writes speech down");
    check("", &talk, "install whisper.cpp and set `voice.transcribe");
    let hears = "[voice]\ntranscribe = \"program:/bin/cat\"\n";
    check(hears, &talk, "install espeak-ng, or set `voice.speak`");
    let both = "[voice]\ntranscribe = \"program:/bin/cat\"\nspeak = \"program:/bin/cat\"\n";
    check(both, &["voice"], "there is no program `arecord`");
    let absent = "[voice]\ntranscribe = \"program:no-such-ear\"\n";
    check(absent, &talk, "`voice.transcribe`: there is no program `no-such-ear`");
    let no_key = "[voice]\ntranscribe = \"openai:ears\"\n";
    check(no_key, &talk, "`openai` needs a key, and `OPENAI_API_KEY` is not set");
    check("[voice]\nlanguages = \"xx\"\n", &talk, "there are no word lists for `xx`");
    fs::write(dir.path().join("question.wav"), "no sound").unwrap();
    check("", &talk, "`question.wav`: this is not a WAV file");
}

#[test]
fn a_project_names_no_programs() {
    let dir = speaking_project(&["never"]);
    fs::write(dir.path().join("question.wav"), wav(16_000, &tone(16_000, 100))).unwrap();
    let check = |setting: &str, args: &[&str]| {
        let settings =
            format!("model = \"rehearsal\"\n[voice]\n{setting} = \"program:touch ran\"\n");
        fs::write(dir.path().join("ghosthand.toml"), settings).unwrap();
        let found = run_with(own_command(dir.path()).args(args));
        assert_eq!(found.code, 1, "{found:?}");
        let words = found.err.split_whitespace().collect::<Vec<_>>().join(" ");
        let place = format!("ghosthand.toml:3: `voice.{setting}` names a program");
        assert!(words.contains(&place), "{place}: {words}");
        assert!(words.contains("~/.config/ghosthand/config.toml"), "{words}");
        assert!(!dir.path().join("ran").exists());
    };
    let voice = "transcribe = \"program:cat\"\nspeak = \"program:cat\"\nmicrophone = \"cat\"\n";
    write_own_settings(dir.path(), &format!("[voice]\n{voice}"));
    check("transcribe", &["voice", "question.wav"]);
    check("speak", &["voice", "question.wav"]);
    check("microphone", &["voice"]);
    check("speaker", &["voice"]);
}
