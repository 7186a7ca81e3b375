//! Figures about recent calls, per tool, derived from the audit.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

use crate::audit::AuditLine;
use crate::verdict::VerdictKind;

/// The name under which calls of tools that do not exist are counted: a model may invent any
/// number of names, and each would be a series of its own. No tool can have it.
pub const UNKNOWN_TOOL: &str = "(unknown)";

/// Figures of every tool that was called.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Metrics {
    pub tools: BTreeMap<String, ToolMetrics>,
}

/// Figures of one tool, over the last thousand calls that ran.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ToolMetrics {
    pub execution_count: usize,
    pub error_count: usize,
    pub error_rate: f64,
    pub error_breakdown: BTreeMap<String, usize>,
    pub refused_count: usize,
    pub reused_count: usize,
    pub budget_violations: usize,
    pub latency_ms: Percentiles,
    pub response_bytes: Percentiles,
}

/// Of the samples: the smallest value that at least so many per cent do not exceed.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Percentiles {
    pub min: u64,
    pub p50: u64,
    pub p95: u64,
    pub p99: u64,
    pub max: u64,
    pub avg: f64,
}

const SAMPLES_MAX: usize = 1_000;

impl Percentiles {
    pub fn of(mut samples: Vec<u64>) -> Self {
        samples.sort_unstable();
        let (Some(min), Some(max)) = (samples.first(), samples.last()) else {
            return Self::default();
        };
        let at = |percent: usize| {
            let rank = (samples.len() * percent).div_ceil(100).max(1);
            samples.get(rank - 1).copied().unwrap_or_default()
        };
        let sum: u64 = samples.iter().sum();
        let avg = sum as f64 / samples.len() as f64;
        Self { min: *min, p50: at(50), p95: at(95), p99: at(99), max: *max, avg }
    }
}

impl Metrics {
    /// Tools that are not known now count together, unless they ran.
    pub fn of(lines: &[AuditLine], is_known: impl Fn(&str) -> bool) -> Self {
        let mut by_tool: BTreeMap<&str, Vec<&AuditLine>> = BTreeMap::new();
        let ran = lines.iter().filter(|line| line.duration.is_some());
        let ran: BTreeSet<&str> = ran.map(|line| line.tool.as_str()).collect();
        for line in lines {
            let is_real = is_known(&line.tool) || ran.contains(line.tool.as_str());
            let name = if is_real { line.tool.as_str() } else { UNKNOWN_TOOL };
            by_tool.entry(name).or_default().push(line);
        }
        let tools = by_tool.into_iter().map(|(tool, lines)| (tool.to_owned(), figures(&lines)));
        Self { tools: tools.collect() }
    }
}

fn figures(lines: &[&AuditLine]) -> ToolMetrics {
    let ran: Vec<_> = lines.iter().filter(|line| line.duration.is_some()).collect();
    let ran = &ran[ran.len().saturating_sub(SAMPLES_MAX)..];
    let mut metrics = ToolMetrics { execution_count: ran.len(), ..ToolMetrics::default() };
    for line in ran {
        if let Some(error) = line.error {
            metrics.error_count += 1;
            *metrics.error_breakdown.entry(error.to_string()).or_default() += 1;
        }
        metrics.budget_violations += usize::from(line.over_budget);
    }
    let count = |kind: VerdictKind| lines.iter().filter(|line| line.verdict == kind).count();
    metrics.refused_count = count(VerdictKind::Refuse);
    metrics.reused_count = count(VerdictKind::Reuse);
    if !ran.is_empty() {
        metrics.error_rate = metrics.error_count as f64 / ran.len() as f64;
    }
    metrics.latency_ms = Percentiles::of(ran.iter().filter_map(|line| line.duration).collect());
    metrics.response_bytes =
        Percentiles::of(ran.iter().map(|line| line.result_bytes as u64).collect());
    metrics
}

#[cfg(test)]
mod tests;
