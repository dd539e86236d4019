import FieldPolicy
import HTTP1
import HTTPMessage
import Testing

let limits = SectionLimits(octets: 65_536, fields: 200)

func requestHead(
  _ lines: [String], start: String = "GET /octet/v1/flags?a=1 HTTP/1.1"
) throws -> RequestHead {
  var parser = RequestParser(limits: limits)
  let octets = Array((([start] + lines).joined(separator: "\r\n") + "\r\n\r\n").utf8)
  var offset = 0
  #expect(try parser.next(octets.span, &offset) == .head)
  return parser.head
}

func responseHead(
  _ lines: [String], start: String = "HTTP/1.1 200 OK", answersHead: Bool = false
) throws -> ResponseHead {
  var parser = ResponseParser(limits: limits)
  parser.startNext(answersHead: answersHead)
  let octets = Array((([start] + lines).joined(separator: "\r\n") + "\r\n\r\n").utf8)
  var offset = 0
  #expect(try parser.next(octets.span, &offset) == .head)
  return parser.head
}

/// The section of a request that ends with these trailer lines.
func trailers(_ lines: [String]) throws -> FieldSection {
  var decoder = ChunkDecoder(trailerLimits: limits)
  let octets = Array(("0\r\n" + lines.map { $0 + "\r\n" }.joined() + "\r\n").utf8)
  var offset = 0
  #expect(try decoder.next(octets.span, &offset) == .end)
  return decoder.trailers
}

/// What goes upstream, as lines; the route replaces `/octet/v1/` with `/v1/`.
func forwarded(
  _ head: RequestHead, policy: RequestFieldPolicy = RequestFieldPolicy(), isThirdParty: Bool = false,
  client: ClientIdentity = ClientIdentity(address: "192.0.2.1", isTLS: true)
) throws -> [String] {
  let destination = RequestFieldPolicy.Destination(
    pathPrefix: Array("/v1/".utf8), tail: head.target.lowerBound + 10..<head.target.upperBound,
    authority: Array("api.octetproof.com".utf8), isThirdParty: isThirdParty)
  var output: [UInt8] = []
  policy.write(head, to: destination, client: client, into: &output)
  return try lines(output)
}

func relayed(
  _ head: ResponseHead, policy: ResponseFieldPolicy = ResponseFieldPolicy(), isThirdParty: Bool = false,
  clientMinorVersion: UInt8 = 1, closes: Bool = false
) throws -> [String] {
  let context = ResponseFieldPolicy.Context(
    isThirdParty: isThirdParty,
    framing: ResponseFieldPolicy.framing(head, clientMinorVersion: clientMinorVersion), closes: closes)
  var output: [UInt8] = []
  policy.write(head, context, date: Array("NOW".utf8), into: &output)
  return try lines(output)
}

/// The lines before the empty one, which must end the octets.
func lines(_ octets: [UInt8]) throws -> [String] {
  let text = String(decoding: octets, as: UTF8.self)
  #expect(text.hasSuffix("\r\n\r\n") || text == "\r\n")
  return text.split(separator: "\r\n", omittingEmptySubsequences: true).map(String.init)
}
