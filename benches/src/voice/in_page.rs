//! An interruption in the page: how long until it is silent, in Chromium with the page's own
//! player. `make setup-tests` installs Chromium and Node.

use std::io::Write;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, Result, bail};
use policy::BoxFuture;
use providers::Providers;
use serde_json::Value;
use server::{EverySecond, RenderPool, Server, ServerLimits, Tokens};
use tokio::net::TcpListener;
use voice::Language;
use voice_session::{Pcm, SessionOptions, SessionRoad, Speaks, SpeechFault, Transcribes};
use voice_web::{VoiceLimits, VoiceWeb};

use super::Delays;
use crate::call::engine::{BenchEngine, target_folder};
use crate::measure::{against, row, time};
use crate::server_process::Running;
use crate::turn::conversation::InstantModel;

/// The argument that makes this program the server.
pub(crate) const SERVER_ALONE: &str = "voice-server";

const SILENCE_TARGET: Duration = Duration::from_millis(100);
const INTERRUPTIONS: usize = 60;
const SECONDS_MAX: u32 = 300;
const ANSWER_SECONDS: usize = 60;
const RATE: u32 = 24_000;

pub(crate) fn run() -> Result<()> {
    #[expect(clippy::disallowed_methods, reason = "this very program, once more")]
    let mut command = Command::new(std::env::current_exe()?);
    let server = Running::start(command.arg(SERVER_ALONE))?;
    let samples = measured(&format!("http://{}/", server.address))?;
    let count = samples.len();
    let rows = [
        ("order", "in the page: order to pause to silence"),
        ("fade", "in the page: the fade, on the audio clock"),
        ("speech", "in the page: first sound of speech to silence"),
    ];
    for (name, what) in rows {
        let delays = samples.iter().map(|sample| {
            let ms = sample[name].as_f64().context("the script prints numbers")?;
            Ok(Duration::from_secs_f64(ms.max(0.0) / 1_000.0))
        });
        let delays = Delays::of(delays.collect::<Result<_>>()?)?;
        row(&format!("{what}, p50"), &time(delays.p50), &format!("{count} interruptions"));
        let note = match name {
            "speech" => "with the microphone, the detector and the server".to_owned(),
            _ => against(SILENCE_TARGET, delays.p99),
        };
        row("  p99", &time(delays.p99), &note);
    }
    Ok(())
}

fn measured(address: &str) -> Result<Vec<Value>> {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/voice/silence.mjs");
    #[expect(clippy::disallowed_methods, reason = "Node drives the browser")]
    let mut node = Command::new(testkit::packages::node());
    let numbers = [INTERRUPTIONS.to_string(), SECONDS_MAX.to_string()];
    let output = node.arg(script).arg(address).args(numbers).output()?;
    if !output.status.success() {
        bail!("the page was not measured:\n{}", String::from_utf8_lossy(&output.stderr));
    }
    Ok(serde_json::from_slice(&output.stdout)?)
}

/// The server process: prints its port and serves until it is killed.
pub(crate) fn server_alone() -> Result<()> {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    runtime.block_on(serve())
}

async fn serve() -> Result<()> {
    let bench = BenchEngine::open_unsynced(&target_folder()?).await?;
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    writeln!(std::io::stdout(), "{}", listener.local_addr()?.port())?;
    let voice = VoiceWeb {
        hears: Ok(Arc::new(Services)),
        speaks: Ok(Arc::new(Services)),
        options: Ok(SessionOptions::on(SessionRoad::Cascade)),
        languages: vec![Language::En],
        limits: VoiceLimits::machine(),
    };
    let server = Server {
        engine: bench.engine.clone(),
        providers: Providers::only(InstantModel::new(0))
            .map_err(|fault| anyhow::anyhow!(fault.message))?,
        tokens: Tokens::new(&[])?,
        names: Vec::new(),
        system_prompt: String::new(),
        rounds_max: 4,
        output_tokens_max: None,
        telemetry: None,
        condition_clock: Arc::new(EverySecond),
        limits: ServerLimits::machine(),
        render_pool: RenderPool::new(2),
        extensions: vec![voice.extension()],
    };
    Ok(server.run(listener, std::future::pending()).await?)
}

/// Words for a long speech, none for a short noise; every answer is a long tone.
struct Services;

impl Transcribes for Services {
    fn transcribe(&self, speech: Pcm) -> BoxFuture<'_, Result<String, SpeechFault>> {
        let is_long = speech.samples.len() > speech.rate as usize * 6 / 10;
        let words = if is_long { "what is the sum" } else { "" };
        Box::pin(async move { Ok(words.to_owned()) })
    }

    fn name(&self) -> String {
        "at once".to_owned()
    }
}

impl Speaks for Services {
    fn speak<'a>(&'a self, _sentence: &'a str) -> BoxFuture<'a, Result<Pcm, SpeechFault>> {
        let wave = |at: usize| (at as f64 * 330.0 * std::f64::consts::TAU / f64::from(RATE)).sin();
        #[expect(clippy::cast_possible_truncation, reason = "the wave is small")]
        let sample = |at: usize| (wave(at) * 6_000.0) as i16;
        let samples = (0..ANSWER_SECONDS * RATE as usize).map(sample).collect();
        Box::pin(async move { Ok(Pcm { rate: RATE, samples }) })
    }

    fn name(&self) -> String {
        "at once".to_owned()
    }
}
