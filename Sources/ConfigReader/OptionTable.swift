import CConfuse
import GatewayConfig

/// The option arrays that libConfuse copies when a parser is made, built from the directive table.
///
/// Every name is an option in every block, and so are the unknown names that a file uses: that libConfuse takes them
/// lets the checker say where a directive belongs, or which one was meant. All values are texts.
final class OptionTable {
  private var arrays: [(start: UnsafeMutablePointer<cfg_opt_t>, count: Int)] = []
  private var strings: [UnsafeMutablePointer<CChar>] = []
  private(set) var root: UnsafeMutablePointer<cfg_opt_t>

  /// Unknown names beyond these end the parsing; nobody reads so many diagnostics.
  private static let unknownLimit = 100
  /// Blocks within blocks that are still read; they are all errors from the second on.
  private static let depth = 2

  enum Shape {
    case value
    case list
    case block(titled: Bool)
  }

  struct Callbacks {
    var value: cfg_callback_t
    var opened: cfg_callback_t
    var closed: cfg_validate_callback_t
  }

  init(heads: [ScannedText.Head], callbacks: Callbacks) {
    root = UnsafeMutablePointer.allocate(capacity: 1)
    root.initialize(to: cfg_opt_t())
    arrays.append((root, 1))
    root = array(Self.shapes(heads), depth: 0, callbacks)
  }

  deinit {
    for string in strings { string.deallocate() }
    for (start, count) in arrays {
      start.deinitialize(count: count)
      start.deallocate()
    }
  }

  private static func shapes(_ heads: [ScannedText.Head]) -> [(name: String, shape: Shape)] {
    var result: [(name: String, shape: Shape)] = []
    var names: Set<String> = []
    for row in Directives.all where names.insert(row.name).inserted {
      if case .block = row.kind {
        result.append((row.name, .block(titled: true)))
      } else {
        result.append((row.name, row.kind.isList ? .list : .value))
      }
    }
    let known = names.count
    for head in heads where names.count < known + unknownLimit && names.insert(head.name).inserted {
      switch head.shape {
      case .assignment: result.append((head.name, .list))
      case .block(let titled): result.append((head.name, .block(titled: titled)))
      }
    }
    return result
  }

  /// An array that ends in an empty option; within a block it starts with the option that tells of the opening.
  private func array(
    _ shapes: [(name: String, shape: Shape)], depth: Int, _ callbacks: Callbacks
  ) -> UnsafeMutablePointer<cfg_opt_t> {
    var options: [cfg_opt_t] = depth == 0 ? [] : [opening(callbacks)]
    for (name, shape) in shapes {
      var option = cfg_opt_t()
      option.name = UnsafePointer(string(encoded(name)))
      option.type = CFGT_STR
      option.flags = CFGF_NODEFAULT
      option.parsecb = callbacks.value
      switch shape {
      case .value: break
      case .list: option.flags |= CFGF_LIST
      case .block(let titled):
        if depth == Self.depth { continue }
        option.type = CFGT_SEC
        option.flags = CFGF_MULTI | (titled ? CFGF_TITLE : CFGF_NONE)
        option.parsecb = nil
        option.validcb = callbacks.closed
        option.subopts = array(shapes, depth: depth + 1, callbacks)
      }
      options.append(option)
    }
    options.append(cfg_opt_t())
    let start = UnsafeMutablePointer<cfg_opt_t>.allocate(capacity: options.count)
    start.initialize(from: options, count: options.count)
    arrays.append((start, options.count))
    return start
  }

  /// A list with a default, which libConfuse parses when it makes the block: the only call that an opening brace gives.
  private func opening(_ callbacks: Callbacks) -> cfg_opt_t {
    var option = cfg_opt_t()
    option.name = UnsafePointer(string(Encoding.opening))
    option.type = CFGT_STR
    option.flags = CFGF_LIST
    option.def.parsed = string("{opened}")
    option.parsecb = callbacks.opened
    return option
  }

  private func encoded(_ name: String) -> String {
    String(decoding: name.utf8.map(Encoding.encode), as: UTF8.self)
  }

  private func string(_ text: String) -> UnsafeMutablePointer<CChar> {
    let octets = Array(text.utf8CString)
    let copy = UnsafeMutablePointer<CChar>.allocate(capacity: octets.count)
    copy.initialize(from: octets, count: octets.count)
    strings.append(copy)
    return copy
  }
}
