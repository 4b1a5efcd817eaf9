import Synchronization
import Testing

@testable import EmbeddingIndexing

@Suite struct SystemThrottleTests {
  @Test func asksTheSystemOnceInSoManyItems() async {
    let count = Mutex(0)
    let throttle = SystemThrottle(itemInterval: 100) {
      count.withLock { $0 += 1 }
      return .good
    }
    for processed in stride(from: 0, to: 1_000, by: 20) {
      #expect(await throttle.decision(processed: processed) == .proceed())
    }
    #expect(count.withLock { $0 } == 10)
    // A run that begins anew asks anew.
    _ = await throttle.decision(processed: 0)
    #expect(count.withLock { $0 } == 11)
  }

  @Test func asksAgainAfterEveryHold() async {
    let conditions = Mutex<[SystemCondition]>([.critical, .critical, .strained, .good])
    let throttle = SystemThrottle(itemInterval: 100) {
      conditions.withLock { $0.removeFirst() }
    }
    #expect(await throttle.decision(processed: 0) == .hold(.seconds(10)))
    #expect(await throttle.decision(processed: 0) == .hold(.seconds(10)))
    #expect(await throttle.decision(processed: 0) == .proceed(after: .seconds(1)))
    #expect(await throttle.decision(processed: 20) == .proceed(after: .seconds(1)))
    #expect(await throttle.decision(processed: 100) == .proceed())
  }

  @Test func theSystemItselfIsAsked() async {
    let decision = await SystemThrottle(itemInterval: .max).decision(processed: 5)
    let decisions = [SystemCondition.good, .strained, .critical].map(\.decision)
    #expect(decisions.contains(decision))
  }
}
