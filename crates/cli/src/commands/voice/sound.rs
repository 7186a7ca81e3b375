//! Where the person's audio comes from, and where ours goes: a recording, or programs such as
//! `arecord` and `aplay`.

use std::process::Stdio;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::process::{Child, ChildStdin, ChildStdout};
use tokio::sync::mpsc;
use tokio::sync::mpsc::error::TryRecvError;
use voice::DETECTOR_RATE;
use voice_session::{OUTPUT_RATE, SpeechProgram};

use crate::config::Config;
use crate::exit::Failure;
use crate::wiring::open_speech::{check_own, environment, is_installed};

/// Silence in front of a recording and after it, so that its last word has an end.
const MARGIN_MS: usize = 1_000;
/// How many pieces of the microphone may wait: a second.
const WAITING_MAX: usize = 50;

/// The person's audio.
pub(super) enum Source {
    Recording(std::vec::IntoIter<i16>),
    Microphone { pieces: mpsc::Receiver<Vec<i16>>, _child: Box<Child> },
}

impl Source {
    pub(super) fn recording(samples: Vec<i16>) -> Self {
        let margin = vec![0; MARGIN_MS * DETECTOR_RATE as usize / 1_000];
        Self::Recording([margin.clone(), samples, margin].concat().into_iter())
    }

    pub(super) fn microphone(config: &Config) -> Result<Self, Failure> {
        let usual = format!("arecord -q -t raw -f S16_LE -c 1 -r {DETECTOR_RATE}");
        let command = config.get("voice.microphone").map_or(usual, str::to_owned);
        check_own(config, "voice.microphone")?;
        let mut child = start("voice.microphone", &command, Stdio::null(), Stdio::piped())?;
        let stdout = child.stdout.take().ok_or_else(|| anyhow::anyhow!("no output"))?;
        let (sender, pieces) = mpsc::channel(WAITING_MAX);
        tokio::spawn(record(stdout, sender));
        Ok(Self::Microphone { pieces, _child: Box::new(child) })
    }

    /// The next milliseconds, or what there is of them; none at the end.
    pub(super) fn next(&mut self, ms: u64) -> Option<Vec<i16>> {
        let count = usize::try_from(ms).unwrap_or_default() * DETECTOR_RATE as usize / 1_000;
        match self {
            Source::Recording(samples) => {
                let next: Vec<i16> = samples.take(count).collect();
                (!next.is_empty()).then_some(next)
            }
            Source::Microphone { pieces, .. } => {
                let mut samples = Vec::new();
                loop {
                    match pieces.try_recv() {
                        Ok(piece) => samples.extend(piece),
                        Err(TryRecvError::Empty) => return Some(samples),
                        Err(TryRecvError::Disconnected) if samples.is_empty() => return None,
                        Err(TryRecvError::Disconnected) => return Some(samples),
                    }
                }
            }
        }
    }
}

/// Reads pieces of 20 ms until the program or the session ends.
async fn record(mut stdout: ChildStdout, pieces: mpsc::Sender<Vec<i16>>) {
    let mut bytes = vec![0; 20 * DETECTOR_RATE as usize / 1_000 * 2];
    while stdout.read_exact(&mut bytes).await.is_ok() {
        let pairs = bytes.chunks_exact(2);
        let samples = pairs.map(|pair| i16::from_le_bytes([pair[0], pair[1]])).collect();
        if pieces.send(samples).await.is_err() {
            return;
        }
    }
}

/// Where our audio goes.
pub(super) enum Speaker {
    /// Into a file only.
    Nowhere,
    Program {
        stdin: ChildStdin,
        _child: Box<Child>,
    },
}

impl Speaker {
    pub(super) fn program(config: &Config) -> Result<Self, Failure> {
        let usual = format!("aplay -q -t raw -f S16_LE -c 1 -r {OUTPUT_RATE}");
        let command = config.get("voice.speaker").map_or(usual, str::to_owned);
        check_own(config, "voice.speaker")?;
        let mut child = start("voice.speaker", &command, Stdio::piped(), Stdio::null())?;
        let stdin = child.stdin.take().ok_or_else(|| anyhow::anyhow!("no input"))?;
        Ok(Self::Program { stdin, _child: Box::new(child) })
    }

    /// A speaker that is gone does not end the session: the words are on the screen.
    pub(super) async fn play(&mut self, samples: &[i16]) {
        if let Speaker::Program { stdin, .. } = self {
            let bytes: Vec<u8> = samples.iter().flat_map(|one| one.to_le_bytes()).collect();
            let _ = stdin.write_all(&bytes).await;
        }
    }
}

fn start(setting: &str, command: &str, stdin: Stdio, stdout: Stdio) -> Result<Child, Failure> {
    let fix = format!(
        "install alsa-utils, or set `{setting}` to a program for raw 16-bit mono sound; \
         `ghosthand voice FILE.wav` needs neither"
    );
    let program = SpeechProgram::parse(command, environment())
        .map_err(|bad| Failure::message(format!("`{setting}`: {bad}"), fix.clone()))?;
    if !is_installed(program.program()) {
        let what = format!("there is no program `{}`", program.program());
        return Err(Failure::message(what, fix));
    }
    let child = program.command().stdin(stdin).stdout(stdout).stderr(Stdio::inherit()).spawn();
    child.map_err(|error| Failure::user(anyhow::Error::new(error).context(command.to_owned()), fix))
}
