// swift-tools-version: 6.1
import PackageDescription

// Every target is built in the Swift 6 language mode, with the upcoming features that make
// imports and existentials explicit. `make check` turns warnings into errors.
let settings: [SwiftSetting] = [
  .swiftLanguageMode(.v6),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  // Exclusivity is checked at compile time, and at run time in debug builds, in which all tests run. A release spends a
  // fifth of its instructions for a request on the run-time half (docs/BENCHMARKS.md), so it leaves that out.
  .unsafeFlags(["-enforce-exclusivity=unchecked"], .when(configuration: .release)),
]

/// A pure core: no socket, clock, C library or global state. `make check` holds it to that.
func core(_ name: String, _ dependencies: [Target.Dependency] = []) -> Target {
  .target(name: name, dependencies: dependencies, swiftSettings: settings)
}

/// A thin shell: imports one C library or the kernel, and decides nothing.
func shell(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
  .target(name: name, dependencies: dependencies, swiftSettings: settings)
}

func tests(_ name: String, _ dependencies: [Target.Dependency], exclude: [String] = []) -> Target {
  .testTarget(
    name: name, dependencies: dependencies, exclude: exclude, swiftSettings: settings)
}

let package = Package(
  name: "octet-gateway",
  products: [
    .executable(name: "octet-gateway", targets: ["octet-gateway"]),
    .executable(name: "octet-demo", targets: ["octet-demo"]),
  ],
  targets: [
    // C libraries: a module map and the shims Swift cannot do without.
    .systemLibrary(
      name: "CCurl", pkgConfig: "libcurl", providers: [.apt(["libcurl4-openssl-dev"])]),
    .systemLibrary(name: "COpenSSL", pkgConfig: "openssl", providers: [.apt(["libssl-dev"])]),
    .systemLibrary(
      name: "CConfuse", pkgConfig: "libconfuse", providers: [.apt(["libconfuse-dev"])]),
    .systemLibrary(name: "CLinux"),

    // Pure cores.
    core("HTTPMessage"),
    core("HTTP1", ["HTTPMessage"]),
    core("Routing", ["HTTPMessage"]),
    core("FieldPolicy", ["HTTPMessage"]),
    core("OriginPool", ["HTTPMessage"]),
    core("Exchange", ["HTTPMessage"]),
    core("GatewayConfig", ["HTTPMessage"]),

    // Thin shells.
    shell("EventLoop", ["CLinux"]),
    shell("TLSEngine", ["COpenSSL", "CLinux"]),
    shell("Transport", ["TLSEngine", "CLinux"]),
    shell("ConfigReader", ["CConfuse", "GatewayConfig"]),
    shell(
      "OriginClient",
      [
        "CCurl", "EventLoop", "TLSEngine", "Transport", "OriginPool", "Exchange", "GatewayConfig",
        "HTTPMessage", "CLinux",
      ]),
    shell("Telemetry", ["CLinux"]),
    shell(
      "Downstream",
      [
        "EventLoop", "TLSEngine", "Transport", "OriginClient", "Telemetry", "HTTPMessage", "HTTP1",
        "Routing", "FieldPolicy", "OriginPool", "Exchange", "CLinux",
      ]),
    shell(
      "Gateway",
      [
        "Downstream", "OriginClient", "TLSEngine", "EventLoop", "Telemetry", "GatewayConfig",
        "Routing", "FieldPolicy", "HTTP1", "HTTPMessage", "CLinux",
      ]),

    // Peers for the demo and the tests; the gateway links none of them.
    .target(
      name: "ScriptedPeers", dependencies: ["COpenSSL", "CLinux"], swiftSettings: settings),
    .target(name: "ProofMaker", dependencies: ["COpenSSL"], swiftSettings: settings),

    // Commands.
    .executableTarget(
      name: "octet-gateway", dependencies: ["Gateway", "ConfigReader", "GatewayConfig", "CLinux"],
      swiftSettings: settings),
    .executableTarget(
      name: "octet-demo", dependencies: ["ScriptedPeers", "ProofMaker"],
      swiftSettings: settings),

    // A client that the tests run. It exports a function that stands before libcurl's own.
    .executableTarget(
      name: "url-session-client", dependencies: ["CCurl"], path: "Tests/URLSessionClient",
      swiftSettings: settings,
      linkerSettings: [.unsafeFlags(["-Xlinker", "--export-dynamic"])]),

    // Tests.
    .target(
      name: "ByteFeeder", dependencies: ["HTTP1", "HTTPMessage"], path: "Tests/Support/ByteFeeder",
      swiftSettings: settings),
    tests("HTTP1Tests", ["HTTP1", "HTTPMessage", "ByteFeeder", "ScriptedPeers"]),
    tests("HTTPMessageTests", ["HTTPMessage"]),
    tests("RoutingTests", ["Routing", "HTTP1", "HTTPMessage"]),
    tests("FieldPolicyTests", ["FieldPolicy", "HTTP1", "HTTPMessage"]),
    tests("OriginClientTests", ["OriginClient", "CLinux"]),
    tests("OriginPoolTests", ["OriginPool"]),
    tests("ExchangeTests", ["Exchange", "HTTPMessage"]),
    tests("EventLoopTests", ["EventLoop"]),
    tests("TransportTests", ["Transport", "TLSEngine", "CLinux"]),
    tests("TelemetryTests", ["Telemetry"]),
    tests("GatewayConfigTests", ["GatewayConfig"]),
    tests("ConfigReaderTests", ["ConfigReader", "GatewayConfig"]),
    tests("ScriptedPeersTests", ["ScriptedPeers"]),
    tests("ProofMakerTests", ["ProofMaker"]),
    tests(
      "IntegrationTests",
      [
        "Gateway", "GatewayConfig", "ConfigReader", "EventLoop", "ScriptedPeers", "ProofMaker", "HTTPMessage",
        "CLinux",
      ],
      exclude: ["Clients/programs"]),
    tests("DemoTests", ["octet-demo", "ScriptedPeers", "ProofMaker"]),
  ]
)
