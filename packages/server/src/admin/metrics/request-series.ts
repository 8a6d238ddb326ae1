import { Counter, Histogram, type Registry } from 'prom-client'

/** Bucket bounds in seconds: fine for fast operations, coarse for exports. */
const BUCKETS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5, 30]
const MICROSECONDS = 1e6

/** The two series that grow with every request. */
export function requestSeries(registry: Registry) {
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

  return (operation: string, status: number, durationUs: number | undefined): void => {
    requests.inc({ operation, status })
    if (durationUs !== undefined) durations.observe({ operation }, durationUs / MICROSECONDS)
  }
}
