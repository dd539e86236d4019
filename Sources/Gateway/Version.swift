/// The release this is built as.
package enum Version {
  package static let text = "0.1.0"
}
