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
  /// Throws `alreadyExists` for a used name, and the node's refusals, with their reasons. No session is made then.
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
  /// `name`: `nil` for a new session that ends with this connection; an unused name makes a session that lives until it is closed. `revision`: that
  /// of the status from which the change was made; the call fails with `aborted` if the session has changed since. `nil`: any revision. `start`:
  /// starts the session in the same step. What is impossible is refused with the reason. `isDryRun`: nothing is changed; the result is the state as
  /// it would be, and the refusals are the same (`canAddInput`, `canAddOutput`). `mustBeNew`: throws `alreadyExists` for a session that is there; if
  /// the caller is cancelled meanwhile, no session stays.
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
      // This call alone has made the session, so the session is closed again where nobody waits for it any more.
      return try await abandoningIfCancelled(
        discard: { [self] in try? await session($0.name).close() }, configure)
    }
  }
}

extension Session {
  /// Changes the configuration (`beginConfiguration`, `commitConfiguration`): all that `change` does, or nothing.
  ///
  /// If another client changes the session meanwhile, `change` is called again with the new configuration. Throws the errors of `change`, and the
  /// node's refusals, with their reasons.
  @discardableResult
  public nonisolated(nonsending) func commit(
    _ change: (inout CaptureModel.SessionConfiguration) throws(CaptureError) -> Void
  ) async throws(CaptureError) -> SessionStatus {
    try await commit(isDryRun: false, change)
  }

  /// Returns the state that ``commit(_:)`` would make (`canAddInput`, `canAddOutput`, `canSetSessionPreset`), and changes nothing. Throws the same
  /// errors.
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

  /// How often a change is tried while other clients change the session between its reading and its commit.
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

/// The steps between `beginConfiguration` and `commitConfiguration`.
extension CaptureModel.SessionConfiguration {
  /// `AVCaptureSession.sessionPreset`.
  public mutating func setPreset(_ preset: CaptureModel.SessionPreset) { self.preset = preset }

  /// `addInput`. `format` replaces the preset for this camera (`AVCaptureDevice.activeFormat`).
  public mutating func addInput(_ camera: Camera, format: CaptureModel.ActiveFormat? = nil) {
    inputs.append(Input(camera: camera.name, format: format))
  }

  /// `removeInput`: removes the camera's connections, too. Returns whether the camera was an input. A session names its cameras by identity, so a
  /// camera that is known by its index alone is not found.
  @discardableResult
  public mutating func removeInput(_ camera: Camera) -> Bool {
    let exact = inputs.filter { [camera.name, camera.info?.id.rawValue].contains($0.camera) }
    // A number is an index, even where an identity contains it.
    let isPart = exact.isEmpty && Int(camera.name) == nil && !camera.name.isEmpty
    let found = isPart ? inputs.filter { $0.camera.contains(camera.name) } : exact
    guard found.count == 1, let input = found.first else { return false }
    inputs.removeAll { $0.camera == input.camera }
    connections.removeAll { $0.camera == input.camera }
    return true
  }

  /// `addOutput`. `name`: `nil`: the output is named after its kind, "video" or "photo".
  public mutating func addOutput(_ kind: Output.Kind, named name: String? = nil) {
    outputs.append(Output(name: name ?? kind.rawValue, kind: kind))
  }

  /// `removeOutput`: removes the output's connection, too.
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
  /// Whether `model`, which was made of this configuration, has all of it.
  fileprivate func isKnown(as model: CaptureModel.SessionConfiguration) -> Bool {
    outputs.count == model.outputs.count && (try? preset.model()) != nil
      && zip(inputs, model.inputs).allSatisfy { ($0.format == nil) == ($1.format == nil) }
  }
}
