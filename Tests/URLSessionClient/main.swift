import CCurl
import Foundation
import FoundationNetworking
import Glibc

// url-session-client PORT PLAN: sends each call of a plan by URLSession and prints what came back.

/// URLSession on Linux has no way to trust a certificate of our own, so each transfer gets OCTET_TEST_CA here, on its
/// way into libcurl: this definition stands before the library's.
@_cdecl("curl_multi_add_handle")
public func addHandle(_ multi: UnsafeMutableRawPointer?, _ easy: UnsafeMutableRawPointer?) -> Int32 {
  typealias Function = @convention(c) (UnsafeMutableRawPointer?, UnsafeMutableRawPointer?) -> Int32
  let next = UnsafeMutableRawPointer(bitPattern: -1)  // RTLD_NEXT
  guard let easy, let authorities = getenv("OCTET_TEST_CA"), let symbol = dlsym(next, "curl_multi_add_handle")
  else { return CURLM_INTERNAL_ERROR.rawValue }
  octet_easy_setopt_string(easy, CURLOPT_CAINFO, authorities)
  return unsafeBitCast(symbol, to: Function.self)(multi, easy)
}

/// Collects one task's answer; redirects are not followed.
final class Collector: NSObject, URLSessionDataDelegate, @unchecked Sendable {
  private let done = DispatchSemaphore(value: 0)
  private var content = Data()
  private var failure: (any Error)?

  func run(_ task: URLSessionTask) -> (HTTPURLResponse?, Data, (any Error)?) {
    content = Data()
    failure = nil
    task.resume()
    done.wait()
    return (task.response as? HTTPURLResponse, content, failure)
  }

  func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
    content += data
  }

  func urlSession(
    _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
    newRequest request: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void
  ) {
    completionHandler(nil)
  }

  func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
    failure = error
    done.signal()
  }
}

let arguments = CommandLine.arguments
let plan = try String(contentsOfFile: arguments[2], encoding: .utf8)
let collector = Collector()
let configuration = URLSessionConfiguration.ephemeral
configuration.timeoutIntervalForRequest = 30
let session = URLSession(configuration: configuration, delegate: collector, delegateQueue: nil)
for line in plan.split(separator: "\n") {
  let parts = line.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
  guard let url = URL(string: "https://localhost:\(arguments[1])\(parts[2])") else {
    print("answer \(parts[0]) bad URL")
    continue
  }
  var request = URLRequest(url: url)
  request.httpMethod = parts[1]
  for field in parts[5...] {
    let (name, value) = (field.prefix { $0 != ":" }, field.drop { $0 != ":" }.dropFirst(2))
    request.addValue(String(value), forHTTPHeaderField: String(name))
  }
  if parts[3] != "none" {
    let content = try Data(contentsOf: URL(fileURLWithPath: parts[4]))
    if parts[3] == "stream" {
      request.httpBodyStream = InputStream(data: content)
    } else {
      request.httpBody = content
    }
  }
  let (response, content, failure) = collector.run(session.dataTask(with: request))
  if let failure {
    print("failure \(parts[0]) \(failure)")
    exit(1)
  }
  print("answer \(parts[0]) \(response?.statusCode ?? 0)")
  for (name, value) in (response?.allHeaderFields ?? [:]).map({ ("\($0)", "\($1)") }).sorted(by: { $0 < $1 })
  {
    print("field \(name): \(value)")
  }
  print("content \(content.count) \(content.base64EncodedString())")
}
session.finishTasksAndInvalidate()
