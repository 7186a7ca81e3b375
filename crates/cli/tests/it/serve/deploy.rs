//! The files of `deploy/` name what exists, and agree with each other. Containers do not run here.

use std::fs;

use postgres::PostgresConfig;
use saphyr::{LoadableYamlNode as _, Scalar, Yaml};
use serde_json::{Map, Value};

use crate::support::program::{repository, run};

fn text(file: &str) -> String {
    fs::read_to_string(repository().join(file)).unwrap()
}

fn documents(file: &str) -> Vec<Value> {
    let text = text(file);
    let loaded = Yaml::load_from_str(&text).unwrap_or_else(|fault| panic!("{file}: {fault}"));
    loaded.iter().map(value).collect()
}

fn value(yaml: &Yaml<'_>) -> Value {
    match yaml {
        Yaml::Sequence(items) => items.iter().map(value).collect(),
        Yaml::Mapping(entries) => {
            let named = entries.iter().map(|(name, entry)| (plain(name), value(entry)));
            Value::Object(named.collect::<Map<_, _>>())
        }
        Yaml::Value(Scalar::Integer(number)) => (*number).into(),
        Yaml::Value(Scalar::Boolean(is)) => (*is).into(),
        Yaml::Value(Scalar::Null) => Value::Null,
        scalar => plain(scalar).into(),
    }
}

fn plain(yaml: &Yaml<'_>) -> String {
    yaml.as_str().unwrap_or_else(|| panic!("{yaml:?} is no text")).to_owned()
}

fn words(list: &Value) -> Vec<String> {
    let words = list.as_array().unwrap_or_else(|| panic!("{list} is no list")).iter();
    words.map(|word| word.as_str().unwrap().to_owned()).collect()
}

/// The line of the Dockerfile that begins with this word.
fn docker_line(word: &str) -> String {
    let file = text("deploy/Dockerfile");
    let lines: Vec<_> = file.lines().filter_map(|line| line.strip_prefix(word)).collect();
    lines.last().unwrap_or_else(|| panic!("no {word} in the Dockerfile")).trim().to_owned()
}

/// A server's commands: of the image, of both nodes, of a pod.
fn commands() -> Vec<Vec<String>> {
    let compose = &documents("deploy/compose.yaml")[0];
    let pod = &documents("deploy/kubernetes.yaml")[0]["spec"]["template"]["spec"]["containers"][0];
    vec![
        serde_json::from_str(&docker_line("CMD")).unwrap(),
        words(&compose["services"]["node-1"]["command"]),
        words(&compose["services"]["node-2"]["command"]),
        words(&pod["args"]),
    ]
}

/// Variables for a server, by name; those from secrets are empty.
fn variables() -> Vec<(String, String)> {
    let compose = &documents("deploy/compose.yaml")[0];
    let pod = &documents("deploy/kubernetes.yaml")[0]["spec"]["template"]["spec"]["containers"][0];
    let mut found = Vec::new();
    for node in ["node-1", "node-2"] {
        let set = compose["services"][node]["environment"].as_object().unwrap();
        let told = |value: &Value| value.as_str().unwrap().to_owned();
        found.extend(set.iter().map(|(name, value)| (name.clone(), told(value))));
    }
    for set in pod["env"].as_array().unwrap() {
        let told = set["value"].as_str().unwrap_or_default().to_owned();
        found.push((set["name"].as_str().unwrap().to_owned(), told));
    }
    found
}

#[test]
fn every_command_is_one_of_the_program() {
    let dir = tempfile::tempdir().unwrap();
    for command in commands() {
        let mut args: Vec<&str> = command.iter().map(String::as_str).collect();
        args.push("--help");
        let told = run(dir.path(), &args);
        assert_eq!(told.code, 0, "{command:?}: {told:?}");
    }
    let wrong = run(dir.path(), &["serve", "--listen-on", "x", "--help"]);
    assert_ne!(wrong.code, 0, "a wrong option would not be noticed");
}

#[test]
fn every_variable_is_documented_and_every_address_can_be_read() {
    let settings = text("docs/reference/settings.md");
    let mut stores = 0;
    for (name, told) in variables() {
        assert!(settings.contains(&format!("`{name}`")), "{name} is not in settings.md");
        if name == "GHOSTHAND_STORE" {
            let parsed = told.parse::<PostgresConfig>();
            assert!(parsed.is_ok_and(|address| !address.has_password()), "{told}");
            stores += 1;
        }
    }
    assert_eq!(stores, 3);
}

#[test]
fn ports_and_probes_and_names_agree() {
    let port = docker_line("EXPOSE");
    for command in commands() {
        let at = command.iter().position(|word| word == "--listen").unwrap();
        assert_eq!(command[at + 1], format!("0.0.0.0:{port}"));
    }
    let compose = &documents("deploy/compose.yaml")[0];
    let kubernetes = documents("deploy/kubernetes.yaml");
    let caddy = text("deploy/Caddyfile");
    let upstream = caddy.lines().find(|line| line.contains("reverse_proxy")).unwrap();
    let upstream: Vec<_> = upstream.split_whitespace().filter(|word| word.contains(':')).collect();
    assert_eq!(upstream, [format!("node-1:{port}"), format!("node-2:{port}")]);
    assert!(caddy.contains("health_uri /readyz") && caddy.contains("flush_interval -1"), "{caddy}");

    let [deployment, service, budget] = &kubernetes[..] else { panic!("{kubernetes:?}") };
    let pod = &deployment["spec"]["template"]["spec"];
    let container = &pod["containers"][0];
    assert_eq!(container["ports"][0]["containerPort"].to_string(), port);
    for (probe, path) in
        [("livenessProbe", "/healthz"), ("readinessProbe", "/readyz"), ("startupProbe", "/healthz")]
    {
        assert_eq!(container[probe]["httpGet"]["path"], path, "{probe}");
        assert_eq!(container[probe]["httpGet"]["port"], container["ports"][0]["name"], "{probe}");
    }
    assert_eq!(service["spec"]["ports"][0]["targetPort"], container["ports"][0]["name"]);
    let label = &deployment["spec"]["template"]["metadata"]["labels"];
    for selector in [
        &deployment["spec"]["selector"]["matchLabels"],
        &service["spec"]["selector"],
        &budget["spec"]["selector"]["matchLabels"],
    ] {
        assert_eq!(selector, label);
    }
    let (minimum, replicas) = (&budget["spec"]["minAvailable"], &deployment["spec"]["replicas"]);
    assert!(minimum.as_u64() < replicas.as_u64(), "no server could ever be moved");
    for node in ["node-1", "node-2"] {
        assert_eq!(compose["services"][node]["image"], container["image"]);
    }
    assert_eq!(compose["services"]["node-1"], compose["services"]["node-2"]);
    let user = pod["securityContext"]["runAsUser"].to_string();
    assert_eq!((docker_line("USER"), pod["securityContext"]["runAsNonRoot"] == true), (user, true));
    let pause = words(&container["lifecycle"]["preStop"]["exec"]["command"]);
    let grace = pod["terminationGracePeriodSeconds"].as_u64().unwrap();
    assert!(pause[1].parse::<u64>().unwrap() + 20 < grace, "turns are not handed over in time");
    let mounted = |list: &Value| {
        let names = list.as_array().unwrap().iter().map(|one| one["name"].to_string());
        names.collect::<std::collections::BTreeSet<_>>()
    };
    assert_eq!(mounted(&container["volumeMounts"]), mounted(&pod["volumes"]));
}

#[test]
fn the_image_is_built_as_releases_are() {
    let file = text("deploy/Dockerfile");
    let toolchain: toml::Table = text("rust-toolchain.toml").parse().unwrap();
    let channel = toolchain["toolchain"]["channel"].as_str().unwrap();
    let minor = channel.rsplit_once('.').unwrap().0;
    assert!(file.contains(&format!("FROM rust:{minor}-")), "not {channel}");
    let manifest: toml::Table = text("Cargo.toml").parse().unwrap();
    assert!(manifest["profile"].get("dist").is_some() && file.contains("--profile dist"));
    assert!(file.contains("/target/dist/ghosthand"), "{file}");
}
