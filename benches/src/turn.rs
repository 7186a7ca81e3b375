//! Turns with a model that answers at once: the overhead of a round.
//!
//! A turn of two rounds is: something is said, the model calls a tool, the tool runs, the
//! model answers. Ours is checked, judged, and written to a store on the disk. Beside it
//! pydantic-ai and the Vercel AI SDK make the same turn against the same server, with the
//! same tools, write nothing and do not stream.

mod concurrent;
pub(crate) mod conversation;

use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use contract::Model;
use fake_providers::FakeProvider;
use models::{Client, HttpClient, Key, Limits, Provider};

use crate::call::engine::{BenchEngine, target_folder};
use crate::call::tools::ADD_NATIVE;
use crate::dialect_compile::PYTHON_PACKAGES;
use crate::measure::rounds::{Lane, Load, Rounds};
use crate::measure::spread::Spread;
use crate::measure::{against, figure_line, ms, peak_memory_mb, row, time, times};
use crate::peers::{Peers, figures};
use concurrent::Crowd;
use conversation::{BareLane, BenchConversation, InstantModel, answers};

const ROUND_TARGET: Duration = Duration::from_millis(1);
const MEMORY_TARGET_MB: f64 = 200.0;
/// What this program is started with to be the crowd.
pub(crate) const CROWD_ALONE: &str = "turn-crowd";

const TURNS: Load = Load { rounds: 7, lanes: 1, calls_per_lane: 100 };
const CROWD: usize = 500;
/// Calls of a tool in the usual turn, and in a long one.
const CALLS: u64 = 1;
const CALLS_LONG: u64 = 5;
const CALLED: &str = ADD_NATIVE;
const SYSTEM: &str = "You are brief.";
const NODE_PACKAGES: [&str; 2] = ["ai", "@ai-sdk/openai-compatible"];

pub(crate) fn run() -> Result<()> {
    let peers = Peers::open()?;
    let python = peers.python("venv", &PYTHON_PACKAGES);
    let node = peers.node(&NODE_PACKAGES);
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    runtime.block_on(async {
        in_process().await?;
        let ours = over_the_wire().await?;
        let crowd = crowd_of_ours().await?;
        let script = python.as_ref().map(|python| python.script("turn_pydantic_ai.py"));
        beside("pydantic-ai", script, &ours, crowd).await?;
        let script = node.as_ref().and_then(|node| node.script("turn_vercel_ai.mjs"));
        beside("Vercel AI SDK", script, &ours, crowd).await
    })
}

/// The middle turn of each of several rounds of turns.
async fn turns<L: Lane>(load: Load, lane: impl Fn() -> L) -> Result<Spread> {
    let mut found = Vec::new();
    for _ in 0..load.rounds {
        let rounds = Rounds::run(Load { rounds: 1, ..load }, &lane, async || {}).await?;
        found.push(rounds.best()?.p50);
    }
    Spread::among(found)
}

fn rounds(calls: u64) -> u32 {
    u32::try_from(calls + 1).unwrap_or(u32::MAX)
}

/// What a round costs where the model costs nothing.
async fn in_process() -> Result<()> {
    let bench = BenchEngine::open(&target_folder()?).await?;
    let conversation = |calls| BenchConversation::new(&bench.engine, InstantModel::new(calls));
    let short = turns(TURNS, || conversation(CALLS)).await?;
    let per_round = short.per(rounds(CALLS));
    let note = against(ROUND_TARGET, per_round.least);
    per_round.row("per round, turn of 2 rounds, model in process", &note);
    let long = turns(TURNS, || conversation(CALLS_LONG)).await?;
    long.per(rounds(CALLS_LONG)).row("per round, turn of 6 rounds, model in process", "");
    let more = long.least.saturating_sub(short.least) / (rounds(CALLS_LONG) - rounds(CALLS));
    row("  one more round costs", &time(more), "the rest is once per turn");
    let bench = BenchEngine::open_unsynced(&target_folder()?).await?;
    let quick =
        turns(TURNS, || BenchConversation::new(&bench.engine, InstantModel::new(CALLS))).await?;
    quick.per(rounds(CALLS)).row("  2 rounds without waiting for the disk", "");
    Ok(())
}

/// A turn of ours over the wire.
struct Ours {
    turn: Duration,
    /// Without waiting for the disk, as the peers do.
    quick: Duration,
}

/// A turn over the wire, and what of it the server and the loopback take.
async fn over_the_wire() -> Result<Ours> {
    let bench = BenchEngine::open(&target_folder()?).await?;
    let provider = Arc::new(FakeProvider::compatible().await?);
    let model = client(&line()?, &provider)?;
    let conversation =
        || BenchConversation::new(&bench.engine, Arc::clone(&model)).scripted(&provider, CALLS);
    let turn = turns(TURNS, conversation).await?;
    check(&provider)?;
    let requests = provider.requests();
    let last = requests.len().saturating_sub(rounds(CALLS) as usize);
    let bodies = requests.into_iter().skip(last).map(|request| request.bytes).collect();
    let bodies = Arc::new(bodies);
    let bare = turns(TURNS, || BareLane::new(&provider, &bodies)).await?;
    check(&provider)?;
    turn.per(rounds(CALLS)).row("per round over loopback, OpenAI Chat, streamed", "");
    bare.per(rounds(CALLS)).row("  of this the server and the loopback", "a bare client");
    let own = turn.least.saturating_sub(bare.least) / rounds(CALLS);
    row("  our own overhead per round", &time(own), &against(ROUND_TARGET, own));
    let bench = BenchEngine::open_unsynced(&target_folder()?).await?;
    let conversation =
        || BenchConversation::new(&bench.engine, Arc::clone(&model)).scripted(&provider, CALLS);
    let quick = turns(TURNS, conversation).await?;
    check(&provider)?;
    quick.per(rounds(CALLS)).row("  per round without waiting for the disk", "");
    Ok(Ours { turn: turn.least, quick: quick.least })
}

fn line() -> Result<HttpClient> {
    Ok(HttpClient::new(Limits::usual())?)
}

fn client(line: &HttpClient, provider: &FakeProvider) -> Result<Arc<dyn Model>> {
    let url = format!("{}/v1", provider.base_url());
    let provider = Provider::compatible("bench", &url, Key::NotNeeded);
    Ok(Arc::new(Client::over(line.clone(), provider, "bench")?))
}

/// Fails unless the script was used up and nothing refused.
fn check(provider: &FakeProvider) -> Result<()> {
    let refused: Vec<_> = provider.requests().into_iter().flat_map(|one| one.refused).collect();
    ensure!(refused.is_empty(), "the server refused: {}", refused.join("; "));
    ensure!(provider.left() == 0, "{} answers were not asked for", provider.left());
    Ok(())
}

/// Everybody at once, in a process that has done nothing else: only there does its memory
/// say something about conversations.
async fn crowd_of_ours() -> Result<Duration> {
    #[expect(clippy::disallowed_methods, reason = "this very program, once more")]
    let mut command = Command::new(std::env::current_exe()?);
    command.arg(CROWD_ALONE).stdin(Stdio::null());
    let found = tokio::task::spawn_blocking(move || figures(&mut command)).await?;
    let found = found.context("the crowd failed")?;
    let &[seconds, before, most] = found.as_slice() else {
        anyhow::bail!("a crowd gives three figures, not {}", found.len());
    };
    let took = Duration::from_secs_f64(seconds);
    let note = format!("{} per round", time(took / all_rounds()));
    row("500 conversations at once, 2 rounds each", &ms(took), &note);
    let word = if most <= MEMORY_TARGET_MB { "within" } else { "OVER" };
    let note =
        format!("{word} the target of {MEMORY_TARGET_MB} MB; {before} MB before; with the server");
    row("  most memory resident", &format!("{most} MB"), &note);
    Ok(took)
}

/// The crowd by itself: prints its seconds, and the MB held before and at most.
pub(crate) fn crowd_alone() -> Result<()> {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    runtime.block_on(async {
        let bench = BenchEngine::open(&target_folder()?).await?;
        let crowd = Crowd::new(CROWD).await?;
        let model = client(&line()?, &crowd.provider)?;
        BenchConversation::new(&bench.engine, Arc::clone(&model)).call().await?;
        let memory = || peak_memory_mb(std::process::id()).context("the memory can be read");
        let before = memory()?;
        let conversations =
            (0..CROWD).map(|_| BenchConversation::new(&bench.engine, Arc::clone(&model))).collect();
        let took = concurrent::talk(&crowd, conversations).await?;
        figure_line(&[took.as_secs_f64(), before as f64, memory()? as f64]);
        Ok(())
    })
}

fn all_rounds() -> u32 {
    u32::try_from(CROWD).unwrap_or(u32::MAX) * rounds(CALLS)
}

/// The same turns by a neighbour: alone, then everybody at once.
async fn beside(
    name: &str,
    script: Option<Command>,
    ours: &Ours,
    our_crowd: Duration,
) -> Result<()> {
    let Some(script) = script else {
        row(name, "–", "cannot be installed");
        return Ok(());
    };
    let provider = Arc::new(FakeProvider::compatible().await?);
    for _ in 0..=TURNS.all_calls() {
        provider.script(answers(CALLS));
    }
    let found = ask(&script, &provider, TURNS).await.context(name.to_owned())?;
    check(&provider)?;
    let turn = Spread::among(found.times)?;
    let (disk, quick) = (times(turn.least, ours.turn), times(turn.least, ours.quick));
    let note = format!("{disk}; {quick} without the disk");
    turn.per(rounds(CALLS)).row(&format!("{name}, per round, the same server"), &note);
    let crowd = Crowd::new(CROWD).await?;
    let load = Load { rounds: 1, lanes: CROWD, calls_per_lane: 1 };
    let (found, waited) = tokio::join!(ask(&script, &crowd.provider, load), crowd.let_in());
    let found = found.context(name.to_owned())?;
    waited?;
    crowd.check()?;
    let took = found.times.first().copied().context("a crowd takes time")?;
    let what = format!("{name}, 500 at once, 2 rounds each");
    row(&what, &ms(took), &times(took, our_crowd));
    row("  most memory resident", &format!("{:.0} MB", found.memory_mb), "without the server");
    Ok(())
}

/// What a neighbour's script says of itself.
struct Found {
    /// Of one lane the middle turn of each round; of several the whole round.
    times: Vec<Duration>,
    memory_mb: f64,
}

/// Runs a script: the server's address, then the rounds, lanes and turns of a load. It makes
/// one turn beforehand.
async fn ask(script: &Command, provider: &FakeProvider, load: Load) -> Result<Found> {
    let mut command = again(script);
    command.arg(format!("{}/v1", provider.base_url()));
    command.args([load.rounds, load.lanes, load.calls_per_lane].map(|n| n.to_string()));
    let found = tokio::task::spawn_blocking(move || figures(&mut command)).await?;
    let mut found = found.context("the script failed")?;
    let memory_mb = found.pop().context("the script says what it held")?;
    Ok(Found { times: found.into_iter().map(Duration::from_secs_f64).collect(), memory_mb })
}

/// A command like this one: a command can be started again, but not with other arguments.
fn again(script: &Command) -> Command {
    #[expect(clippy::disallowed_methods, reason = "the peers are programs of their own")]
    let mut command = Command::new(script.get_program());
    command.args(script.get_args()).stdin(Stdio::null());
    command.stderr(Stdio::null());
    command
}
