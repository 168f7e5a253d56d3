import CCaptureShims
import CVideo4Linux
import CaptureControls
import CaptureModel
import CaptureSystem
import Synchronization
import Testing

@testable import CaptureV4L2

/// A driver that fails to describe or to read some of a camera's controls, as uvcvideo does where the camera stalls.
@Suite(.timeLimit(.minutes(1))) struct FailingControlTests {
  /// A driver with these controls. It does not advance the id where it fails.
  private final class Rig: Sendable {
    private let numbers: [UInt32]
    private let failing = Mutex<[UInt32: Errno]>([:])
    /// How many queries have failed because of a control that is there.
    private let failures = Mutex(0)
    private let menus: Set<UInt32>
    let listings = Mutex(0)
    /// The numbers in all queries, with their flags.
    let asked = Mutex<Set<UInt32>>([])
    /// The controls that the driver was asked to send events for.
    let observed = Mutex<Set<UInt32>>([])
    let driver = FakeDriver()
    let camera: V4L2Camera

    init(_ ids: [ControlID], menus: Set<ControlID> = []) throws {
      numbers = ids.map(\.rawValue)
      self.menus = Set(menus.map(\.rawValue))
      camera = try V4L2Camera(
        CameraDescription(id: CameraID(rawValue: "fake"), name: "Fake", driver: "fake", path: "/dev/fake"),
        driver.system)
      driver.with { state in
        state.refusals[capture_VIDIOC_QUERY_EXT_CTRL] = { [weak self] argument in self?.refusal(argument) }
        state.answers[capture_VIDIOC_QUERY_EXT_CTRL] = { [weak self] argument in self?.answer(argument) }
        state.answers[capture_VIDIOC_G_EXT_CTRLS] = { _ in }
        state.answers[capture_VIDIOC_SUBSCRIBE_EVENT] = { [weak self] argument in
          let id = argument.assumingMemoryBound(to: v4l2_event_subscription.self).pointee.id
          self?.observed.withLock { _ = $0.insert(id) }
        }
      }
    }

    var failedQueries: Int { failures.withLock { $0 } }

    func fail(_ error: Errno, _ ids: ControlID...) { fail(error, ids) }

    func fail(_ error: Errno, _ ids: [ControlID]) {
      failing.withLock { $0 = Dictionary(uniqueKeysWithValues: ids.map { ($0.rawValue, error) }) }
    }

    private func number(for asked: UInt32) -> UInt32? {
      let last = asked & 0x0fff_ffff
      let isNext = asked & UInt32(V4L2_CTRL_FLAG_NEXT_CTRL) != 0
      return isNext ? numbers.first { $0 > last } : numbers.first { $0 == last }
    }

    private func refusal(_ argument: UnsafeMutableRawPointer) -> Errno? {
      let asked = argument.assumingMemoryBound(to: v4l2_query_ext_ctrl.self).pointee.id
      self.asked.withLock { _ = $0.insert(asked) }
      if asked & 0x0fff_ffff == 0 { listings.withLock { $0 += 1 } }
      guard let number = number(for: asked) else { return .invalid }
      let error = failing.withLock { $0[number] }
      if error != nil { failures.withLock { $0 += 1 } }
      return error
    }

    private func answer(_ argument: UnsafeMutableRawPointer) {
      let entry = argument.assumingMemoryBound(to: v4l2_query_ext_ctrl.self)
      guard let number = number(for: entry.pointee.id) else { return }
      entry.pointee.id = number
      FakeDriver.write("Control \(ControlID(rawValue: number))", &entry.pointee.name)
      (entry.pointee.maximum, entry.pointee.elems, entry.pointee.elem_size) = (255, 1, 4)
      let isClass = number & 0xffff == 1
      let other = menus.contains(number) ? V4L2_CTRL_TYPE_MENU : V4L2_CTRL_TYPE_INTEGER
      entry.pointee.type = (isClass ? V4L2_CTRL_TYPE_CTRL_CLASS : other).rawValue
    }
  }

  private static let userClass = ControlID(rawValue: 0x0098_0001)
  private static let cameraClass = ControlID(rawValue: 0x009a_0001)
  /// Controls of a driver: where drivers usually have theirs, and elsewhere.
  private static let (usual, unusual) = (ControlID(rawValue: 0x0098_1901), ControlID(rawValue: 0x0098_f900))
  private static let ids: [ControlID] = [
    userClass, .brightness, .contrast, .autoWhiteBalance, .gain, usual, unusual, cameraClass, .autoExposure,
    .exposureAbsolute,
  ]

  private static let someOfThem: [[ControlID]] = [
    [.brightness], [.autoWhiteBalance], [usual], [.autoExposure], [.exposureAbsolute],
    [.contrast, .autoWhiteBalance], [.brightness, .gain, .autoExposure, .exposureAbsolute],
  ]

  @Test(arguments: someOfThem)
  func aControlThatFailsIsLeftOutAndTheOthersAreListed(failing: [ControlID]) async throws {
    let rig = try Rig(Self.ids)
    for error in [Errno.brokenPipe, .inputOutput] {
      rig.fail(error, failing)
      let list = try await rig.camera.controls()
      #expect(list.map(\.id) == Self.ids.filter { !failing.contains($0) })
      #expect(rig.camera.controlFailures.count == failing.count)
      for (id, text) in zip(failing, rig.camera.controlFailures) {
        #expect(text == "its driver fails to describe control \(id), which is left out: \(error)")
      }
    }
    await rig.camera.close()
  }

  @Test func controlsAreOfTheirClassesAlsoBehindOneThatFails() async throws {
    let rig = try Rig(Self.ids)
    rig.fail(.brokenPipe, .brightness, .autoExposure)
    let list = try await rig.camera.controls()
    for control in list {
      let isOfUser = control.id.rawValue < Self.cameraClass.rawValue
      #expect(control.className == "Control \(isOfUser ? Self.userClass : Self.cameraClass)")
    }
    await rig.camera.close()
  }

  /// Nobody knows its number, so what the driver has behind it is found from the next number on that V4L2 defines.
  @Test func aControlWithAnUnusualNumberIsLeftOutToo() async throws {
    let rig = try Rig(Self.ids)
    rig.fail(.brokenPipe, Self.unusual)
    #expect(try await rig.camera.controls().map(\.id) == Self.ids.filter { $0 != Self.unusual })
    let text = try #require(rig.camera.controlFailures.first)
    #expect(text.contains("the control after \(Self.usual)") && rig.camera.controlFailures.count == 1)
    // It is asked for twice, and for no class that no camera has.
    #expect(rig.failedQueries == 2)
    let classes = Set(rig.asked.withLock { $0 }.map { $0 & 0x0fff_0000 })
    #expect(classes.isSubset(of: [0, 0x0098_0000, 0x009a_0000]))
    await rig.camera.close()
  }

  @Test func behindTheLastControlThatFailsOnlyClassesThatCamerasHaveAreLookedThrough() async throws {
    let rig = try Rig(Self.ids.filter { $0.rawValue < Self.cameraClass.rawValue })
    rig.fail(.brokenPipe, Self.unusual)
    #expect(try await rig.camera.controls().map(\.id).last == Self.usual)
    let classes = Set(rig.asked.withLock { $0 }.map { $0 & 0x0fff_0000 })
    #expect(classes.subtracting([0]) == [0x0098_0000, 0x009a_0000, 0x009c_0000, 0x009e_0000, 0x009f_0000])
    await rig.camera.close()
  }

  /// The first control behind the class, and the one whose number nobody knows.
  @Test(arguments: [2, 7]) func aControlThatFailedOnceIsListed(query: Int) async throws {
    let rig = try Rig(Self.ids)
    // The query fails that would describe it.
    let calls = Mutex(0)
    rig.driver.with { [driver = rig.driver] state in
      state.delays[capture_VIDIOC_QUERY_EXT_CTRL] = {
        let call = calls.withLock { calls in
          calls += 1
          return calls
        }
        if call == query { driver.fail(capture_VIDIOC_QUERY_EXT_CTRL, .brokenPipe) }
      }
    }
    #expect(try await rig.camera.controls().map(\.id) == Self.ids)
    #expect(rig.camera.controlFailures.isEmpty)
    await rig.camera.close()
  }

  @Test func aControlWhoseMenuFailsIsLeftOut() async throws {
    let rig = try Rig(Self.ids, menus: [.autoExposure])
    rig.driver.with { $0.refusals[capture_VIDIOC_QUERYMENU] = { _ in .brokenPipe } }
    #expect(try await rig.camera.controls().map(\.id) == Self.ids.filter { $0 != .autoExposure })
    #expect(rig.camera.controlFailures.count == 1)
    await rig.camera.close()
  }

  @Test func aControlIsListedAgainOnceItIsDescribed() async throws {
    let rig = try Rig(Self.ids)
    rig.fail(.brokenPipe, .gain)
    #expect(try await rig.camera.controls().count == Self.ids.count - 1)
    rig.fail(.brokenPipe)
    #expect(try await rig.camera.controls().map(\.id) == Self.ids)
    #expect(rig.camera.controlFailures.isEmpty)
    await rig.camera.close()
  }

  @Test(arguments: [Errno.noDevice, .timedOut])
  func aCameraThatIsGoneOrDoesNotAnswerEndsTheListAtOnce(error: Errno) async throws {
    let rig = try Rig(Self.ids)
    rig.fail(error, .contrast)
    let thrown = await #expect(throws: CaptureError.self) { try await rig.camera.controls() }
    #expect(thrown?.cause == error && rig.failedQueries == 1)
    await rig.camera.close()
  }

  /// As of a camera whose processing unit stalls.
  @Test func howManyFailInARowDoesNotMatter() async throws {
    let ids = (0..<30 as Range<UInt32>).map { ControlID(rawValue: ControlID.brightness.rawValue + $0) }
    let rig = try Rig([Self.userClass] + ids)
    rig.fail(.brokenPipe, Array(ids.prefix(20)))
    #expect(try await rig.camera.controls().map(\.id) == [Self.userClass] + Array(ids.dropFirst(20)))
    #expect(rig.camera.controlFailures.count == 20)
    await rig.camera.close()
  }

  /// Whatever it has, all of it fails.
  @Test(arguments: [1, 3, 30] as [UInt32])
  func aCameraThatDescribesNothingHasNoList(count: UInt32) async throws {
    let ids = (0..<count).map { ControlID(rawValue: ControlID.brightness.rawValue + $0) }
    let rig = try Rig([Self.userClass] + ids)
    rig.fail(.inputOutput, ids)
    let error = await #expect(throws: CaptureError.self) { try await rig.camera.controls() }
    #expect(error?.cause == .inputOutput)
    await rig.camera.close()
  }

  @Test func aControlThatCannotBeReadIsNamedWithoutListingTheOthers() async throws {
    let rig = try Rig(Self.ids)
    rig.driver.with { $0.refusals[capture_VIDIOC_G_EXT_CTRLS] = { _ in .brokenPipe } }
    let error = await #expect(throws: CaptureError.self) { try await rig.camera.values(of: [.gain]) }
    #expect(error?.cause == .brokenPipe && error?.message.contains("reading 'control_0x980913'") == true)
    #expect(rig.listings.withLock { $0 } == 0)
    await rig.camera.close()
  }

  @Test func aControlThatIsDescribedLaterIsObservedFromThenOn() async throws {
    let rig = try Rig(Self.ids)
    rig.fail(.brokenPipe, .gain)
    await rig.camera.observeControls { _ in }
    #expect(rig.observed.withLock { $0.contains(ControlID.contrast.rawValue) })
    #expect(rig.observed.withLock { !$0.contains(ControlID.gain.rawValue) })
    rig.fail(.brokenPipe)
    _ = try await rig.camera.controls()
    #expect(rig.observed.withLock { $0.contains(ControlID.gain.rawValue) })
    // A list with nothing new in it is made once.
    let before = rig.listings.withLock { $0 }
    _ = try await rig.camera.controls()
    #expect(rig.listings.withLock { $0 } == before + 1)
    await rig.camera.close()
  }
}
