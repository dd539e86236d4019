import ScriptedPeers
import Testing

@Suite("Octets written as text")
struct OctetsTests {
  @Test("become the octets they stand for")
  func notation() {
    #expect(octets("a⏎b␊c␍d⇥e␀f␠g") == Array("a\r\nb\nc\rd\te\0f g".utf8))
    #expect(octets(#"\xC3\xa9\x00"#) == [0xC3, 0xA9, 0])
    #expect(octets("é") == [0xC3, 0xA9])
  }

  @Test("can be read back from their dump")
  func dump() {
    let all = (0...255).map { UInt8($0) } + octets("⏎␍")
    #expect(octets(Octets.text(all).replacing("\n", with: "")) == all)
  }

  @Test("are compared with the place where they part")
  func difference() throws {
    #expect(Octets.difference(expected: [1, 2], actual: [1, 2]) == nil)
    #expect(Octets.firstDifference([1, 2, 3], [1, 2]) == 2)
    let text = try #require(Octets.difference(expected: octets("GET /a"), actual: octets("GET /b")))
    #expect(text.contains("offset 5"))
    #expect(text.contains("474554202f62"))
  }

  @Test("have a SHA-256")
  func digest() {
    #expect(
      Octets.sha256Hex(octets("abc")) == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")
  }
}
