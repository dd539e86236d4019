import CLinux

/// What the kernel says of a descriptor. epoll(7).
package struct Readiness: Equatable, Sendable {
  package let bits: UInt32

  package init(bits: UInt32) { self.bits = bits }

  package var canRead: Bool { bits & (octet_epoll_in | octet_epoll_rdhup | Readiness.gone) != 0 }
  package var canWrite: Bool { bits & (octet_epoll_out | Readiness.gone) != 0 }
  /// The peer ended its side, or the connection is broken: read on until the end is seen.
  package var peerEnded: Bool { bits & (octet_epoll_rdhup | Readiness.gone) != 0 }
  /// Broken or ended on both sides.
  package var isGone: Bool { bits & Readiness.gone != 0 }

  private static var gone: UInt32 { octet_epoll_hup | octet_epoll_err }
}

/// What a descriptor is watched for.
package struct Interest: Sendable {
  let bits: UInt32

  /// Every change, once: how connections are registered, for their whole life.
  package static var edges: Interest {
    Interest(bits: octet_epoll_in | octet_epoll_out | octet_epoll_rdhup | octet_epoll_edge)
  }
  package static var reading: Interest { Interest(bits: octet_epoll_in) }
  package static var writing: Interest { Interest(bits: octet_epoll_out) }
  package static var both: Interest { Interest(bits: octet_epoll_in | octet_epoll_out) }
  package static var none: Interest { Interest(bits: 0) }
}
