import CLinux
import Glibc

/// A point on the monotonic clock until which a wait may last.
package struct Deadline: Sendable {
  /// Nanoseconds on `CLOCK_MONOTONIC`.
  package let nanoseconds: Int64

  /// `duration` from now.
  package init(within duration: Duration) {
    let (seconds, attoseconds) = duration.components
    nanoseconds = octet_monotonic_nanoseconds() + seconds * 1_000_000_000 + attoseconds / 1_000_000_000
  }

  /// Whether it has come.
  package var isPast: Bool { octet_monotonic_nanoseconds() >= nanoseconds }

  /// What is left, in milliseconds rounded up, as `poll` wants it; 0 when it has come.
  var remainingMilliseconds: Int32 {
    let left = nanoseconds - octet_monotonic_nanoseconds()
    return left <= 0 ? 0 : Int32(clamping: (left + 999_999) / 1_000_000)
  }
}

/// What went wrong at a peer. A test names the case; the texts are for people.
package enum PeerError: Error, Equatable, CustomStringConvertible {
  /// A system call failed: its name and `errno`.
  case system(String, Int32)
  /// OpenSSL refused: what was tried and its first reason.
  case tls(String, String)
  /// The TLS handshake failed, with OpenSSL's first reason.
  case handshake(String)
  /// The wait for this was longer than allowed.
  case timedOut(String)
  /// The other side ended the connection where more was needed.
  case ended(ConnectionEnd)
  /// What arrived can't be read as HTTP/1.1.
  case malformed(String)
  /// The peer was stopped by the test.
  case stopped

  package var description: String {
    switch self {
    case .system(let call, let number): "\(call): \(String(cString: strerror(number)))"
    case .tls(let action, let reason): "\(action): \(reason)"
    case .handshake(let reason): "handshake: \(reason)"
    case .timedOut(let what): "timed out: \(what)"
    case .ended(let end): "connection ended: \(end)"
    case .malformed(let what): "malformed: \(what)"
    case .stopped: "stopped"
    }
  }
}

/// How the other side ended a connection.
package enum ConnectionEnd: Equatable, Sendable {
  /// It has not ended it, as far as was read.
  case open
  /// close_notify over TLS, FIN in the clear.
  case clean
  /// FIN without close_notify: what came before may have been cut.
  case withoutCloseNotify
  /// RST.
  case reset
  /// A TLS alert or a broken record, with OpenSSL's reason.
  case tlsError(String)
}

/// Waits until `descriptor` has one of `events` (or an error); false when the deadline came first.
func awaitReadiness(_ descriptor: Int32, _ events: Int32, _ deadline: Deadline) -> Bool {
  while true {
    var entry = pollfd(fd: descriptor, events: Int16(events), revents: 0)
    let count = poll(&entry, 1, deadline.remainingMilliseconds)
    if count > 0 { return true }
    if count < 0, errno != EINTR { return true }
    if deadline.isPast { return false }
  }
}
