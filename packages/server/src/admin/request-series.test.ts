import assert from 'node:assert/strict'
import { it } from 'node:test'
import fc from 'fast-check'
import { Counter, Histogram, Registry } from 'prom-client'
import { requestSeries } from './request-series.ts'

const BUCKETS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5, 30]

/** Microseconds: on a bound, beside it, or anywhere. */
const anyDuration = fc.oneof(
  fc
    .tuple(fc.constantFrom(...BUCKETS), fc.constantFrom(-1, 0, 1))
    .map(([bound, beside]) => bound * 1e6 + beside),
  fc.nat(40_000_000),
)
const anyRequest = fc.record({
  operation: fc.constantFrom('getObject', 'listObjects', 'none'),
  status: fc.constantFrom(200, 304, 404, 429),
  durationUs: anyDuration,
})

it('requests are told as prom-client tells what it has counted itself', async () => {
  const every = fc.array(anyRequest, { maxLength: 50 })
  await fc.assert(
    fc.asyncProperty(every, async (requests) => {
      const [ours, theirs] = [new Registry(), new Registry()]
      const count = requestSeries(ours)
      const countThere = promClient(theirs)
      for (const { operation, status, durationUs } of requests) {
        count(operation, status, durationUs)
        countThere(operation, status, durationUs)
      }
      const [told, expected] = [await ours.metrics(), await theirs.metrics()].map(linesOf)
      assert.deepEqual(told!.counts, expected!.counts)
      assert.equal(told!.sums.length, expected!.sums.length)
      for (const [i, [series, sum]] of expected!.sums.entries()) {
        assert.equal(told!.sums[i]![0], series)
        assert.ok(Math.abs(told!.sums[i]![1] - sum) < 1e-9, series)
      }
    }),
    { numRuns: 100 },
  )
})

function promClient(registry: Registry) {
  const requests = new Counter({
    name: 'fleetgate_requests_total',
    help: 'Answered requests of the public API, by operation and status.',
    labelNames: ['operation', 'status'],
    registers: [registry],
  })
  const durations = new Histogram({
    name: 'fleetgate_request_duration_seconds',
    help: 'Time from the headers of a request to the end of its answer, by operation.',
    labelNames: ['operation'],
    buckets: BUCKETS,
    registers: [registry],
  })
  return (operation: string, status: number, durationUs: number) => {
    requests.labels(operation, String(status)).inc()
    durations.labels(operation).observe(durationUs / 1e6)
  }
}

/** Those that are exact, in order, and the sums, which depend on the order of adding. */
function linesOf(text: string): { counts: string[]; sums: [string, number][] } {
  const lines = text.split('\n').sort()
  const isSum = (line: string) => line.includes('_sum{')
  const sums = lines.filter(isSum).map((line): [string, number] => {
    const [series, value] = line.split(' ')
    return [series!, Number(value)]
  })
  return { counts: lines.filter((line) => !isSum(line)), sums }
}
