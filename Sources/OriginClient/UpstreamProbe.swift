import CCurl
import CLinux
import Exchange
import GatewayConfig
import Glibc
package import HTTPMessage
package import TLSEngine

/// One connection to an upstream, made as the gateway makes it and closed again: what `check --connect` shows. Waits
/// for it on the caller's thread.
package struct UpstreamProbe: Sendable {
  /// What the name, or the host that `connect_to` gives instead, leads to.
  package let addresses: [String]
  /// The address and port of the connection; empty without one.
  package let dialled: String
  /// `TLSv1.2` or `TLSv1.3`; nil on a plain connection.
  package let tlsVersion: String?
  package let certificates: PeerCertificates?
  /// What went wrong, in plain words; nil when the gateway can use this upstream.
  package let failure: String?

  package init(_ origin: Origin, _ settings: OriginSettings) {
    let host = settings.connectTo.first { $0.matches(origin) }.map(\.toHost).flatMap { $0.isEmpty ? nil : $0 }
    addresses = UpstreamProbe.resolve(host ?? origin.host)
    let reason = UnsafeMutablePointer<CChar>.allocate(capacity: Int(CURL_ERROR_SIZE))
    reason.initialize(repeating: 0, count: Int(CURL_ERROR_SIZE))
    defer { reason.deallocate() }
    guard let handle = EasyHandle(origin, settings, share: nil) else {
      (dialled, tlsVersion, certificates, failure) = ("", nil, nil, "libcurl could not be started")
      return
    }
    octet_easy_setopt_pointer(handle.raw, CURLOPT_ERRORBUFFER, reason)
    defer { octet_easy_setopt_pointer(handle.raw, CURLOPT_ERRORBUFFER, nil) }
    let code = curl_easy_perform(handle.raw)
    dialled = handle.primaryAddress
    let session = code == CURLE_OK ? handle.takeConnection()?.tls : nil
    tlsVersion = session.map { SessionFacts.version(of: $0) }
    certificates = session.flatMap { PeerCertificates(of: $0) }
    failure =
      code == CURLE_OK ? nil : UpstreamProbe.words(handle, code, String(cString: reason), host ?? origin.host)
  }

  private static func words(_ handle: EasyHandle, _ code: CURLcode, _ reason: String, _ host: String)
    -> String
  {
    let detail = reason.isEmpty ? String(cString: curl_easy_strerror(code)) : reason
    return switch handle.error(for: code).kind {
    case .destinationIPProhibited:
      "\(host) leads to a private address, and private_upstream_addresses is off"
    case .dnsError: "name not found: \(host)"
    case .connectionRefused: "connection refused"
    case .connectionTimeout: "no connection in time: \(detail)"
    case .tlsCertificateError: "certificate: \(SessionFacts.verdict(handle.verifyResult) ?? detail)"
    case .tlsProtocolError: "TLS handshake: \(detail)"
    default: detail
    }
  }

  /// All addresses in the resolver's order; none when there is no such name.
  private static func resolve(_ host: String) -> [String] {
    var hints = addrinfo()
    hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
    var found: UnsafeMutablePointer<addrinfo>?
    guard getaddrinfo(host, nil, &hints, &found) == 0 else { return [] }
    defer { freeaddrinfo(found) }
    return sequence(first: found) { $0?.pointee.ai_next }.prefix { $0 != nil }.compactMap { entry in
      guard let entry else { return nil }
      var text = [CChar](repeating: 0, count: Int(NI_MAXHOST))
      let length = socklen_t(text.count)
      guard
        getnameinfo(
          entry.pointee.ai_addr, entry.pointee.ai_addrlen, &text, length, nil, 0, NI_NUMERICHOST) == 0
      else { return nil }
      return String(decoding: text.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    }
  }
}
