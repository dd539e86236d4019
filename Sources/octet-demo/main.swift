import Glibc
import ScriptedPeers

// A modelled SDK session through a real gateway process: exit code 0 only if every octet is where it belongs.

func runDemo() throws -> Bool {
  let runner = try DemoRunner(calls: DemoSession.calls())
  defer { runner.stop() }
  let gateway = try GatewayProcess(runner)
  var results: [CallResult] = []
  do {
    results = try runner.run(through: gateway.port)
  } catch {
    print("the session broke off: \(error)")
  }
  let reports = results.map { DemoReport($0) }
  for (index, report) in reports.enumerated() { print(report.text(number: index + 1) + "\n") }
  let exact = reports.count { $0.findings.isEmpty }
  print("\(exact) of \(runner.calls.count) calls exact")
  let connections = (runner.api.connections.count, runner.archive.connections.count)
  print("upstream connections: \(connections.0) first party, \(connections.1) third party")
  try gateway.stop()
  print("gateway: exit status 0 after SIGTERM")
  return exact == runner.calls.count
}

do {
  exit(try runDemo() ? 0 : 1)
} catch {
  print("demo failed: \(error)")
  exit(2)
}
