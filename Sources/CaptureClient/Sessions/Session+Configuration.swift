public import CaptureModel
internal import CaptureWire

extension RemoteNode {
  /// Makes a session (`AVCaptureSession()`). `name`: `nil` for a session that ends with this connection; a name makes one that lives until it is
  /// closed, also over a restart of the node.
  ///
  /// ```swift
  /// let session = try await node.makeSession {
  ///   $0.setPreset(.photo)
  ///   $0.addInput(camera)
  ///   $0.addOutput(.photo)
  /// }
  /// ```
  /// Throws `alreadyExists` for a used name, and what the node refuses, with the reason: nothing is made then.
  public nonisolated(nonsending) func makeSession(
    _ name: String? = nil, start: Bool = false,
    _ configure: (inout CaptureModel.SessionConfiguration) throws(CaptureError) -> Void
  ) async throws(CaptureError) -> Session {
    var configuration = CaptureModel.SessionConfiguration()
    try configure(&configuration)
    // Without a `catch` here the error would be caught off the caller's actor (docs/adr/0041-cameras-are-called-where-the-device-is.md).
    do throws(CaptureError) {
      return session(try await commit(name, configuration, start: start, mustBeNew: true).name)
    } catch {
      throw error
    }
  }

  /// Makes or changes a session: all of `configuration`, or nothing.
  ///
  /// `name`: `nil` for a new session that ends with this connection; an unused name makes a session that lives until it is closed. `revision`: that of
  /// the status from which the change was made; the call fails with `aborted` if the session has changed since. `nil`: any revision. `start`: starts
  /// the session in the same step. What is impossible is refused with the reason. `isDryRun`: nothing is changed; the result is the state as it would
  /// be, and the refusals are the same (`canAddInput`, `canAddOutput`). `mustBeNew`: throws `alreadyExists` for a session that is there; if the caller is
  /// cancelled meanwhile, no session stays.
  @discardableResult
  public func commit(
    _ name: String?, _ configuration: CaptureModel.SessionConfiguration, revision: UInt64? = nil,
    start: Bool = false, isDryRun: Bool = false, mustBeNew: Bool = false
  ) async throws(CaptureError) -> SessionStatus {
    let request = ConfigureSessionRequest(
      session: name ?? "", configuration: CaptureWire.SessionConfiguration(configuration),
      revision: revision ?? 0, start: start, dryRun: isDryRun, create: mustBeNew)
    let configure = { @Sendable [connection, callOptions] () async throws(RPCError) in
      try await SessionsClient(connection).configure(request, options: callOptions).model
    }
    return try await convertingErrors { () async throws(RPCError) in
      guard mustBeNew, !isDryRun else { return try await configure() }
      // Nobody else has made it: where nobody waits for it any more, it is closed again.
      return try await abandoningIfCancelled(
        discard: { [self] in try? await session($0.name).close() }, configure)
    }
  }
}

extension Session {
  /// Changes the configuration (`beginConfiguration`, `commitConfiguration`): all that `change` does, or nothing.
  ///
  /// If another client changes the session meanwhile, `change` is called again with what is there then. Throws what `change` throws, and what the node
  /// refuses, with the reason.
  @discardableResult
  public nonisolated(nonsending) func commit(
    _ change: (inout CaptureModel.SessionConfiguration) throws(CaptureError) -> Void
  ) async throws(CaptureError) -> SessionStatus {
    try await commit(isDryRun: false, change)
  }

  /// What ``commit(_:)`` would do (`canAddInput`, `canAddOutput`, `canSetSessionPreset`); nothing is changed. It throws the same refusals.
  public nonisolated(nonsending) func check(
    _ change: (inout CaptureModel.SessionConfiguration) throws(CaptureError) -> Void
  ) async throws(CaptureError) -> SessionStatus {
    try await commit(isDryRun: true, change)
  }

  /// The state, and whether this program knows all of its configuration.
  private func wholeStatus() async throws(CaptureError) -> (SessionStatus, isWhole: Bool) {
    try await convertingErrors { () async throws(RPCError) in
      let state = try await SessionsClient(node.connection).get(
        GetSessionRequest(session: name), options: node.callOptions)
      let status = state.model
      return (status, state.configuration?.isKnown(as: status.configuration) ?? true)
    }
  }

  /// Others may win this often before the call gives up.
  private static let attempts = 5

  private nonisolated(nonsending) func commit(
    isDryRun: Bool, _ change: (inout CaptureModel.SessionConfiguration) throws(CaptureError) -> Void
  ) async throws(CaptureError) -> SessionStatus {
    var attempt = 1
    while true {
      // Without a `catch` here the error would be caught off the caller's actor (docs/adr/0041-cameras-are-called-where-the-device-is.md).
      do throws(CaptureError) {
        let (status, isWhole) = try await wholeStatus()
        guard isWhole else {
          throw CaptureError(
            .unimplemented,
            "the session '\(name)' has something that only newer programs know, and a change by this one would lose it",
            .init(.notSupported, field: "configuration"))
        }
        var configuration = status.configuration
        try change(&configuration)
        return try await node.commit(name, configuration, revision: status.revision, isDryRun: isDryRun)
      } catch {
        guard error.details?.reason == .revisionChanged, attempt < Self.attempts else { throw error }
        attempt += 1
      }
    }
  }
}

/// What is done to a configuration between `beginConfiguration` and `commitConfiguration`.
extension CaptureModel.SessionConfiguration {
  /// `AVCaptureSession.sessionPreset`.
  public mutating func setPreset(_ preset: CaptureModel.SessionPreset) { self.preset = preset }

  /// `addInput`. `format` replaces the preset for this camera (`AVCaptureDevice.activeFormat`).
  public mutating func addInput(_ camera: Camera, format: CaptureModel.ActiveFormat? = nil) {
    inputs.append(Input(camera: camera.name, format: format))
  }

  /// `removeInput`: also the camera's connections. Returns whether it was there. A session names cameras by their identities, so it does not find one that
  /// was named by its index.
  @discardableResult
  public mutating func removeInput(_ camera: Camera) -> Bool {
    let exact = inputs.filter { [camera.name, camera.info?.id.rawValue].contains($0.camera) }
    // A number is an index, even if some identity has it somewhere.
    let isPart = exact.isEmpty && Int(camera.name) == nil && !camera.name.isEmpty
    let found = isPart ? inputs.filter { $0.camera.contains(camera.name) } : exact
    guard found.count == 1, let input = found.first else { return false }
    inputs.removeAll { $0.camera == input.camera }
    connections.removeAll { $0.camera == input.camera }
    return true
  }

  /// `addOutput`. The first output of a kind is named after it, "video" or "photo", unless it is given a name.
  public mutating func addOutput(_ kind: Output.Kind, named name: String? = nil) {
    outputs.append(Output(name: name ?? kind.rawValue, kind: kind))
  }

  /// `removeOutput`: also its connection.
  public mutating func removeOutput(_ name: String) {
    outputs.removeAll { $0.name == name }
    connections.removeAll { $0.output == name }
  }

  /// Sets how pictures come to an output (`AVCaptureConnection`): turned, mirrored, cropped.
  public mutating func setConnection(_ connection: CaptureModel.SessionConnection) {
    connections.removeAll { $0.output == connection.output }
    connections.append(connection)
  }
}

extension CaptureWire.SessionConfiguration {
  /// Whether `model`, which was made of it, has all of it.
  fileprivate func isKnown(as model: CaptureModel.SessionConfiguration) -> Bool {
    outputs.count == model.outputs.count && (try? preset.model()) != nil
      && zip(inputs, model.inputs).allSatisfy { ($0.format == nil) == ($1.format == nil) }
  }
}
