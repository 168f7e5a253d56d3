import CaptureOptions

/// What each command of the table does.
let commands: [String: @Sendable (CommandContext) async throws -> Void] = [
  "info": showInfo,
  "status": showStatus,
  "ping": ping,
  "devices": listDevices,
  "formats": listFormats,
  "controls": listControls,
  "get": getControls,
  "set": setControls,
  "describe": describeCamera,
  "focus": changeFocus,
  "expose": changeExposure,
  "white-balance": changeWhiteBalance,
  "zoom": changeZoom,
  "torch": changeTorch,
  "flash": changeFlash,
  "reset": resetSettings,
  "watch": watchSettings,
  "stream": receiveStream,
  "photo": takePhoto,
  "lock": lockCamera,
  "unlock": unlockCamera,
  "leases": listLeases,
]
