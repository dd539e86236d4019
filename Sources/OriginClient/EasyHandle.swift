import CCurl
import CLinux
import Exchange
import Glibc
import HTTPMessage
import TLSEngine

/// Owns one `CURL *`: a connection that libcurl makes (name, addresses, TCP, TLS, certificate) and closes, and on
/// which it sends nothing (CONNECT_ONLY).
final class EasyHandle {
  let raw: UnsafeMutableRawPointer
  private let connectTo: UnsafeMutablePointer<curl_slist>?
  private let allowsPrivateAddresses: Bool
  private let host: String
  /// What the open-socket callback saw; it decides which error a failed connection is.
  private var refusedPrivateAddress = false
  private var ranOutOfDescriptors = false

  init?(_ origin: Origin, _ settings: OriginSettings, share: UnsafeMutableRawPointer?) {
    guard let raw = curl_easy_init() else { return nil }
    self.raw = raw
    var list: UnsafeMutablePointer<curl_slist>?
    for rule in settings.connectTo {
      list = curl_slist_append(list, rule.curlText) ?? list
    }
    connectTo = list
    host = origin.host
    allowsPrivateAddresses = settings.allowsPrivateAddresses(for: origin)
    configure(origin, settings, share)
  }

  deinit {
    curl_easy_cleanup(raw)
    curl_slist_free_all(connectTo)
  }

  private func configure(
    _ origin: Origin, _ settings: OriginSettings, _ share: UnsafeMutableRawPointer?
  ) {
    let scheme = origin.isTLS ? "https" : "http"
    set(CURLOPT_URL, "\(scheme)://\(origin.authority)/")
    set(CURLOPT_PROTOCOLS_STR, scheme)
    set(CURLOPT_CONNECT_ONLY, 1)
    set(CURLOPT_FRESH_CONNECT, 1)
    set(CURLOPT_NOSIGNAL, 1)
    set(CURLOPT_PROXY, "")  // Neither the environment's proxies nor ~/.netrc steer a gateway (rule C3).
    set(CURLOPT_NETRC, 0)
    set(CURLOPT_CONNECTTIMEOUT_MS, settings.connectTimeoutMilliseconds)
    set(CURLOPT_DNS_CACHE_TIMEOUT, 5)
    set(CURLOPT_TCP_NODELAY, 1)
    set(CURLOPT_TCP_KEEPALIVE, 1)
    set(CURLOPT_HTTP_VERSION, Int(CURL_HTTP_VERSION_1_1))  // What ALPN offers.
    set(CURLOPT_SSLVERSION, Int(CURL_SSLVERSION_TLSv1_2))
    set(CURLOPT_SSL_VERIFYPEER, 1)
    set(CURLOPT_SSL_VERIFYHOST, 2)
    // With a directory set, every connection would parse the system's whole bundle; a file is parsed once for the
    // multi handle.
    octet_easy_setopt_string(raw, CURLOPT_CAPATH, nil)
    if let caFile = settings.caFile { set(CURLOPT_CAINFO, caFile) }
    octet_easy_setopt_list(raw, CURLOPT_CONNECT_TO, connectTo)
    octet_easy_setopt_pointer(raw, CURLOPT_SHARE, share)
    octet_easy_setopt_pointer(raw, CURLOPT_PRIVATE, Unmanaged.passUnretained(self).toOpaque())
    octet_easy_setopt_pointer(raw, CURLOPT_OPENSOCKETDATA, Unmanaged.passUnretained(self).toOpaque())
    octet_easy_setopt_pointer(raw, CURLOPT_SSL_CTX_DATA, Unmanaged.passUnretained(self).toOpaque())
    octet_easy_setopt_ssl_context(raw) { _, sslContext, context in
      guard let context, let sslContext else { return CURLE_ABORTED_BY_CALLBACK }
      let host = Unmanaged<EasyHandle>.fromOpaque(context).takeUnretainedValue().host
      return PeerName.require(host, of: sslContext) ? CURLE_OK : CURLE_ABORTED_BY_CALLBACK
    }
    octet_easy_setopt_open_socket(raw) { context, _, address in
      guard let context, let address else { return -1 }
      return Unmanaged<EasyHandle>.fromOpaque(context).takeUnretainedValue().openSocket(address)
    }
  }

  private func set(_ option: CURLoption, _ value: Int) {
    octet_easy_setopt_long(raw, option, value)
  }

  private func set(_ option: CURLoption, _ value: String) {
    octet_easy_setopt_string(raw, option, value)
  }

  /// Looks at the address that is about to be dialled, not at one that was looked up before.
  private func openSocket(_ address: UnsafeMutablePointer<curl_sockaddr>) -> curl_socket_t {
    let isProhibited = withUnsafePointer(to: &address.pointee.addr) { PrivateAddress.contains($0) }
    if isProhibited, !allowsPrivateAddresses {
      refusedPrivateAddress = true
      return -1
    }
    let descriptor = octet_socket(address.pointee.family)
    if descriptor < 0, errno == EMFILE || errno == ENFILE { ranOutOfDescriptors = true }
    return descriptor
  }

  /// Attaches the finished connection to this handle and gives its socket and TLS session.
  func takeConnection() -> (descriptor: Int32, tls: UnsafeMutableRawPointer?)? {
    var count = 0
    var octet: UInt8 = 0
    _ = curl_easy_recv(raw, &octet, 0, &count)
    var descriptor: curl_socket_t = -1
    guard octet_easy_getinfo_socket(raw, &descriptor) == CURLE_OK, descriptor >= 0 else { return nil }
    return (descriptor, octet_easy_tls_session(raw))
  }

  /// The address and port that were dialled, for `check`; an IPv6 literal stands in brackets.
  var primaryAddress: String {
    var text: UnsafePointer<CChar>?
    var port = 0
    guard octet_easy_getinfo_string(raw, CURLINFO_PRIMARY_IP, &text) == CURLE_OK, let text,
      octet_easy_getinfo_long(raw, CURLINFO_PRIMARY_PORT, &port) == CURLE_OK
    else { return "" }
    let address = String(cString: text)
    return address.utf8.contains(0x3A) ? "[\(address)]:\(port)" : "\(address):\(port)"
  }

  /// OpenSSL's verdict on the certificate chain, as an `X509_V_*` number.
  var verifyResult: Int {
    var code = 0
    _ = octet_easy_getinfo_long(raw, CURLINFO_SSL_VERIFYRESULT, &code)
    return code
  }

  /// Which proxy error a failed connection is.
  func error(for code: CURLcode) -> GatewayError {
    if refusedPrivateAddress { return GatewayError(.destinationIPProhibited) }
    if ranOutOfDescriptors { return GatewayError(.connectionLimitReached) }
    switch code {
    case CURLE_COULDNT_RESOLVE_HOST:
      return GatewayError(.dnsError)
    case CURLE_OPERATION_TIMEDOUT:
      var microseconds: curl_off_t = 0
      _ = octet_easy_getinfo_offset(raw, CURLINFO_NAMELOOKUP_TIME_T, &microseconds)
      return GatewayError(microseconds == 0 ? .dnsTimeout : .connectionTimeout)
    case CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_CACERT_BADFILE, CURLE_SSL_ISSUER_ERROR:
      return GatewayError(.tlsCertificateError)
    case CURLE_SSL_CONNECT_ERROR, CURLE_SSL_CIPHER, CURLE_RECV_ERROR, CURLE_SEND_ERROR:
      return GatewayError(.tlsProtocolError)
    case CURLE_COULDNT_CONNECT:
      return connectError
    default:
      return GatewayError(.destinationUnavailable)
    }
  }

  private var connectError: GatewayError {
    var code = 0
    _ = octet_easy_getinfo_long(raw, CURLINFO_OS_ERRNO, &code)
    switch Int32(code) {
    case ECONNREFUSED: return GatewayError(.connectionRefused)
    case EHOSTUNREACH, ENETUNREACH: return GatewayError(.destinationIPUnroutable)
    case ETIMEDOUT: return GatewayError(.connectionTimeout)
    case ECONNRESET: return GatewayError(.connectionTerminated)
    default: return GatewayError(.destinationUnavailable)
    }
  }
}
