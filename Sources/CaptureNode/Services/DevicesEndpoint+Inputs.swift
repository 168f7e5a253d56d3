import CaptureEngine
import CaptureModel
import CaptureWire

extension DevicesEndpoint {
  func inputs(_ request: InputsRequest, context: CallContext) async throws -> InputsResponse {
    InputsResponse(
      inputs: try await engine.seen(by: context).device(request.device).run { try await $0.inputs.list() }.map
      { .init($0) })
  }

  func selectInput(_ request: SelectInputRequest, context: CallContext) async throws -> InputsResponse {
    let device = try engine.seen(by: context).device(request.device)
    let inputs = try await engine.seen(by: context).withLease(on: device) {
      try await device.run { try await $0.inputs.select(request.input, on: $0) }
    }
    return InputsResponse(inputs: inputs.map { .init($0) })
  }
}
