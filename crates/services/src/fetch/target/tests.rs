use super::super::access::NetworkAccess;
use super::*;

/// Whether the pattern declares the URL: `yes`, `no`, or `bad` for an invalid target.
#[track_caller]
fn check(pattern: &str, url: &str, expected: &str) {
    let network = Network::new(NetworkAccess::this_machine(&[80, 8080])).unwrap();
    let target = Url::parse(url).map_err(|_| ()).and_then(|url| Target::of(&url).map_err(|_| ()));
    let seen =
        target.map(|target| match target.check_declared(&[pattern.parse().unwrap()], &network) {
            Ok(()) => "yes",
            Err(_) => "no",
        });
    assert_eq!(seen.unwrap_or("bad"), expected, "{pattern} {url}");
}

#[test]
fn a_host_is_declared_by_name_suffix_or_address() {
    check("api.example.com", "https://api.example.com/a?b#c", "yes");
    check("api.example.com", "https://API.Example.COM./", "yes");
    check("api.example.com", "https://example.com/", "no");
    check("api.example.com", "https://api.example.com.evil.org/", "no");
    check("api.example.com", "https://xapi.example.com/", "no");
    check("*.example.com", "https://api.example.com/", "yes");
    check("*.example.com", "https://a.b.example.com/", "yes");
    check("*.example.com", "https://example.com/", "no");
    check("*.example.com", "https://.example.com/", "no");
    check("*.example.com", "https://evilexample.com/", "no");
    check("93.184.216.34", "https://93.184.216.34/", "yes");
    check("93.184.216.34", "https://0x5db8d822/", "yes"); // the same address, oddly written
    check("93.184.216.34", "https://93.184.216.35/", "no");
    check("[2606:4700::1]", "https://[2606:4700:0::1]/", "yes");
    check("[2606:4700::1]:8443", "https://[2606:4700::1]:8443/", "yes");
    check("[2606:4700::1]:8443", "https://[2606:4700::1]/", "no");
}

#[test]
fn the_port_is_the_default_of_the_scheme_unless_declared() {
    check("example.com", "https://example.com:443/", "yes");
    check("example.com", "https://example.com:8443/", "no");
    check("example.com:8443", "https://example.com:8443/", "yes");
    check("example.com:8443", "https://example.com/", "no");
    check("*.example.com:8443", "https://a.example.com:8443/", "yes");
    check("example.com", "http://example.com/", "no");
    check("example.com:80", "http://example.com/", "yes");
    check("example.com:8080", "http://example.com:8080/", "yes");
    // Loopback is known to be safe without TLS, if the settings allow the port.
    check("localhost", "http://localhost/", "yes");
    check("127.0.0.1", "http://127.0.0.1/", "yes");
    check("localhost", "http://localhost:8080/", "no"); // its port is not declared
    check("localhost:8080", "http://localhost:8080/", "yes");
}

#[test]
fn other_schemes_and_passwords_are_refused() {
    for url in [
        "ftp://example.com/",
        "file:///etc/passwd",
        "data:text/plain,hi",
        "ws://example.com/",
        "gopher://example.com/",
        "https://",
        "//example.com/",
        "example.com",
        "https://user@example.com/",
        "https://user:word@example.com/",
        "https://:word@example.com/",
    ] {
        check("example.com", url, "bad");
    }
    check("example.com", "https://example.com\\@evil.org/", "yes"); // the host comes first
    check("example.com", "https://evil.org\\@example.com/", "no");
    check("example.com", "https://evil.org#@example.com/", "no");
}
