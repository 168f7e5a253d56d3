// swift-tools-version: 6.2
import PackageDescription

let strict: [SwiftSetting] = [
  .treatAllWarnings(as: .error)
]

/// For the modules that drive cameras: an `async` function runs where its caller does, unless it says otherwise. The parts of a device rely on it, and
/// so everything that conforms to `Camera` has it (docs/adr/0041-cameras-are-called-where-the-device-is.md).
let onCallersExecutor: [SwiftSetting] = [.enableUpcomingFeature("NonisolatedNonsendingByDefault")]

/// Optimized in debug builds too, with all the checks that those have: for what computes pictures, which tests would spend most of their time on. Only
/// for targets on which nothing depends that others may depend on: SwiftPM builds none with such flags for them. Not for CaptureImaging: with both
/// flags Swift 6.3.1 ends a TurboJPEGHandle with a segmentation fault.
let optimized: [SwiftSetting] = [
  .unsafeFlags(["-O", "-assert-config", "Debug"], .when(configuration: .debug))
]
/// For the synthetic camera. Under the thread sanitizer it is not optimized: that does not see a Mutex's lock which is inlined, and takes what it guards for races.
let optimizedCamera = Context.environment["CAPTURE_SANITIZER"] == "thread" ? [] : optimized
/// For what is only linked to the fuzzer (scripts/fuzz), and takes half a minute longer to build optimized.
let linkedToFuzzer: [SwiftSetting] =
  Context.environment["CAPTURE_SANITIZER"] == "fuzz" ? [.unsafeFlags(["-Onone"])] : []
/// Links programs and tests to debug in half the time that gold takes, which was most of what a changed function costs. Swift's toolchains bring LLD.
let linkedQuickly: [LinkerSetting] = [.unsafeFlags(["-use-ld=lld"], .when(configuration: .debug))]
/// For what computes little in the programs, and that no package depends on: smaller in place of faster, which keeps the node's package within its bound.
let small: [SwiftSetting] = [.unsafeFlags(["-Osize"], .when(configuration: .release))]
let optimizedC: [CSetting] = [.unsafeFlags(["-O2"], .when(configuration: .debug))]
/// For what paints the scenes of the synthetic camera, one picture in one thread: the thread sanitizer took more than half of its time for these loops.
let withoutThreads: [CSetting] =
  Context.environment["CAPTURE_SANITIZER"] == "thread" ? [.unsafeFlags(["-fno-sanitize=thread"])] : []

/// A target of this package, with the settings that all of them share.
func library(_ name: String, _ dependencies: [Target.Dependency] = [], _ more: [SwiftSetting] = []) -> Target
{
  .target(name: name, dependencies: dependencies, swiftSettings: strict + more)
}

func program(_ name: String, _ dependencies: [Target.Dependency], _ more: [SwiftSetting] = []) -> Target {
  .executableTarget(
    name: name, dependencies: dependencies, swiftSettings: strict + more, linkerSettings: linkedQuickly)
}

func tests(
  _ name: String, _ dependencies: [Target.Dependency], resources: [Resource] = [],
  _ more: [SwiftSetting] = []
) -> Target {
  .testTarget(
    name: name, dependencies: dependencies, resources: resources, swiftSettings: strict + more,
    linkerSettings: linkedQuickly)
}

/// The test targets that are built, by `CAPTURE_TESTS`, separated by spaces; and then only what they depend on. `nil`: everything. A
/// sanitized build takes half the time this way.
let chosenTests = Context.environment["CAPTURE_TESTS"]?.split(separator: " ").map(String.init)

let package = Package(
  name: "RemoteCapture",
  products: [
    .library(name: "CaptureClient", targets: ["CaptureClient"]),
    .executable(name: "capture-node", targets: ["capture-node"]),
    .executable(name: "capturectl", targets: ["capturectl"]),
  ],
  targets: [
    .systemLibrary(name: "CProtobufC", pkgConfig: "libprotobuf-c", providers: [.apt(["libprotobuf-c-dev"])]),
    .systemLibrary(name: "COpenSSL", pkgConfig: "openssl", providers: [.apt(["libssl-dev"])]),
    .systemLibrary(name: "CTurboJPEG", pkgConfig: "libturbojpeg", providers: [.apt(["libturbojpeg0-dev"])]),
    .systemLibrary(name: "CYUV", providers: [.apt(["libyuv-dev"])]),
    .systemLibrary(name: "CV4LConvert", pkgConfig: "libv4lconvert", providers: [.apt(["libv4l-dev"])]),
    .systemLibrary(name: "CSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"])]),
    .systemLibrary(name: "CLibCrypto", pkgConfig: "libcrypto", providers: [.apt(["libssl-dev"])]),
    .systemLibrary(name: "CVideo4Linux", providers: [.apt(["linux-libc-dev"])]),
    .target(name: "CCaptureShims", cSettings: [.treatAllWarnings(as: .error)]),
    .target(name: "CPixelKernels", cSettings: [.treatAllWarnings(as: .error)] + optimizedC),
    .target(
      name: "CPhysicsKernels", cSettings: [.treatAllWarnings(as: .error)] + optimizedC + withoutThreads),
    // libpng, which leaves functions by `longjmp`, behind a function that does not.
    .target(
      name: "CPNG", cSettings: [.treatAllWarnings(as: .error)], linkerSettings: [.linkedLibrary("png16")]),
    .target(name: "CCaptureProto", dependencies: ["CProtobufC"]),

    library("CaptureSystem", ["CCaptureShims", "CLibCrypto"]),
    library("CaptureLoop", ["CaptureSystem", "CCaptureShims"]),
    library("CaptureModel", ["CaptureSystem"], onCallersExecutor),
    library(
      "CaptureLibrary", ["CaptureModel", "CaptureLoop", "CaptureSystem", "CCaptureShims", "CSQLite"],
      linkedToFuzzer + small),
    library("CaptureControls", ["CaptureModel"], small),
    library("Capture3A", ["CaptureModel"]),
    library("CaptureOptions", ["CaptureModel"], small),
    library("CaptureTLS", ["COpenSSL"]),
    library("CaptureAccess", ["CaptureModel", "CaptureSystem", "CaptureTLS"]),
    library("CaptureWire", ["CaptureModel", "CaptureLoop", "CaptureSystem", "CCaptureProto"]),
    library(
      "CaptureTransport",
      ["CaptureTLS", "CaptureWire", "CaptureModel", "CaptureLoop", "CaptureSystem", "CCaptureShims"],
      linkedToFuzzer),
    library("CaptureTestService", ["CaptureWire", "CaptureModel", "CaptureSystem"]),
    library("CaptureConvert", ["CaptureModel", "CaptureSystem", "CPixelKernels", "CV4LConvert"]),
    library(
      "CaptureImaging",
      ["CaptureConvert", "CaptureModel", "CaptureSystem", "CPixelKernels", "CPNG", "CTurboJPEG", "CYUV"]),
    library(
      "CaptureV4L2",
      ["CaptureControls", "CaptureModel", "CaptureLoop", "CaptureSystem", "CCaptureShims", "CVideo4Linux"],
      onCallersExecutor + small),
    library(
      "CaptureSynthetic",
      [
        "CaptureControls", "CaptureImaging", "CaptureModel", "CaptureLoop", "CaptureSystem",
        "CPhysicsKernels",
      ],
      onCallersExecutor + optimizedCamera),
    library(
      "CaptureEngine",
      ["Capture3A", "CaptureControls", "CaptureImaging", "CaptureModel", "CaptureLoop", "CaptureSystem"],
      onCallersExecutor),
    library(
      "CaptureNode",
      [
        "CaptureAccess", "CaptureTLS", "CaptureTransport", "CaptureWire", "CaptureEngine", "CaptureLibrary",
        "CaptureModel", "CaptureLoop", "CaptureSystem",
      ], small),
    library(
      "CaptureClient",
      ["CaptureAccess", "CaptureTLS", "CaptureTransport", "CaptureWire", "CaptureModel", "CaptureSystem"]),
    library("CaptureTestSupport", ["CaptureModel", "CaptureLoop", "CaptureSystem"], onCallersExecutor),
    program(
      "capture-node",
      [
        "CaptureNode", "CaptureEngine", "CaptureLibrary", "CaptureImaging", "CaptureTransport", "CaptureWire",
        "CaptureModel", "CaptureSystem", "CaptureV4L2", "CaptureSynthetic", "CaptureOptions", "CaptureAccess",
        "CaptureTLS", "CaptureTestService",
      ], small),
    program(
      "capturectl",
      [
        "CaptureClient", "CaptureAccess", "CaptureImaging", "CaptureOptions", "CaptureControls",
        "CaptureModel", "CaptureLoop", "CaptureSystem",
      ]),
    program(
      "capture-bench",
      [
        "CaptureClient", "CaptureTransport", "CaptureSynthetic", "CaptureImaging", "CaptureWire",
        "CaptureModel", "CaptureSystem",
      ]),

    tests("CaptureSystemTests", ["CaptureSystem", "CCaptureShims"]),
    tests("CaptureLoopTests", ["CaptureLoop", "CaptureSystem"]),
    tests("CaptureModelTests", ["CaptureModel"]),
    tests("CaptureControlsTests", ["CaptureControls", "CaptureModel", "CaptureTestSupport"]),
    tests(
      "Capture3ATests",
      [
        "Capture3A", "CaptureControls", "CaptureImaging", "CaptureModel", "CaptureSynthetic",
        "CaptureTestSupport",
      ], optimized),
    tests(
      "CaptureWireTests", ["CaptureWire", "CaptureModel", "CaptureLoop", "CaptureSystem", "CCaptureShims"],
      resources: [.copy("Golden")]),
    tests("CaptureTLSTests", ["CaptureTLS"]),
    tests("CaptureAccessTests", ["CaptureAccess", "CaptureModel", "CaptureSystem", "CaptureTLS"]),
    tests(
      "CaptureTransportTests",
      [
        "CaptureTransport", "CaptureTestService", "CaptureTLS", "CaptureWire", "CaptureModel", "CaptureLoop",
        "CaptureSystem", "CaptureTestSupport",
      ]),
    tests("CaptureLibraryTests", ["CaptureLibrary", "CaptureModel", "CaptureSystem"]),
    tests("CaptureOptionsTests", ["CaptureOptions"]),
    tests(
      "CaptureEngineTests",
      [
        "CaptureEngine", "Capture3A", "CaptureControls", "CaptureImaging", "CaptureModel", "CaptureSynthetic",
        "CaptureLoop", "CaptureSystem", "CaptureTestSupport",
      ]),
    tests(
      "CaptureNodeTests",
      [
        "CaptureNode", "CaptureEngine", "CaptureControls", "CaptureLibrary", "CaptureTransport",
        "CaptureWire", "CaptureModel", "CaptureLoop", "CaptureSystem", "CaptureAccess", "CaptureTLS",
        "CaptureSynthetic", "CaptureTestSupport",
      ]),
    tests(
      "CaptureSyntheticTests",
      ["CaptureSynthetic", "CaptureControls", "CaptureImaging", "CaptureModel", "CaptureSystem"]),
    tests(
      "CaptureV4L2Tests",
      [
        "CaptureV4L2", "CaptureControls", "CaptureModel", "CaptureLoop", "CaptureSystem", "CCaptureShims",
        "CVideo4Linux",
      ]),
    tests(
      "CaptureV4L2VividTests",
      [
        "CaptureV4L2", "CaptureControls", "CaptureImaging", "CaptureModel", "CaptureSystem", "CTurboJPEG",
        "CaptureTestSupport",
      ]),
    tests("CaptureConvertTests", ["CaptureConvert", "CaptureModel", "CaptureSystem", "CaptureTestSupport"]),
    tests(
      "CaptureImagingTests",
      [
        "CaptureImaging", "CaptureConvert", "CaptureControls", "CaptureModel", "CaptureSystem",
        "CPixelKernels", "CTurboJPEG", "CYUV",
      ],
      optimized),
    tests(
      "CaptureClientTests",
      [
        "CaptureClient", "CaptureNode", "CaptureEngine", "CaptureTransport", "CaptureTLS", "CaptureWire",
        "CaptureModel", "CaptureSystem", "CaptureSynthetic",
      ]),
    tests(
      "CapturectlTests",
      [
        "capturectl", "capture-node", "CaptureClient", "CaptureNode", "CaptureEngine",
        "CaptureAccess", "CaptureControls", "CaptureOptions", "CaptureModel", "CaptureSynthetic",
        "CaptureSystem", "CaptureTestSupport", "CaptureTLS", "CaptureWire",
      ]),
  ],
  swiftLanguageModes: [.v6]
)

if let chosenTests {
  // With what they are made of, and nothing else.
  var kept: Set<String> = []
  var found = Set(chosenTests)
  while !found.isEmpty {
    kept.formUnion(found)
    let next = package.targets.filter { found.contains($0.name) }.flatMap(\.dependencies).compactMap {
      if case .byNameItem(let name, _) = $0 { name } else { nil }
    }
    found = Set(next).subtracting(kept)
  }
  package.targets.removeAll { !kept.contains($0.name) }
  package.products.removeAll { !kept.contains($0.name) }
}
