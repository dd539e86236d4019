import CConfuse
import GatewayConfig
import Glibc

/// Owns one `cfg_t`, for one parse.
private struct ParserHandle: ~Copyable {
  let raw: UnsafeMutablePointer<cfg_t>

  /// - Returns: nil when there is no memory.
  init?(_ table: OptionTable, onError: cfg_errfunc_t) {
    guard let raw = cfg_init(table.root, CFGF_NONE) else { return nil }
    self.raw = raw
    cfg_set_error_function(raw, onError)
  }

  deinit { cfg_free(raw) }
}

/// Runs libConfuse over a scanned text.
enum Parser {
  /// libConfuse's lexer is global, and so is, for its callbacks, the recorder. A lock of the C library, since the thread
  /// sanitizer does not see into the Swift library's.
  nonisolated(unsafe) private static let lock: UnsafeMutablePointer<pthread_mutex_t> = {
    let lock = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    pthread_mutex_init(lock, nil)
    return lock
  }()
  /// Touched only under `lock`: by `parse`, and by the callbacks that libConfuse calls while `parse` waits for it.
  nonisolated(unsafe) private static var recorder = Recorder()

  /// - Returns: what was read, and libConfuse's complaint when it stopped before the end.
  static func parse(
    _ scanned: ScannedText
  ) -> (body: [RawDirective], failure: (line: Int, text: String)?) {
    pthread_mutex_lock(lock)
    defer { pthread_mutex_unlock(lock) }
    recorder = Recorder()
    defer { recorder = Recorder() }
    let table = OptionTable(
      heads: scanned.heads,
      callbacks: OptionTable.Callbacks(value: onValue, opened: onOpened, closed: onClosed))
    guard let handle = ParserHandle(table, onError: onError) else {
      return ([], (1, "out of memory"))
    }
    let isParsed = (scanned.text + [0]).withUnsafeBytes { buffer in
      cfg_parse_buf(handle.raw, buffer.bindMemory(to: CChar.self).baseAddress) == CFG_SUCCESS
    }
    let message = recorder.messages.first
    let failure = isParsed && message == nil ? nil : message ?? (Int(handle.raw.pointee.line), "")
    return (recorder.finish(), failure)
  }

  private static let onValue: cfg_callback_t = { parser, option, text, result in
    guard let parser, let option, let text, let result else { return -1 }
    // A list's values are dropped at `=`, so the first after it is alone.
    recorder.value(
      Encoding.decode(String(cString: option.pointee.name)) ?? "", Encoding.decode(String(cString: text)),
      line: Int(parser.pointee.line), isFurther: option.pointee.nvalues > 1)
    result.assumingMemoryBound(to: UnsafePointer<CChar>?.self).pointee = text
    return 0
  }

  private static let onOpened: cfg_callback_t = { block, _, text, result in
    guard let block, let text, let result else { return -1 }
    let title = block.pointee.title.map { Encoding.decode(String(cString: $0)) }
    recorder.blockOpened(
      Encoding.decode(String(cString: block.pointee.name)) ?? "", title: title, line: Int(block.pointee.line))
    result.assumingMemoryBound(to: UnsafePointer<CChar>?.self).pointee = text
    return 0
  }

  private static let onClosed: cfg_validate_callback_t = { _, _ in
    recorder.blockClosed()
    return 0
  }

  private static let onError: cfg_errfunc_t = { parser, format, arguments in
    guard let format, let arguments else { return }
    var buffer = [CChar](repeating: 0, count: 512)
    vsnprintf(&buffer, buffer.count, format, arguments)
    let octets = buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
    recorder.message(String(decoding: octets, as: UTF8.self), line: parser.map { Int($0.pointee.line) } ?? 1)
  }
}
