import type { Metric, Registry } from 'prom-client'

/** Bucket bounds in seconds: fine for fast operations, coarse for exports. */
const BUCKETS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5, 30]
const MICROSECONDS = 1e6
const BOUNDS_US = Float64Array.from(BUCKETS, (seconds) => seconds * MICROSECONDS)

const REQUESTS = 'fleetgate_requests_total'
const DURATIONS = 'fleetgate_request_duration_seconds'

/**
 * The durations of an operation's answers: the number in each bucket, without those in earlier buckets.
 */
type Durations = { counts: Float64Array; sumUs: number }
type Series = { operation: string; status: number; count: number; durations: Durations }

/**
 * The two series that grow with every request, counted by hand. prom-client looks labels up by name for
 * each observation, which takes about thirty times as long.
 */
export function requestSeries(registry: Registry) {
  const byStatus = new Map<string, Map<number, Series>>()
  const byOperation = new Map<string, Durations>()

  function seriesOf(operation: string, status: number): Series {
    const statuses = byStatus.get(operation) ?? new Map<number, Series>()
    byStatus.set(operation, statuses)
    const durations = byOperation.get(operation) ?? {
      counts: new Float64Array(BUCKETS.length + 1),
      sumUs: 0,
    }
    byOperation.set(operation, durations)
    const series = { operation, status, count: 0, durations }
    statuses.set(status, series)
    return series
  }

  register(registry, {
    name: REQUESTS,
    help: 'Answered requests of the public API, by operation and status.',
    type: 'counter',
    read: () =>
      Array.from(byStatus.values(), (statuses) => [...statuses.values()])
        .flat()
        .map(({ operation, status, count }) => ({ labels: { operation, status }, value: count })),
  })
  register(registry, {
    name: DURATIONS,
    help: 'Time from the headers of a request to the end of its answer, by operation.',
    type: 'histogram',
    read: () => Array.from(byOperation, ([operation, each]) => valuesOf(operation, each)).flat(),
  })

  return (operation: string, status: number, durationUs: number): void => {
    const series = byStatus.get(operation)?.get(status) ?? seriesOf(operation, status)
    series.count += 1
    const { counts } = series.durations
    let bucket = 0
    while (bucket < BOUNDS_US.length && durationUs > BOUNDS_US[bucket]!) bucket += 1
    counts[bucket]! += 1
    series.durations.sumUs += durationUs
  }
}

/** The histogram of one operation in the text format: each bucket includes the earlier ones. */
function valuesOf(operation: string, { counts, sumUs }: Durations): Value[] {
  let below = 0
  const buckets = Array.from(counts, (count, i) => {
    below += count
    const le = BUCKETS[i] ?? '+Inf'
    return { metricName: `${DURATIONS}_bucket`, labels: { le, operation }, value: below }
  })
  return [
    ...buckets,
    { metricName: `${DURATIONS}_sum`, labels: { operation }, value: sumUs / MICROSECONDS },
    { metricName: `${DURATIONS}_count`, labels: { operation }, value: below },
  ]
}

type Value = { metricName?: string; labels: Record<string, string | number>; value: number }
type Read = { name: string; help: string; type: 'counter' | 'histogram'; read(): Value[] }

/** A registry uses less of a metric than its type declares. */
function register(registry: Registry, { read, ...named }: Read): void {
  const metric = {
    ...named,
    aggregator: 'sum',
    get: async () => ({ ...named, aggregator: 'sum', values: read() }),
    reset: () => {},
  }
  registry.registerMetric(metric as unknown as Metric)
}
