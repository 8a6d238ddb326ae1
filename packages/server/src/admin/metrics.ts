import { Counter, collectDefaultMetrics, Histogram, Registry } from 'prom-client'
import type { ProcessMetrics } from './summed-metrics.ts'

/** What one answered request adds to the metrics. */
export type Observation = { operation: string; status: number; durationUs: number }

export type Metrics = {
  observe(observation: Observation): void
  /** Prometheus's text exposition format. */
  text(): Promise<string>
  readonly contentType: string
  /** The same for adding it up with what other processes count. */
  json(): Promise<ProcessMetrics>
  /** For what other listeners count. */
  readonly registry: Registry
}

/** Seconds; fine where the fast operations are, coarse where exports stream. */
const BUCKETS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5, 30]
const MICROSECONDS = 1e6

export function openMetrics(): Metrics {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry })
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
  // Bound once: to look labels up by their names at each request costs more than to count.
  const series = new Map<string, (durationUs: number) => void>()

  function seriesOf(operation: string, status: number): (durationUs: number) => void {
    const count = requests.labels(operation, String(status))
    const duration = durations.labels(operation)
    return (durationUs) => {
      count.inc()
      duration.observe(durationUs / MICROSECONDS)
    }
  }

  return {
    observe({ operation, status, durationUs }) {
      const name = `${operation} ${status}`
      let add = series.get(name)
      if (add === undefined) {
        add = seriesOf(operation, status)
        series.set(name, add)
      }
      add(durationUs)
    },
    text: () => registry.metrics(),
    json: () => registry.getMetricsAsJSON(),
    contentType: registry.contentType,
    registry,
  }
}
