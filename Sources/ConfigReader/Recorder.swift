import GatewayConfig

/// Writes down what libConfuse reports while it parses, in the file's order.
///
/// The tree that libConfuse builds is not read: it keeps one of several equal names, and no lines.
struct Recorder {
  /// The file's own directives, and those of the blocks that are open.
  private var bodies: [[RawDirective]] = [[]]
  private var open: [RawDirective] = []
  private(set) var messages: [(line: Int, text: String)] = []

  /// - Parameter isFurther: whether it is the second or a later value of one list.
  mutating func value(_ name: String, _ text: String?, line: Int, isFurther: Bool) {
    let last = bodies.count - 1
    if isFurther, let index = bodies[last].indices.last, bodies[last][index].name == name {
      bodies[last][index].values.append(text)
    } else {
      bodies[last].append(RawDirective(name: name, line: line, values: [text]))
    }
  }

  /// - Parameter title: what stands before the brace; nil within for one that could not be had.
  mutating func blockOpened(_ name: String, title: String??, line: Int) {
    open.append(RawDirective(name: name, line: line, values: title.map { [$0] } ?? []))
    bodies.append([])
  }

  mutating func blockClosed() {
    guard var block = open.popLast(), let body = bodies.popLast() else { return }
    block.body = body
    bodies[bodies.count - 1].append(block)
  }

  mutating func message(_ text: String, line: Int) {
    messages.append((line, text))
  }

  /// The whole file, or what came before a syntax error.
  mutating func finish() -> [RawDirective] {
    while !open.isEmpty { blockClosed() }
    return bodies[0]
  }
}
