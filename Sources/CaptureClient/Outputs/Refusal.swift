internal import CaptureModel

/// Why a request is not made, which its sequence throws when it is first read; `nil`: it is made.
func refusal(_ validate: () throws(CaptureError) -> Void) -> CaptureError? {
  do throws(CaptureError) { try validate() } catch { return error }
  return nil
}
