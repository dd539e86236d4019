/// The release this is built as.
enum Version {
  static let text = "0.1.0"
}
