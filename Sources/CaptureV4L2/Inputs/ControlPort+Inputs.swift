import CaptureModel
import CaptureSystem
import Glibc

/// The source of the picture, and the form of its signal.
extension ControlPort {
  func inputs() throws(CaptureError) -> [CameraInput] {
    try withDevice("listing inputs") { (device) throws(Errno) in try device.inputList() }
  }

  /// The input in use. While inputs are observed, it is `nil` for a camera whose input cannot change, and then costs nothing.
  func selectedInput() throws(CaptureError) -> CameraInput? {
    guard inputObserver == nil || knownInput != nil else { return nil }
    let input = try withDevice("asking for its input") { (device) throws(Errno) in
      try device.selectedInput()
    }
    note(input)
    return input
  }

  func selectInput(_ index: Int) throws(CaptureError) {
    try change("choosing the input") { (device) throws(Errno) in try device.setInput(UInt32(index)) }
    lastFound = nil
  }

  func adoptSignal() throws(CaptureError) -> Bool {
    try change("setting the signal's timings") { (device) throws(Errno) in try device.adoptSignal() }
  }

  /// Writes an EDID to every input that takes one, unless the input has this EDID already. Throws `failedPrecondition` where none takes it, and
  /// `invalidArgument` for an invalid EDID.
  func setEDID(_ edid: [UInt8]) throws(CaptureError) {
    guard !edid.isEmpty, edid.count % 128 == 0 else {
      throw CaptureError(
        .invalidArgument, "an EDID has blocks of 128 bytes; this one has \(edid.count)",
        .init(.valueNotPossible, asked: .text("\(edid.count) bytes")))
    }
    let taken = try change("writing the EDID") { (device) throws(Errno) -> Int in
      var taken = 0
      for input in try device.inputList() {
        let index = UInt32(input.index)
        do throws(Errno) {
          // One more block is read to detect a longer EDID that begins with the same blocks.
          let present = try? device.edid(ofInput: index, blocks: edid.count / 128 + 1)
          if present != edid { try device.setEDID(edid, ofInput: index) }
          taken += 1
        } catch {
          // These errors mean that the input takes no EDID.
          guard [EINVAL, ENOTTY].contains(error.rawValue) else { throw error }
        }
      }
      return taken
    }
    guard taken > 0 else {
      throw CaptureError(
        .failedPrecondition, "\(path) has no input that takes this EDID", .init(.notSupported))
    }
  }

  /// Calls `observer` for every change of the input in use that this port did not cause, until this function is called again.
  func observeInput(_ observer: (@Sendable (InputChange) -> Void)?) {
    inputObserver = observer
    let inputs = (try? inputs()) ?? []
    let selected = inputs.selected
    // If a camera has only one input, and this has neither a signal nor a fault, the input in use cannot change.
    let mayChange = inputs.count > 1 || selected?.signal != nil || selected?.status?.problem != nil
    knownInput = observer != nil && mayChange ? selected : nil
    lastFound = nil
    subscribe()
  }

  /// Looks for changes of the input whenever the camera's presence is checked: the choices of other programs cause no event, and not every driver has
  /// events.
  func lookAtInput(at now: UInt64 = MonotonicClock.now()) {
    guard inputObserver != nil, let knownInput else { return }
    // At an input without events only a measurement shows that the signal is another one.
    let isAnnounced = inputsWithEvents.contains(knownInput.index)
    if isAnnounced ? knownInput.problem == nil : now < measuresFrom {
      // A call that costs nothing shows whether anything has changed.
      let found = try? withDevice("asking for its input") { (device) throws(Errno) in
        try device.selectedInput(isMeasured: false)
      }
      if let found, found.flags == knownInput.flags, !found.hasOtherFormats(than: knownInput) { return }
    }
    let began = MonotonicClock.now()
    tellInput(isOfSource: false)
    measuresFrom = now + Self.shareOfMeasurements * (MonotonicClock.now() - began)
  }

  /// The denominator of the share of time that measurements of a card may take: settings wait during a measurement.
  private static let shareOfMeasurements: UInt64 = 10

  func tellInput(isOfSource: Bool) {
    guard let inputObserver else { return }
    let input = try? withDevice("asking for its input") { (device) throws(Errno) in
      try device.selectedInput()
    }
    guard let input else { return }
    let before = knownInput
    note(input)
    let isOfSource = findsOtherSignal() || isOfSource
    if isOfSource || knownInput != before { inputObserver(InputChange(knownInput, isOfSource: isOfSource)) }
  }

  private func note(_ input: CameraInput?) {
    guard var input else { return }
    if knownInput.map(input.hasOtherFormats(than:)) == true { sourceChanged() }
    if let found = input.detected, found != input.signal, let before = knownInput?.detected,
      found.isSame(as: before)
    {
      input.detected = before
    }
    // If another program has chosen another input, the signal that is found there does not count as a new one.
    if let knownInput, knownInput.index != input.index { lastFound = input.detected }
    knownInput = input
  }

  /// Whether the signal at the input in use has changed, if the driver sends no events for this input. As long as the signal is the same, timings
  /// that another program has set are that program's choice.
  private func findsOtherSignal() -> Bool {
    guard let input = knownInput, let found = input.detected, !inputsWithEvents.contains(input.index) else {
      return false
    }
    // Without a signal, nothing that a driver finds counts: some drivers find a standard in noise.
    if input.status == .noSignal || input.status == .noPower { return false }
    defer { lastFound = found }
    return lastFound?.isSame(as: found) != true
  }

  private func change<R>(
    _ what: String, _ body: (borrowing VideoDevice) throws(Errno) -> R
  ) throws(CaptureError) -> R {
    do throws(CaptureError) {
      let result = try withDevice(what, body)
      sourceChanged()
      // The observer is not told: the caller that asked for the change reports it.
      if knownInput != nil {
        knownInput =
          (try? withDevice("asking for its input") { (device) throws(Errno) in
            try device.selectedInput()
          }) ?? knownInput
      }
      return result
    } catch {
      guard error.cause == .busy else { throw error }
      throw CaptureError(
        .failedPrecondition, "\(path): \(what) has to wait until its stream has ended", cause: error.cause,
        .init(.heldByStream))
    }
  }
}
