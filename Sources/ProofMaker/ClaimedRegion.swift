/// Where a proof says the device is.
package enum ClaimedRegion: Equatable, Sendable {
  case earth(maxAltitudeMeters: Double)
  /// An ISO 3166-1 alpha-2 code.
  case country(String)
  case city(name: String, latitude: Double, longitude: Double, radiusMeters: Double)
  /// An ISO 3166-2 code.
  case subdivision(String)

  /// The field number in ProofRegion's oneof, which is also the region type of the semantic binding.
  var number: UInt64 {
    switch self {
    case .earth: 1
    case .country: 2
    case .city: 3
    case .subdivision: 7
    }
  }

  /// The level that goes with it.
  var level: Int64 {
    switch self {
    case .earth: 1
    case .country: 2
    case .city: 3
    case .subdivision: 6
    }
  }

  /// ProofRegion.
  var message: ProtobufMessage {
    var inner = ProtobufMessage()
    switch self {
    case .earth(let altitude): inner.add(1, double: altitude)
    case .country(let code), .subdivision(let code): inner.add(1, code)
    case .city(let name, let latitude, let longitude, let radius):
      inner.add(1, name)
      inner.add(2, double: latitude)
      inner.add(3, double: longitude)
      inner.add(4, double: radius)
    }
    var region = ProtobufMessage()
    region.add(number, inner)
    return region
  }
}

/// The octets that bind a proof's meaning to its stage chain, version 2.
enum SemanticBinding {
  static let domain = Array("octet-semantic-binding-v2".utf8)

  /// The preimage for a LocationProof, read from its own fields so that maker and checker need one description.
  ///
  /// Integers are u32 big-endian, doubles IEEE 754 big-endian. Regions other than those of ``ClaimedRegion`` give nil.
  static func preimage(_ proof: ProtobufMessage) -> [UInt8]? {
    guard let (type, identifier) = region(proof.message(2)) else { return nil }
    let commitment = proof.bytes(5) ?? []
    let integrity = proof.message(8)?.message(5)?.integer(4) ?? 0
    var result = domain
    for number in [proof.integer(11), proof.integer(3), integrity] {
      result += bigEndian(UInt64(number), 4)
    }
    result += bigEndian(type, 4)
    result += bigEndian(UInt64(identifier.count), 4) + identifier
    result += bigEndian(UInt64(commitment.count), 4) + commitment
    return result + bigEndian(UInt64(proof.integer(17)), 4)
  }

  private static func region(_ region: ProtobufMessage?) -> (UInt64, [UInt8])? {
    guard let field = region?.fields.last, case .bytes(let octets) = field.value,
      let inner = ProtobufMessage(octets)
    else { return region == nil ? (0, []) : nil }
    switch field.number {
    case 1: return (1, bigEndian(inner.doubleBits(1), 8))
    case 2, 7: return (field.number, inner.bytes(1) ?? [])
    case 3:
      let name = inner.bytes(1) ?? []
      let numbers = (2...4).flatMap { bigEndian(inner.doubleBits($0), 8) }
      return (3, sha256(bigEndian(UInt64(name.count), 4) + name + numbers))
    default: return nil
    }
  }
}
