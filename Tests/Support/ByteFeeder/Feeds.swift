package import HTTP1
import HTTPMessage

/// Requests of one connection, one after the other.
package struct RequestFeed: Feedable {
  package private(set) var log = FedLog()
  private var parser: RequestParser
  private var isInside = false

  package init(limits: SectionLimits) { parser = RequestParser(limits: limits) }

  package mutating func feed(_ piece: Span<UInt8>) {
    var offset = 0
    while !log.hasFailed {
      do {
        switch try parser.next(piece, &offset) {
        case .needMore:
          return
        case .head:
          isInside = true
          log.add(.request(parser.head))
        case .content(let range):
          log.addContent(piece.extracting(range))
        case .end:
          isInside = false
          log.add(.end(parser.trailers))
          parser.startNext()
        }
      } catch {
        log.add(.failed(error.reason))
      }
    }
  }

  package mutating func finish() {
    if !log.hasFailed, isInside || parser.isInsideHead { log.add(.incomplete) }
  }
}

/// How the upstream's side of a connection ends.
package enum ConnectionEnd: String, Sendable {
  /// It does not.
  case open
  /// FIN, or close_notify where there is TLS.
  case clean
  /// A reset, or FIN without close_notify.
  case cut
}

/// The responses to one request: interim ones, and the final one.
package struct ResponseFeed: Feedable {
  package private(set) var log = FedLog()
  private var parser: ResponseParser
  private var isOver = false
  private let ending: ConnectionEnd

  package init(limits: SectionLimits, answersHead: Bool = false, ending: ConnectionEnd = .open) {
    parser = ResponseParser(limits: limits)
    parser.startNext(answersHead: answersHead)
    self.ending = ending
  }

  package mutating func feed(_ piece: Span<UInt8>) {
    var offset = 0
    while !log.hasFailed, !isOver {
      do {
        switch try parser.next(piece, &offset) {
        case .needMore:
          return
        case .head:
          log.add(.response(parser.head))
        case .content(let range):
          log.addContent(piece.extracting(range))
        case .end:
          isOver = true
          log.add(.end(parser.trailers))
        }
      } catch {
        log.add(.failed(error.reason))
      }
    }
    if isOver { log.addRest(piece.extracting(offset..<piece.count)) }
  }

  package mutating func finish() {
    guard !log.hasFailed, !isOver else { return }
    guard ending != .open else { return log.add(.incomplete) }
    do {
      if try parser.finish(cleanly: ending == .clean) == .end { log.add(.end(parser.trailers)) }
    } catch {
      log.add(.failed(error.reason))
    }
  }
}

/// One chunked body.
package struct ChunkFeed: Feedable {
  package private(set) var log = FedLog()
  private var decoder: ChunkDecoder
  private var isOver = false

  package init(limits: SectionLimits) { decoder = ChunkDecoder(trailerLimits: limits) }

  package mutating func feed(_ piece: Span<UInt8>) {
    var offset = 0
    while !log.hasFailed, !isOver {
      do {
        switch try decoder.next(piece, &offset) {
        case .needMore:
          return
        case .head:
          preconditionFailure("a chunked body has no head")
        case .content(let range):
          log.addContent(piece.extracting(range))
        case .end:
          isOver = true
          log.add(.end(decoder.trailers))
        }
      } catch {
        log.add(.failed(error.reason))
      }
    }
    if isOver { log.addRest(piece.extracting(offset..<piece.count)) }
  }

  package mutating func finish() {
    if !log.hasFailed, !isOver { log.add(.incomplete) }
  }
}
