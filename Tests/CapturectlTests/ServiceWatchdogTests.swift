import Testing

@testable import capture_node

/// When systemd wants to hear from the node (`sd_watchdog_enabled(3)`).
@Suite struct ServiceWatchdogTests {
  private func period(_ environment: [String: String]) -> Duration? {
    ServiceWatchdog.period(environment: { environment[$0] }, process: 7)
  }

  @Test func itPingsThreeTimesInTheTimeThatItHas() {
    #expect(period(["WATCHDOG_USEC": "30000000"]) == .seconds(10))
    #expect(period(["WATCHDOG_USEC": "30000000", "WATCHDOG_PID": "7"]) == .seconds(10))
  }

  @Test(arguments: [
    [:], ["WATCHDOG_USEC": ""], ["WATCHDOG_USEC": "0"], ["WATCHDOG_USEC": "soon"],
    ["WATCHDOG_USEC": "30000000", "WATCHDOG_PID": "8"],
  ]) func whereNobodyWatchesItDoesNotPing(_ environment: [String: String]) {
    #expect(period(environment) == nil)
  }
}
