import HTTPMessage

/// The lines of a section stand one behind the other and hold what they may.
func checkSection(_ section: FieldSection) {
  var before: Int32?
  for line in section.lines {
    if let before, line.start != before { broken("lines that are not neighbours") }
    before = line.end
    guard line.start < line.nameEnd, line.nameEnd < line.valueStart || line.valueStart == line.nameEnd + 1,
      line.valueStart <= line.valueEnd, line.valueEnd <= line.end - 2
    else { broken("a line out of order: \(line)") }
    let octets = section.octets[Int(line.start)..<Int(line.end)]
    if octets.suffix(2) != [0x0D, 0x0A] { broken("a line without CRLF") }
    if octets.dropLast(2).contains(where: { $0 == 0x0D || $0 == 0x0A || $0 == 0 }) {
      broken("CR, LF or NUL inside a line")
    }
    if !section.name(of: line).allSatisfy(OctetClass.isToken) { broken("a name that is no token") }
    let value = section.value(of: line)
    for end in [value.first, value.last] where end == 0x20 || end == 0x09 {
      broken("white space in a value's end")
    }
  }
}
