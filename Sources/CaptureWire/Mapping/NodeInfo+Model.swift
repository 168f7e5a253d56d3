package import CaptureModel

extension InfoResponse {
  package init(_ info: NodeInfo) {
    self.init(
      name: info.name, version: info.version, bootID: info.bootID, kernel: info.kernel, machine: info.machine,
      cameras: UInt32(clamping: info.cameras), listeners: info.listeners, methods: info.methods)
  }

  package var model: NodeInfo {
    NodeInfo(
      name: name, version: version, bootID: bootID, kernel: kernel, machine: machine, cameras: Int(cameras),
      listeners: listeners, methods: methods)
  }
}
