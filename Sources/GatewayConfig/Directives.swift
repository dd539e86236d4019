/// The directive table. Option arrays, checks, the reference and the example file all come from here.
package enum Directives {
  /// Every row, in the order in which the documents show them.
  package static let all: [Directive] =
    listening + routes + upstream + failure + fields + logs + limits + times

  /// - Returns: the row of a name in a scope.
  package static func find(_ name: String, in scope: Directive.Scope) -> Directive? {
    all.first { $0.name == name && $0.scope == scope }
  }

  /// The scope in which a name is known, whatever scope it was found in.
  package static func scope(of name: String) -> Directive.Scope? {
    all.first { $0.name == name }?.scope
  }

  /// The known name that a misspelt one most likely stands for.
  ///
  /// Names of the scope in which it was found come before others at the same distance.
  /// - Returns: nil when nothing is near, which is when more than a third of the letters would have to change, and
  ///   it is not the beginning of a name either.
  package static func nearest(to name: String, in scope: Directive.Scope) -> Directive? {
    let letters = Array(name.lowercased().utf8.prefix(64))
    let candidates = all.filter { $0.scope == scope } + all.filter { $0.scope != scope }
    var best: (row: Directive, distance: Int)?
    for row in candidates {
      let distance = editDistance(letters, Array(row.name.utf8))
      guard distance <= max(1, min(letters.count, row.name.utf8.count) / 3) else { continue }
      if best.map({ distance < $0.distance }) ?? true { best = (row, distance) }
    }
    return best?.row ?? (letters.count < 4 ? nil : candidates.first { $0.name.utf8.starts(with: letters) })
  }
}

/// Insertions, deletions, replacements and swaps of neighbours that turn one word into the other.
func editDistance(_ left: [UInt8], _ right: [UInt8]) -> Int {
  var beforeLast: [Int] = []
  var last = Array(0...right.count)
  for (row, letter) in left.enumerated() {
    var current = [row + 1]
    for (column, other) in right.enumerated() {
      let replaced = last[column] + (letter == other ? 0 : 1)
      var distance = min(replaced, last[column + 1] + 1, current[column] + 1)
      if row > 0, column > 0, letter == right[column - 1], left[row - 1] == other {
        distance = min(distance, beforeLast[column - 1] + 1)
      }
      current.append(distance)
    }
    beforeLast = last
    last = current
  }
  return last[right.count]
}
