import CaptureEngine
import CaptureModel
import CaptureWire

extension DevicesEndpoint {
  func inputs(_ request: InputsRequest, context: CallContext) async throws -> InputsResponse {
    InputsResponse(
      inputs: try await engine.device(request.device).run { try await $0.inputs.list() }.map { .init($0) })
  }

  func selectInput(_ request: SelectInputRequest, context: CallContext) async throws -> InputsResponse {
    let device = try engine.device(request.device)
    let inputs = try await engine.withLease(on: device, context) {
      try await device.run { try await $0.inputs.select(request.input, on: $0) }
    }
    return InputsResponse(inputs: inputs.map { .init($0) })
  }
}
