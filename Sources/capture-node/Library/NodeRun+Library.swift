import CaptureImaging
import CaptureLibrary
import CaptureModel
import CaptureNode
import Glibc

extension NodeRun {
  /// The library of the configuration; `nil`: there is none.
  static func library(_ settings: NodeSettings, _ log: Log) -> PhotoLibrary? {
    guard var configuration = settings.library else { return nil }
    // The service manager gives the node a folder. The node makes a library in that folder itself; elsewhere an administrator does.
    if let own = getenv("STATE_DIRECTORY").map({ String(cString: $0) }), !own.isEmpty {
      let folder = own.prefix { $0 != ":" }
      configuration.makesRoot = configuration.root.hasPrefix(folder + "/")
    }
    return PhotoLibrary(configuration, imaging: .standard, limits: settings.limits) { notice in
      let (level, text) = notice.line
      log(level, "library: \(text)")
    }
  }
}

extension LibraryNotice {
  fileprivate var line: (LogLevel, String) {
    switch self {
    case .opened(let path, let assets): (.info, "\(path) is open, with \(assets) assets")
    case .unavailable(let reason): (.warning, reason)
    case .indexSetAside(let reason):
      (.warning, "the index is damaged (\(reason)), and is made anew of the files; labels are lost")
    case .reconciled(let recovered, let lost, let setAside):
      (
        .warning,
        "files and index differed: \(recovered) files were added, \(lost) entries had lost theirs, \(setAside) files were set aside"
      )
    case .removed(let count, .tooOld): (.info, "\(count) assets were removed, since they are too old")
    case .removed(let count, .noRoom): (.info, "\(count) assets were removed, to make room")
    }
  }
}

extension LibraryImaging {
  /// Examines each type of file with ``PictureExamination``.
  fileprivate static let standard = LibraryImaging { bytes, type throws(CaptureError) in
    let picture =
      switch type {
      case .jpeg: try PictureExamination(jpeg: bytes)
      case .png: try PictureExamination(png: bytes)
      case .dng: try PictureExamination(dng: bytes)
      }
    return Examination(
      size: picture.size,
      thumbnail: picture.thumbnail.isEmpty
        ? nil : PictureThumbnail(size: picture.thumbnailSize, jpeg: picture.thumbnail))
  }
}
